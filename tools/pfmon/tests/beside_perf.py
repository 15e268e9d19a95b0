#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Counts and samples programs of known truth by pfmon and by perf, in the same boot.

beside_perf.py [short] PFMON VICTIM DIRECTORY [TABLE...]

In a guest, as root. Prints the tables of Documentation/beside-perf.rst, and then, as the test
programs do, "PASSED FAILED SKIPPED" of pfmon's own figures: perf's are there to compare. With
"short" each table has a few lines only, for a test. A TABLE is counts, shares, lost, chains or
rates: all of them if none is named. The truth is the program's (victim.c): its
loops are the same instructions in three functions, 60, 30 and 10 percent of them; its faults are
so many pages that it touches for the first time, in three functions, too.
"""
import collections
import json
import os
import shutil
import subprocess
import sys

TRUTH = {"60": 60, "30": 30, "10": 10}
FORMATS = ["default", "double", "aggregate", "callchain", "calldouble", "callaggregate"]
PERF_NAMES = {"task-clock": "cpu-clock:u", "minor-faults": "minor-faults"}
POINTS = 2		# that a share may be off, beside five standard deviations
LEAST = 50		# samples to judge by: an emulated CPU that waits has few of a clock


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
        info = subprocess.run([pfmon, "info"], stdout=subprocess.PIPE, check=True).stdout.decode()
        self.hardware = "\n  instructions " in info
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

    def stat(self, event, *what):
        """How many both count of it: each in a run of its own"""
        self.run(self.pfmon, "stat", "-j", "-o", self.path("json"), "-e", event, self.victim, *what)
        with open(self.path("json"), encoding="utf-8") as f:
            ours = json.load(f)["events"][0]["value"]
        self.run("perf", "stat", "-x,", "-o", self.path("csv"), "-e", event, self.victim, *what)
        with open(self.path("csv"), encoding="utf-8") as f:
            theirs = [int(line.split(",")[0]) for line in f if "," in line]
        return ours, theirs[0]

    def differences(self, event, truth, slack, more, less):
        """Of two runs that differ by that alone: what programs do when they begin is in both."""
        more, less = more.split(), less.split()
        ours, theirs = (a - b for a, b in zip(self.stat(event, *more), self.stat(event, *less)))
        self.check(abs(ours - truth) <= slack, event, more, ours, "instead of", truth)
        return [event, "%s - %s" % (" ".join(more), " ".join(less)), truth, ours, theirs]

    def counts(self):
        rows = [self.differences("minor-faults", 1000, 20, "thread 10 101", "thread 10 1")]
        if not self.short:
            rows.append(self.differences("minor-faults", 2000, 100, "fork 20 101", "fork 20 1"))
        if self.hardware and not self.short:
            # Of a loop that is twice as long the difference is twice as large.
            one = self.stat("instructions:u", "rounds", "2000", "100000")
            two = self.stat("instructions:u", "rounds", "4000", "100000")
            length = two[0] - one[0]
            rows.append(self.differences("instructions:u", 2 * length, length // 1000,
                                         "rounds 6000 100000", "rounds 2000 100000"))
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
                 "256K" if format_ == "aggregate" else "1M", "-e", event, *period, self.victim, *what)
        text = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "json", "-b", "symbol")
        report = json.loads(text)
        lost = report["lost"]
        found = self.samples("\n".join("%s %d" % (row["symbol"], row["samples"])
                                       for row in report["rows"]))
        return found, lost["samples"] + lost["estimated"]

    def theirs(self, event, period, *what):
        if event not in PERF_NAMES and not self.hardware:
            return None
        data = self.path("perf.data")
        self.run("perf", "record", "-q", "-m", "1M", "-o", data, "-e", PERF_NAMES.get(event, event),
                 *period, self.victim, *what)
        symbols = self.run("perf", "script", "-i", data, "-F", "ip,sym").splitlines()
        return self.samples("\n".join(line.split()[-1] + " 1" for line in symbols if line.split()))

    def share_row(self, found, what, judge):
        all_ = sum(found.values())
        shares = {kind: 100 * found[kind] / all_ if all_ else 0 for kind in TRUTH}
        if judge:
            good = all_ >= LEAST and all(
                abs(shares[kind] - truth) <= POINTS + 5 * deviation(truth, all_)
                for kind, truth in TRUTH.items())
            self.check(good, what, dict(found))
        return [all_, *("%.1f" % shares[kind] for kind in TRUTH)]

    def shares(self):
        hot = ("hot", "600" if self.short else "1500")
        lines = [("minor-faults", ["-c", "20"], ("pattern", "4000" if self.short else "16000"))]
        if not self.short:
            lines += [("task-clock", ["-c", "250000"], hot), ("task-clock", ["-F", "4000"], hot)]
        if self.hardware:
            lines += [("instructions:u", ["-c", "50000"], hot)]
            for event in () if self.short else ("cycles:u", "branches:u"):
                lines += [(event, ["-c", "50000"], hot)]
            for event in ("instructions:u",) if self.short else \
                    ("instructions:u", "cycles:u", "branches:u"):
                lines += [(event, ["-F", "4000"], hot)]
        formats = [f for f in self.formats if not self.short or f in ("default", "callaggregate")]
        rows = []
        for event, period, what in lines:
            for format_ in formats:
                # It records no periods: these are to follow the events.
                if "aggregate" in format_ and "-F" in period and event != "task-clock":
                    continue
                found, _ = self.ours(format_, event, period, *what)
                name = [event, " ".join(period), "pfmon, " + format_]
                rows.append(name + self.share_row(found, name, True))
            found = self.theirs(event, period, *what)
            if found:
                rows.append([event, " ".join(period), "perf"] + self.share_row(found, "", False))
        table("Shares: 60, 30 and 10 percent",
              ["event", "period", "by", "samples", "60", "30", "10"], rows)

    def lost(self):
        """Each fault is a sample: in small buffers not all have room."""
        rows, n = [], 500 if self.short else 10000
        for format_ in self.formats if not self.short else ["double", "callaggregate"]:
            found, lost = self.ours(format_, "minor-faults", ["-c", "1", "-b", "64K"],
                                    "pattern", str(n))
            all_ = sum(found.values())
            if format_ not in ("default", "callchain"):
                self.check(10 * n <= all_ + lost <= 10 * n + 1000, "lost", format_, all_, lost)
            rows.append(["pfmon, " + format_, 10 * n, all_, lost, all_ + lost])
        data = self.path("perf.data")
        self.run("perf", "record", "-q", "-m", "64K", "-o", data, "-e", "minor-faults", "-c", "1",
                 self.victim, "pattern", str(n))
        lines = self.run("perf", "script", "-i", data, "--show-lost-events").splitlines()
        lost = sum(int(line.split()[-1]) for line in lines if "PERF_RECORD_LOST lost" in line)
        all_ = sum("fault_" in line for line in lines)
        rows.append(["perf", 10 * n, all_, lost, all_ + lost])
        table("Samples that are there, and that are lost",
              ["by", "truth", "samples", "said to be lost", "together"], rows)

    def chains(self):
        rows = []
        for format_ in self.formats:
            if not format_.startswith("call"):
                continue
            self.run(self.pfmon, "record", "-o", self.path("data"), "-f", format_, "-b", "512K",
                     "-e", "minor-faults", "-c", "1", self.victim, "pattern", "100")
            folded = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "folded")
            found = collections.Counter()
            for line in folded.splitlines():
                calls, _, n = line.rpartition(" ")
                if ";main;do_pattern;fault_" in calls.replace("run_simple;", ""):
                    found[calls[-2:]] += int(n)
            got = [found[kind] for kind in TRUTH]
            self.check(got == [600, 300, 100], "chains", format_, got)
            rows.append(["pfmon, " + format_, *got])
        data = self.path("perf.data")
        self.run("perf", "record", "-q", "-g", "-o", data, "-e", "minor-faults", "-c", "1",
                 self.victim, "pattern", "100")
        found = collections.Counter()
        for sample in self.run("perf", "script", "-i", data, "-F", "ip,sym").split("\n\n"):
            calls = [line.split()[-1] for line in sample.splitlines() if line.split()]
            calls = [c for c in calls if c != "run_simple"]
            if len(calls) > 2 and calls[1:3] == ["do_pattern", "main"]:
                found[calls[0][-2:]] += 1
        rows.append(["perf -g", *(found[kind] for kind in TRUTH)])
        table("Calls: main, do_pattern, and 600, 300 and 100 faults",
              ["by", "fault_60", "fault_30", "fault_10"], rows)

    def rates(self):
        """Samples in a second of CPU time, of which the kernel counts how much there is."""
        rows = []
        events = ["instructions:u", "cycles"] if self.hardware else []
        for event in ["task-clock"] + events:
            for frequency in (1000,):
                self.run(self.pfmon, "record", "-o", self.path("data"), "-b", "1M", "-e", event, "-F",
                         str(frequency), "-r", "task-clock", self.victim, "hot", "2000")
                text = self.run(self.pfmon, "report", "-i", self.path("data"), "-f", "json", "-b",
                                "process")
                report = json.loads(text)
                ns = sum(row.get("task-clock", 0) for row in report["rows"])
                ours = round(report["samples"] * 1e9 / ns) if ns else 0
                data = self.path("perf.data")
                self.run("perf", "record", "-q", "-m", "1M", "-o", data, "-F", str(frequency), "-e",
                         PERF_NAMES.get(event, event), self.victim, "hot", "2000")
                n = len(self.run("perf", "script", "-i", data, "-F", "ip").split())
                rows.append([event, frequency, ours, round(n / 2)])
        table("Samples in a second of CPU time, -F", ["event", "asked for", "pfmon", "perf"], rows)

    def all(self, tables):
        if not shutil.which("perf"):
            self.skipped += 1
            print("SKIP beside perf: there is no perf", file=sys.stderr)
            return
        for name in tables or ["counts", "shares", "lost", "chains"] + ["rates"] * (not self.short):
            getattr(self, name)()


def main():
    args = sys.argv[1:]
    short = args[0] == "short"
    tests = Beside(short, *args[short:short + 3])
    tests.all(args[short + 3:])
    print("\n%d %d %d" % (tests.passed, tests.failed, tests.skipped))


if __name__ == "__main__":
    main()
