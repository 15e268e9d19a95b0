#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures programs that were not written for it, and asks the kernel, and perf, too.

programs.py all PFMON DIRECTORY - compared with what the kernel says
programs.py perf PFMON DIRECTORY - instructions, compared with perf
    In a guest, as root; they end as the test programs do: "PASSED FAILED SKIPPED".
programs.py account FILE COMMAND... - runs COMMAND and writes what the kernel says that it,
and all that it waited for, used; ends with COMMAND's status as a shell does.
"""
import gzip
import json
import lzma
import os
import shutil
import subprocess
import sys

PYTHON = sys.executable
# Processes that end, that execute a program, and that are killed.
ROUNDS = 50
SCRIPT = """i=0
while [ $i -lt %d ]; do
	(exit 3)
	/bin/true
	sh -c 'kill -KILL $$'
	i=$((i + 1))
done 2>/dev/null
exit 7"""
# Prints its switches from the beginning of the naps on, and all of its process.
NAPS = """import time
def switches():
	return sum(int(line.split()[1]) for line in open("/proc/self/status") if "ctxt_sw" in line)
before = switches()
for _ in range(50):
	time.sleep(0.001)
print(switches() - before, switches())"""


def account(path, command):
    """In one process more, as one's own usage is not over when it is asked for."""
    pid = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(pid, 0)
    with open(path, "w", encoding="ascii") as f:
        json.dump({"self": os.getpid(), "faults": usage.ru_minflt,
                   "switches": usage.ru_nvcsw + usage.ru_nivcsw,
                   "ns": round((usage.ru_utime + usage.ru_stime) * 1e9)}, f)
    code = os.waitstatus_to_exitcode(status)
    sys.exit(code if code >= 0 else 128 - code)


