#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Counts and samples programs of known truth by pfmon and by perf, in the same boot.

beside_perf.py [short] PFMON VICTIM DIRECTORY [TABLE...]

In a guest, as root. Prints the tables of Documentation/beside-perf.rst, and then, as the test
programs do, "PASSED FAILED SKIPPED" of pfmon's own figures: perf's are there to compare. With
"short" each table has a few lines only, for a test. A TABLE is counts, shares, lost, chains,
stacks, lines or rates: all of them if none is named. The truth is the program's (victim.c): its
loops are the same instructions in three functions, 60, 30 and 10 percent of them; its faults are
so many pages that it touches for the first time, in three functions, too. Beside it are frames.c,
for stacks, and lined.c, for lines.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

TRUTH = {"60": 60, "30": 30, "10": 10}
FORMATS = ["default", "double", "aggregate", "callchain", "calldouble", "callaggregate"]
# Where perf has another name; its samples of a clock are to be those of the program alone.
PERF_COUNTS = {"r01c0:u": "cpu/event=0xc0,umask=0x1/u"}
PERF_SAMPLES = {"task-clock": "cpu-clock:u"} | PERF_COUNTS
# Of the hardware, all that the bench counts: what an event is of an instruction of the loops,
# or None if the program's length tells; and a period. 01c0 is instructions, on one counter.
HARDWARE = {"instructions:u": (None, 50000), "cycles:u": (1, 50000), "branches:u": (None, 25000),
            "ref-cycles:u": (1 / 4, 12500), "r01c0:u": (1, 50000)}
POINTS = 2		# that a share may be off, beside five standard deviations
LEAST = 50		# samples to judge by: an emulated CPU that waits has few of a clock

# So often to the other CPU, and back.
MOVES = """import os, sys
for i in range(int(sys.argv[1])):
    os.sched_setaffinity(0, [(i + 1) % 2])"""
# So many pages of a file, of which nothing is in memory before.
READS = """import mmap, os, sys
f = os.open(sys.argv[2], os.O_RDWR | os.O_CREAT, 0o600)
os.truncate(f, 4096 * 1000)
m = mmap.mmap(f, 0)
for i in range(1000): m[4096 * i] = 1
m.flush()
m.close()
os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
m = mmap.mmap(f, 0, prot=mmap.PROT_READ)
m.madvise(mmap.MADV_RANDOM)
for i in range(int(sys.argv[1])): m[4096 * i]"""


def deviation(percent, samples):
    return (percent * (100 - percent) / samples) ** 0.5


def commas(n):
    return format(n, ",") if isinstance(n, int) else str(n)


