#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Measures programs that were not written for it, and asks the kernel, and perf, too.

programs.py all PFMON DIRECTORY - compared with what the kernel says
programs.py perf PFMON DIRECTORY - instructions, compared with perf
programs.py beside PFMON DIRECTORY - software events, counted by perf in the same run
    In a guest, as root; they end as the test programs do: "PASSED FAILED SKIPPED".
programs.py account FILE COMMAND... - runs COMMAND and writes what the kernel says that it,
and all that it waited for, used; ends with COMMAND's status as a shell does.
programs.py step PID PIPE FILE - writes FILE to the descriptor PIPE, from which the process
reads, and waits until it has read that and sleeps for want of more.
"""
import fcntl
import gzip
import json
import lzma
import os
import shutil
import struct
import subprocess
import sys
import termios
import time

PYTHON = sys.executable
# Processes that end, that execute a program, and that are killed.
ROUNDS = 70
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
# As both call them; the clock is the last.
EVENTS = ["minor-faults", "major-faults", "context-switches", "migrations", "task-clock"]
# Each line has it go ten times to the other CPU, if there is one, read from a file of which
# nothing is in memory, nap, and have its threads use memory.
MOVES = """import glob, mmap, os, queue, sys, threading, time
def work():
	while True:
		work = todo.get()
		x = [list(range(n)) for n in range(work)]
		todo.task_done()
os.sched_setaffinity(0, [0])
todo = queue.Queue()
for _ in range(2):
	threading.Thread(target=work, daemon=True).start()
name = max(glob.glob(os.path.dirname(os.__file__) + "/*.py"), key=os.path.getsize)
f = os.open(name, os.O_RDONLY)
m = mmap.mmap(f, 0, prot=mmap.PROT_READ)
m.madvise(mmap.MADV_RANDOM)
for line in sys.stdin:
	for cpu in [os.cpu_count() - 1, 0] * 5:
		os.sched_setaffinity(0, [cpu])
	os.posix_fadvise(f, 0, 0, os.POSIX_FADV_DONTNEED)
	bytes(m[::4096])
	time.sleep(0.001)
	for _ in range(2):
		todo.put(400)
	todo.join()"""
# A line says how often it forks a process, one that executes a program, and one that is killed.
# Each is a process of fork(), as a shell's command by itself need not be.
FORKS = """echo $$
while read -r n; do
	while [ $n -gt 0 ]; do
		(exit 3)
		(exec /bin/true)
		(exec /bin/sh -c 'kill -KILL $$')
		n=$((n - 1))
	done
done 2>/dev/null"""
FORK_ROUNDS = 10


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


def asleep(pid):
    """Where its threads sleep: for each the words of its file syscall, and how often it has
    been switched. Nothing if one runs: the kernel waits for it to be off its CPU."""
    threads = {}
    for tid in os.listdir("/proc/%d/task" % pid):
        directory = "/proc/%d/task/%s/" % (pid, tid)
        try:
            with open(directory + "syscall", encoding="ascii") as f:
                words = f.read().split()
            with open(directory + "status", encoding="utf-8", errors="replace") as f:
                switches = [line for line in f if "ctxt_switches" in line]
        except OSError:
            return {}
        if len(words) < 2:
            return {}
        threads[int(tid)] = (words, switches)
    return threads


def wait_until_held(pid, pipe):
    """Until it has read all of the pipe and is in read() of standard input, with its other
    threads asleep: then it is at the same point for all who count it."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0] == 0:
            threads = asleep(pid)
            # Standard input is 0, and select() of nothing is no read().
            if threads and threads[pid][0][1] == "0x0" and \
                    "0x0" not in threads[pid][0][2:4] and asleep(pid) == threads:
                return
        time.sleep(0.01)
    sys.exit("process %d does not wait for input" % pid)