class Tests:
    def __init__(self, pfmon, directory):
        self.pfmon, self.dir = pfmon, directory
        self.passed = self.failed = self.skipped = 0
        with open("/sys/kernel/perfmon/host", encoding="ascii") as f:
            self.module = f.read() == "module\n"
        self.input = self.path("input")
        with open(os.path.realpath(PYTHON), "rb") as f:
            self.data = f.read(1500000)
        with open(self.input, "wb") as f:
            f.write(self.data)

    def path(self, name):
        return os.path.join(self.dir, name)

    def check(self, what, good, *values):
        if good:
            self.passed += 1
            return
        self.failed += 1
        print("FAIL programs, %s:" % what, *values, file=sys.stderr)

    def equal(self, what, got, want):
        self.check(what, got == want, repr(got), "instead of", repr(want))

    def between(self, what, got, low, high):
        self.check(what, low <= got <= high, got, "is not between", low, "and", high)

    def skip(self, what):
        self.skipped += 1
        print("SKIP programs: " + what, file=sys.stderr)

    def load(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return json.load(f)

    def run(self, name, want, *command):
        """Its standard output"""
        got = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        self.check(name + ": status", got.returncode == want, got.returncode,
                   "instead of", want, got.stderr.decode(errors="replace"))
        return got.stdout

    def measured(self, name, want, command, *args):
        """Run by pfmon, counted by the kernel in the same run, too"""
        out = self.run(name, want, self.pfmon, *args, "--", PYTHON, "-B", __file__, "account",
                       self.path("usage"), *command)
        return out, self.load("usage")

    def stat(self, name, want, command, threads, forks):
        out, usage = self.measured("stat " + name, want, command, "stat", "-j", "-o",
                                   self.path("json"), "--per-thread", "-e",
                                   "minor-faults,context-switches,task-clock")
        got = self.load("json")
        rest = [t for t in got["by_thread"] if t["tid"] != usage["self"]]
        sums = [sum(t["events"][i]["value"] for t in rest) for i in range(3)]
        name = "stat " + name
        self.between(name + ": threads", len(rest), *threads)
        self.equal(name + ": missed", got["missed"], 0)
        self.equal(name + ": notes", got["notes"], [])
        # The kernel writes the number of a new process into its memory before pfmon can
        # have it stop: pfmon.1 says so.
        self.between(name + ": faults", sums[0], usage["faults"] - forks, usage["faults"])
        # Those that following causes are not counted, and are the kernel's.
        self.between(name + ": switches", sums[1], 1, usage["switches"])
        # From its first to its last instruction; the kernel's begins and ends around that,
        # and has the stops. What a virtual CPU waits for a real one within a switch is of
        # the thread before it here, and can be of the one behind it there.
        self.between(name + ": ns", sums[2], usage["ns"] // 3,
                     usage["ns"] * 5 // 4 + 20000000)
        return out

    def record(self, name, want, command, forks, binaries):
        out, usage = self.measured("record " + name, want, command, "record", "-o",
                                   self.path("data"), "-f", "double", "-b", "512K", "-e",
                                   "minor-faults", "-c", "1")
        self.run("report " + name, 0, self.pfmon, "report", "-i", self.path("data"), "-f",
                 "json", "-b", "thread,binary", "-o", self.path("json"))
        got = self.load("json")
        rest = [r for r in got["rows"] if r["thread"] != str(usage["self"])]
        name = "record " + name
        lost = got["lost"]
        self.equal(name + ": lost without a number", [lost["estimated"], lost["threads"]],
                   [0, 0])
        # To a module a fault that the kernel takes for the program, as it does some times when
        # it executes one, is no end of a period (module.rst).
        late = 8 + forks if self.module else 0
        self.between(name + ": samples", sum(r["samples"] for r in rest),
                     usage["faults"] - forks - lost["samples"] - late, usage["faults"])
        found = {os.path.basename(r["binary"]) for r in rest}
        for binary in binaries:
            self.check(name + ": binaries", any(b.startswith(binary) for b in found), binary,
                       "is not in", found)
        return out

    def both(self, name, want, command, threads, binaries, unpack=None, forks=0):
        for out in (self.stat(name, want, command, threads, forks),
                    self.record(name, want, command, forks, binaries)):
            if unpack:
                self.check(name + ": its output", unpack(out) == self.data)

    def switches(self):
        for mode in ([], ["--no-follow"]):
            out = self.run("naps", 0, self.pfmon, "stat", *mode, "-j", "-o",
                           self.path("json"), "-e", "context-switches", PYTHON, "-c", NAPS)
            naps, said = map(int, (out or "0 0").split())
            # Not the switches of its process before it is counted, which a busy machine
            # may have many of; but those after it has looked, and the stops of one that is followed.
            self.between("naps %s: switches" % mode,
                         self.load("json")["events"][0]["value"], naps, said * 6 // 5 + 20)
            self.check("naps: some", naps >= 25, naps)

    def instructions(self):
        """The same program's, as pfmon has them, and as perf. They have the PMU in turns."""
        command = ["/bin/gzip", "-c", self.input]
        self.run("stat gzip", 0, self.pfmon, "stat", "-j", "-o", self.path("json"), "-e",
                 "instructions:u", *command)
        ours = self.load("json")["events"][0]["value"]
        self.run("perf stat gzip", 0, "perf", "stat", "-x,", "-e", "instructions:u", "-o",
                 self.path("perf"), *command)
        with open(self.path("perf"), encoding="utf-8") as f:
            theirs = [int(line.split(",")[0]) for line in f if ",instructions:u," in line]
        self.check("instructions: many", ours > 100000000, ours)
        # Where its libraries and its environment are takes some more, or less.
        self.check("instructions: as many as perf has", len(theirs) == 1 and
                   abs(ours - theirs[0]) < 5000, ours, "and", theirs)

    def perf(self):
        info = self.run("info", 0, self.pfmon, "info").decode()
        if "\n  instructions " not in info:
            self.skip("the machine has no PMU: instructions are not compared with perf")
        elif not shutil.which("perf"):
            self.skip("there is no perf: instructions are not compared")
        else:
            self.instructions()

    def all(self):
        self.both("python3", 3, [PYTHON, "-c", "import sys\n"
                                 "x = [list(range(n)) for n in range(2000)]\nsys.exit(3)"],
                  (1, 1), ["python3", "libc"])
        self.both("gzip", 0, ["gzip", "-c", self.input], (1, 1), ["gzip"], gzip.decompress)
        # It starts another thread if none is free by the time that a block is read.
        self.both("xz", 0, ["xz", "-T4", "-0", "--block-size=262144", "-c", self.input],
                  (2, 6), ["liblzma"], lzma.decompress)
        processes = 3 * ROUNDS
        self.both("script", 7, ["sh", "-c", SCRIPT % ROUNDS], (processes + 1, processes + 1),
                  ["true", "dash"], forks=processes)
        self.switches()


if sys.argv[1] == "account":
    account(sys.argv[2], sys.argv[3:])
else:
    tests = Tests(*sys.argv[2:4])
    getattr(tests, sys.argv[1])()
    print(tests.passed, tests.failed, tests.skipped)