def table(title, heads, rows):
    """In reStructuredText"""
    rows = [[commas(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [heads] + rows) for i in range(len(heads))]
    rule = "  ".join("=" * w for w in widths)
    print("\n%s\n%s\n" % (title, "-" * len(title)))
    for line in (rule, heads, rule, *rows, rule):
        print(line if line is rule else
              "  ".join(cell.ljust(w) for cell, w in zip(line, widths)).rstrip())
    sys.stdout.flush()


class Beside:
    def __init__(self, short, pfmon, victim, directory):
        self.short, self.pfmon, self.victim, self.dir = short, pfmon, victim, directory
        self.passed = self.failed = self.skipped = 0
        self.hardware = {event: what for event, what in HARDWARE.items() if not subprocess.run(
            [pfmon, "explain", event], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            check=False).returncode}
        self.formats = [f for f in FORMATS if os.path.isdir("/sys/kernel/perfmon/formats/" + f)]

    def path(self, name):
        return os.path.join(self.dir, name)

    def check(self, good, *what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print("FAIL beside perf:", *what, file=sys.stderr)

    def run(self, *command):
        got = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        self.check(got.returncode == 0, command, got.returncode, got.stderr.decode()[-500:])
        return got.stdout.decode(errors="replace")

    def stat(self, event, *command):
        """How many both count of it: each in a run of its own"""
        self.run(self.pfmon, "stat", "-j", "-o", self.path("json"), "-e", event, *command)
        with open(self.path("json"), encoding="utf-8") as f:
            ours = json.load(f)["events"][0]["value"]
        self.run("perf", "stat", "-x,", "-o", self.path("csv"), "-e",
                 PERF_COUNTS.get(event, event), *command)
        with open(self.path("csv"), encoding="utf-8") as f:
            theirs = [line.split(",")[:2] for line in f if "," in line][0]
        return ours, int(float(theirs[0]) * (1e6 if theirs[1] == "msec" else 1))

    def differences(self, event, truth, slack, more, less, command=None):
        """Of two runs that differ by that alone: what programs do when they begin is in both."""
        command = command or (lambda *words: [self.victim, *words])
        ours, theirs = (a - b for a, b in zip(*(self.stat(event, *command(*text.split()))
                                                for text in (more, less))))
        self.check(abs(ours - truth) <= slack, event, more, ours, "instead of", truth)
        return [event, "%s - %s" % (more, less), truth, ours, theirs]

    def hardware_counts(self):
        """Of a loop that is twice as long the difference is twice as large."""
        rounds, length = ["rounds %d 100000" % (n if self.short else 10 * n)
                          for n in (100, 200, 400)], {}
        for event, (part, _) in self.hardware.items():
            of = "instructions:u" if part else event
            if of not in length:
                one, two = (self.stat(of, self.victim, *words.split()) for words in rounds[:2])
                length[of] = 2 * (two[0] - one[0])
            truth = round(length[of] * (part or 1))
            yield self.differences(event, truth, truth // 1000, rounds[2], rounds[1])

    def python_counts(self):
        def moves(_, n):
            return [sys.executable, "-c", MOVES, n]

        def reads(_, n):
            return [sys.executable, "-c", READS, n, self.path("reads")]

        if os.cpu_count() > 1:
            yield self.differences("migrations", 1000, 10, "moves 1100", "moves 100", moves)
        # Where the file is nowhere but in memory there are none.
        if self.stat("major-faults", *reads("", "1000"))[1] > 900:
            yield self.differences("major-faults", 900, 20, "reads 1000", "reads 100", reads)

    def counts(self):
        rows = [self.differences("minor-faults", 1000, 20, "thread 10 101", "thread 10 1")]
        if not self.short:
            rows += [self.differences("minor-faults", 2000, 100, "fork 20 101", "fork 20 1"),
                     self.differences("context-switches", 1000, 50, "nap 1100", "nap 100"),
                     self.differences("task-clock", 10**9, 10**8, "spin 1500", "spin 500")]
            rows += self.python_counts()
        rows += self.hardware_counts()
        table("Counts", ["event", "program", "truth", "pfmon", "perf"], rows)

    def samples(self, folded):
        """A counter of functions, from lines "SYMBOL WEIGHT" """
        found = collections.Counter()
        for line in folded.splitlines():
            symbol, _, n = line.rpartition(" ")
            kind = symbol.rpartition("_")[2]
            if kind in TRUTH and symbol.startswith(("hot_", "fault_")):
                found[kind] += int(n)
        return found

    def ours(self, format_, event, period, *what):
        self.run(self.pfmon, "record", "-o", self.path("data"), "-f", format_, "-b",
                 "256K" if format_ == "aggregate" else "1M", "-e", event, *period, self.victim,
                 *what)
        text = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "json", "-b", "symbol")
        report = json.loads(text)
        lost = report["lost"]
        found = self.samples("\n".join("%s %d" % (row["symbol"], row["samples"])
                                       for row in report["rows"]))
        return found, lost["samples"] + lost["estimated"]

    def theirs(self, event, period, *what):
        data = self.path("perf.data")
        self.run("perf", "record", "-q", "-m", "1M", "-o", data, "-e",
                 PERF_SAMPLES.get(event, event), *period, self.victim, *what)
        symbols = self.run("perf", "script", "-i", data, "-F", "ip,sym").splitlines()
        return self.samples("\n".join(line.split()[-1] + " 1" for line in symbols if line.split()))

    def share_row(self, found, what, judge, samples=None):
        """Of as many samples as are in @found, unless that is what @samples stand for"""
        all_ = sum(found.values())
        samples = all_ if samples is None else samples
        shares = {kind: 100 * found[kind] / all_ if all_ else 0 for kind in TRUTH}
        if judge:
            good = samples >= LEAST and all(
                abs(shares[kind] - truth) <= POINTS + 5 * deviation(truth, samples)
                for kind, truth in TRUTH.items())
            self.check(good, what, dict(found), samples)
        return [samples, *("%.1f" % shares[kind] for kind in TRUTH)]

    def shares(self):
        hot = ("hot", "600" if self.short else "1500")
        faults = ("pattern", "4000" if self.short else "16000")
        lines = [("minor-faults", ["-c", "20"], faults)]
        if not self.short:
            lines += [("minor-faults", ["-F", "4000"], faults),
                      ("task-clock", ["-c", "250000"], hot), ("task-clock", ["-F", "4000"], hot)]
        for event, (_, period) in self.hardware.items():
            lines += [(event, ["-c", str(period)], hot), (event, ["-F", "4000"], hot)]
        rows = []
        for event, period, what in lines:
            # Those that aggregate record no periods, which are to follow the events.
            formats = [f for f in self.formats
                       if "aggregate" not in f or "-c" in period or event == "task-clock"]
            # With each event one of them, and the default with the first.
            if self.short:
                formats = [f for f in formats if event in ("minor-faults", "instructions:u") and
                           f == "default" or f == ["calldouble", "callaggregate"]["-c" in period]]
            for format_ in formats:
                found, _ = self.ours(format_, event, period, *what)
                name = [event, " ".join(period), "pfmon, " + format_]
                rows.append(name + self.share_row(found, name, True))
            if not self.short or event == "instructions:u":
                found = self.theirs(event, period, *what)
                rows.append([event, " ".join(period), "perf"] + self.share_row(found, "", False))
        table("Shares: 60, 30 and 10 percent",
              ["event", "period", "by", "samples", "60", "30", "10"], rows)

    def lost(self):
        """Each fault is a sample, or one of 20,011 instructions: small buffers have no room."""
        rows, n = [], 500 if self.short else 10000
        lines = [("minor-faults", 1, 10 * n, ["pattern", str(n)])]
        if "instructions:u" in self.hardware and not self.short:
            what = ["rounds", "500", "100000"]
            truth = self.stat("instructions:u", self.victim, *what)[0] // 20011
            lines.append(("instructions:u", 20011, truth, what))
        for event, period, truth, what in lines:
            for format_ in self.formats if not self.short else ["double", "callaggregate"]:
                found, lost = self.ours(format_, event, ["-c", str(period), "-R", "0", "-b", "64K"],
                                        *what)
                all_ = sum(found.values())
                if format_ not in ("default", "callchain"):
                    self.check(0.98 * truth <= all_ + lost <= truth + 1000, "lost", event, format_,
                               all_, lost)
                rows.append([event, "pfmon, " + format_, truth, all_, lost, all_ + lost])
            data = self.path("perf.data")
            self.run("perf", "record", "-q", "-m", "64K", "-o", data, "-e", event, "-c",
                     str(period), self.victim, *what)
            script = self.run("perf", "script", "-i", data, "--show-lost-events").splitlines()
            lost = sum(int(line.split()[-1]) for line in script if "PERF_RECORD_LOST lost" in line)
            all_ = sum("fault_" in line or "hot_" in line for line in script)
            rows.append([event, "perf", truth, all_, lost, all_ + lost])
        table("Samples that are there, and that are lost",
              ["event", "by", "truth", "samples", "said to be lost", "together"], rows)

    def chain_rows(self, event, period, caller, *what):
        """What has each function below main() and @caller, what has it at all, and samples"""
        for format_ in self.formats:
            if not format_.startswith("call") or ("-F" in period and "aggregate" in format_):
                continue
            self.run(self.pfmon, "record", "-o", self.path("data"), "-f", format_, "-b", "512K",
                     "-e", event, *period, self.victim, *what)
            folded = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "folded")
            found, all_ = collections.Counter(), 0
            for line in folded.splitlines():
                calls, _, n = line.rpartition(" ")
                calls = calls.replace("run_simple;", "")
                if ";main;%s;" % caller in calls and calls[-2:] in TRUTH:
                    found[calls[-2:]] += int(n)
                all_ += int(n) * (calls[-3:-2] == "_" and calls[-2:] in TRUTH)
            text = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "json")
            yield "pfmon, " + format_, found, all_, json.loads(text)["samples"]
        data = self.path("perf.data")
        self.run("perf", "record", "-q", "-g", "-m", "1M", "-o", data, "-e", event, *period,
                 self.victim, *what)
        found, all_ = collections.Counter(), 0
        for sample in self.run("perf", "script", "-i", data, "-F", "ip,sym").split("\n\n"):
            calls = [line.split()[-1] for line in sample.splitlines() if line.split()]
            calls = [c for c in calls if c != "run_simple"]
            hit = bool(calls) and calls[0][:-2] in ("fault_", "hot_")
            all_ += hit
            if hit and calls[1:3] == [caller, "main"]:
                found[calls[0][-2:]] += 1
        yield "perf -g", found, all_, all_

    def chains(self):
        rows = []
        for by, found, _, samples in self.chain_rows("minor-faults", ["-c", "1"], "do_pattern",
                                                     "pattern", "100"):
            got = [found[kind] for kind in TRUTH]
            self.check(by == "perf -g" or got == [600, 300, 100], "chains", by, got)
            rows.append(["minor-faults", "-c 1", by, samples, *got])
        for event, (_, count) in {} if self.short else self.hardware.items():
            for period in ["-c", str(count)], ["-F", "4000"]:
                for by, found, all_, samples in self.chain_rows(event, period, "do_rounds",
                                                                "rounds", "2000", "100000"):
                    name = [event, " ".join(period), by]
                    rows.append(name + self.share_row(found, name, by != "perf -g", samples))
                    # But for the first instructions of a function, which has no frame yet.
                    self.check(by == "perf -g" or sum(found.values()) >= 0.99 * all_, "chains",
                               name, dict(found), all_)
        table("Calls: main, do_pattern and 600, 300 and 100 faults, or do_rounds and percent",
              ["event", "period", "by", "samples", "60", "30", "10"], rows)

    def stack_row(self, name, by, chains):
        """Of calls, the innermost first, and how often: which reach the program's beginning"""
        all_ = sum(n for _, n in chains)
        whole = sum(n for calls, n in chains
                    if any(call.startswith("__libc_start_main") for call in calls))
        row = [name, by, all_, "%.1f" % (100 * whole / all_ if all_ else 0)]
        hit = [(calls, n) for calls, n in chains if "aaa" in calls]
        true = sum(n for calls, n in hit if calls[calls.index("aaa") + 1:][:2] == ["mid", "main"])
        at = sum(n for _, n in hit)
        if name == "frames":
            self.check(by == "perf" or (at >= LEAST and true >= 0.99 * at), "stacks", row, true, at)
        self.check(by == "perf" or whole >= 0.75 * all_, "stacks", row)
        return row + ["%.1f" % (100 * true / at) if at else "-"]

    def stacks(self):
        """Programs without frame pointers: of the distribution, and one whose calls are known"""
        rows, data = [], self.path("perf.data")
        program = os.path.realpath(sys.executable)
        lines = [("frames", [os.path.join(os.path.dirname(self.victim), "frames"), "200"]),
                 ("python3", [program, "-S", "-c", "sum(i * i for i in range(500000))"])]
        if shutil.which("git") and not self.short:
            lines.append(("git hash-object", ["git", "hash-object", "--no-filters", program]))
        for name, what in lines:
            self.run(self.pfmon, "record", "-o", self.path("data"), "-g", "dwarf", "-b", "4M",
                     "-F", "1000", *what)
            folded = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "folded")
            rows.append(self.stack_row(name, "pfmon", [
                (calls.split(";")[:0:-1], int(n)) for calls, _, n in
                (line.rpartition(" ") for line in folded.splitlines())]))
            if self.short:
                continue
            self.run("perf", "record", "-q", "-m", "4M", "-o", data, "-e", "cpu-clock", "-F",
                     "1000", "--call-graph", "dwarf", *what)
            rows.append(self.stack_row(name, "perf", [
                ([line.split()[1] for line in sample.splitlines() if line.split()], 1) for sample
                in self.run("perf", "script", "-i", data, "-F", "ip,sym").split("\n\n")
                if sample.strip()]))
        table("Stacks: percent of the samples with all calls, and with main, mid and aaa",
              ["program", "by", "samples", "whole", "aaa"], rows)

    def our_lines(self, mode, program):
        """Two counters: of the lines of the source, and of functions and what they call"""
        self.run(self.pfmon, "record", "-o", self.path("data"), *mode, "-b", "4M", "-R", "0", "-e",
                 "minor-faults", "-c", "1", program, "1")
        found = []
        for by, n in ("line", "samples"), ("symbol", "total_samples"):
            text = self.run(self.pfmon, "report", "-i", self.path("data"), "-b", by, "-f", "json",
                            "--children", "--inline")
            found.append({row[by]: row[n] for row in json.loads(text)["rows"]})
        return found

    def their_lines(self, mode, program):
        """The same: lines and functions of each sample, of which the first is the innermost"""
        data = self.path("perf.data")
        self.run("perf", "record", "-q", "-m", "4M", "-o", data, "-e", "minor-faults", "-c", "1",
                 *mode, program, "1")
        at, among = collections.Counter(), collections.Counter()
        text = self.run("perf", "script", "-i", data, "-F", "ip,sym,srcline")
        # An address and a function, and a line of its own with the line of the source.
        for sample in re.split(r"\n\s*\n", text):
            lines = [line.split() for line in sample.splitlines() if line.strip()]
            calls = [words[1] for words in lines
                     if len(words) > 1 and re.fullmatch("[0-9a-f]+", words[0])]
            among.update(set(calls))
            if len(lines) > 1:
                at[lines[1][0]] += 1
        return at, among

    def lines(self):
        """Lines of the source, and functions of which some are inlined in others"""
        rows, program = [], os.path.join(os.path.dirname(self.victim), "lined")
        names = ["lined.c:" + n for n in self.run(program).split()]
        for by, get, mode in [("pfmon -g", self.our_lines, ["-g"]),
                              ("pfmon -g dwarf", self.our_lines, ["-g", "dwarf"]),
                              ("perf -g", self.their_lines, ["-g"]),
                              ("perf --call-graph dwarf", self.their_lines,
                               ["--call-graph", "dwarf"])][:2 if self.short else 4]:
            at, among = get(mode, program)
            got = [at.get(name, 0) for name in names] + \
                [among.get(name, 0) for name in ("work", "touch_six", "touch_four", "touch_one")]
            self.check(by.startswith("perf") or got == [600, 300, 100, 1000, 600, 400, 100], "lines", by,
                       got, names)
            rows.append([by, *got])
        table("Lines, and functions with what they call",
              ["by", "line of 600", "of 300", "of 100", "work", "touch_six", "touch_four",
               "touch_one"], rows)

    def rates(self):
        """Samples in a second of CPU time, of which the kernel counts how much there is."""
        rows = []
        for event in ["task-clock", "minor-faults", *self.hardware]:
            what = ["pattern", "32000"] if event == "minor-faults" else ["hot", "2000"]
            for frequency in 100, 1000, 4000:
                options = ["-e", event, "-F", str(frequency)]
                self.run(self.pfmon, "record", "-o", self.path("data"), "-b", "1M", *options, "-r",
                         "task-clock", self.victim, *what)
                text = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "json", "-b",
                                "process")
                report = json.loads(text)
                ns = sum(row.get("task-clock", 0) for row in report["rows"])
                ours = round(report["samples"] * 1e9 / ns) if ns else 0
                options[1] = PERF_SAMPLES.get(event, event)
                data = self.path("perf.data")
                self.run("perf", "record", "-q", "-m", "1M", "-o", data, *options, self.victim,
                         *what)
                n = len(self.run("perf", "script", "-i", data, "-F", "ip").split())
                # Its own: "hot" ends by the clock.
                seconds = 2 if "hot" in what else \
                    self.stat("task-clock", self.victim, *what)[1] / 1e9
                rows.append([event, frequency, ours, round(n / seconds)])
        table("Samples in a second of CPU time, -F", ["event", "asked for", "pfmon", "perf"], rows)

    def all(self, tables):
        if not shutil.which("perf"):
            self.skipped += 1
            print("SKIP beside perf: there is no perf", file=sys.stderr)
            return
        for name in tables or ["counts", "shares", "lost", "chains", "stacks"] + \
                ["lines", "rates"] * (not self.short):
            getattr(self, name)()


def main():
    args = sys.argv[1:]
    short = args[0] == "short"
    tests = Beside(short, *args[short:short + 3])
    tests.all(args[short + 3:])
    print("\n%d %d %d" % (tests.passed, tests.failed, tests.skipped))


if __name__ == "__main__":
    main()
