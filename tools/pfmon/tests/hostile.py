#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Runs programs whose names would do harm, and reads all that pfmon prints of them.

hostile.py PFMON VICTIM DIRECTORY N FORMAT... - copies of tests/victim.c in DIRECTORY get
names, the first N of NAMES, and functions with names, that have the separators, quotes,
ends of lines and escapes of all formats; samples are recorded in each FORMAT. What is
printed is read by parsers that are not ours, which must find the name as pfmon.1 says that
it is shown. Ends as the test programs do: "PASSED FAILED SKIPPED".
"""
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import pprof

NAMES = [
    b"a,b;\"c\n\x1b[1\xff\\'",
    b"<&> \\012 (deleted)",
    b"a,b;\"c\\'d e",
    b"\x1b[31m\n\r\t\x7f",
    b"\xff\xfe\xc3 \xed\xa0\x80",
    "\u00e9\u2028\U0001f600\u009b\ufffe\u202e".encode(),
    b"<&>]]>-- %s%n",
    b"x" * 240,
    b"# EOF\n}",
    b"=1,\"2",
]
# Ends of lines, and what turns the direction of text
MOVES = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
COMM = 15           # bytes of a process's name that the kernel keeps
FAULTS = ["-e", "minor-faults", "-c", "1"]      # there are some, however long it takes


class Tally:
    passed = failed = skipped = 0

    def check(self, what, got, want):
        if got == want:
            self.passed += 1
            return
        self.failed += 1
        print("FAIL hostile names, %s: %r instead of %r" % (what, got, want),
              file=sys.stderr)

    def skip(self, what):
        self.skipped += 1
        print("SKIP hostile names: " + what, file=sys.stderr)


def shown(name):
    """What pfmon.1 says of names: what is no character that can be shown is a '?'."""
    text = ""
    while name:
        for size in range(1, 5):
            try:
                c = name[:size].decode()
            except UnicodeDecodeError:
                continue
            n = ord(c[0])
            if n < 32 or 0x7f <= n < 0xa0 or n & 0xfffe == 0xfffe or c[0] in MOVES:
                continue
            text += c
            name = name[size:]
            break
        else:
            text += "?"
            name = name[1:]
    return text


def script_lines(text):
    """Of each sample who it is and where, without the offset in the function"""
    lines = text.split("\n")
    found = []
    for i, line in enumerate(lines):
        if not line or line[0] == "\t":
            continue
        # Of one with callers the innermost is on the next line.
        if line.endswith(": "):
            line += lines[i + 1]
        found.append(re.sub(r"\+0x[0-9a-f]+( \([^+]*\))$", r"\1", line.lstrip(" ")))
    return found


class Program:
    """A copy of the victim with a name, and a function with that name."""

    def __init__(self, o, number, name):
        self.dir = os.path.join(o.dir, b"%d" % number)
        os.mkdir(self.dir)
        self.file = os.path.join(self.dir, name)
        shutil.copy(o.victim, self.file)
        self.comm, self.path = shown(name[:COMM]), shown(self.file)
        self.function = o.function
        if o.renames:
            subprocess.run(["objcopy", b"--redefine-sym", b"fault_60=" + name, self.file],
                           check=True)
            self.function = shown(name)


class Tests:
    def __init__(self, pfmon, victim, directory):
        self.tally = Tally()
        self.pfmon, self.victim, self.dir = pfmon, victim, os.fsencode(directory)
        self.data, self.out = self.dir + b"/data", self.dir + b"/out"
        where = subprocess.run([victim, "where"], stdout=subprocess.PIPE, check=True)
        begin = re.search(rb"^fault_60 (\S+)", where.stdout, re.M).group(1).decode()
        # For the fake, whose samples are where it is told; the kernel does not care.
        os.environ["FAKE_IPS"] = begin + ":1"
        self.function = "[unknown]"
        self.renames = False

    def run(self, *args):
        """What pfmon prints, to its standard output or error"""
        if os.path.exists(self.out):
            os.remove(self.out)
        got = subprocess.run([self.pfmon, *args], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.tally.check("%r: status" % (args,), got.returncode, 0)
        return got.stdout

    def output(self, *args):
        self.run(*args[:1], "-o", self.out, *args[1:])
        with open(self.out, "rb") as f:
            return f.read()

    def printable(self, what, text, may=""):
        """It has nothing that controls a terminal, and lines end in \\n only."""
        self.tally.check("%s: controls" % what,
                         {c for c in text if c != "\n" and shown(c.encode()) != c} - set(may),
                         set())

    def text(self, *args):
        text = self.output(*args).decode()
        self.printable(repr(args), text)
        return text

    def counts(self, p):
        check, command = self.tally.check, [p.file, "thread", "1", "1"]
        args = ["stat", "--per-thread", "-e", "cs,task-clock"]
        got = json.loads(self.output(*args, "-f", "json", *command))
        check("stat, JSON", {t["name"] for t in got["by_thread"]}, {p.comm})
        title = got["title"]
        for separator in ",;\t":
            text = self.output(*args, "-x" + separator, *command).decode()
            rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=separator))
            rows = [r for r in rows if not r["time"].startswith("#")]
            check("stat, CSV", {re.sub(r"-\d+$", "", r["of"]) for r in rows},
                  {"'" * (p.comm[0] in "=+-@") + p.comm, "all"})
            check("stat, CSV: columns", {None in r or None in r.values() for r in rows},
                  {False})
            check("stat, CSV: events", {r["event"] for r in rows},
                  {"context-switches", "task-clock", "elapsed", "user", "system"})
        text = self.text(*args, *command)
        check("stat, text: title", text.split("\n")[1][:len(title) + 1], " " + title)
        lines = re.findall(r"^ (.*)-(\d+) +[\d,.]+ +(?:ms )?(\S+)", text, re.M)
        check("stat, text", {(n, e) for n, _, e in lines},
              {(p.comm, "context-switches"), (p.comm, "task-clock")})
        check("stat, text: threads", len({t for _, t, _ in lines}), 2)
        self.metrics(p, args, command, title)

    def metrics(self, p, args, command, title):
        try:
            from prometheus_client.openmetrics import parser
        except ImportError:
            self.tally.skip("python3-prometheus-client is not installed: metrics")
            return
        text = self.output(*args, "-f", "openmetrics", *command).decode()
        samples = [s for f in parser.text_string_to_metric_families(text)
                   for s in f.samples]
        self.tally.check("stat, metrics: threads",
                         {s.labels["thread"] for s in samples if "tid" in s.labels}, {p.comm})
        self.tally.check("stat, metrics: title", {s.labels["target"] for s in samples},
                         {title})

    def samples(self, p, *options):
        check = self.tally.check
        self.run("record", "-o", self.data, *FAULTS, "-b", "512K", *options, p.file,
                 "pattern", "10")
        row = (p.comm, p.path, p.function)
        report = ["report", "-i", self.data, "-b", "process,binary,symbol"]
        got = json.loads(self.output(*report, "-f", "json"))
        rows = {(r["process"], r["binary"], r["symbol"]): r["samples"] for r in got["rows"]}
        check("report, JSON: %r" % rows, row in rows, True)
        count = rows.get(row)

        folded = self.text(*report, "-f", "folded")
        want = ";".join(word.replace(";", ":") for word in row) + " %s" % count
        check("report, folded: %r" % folded, want in folded.split("\n"), True)

        text = self.text(*report)
        check("report, text: title", text.split("\n")[1].startswith(" " + got["title"] + ": "),
              True)
        pattern = " +[0-9.]+ +[0-9,]+  " + " +".join(map(re.escape, row))
        check("report, text: %r" % text,
              any(re.fullmatch(pattern, line) for line in text.split("\n")), True)

        tree = xml.fromstring(self.output(*report, "-f", "svg"))
        titles = [t.text for t in tree.iter("{http://www.w3.org/2000/svg}title")]
        check("report, SVG: title", titles[0], got["title"])
        names = {re.sub(r": [0-9,]+ samples?, [0-9.]+%$", "", t) for t in titles[1:]}
        check("report, SVG: %r" % names, set(row) <= names, True)

        text = self.output("script", "-i", self.data).decode()
        self.printable("script", text, "\t")
        got_lines = script_lines(text)
        check("script: samples", len(got_lines), got["samples"])
        end = " %s (%s)" % (p.function, p.path)
        check("script: %r" % text, sum(x.startswith((p.comm + " ").lstrip()) and
                                       x.endswith(end) for x in got_lines), count)
        self.pprof(row, count)

    def pprof(self, row, count):
        if not shutil.which("protoc"):
            self.tally.skip("protoc is not installed: files for pprof")
            return
        self.output("report", "-i", self.data, "-f", "pprof")
        sums = {}
        for value, labels, places in pprof.Profile(self.out).samples:
            _, binary, symbol = places[0]
            if symbol == pprof.Profile.unnamed(binary):
                symbol = "[unknown]"
            key = (labels["command"], binary, symbol)
            sums[key] = sums.get(key, 0) + value[0]
        self.tally.check("report, pprof: %r" % sums, sums.get(row), count)

    def top(self, p):
        text = self.run("top", "-d", "3600", "-b", "process,binary", *FAULTS, p.file, "pattern",
                        "10")
        text = text.decode()
        self.printable("top", text)
        pattern = " +[0-9.]+ +[0-9,]+  %s +%s" % (re.escape(p.comm), re.escape(p.path))
        self.tally.check("top: %r" % text,
                         any(re.fullmatch(pattern, x) for x in text.split("\n")), True)

    def has_names(self):
        """Can this pfmon name functions, and can they be given names here?"""
        self.run("record", "-o", self.data, self.victim, "pattern", "10")
        got = subprocess.run([self.pfmon, "report", "-i", self.data], check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if b"built without libdw" in got.stdout:
            self.tally.skip("this pfmon was built without libdw: functions")
        elif not shutil.which("objcopy"):
            self.tally.skip("objcopy is not installed: functions")
        else:
            self.renames = True

    def all(self, names, formats):
        self.has_names()
        for number, name in enumerate(NAMES[:names]):
            p = Program(self, number, name)
            self.counts(p)
            for form in formats:
                self.samples(p, "-f", form)
            self.top(p)
        print(self.tally.passed, self.tally.failed, self.tally.skipped)


Tests(*sys.argv[1:4]).all(int(sys.argv[4]), sys.argv[5:])