def step(pid, pipe, path):
    with open(path, "rb") as f, open(pipe, "wb", closefd=False) as out:
        shutil.copyfileobj(f, out)
    wait_until_held(pid, pipe)


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

    def run(self, name, want, *command, fds=()):
        """Its standard output"""
        got = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, pass_fds=fds, check=False)
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
        # The stops of who is traced take CPU time that is in no count, and can be much.
        self.equal(name + ": notes", [n for n in got["notes"] if "of CPU time only" not in n], [])
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

    def perf_stat(self, file, pid, *command):
        return ["perf", "stat", "-x,", "-o", self.path(file), "-e", ",".join(EVENTS),
                "-p", str(pid), *command]

    def perf_has(self, name, file):
        with open(self.path(file), encoding="utf-8") as f:
            rows = [line.split(",") for line in f if "," in line]
        self.equal(name + ": perf's events", [row[2] for row in rows], EVENTS)
        got = [float(row[0]) for row in rows]
        return [int(n) for n in got[:-1]] + [got[-1] * 1e6]

    def step(self, pid, pipe, data):
        """What has a held process go on for that"""
        with open(self.path("step"), "wb") as f:
            f.write(data)
        return ["--", PYTHON, "-B", __file__, "step", str(pid), str(pipe), self.path("step")]

    def clocks(self, name, ours, theirs):
        # The kernel's accounting gives what a switch takes to the thread behind it, and
        # perf to none or to both; a virtual CPU can have to wait for a real one in it.
        self.between(name + ": ns", ours, theirs / 2, theirs * 2)

    def held(self, name, command, data, threads):
        """A process, counted by both from a point where it sleeps to another: what both
        have is the same. Returns the counts, and what it has written."""
        name = "beside perf, " + name
        read, pipe = os.pipe()
        with open(self.path("out"), "wb") as out:
            program = subprocess.Popen(command, stdin=read, stdout=out)
        os.close(read)
        wait_until_held(program.pid, pipe)
        self.run(name, 0, self.pfmon, "stat", "-j", "-o", self.path("json"), "-e",
                 ",".join(EVENTS), "-p", str(program.pid), "--",
                 *self.perf_stat("perf", program.pid, *self.step(program.pid, pipe, data)),
                 fds=[pipe])
        os.close(pipe)
        self.equal(name + ": its status", program.wait(), 0)
        got = self.load("json")
        ours, theirs = [e["value"] for e in got["events"]], self.perf_has(name, "perf")
        self.equal(name + ": threads", got["threads"], threads)
        for i in range(3):
            self.equal("%s: %s" % (name, EVENTS[i]), ours[i], theirs[i])
        # Of one that is moved twice before it runs perf has one move.
        self.between(name + ": migrations", ours[3], theirs[3], theirs[3] * 2 + 8)
        with open(self.path("out"), "rb") as out:
            return ours, theirs, out.read()

    def forks(self):
        """Processes that are born and die while both count: all but the first, which pfmon
        has counted before. Of that perf has what the others have, and by itself."""
        name = "beside perf, forks"
        read, pipe = os.pipe()
        # With little in its environment what a program is executed with takes one page.
        program = subprocess.Popen(
            [self.pfmon, "stat", "-j", "-o", self.path("json"), "--per-thread", "-e",
             ",".join(EVENTS), "sh", "-c", FORKS], stdin=read, stdout=subprocess.PIPE,
            env={"PATH": os.environ["PATH"]})
        os.close(read)
        first = int(program.stdout.readline())
        os.sched_setaffinity(first, [0])
        wait_until_held(first, pipe)
        self.run(name, 0, *self.perf_stat("perf", first, "--", *self.perf_stat(
            "perf.first", first, "--no-inherit",
            *self.step(first, pipe, b"%d\n" % FORK_ROUNDS))), fds=[pipe])
        os.close(pipe)
        program.stdout.close()
        program.wait()
        got = self.load("json")
        rest = [t for t in got["by_thread"] if t["tid"] != first]
        ours = [sum(t["events"][i]["value"] for t in rest) for i in range(5)]
        theirs = [a - b for a, b in zip(self.perf_has(name, "perf"),
                                        self.perf_has(name, "perf.first"))]
        processes = 3 * FORK_ROUNDS
        self.equal(name + ": processes", [len(rest), got["missed"]], [processes, 0])
        # At birth of each the kernel writes its number into its memory before pfmon can have
        # it stop. When it executes a program, the page of that one's arguments is a fault
        # in the kernel's accounting, and none to perf.
        self.equal(name + ": faults", ours[0], theirs[0] - processes + 2 * FORK_ROUNDS)
        self.equal(name + ": major faults", ours[1], theirs[1])
        # To perf the stops by which pfmon follows them are switches, too: at birth, at the
        # program's beginning and for each signal.
        self.between(name + ": switches", theirs[2] - ours[2], 0, 8 * processes)
        self.equal(name + ": migrations", ours[3], theirs[3])
        self.clocks(name, ours[4], theirs[4])

    def beside(self):
        if not shutil.which("perf"):
            self.skip("there is no perf: nothing is counted beside it")
            return
        ours, theirs, _ = self.held("python3", [PYTHON, "-c", MOVES], b"x\nx\n", 3)
        moves = 20 if os.cpu_count() > 1 else 0
        self.equal("beside perf, python3: its moves", [ours[3], theirs[3]], [moves, moves])
        self.check("beside perf, python3: major faults", ours[1] > 20, ours[1])
        data = self.data[:400000]
        ours, theirs, out = self.held("gzip", ["gzip", "-c"], data, 1)
        self.check("beside perf, gzip: its output", gzip.decompress(out) == data)
        self.clocks("beside perf, gzip", ours[4], theirs[4])
        self.forks()

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
elif sys.argv[1] == "step":
    step(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
else:
    tests = Tests(*sys.argv[2:4])
    getattr(tests, sys.argv[1])()
    print(tests.passed, tests.failed, tests.skipped)
