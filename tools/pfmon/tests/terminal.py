#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""terminal.py PFMON [ARGUMENT...]: pfmon top on a pseudo-terminal.

Prints one line for each check: "ok NAME" or "FAIL NAME: why". What is waited for is a
condition; nothing depends on how long it takes.
"""

import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import sys
import termios
import time

PATIENCE = 120
ENTER = b"\033[?1049h\033[?25l"
LEAVE = b"\033[?25h\033[?1049l"
DRAW = b"\033[H"


def check(name, right, why=""):
    print(("ok " if right else "FAIL ") + name + ("" if right else ": %s" % (why,)))


def shell(argv, out):
    """A command in the foreground, as a shell has it; tells what becomes of it."""
    # What the terminal is like before: that is what the parent compares with.
    os.read(0, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    pid = os.fork()
    if not pid:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        # Who runs the tests in the background may have had the last two ignored.
        for number in (signal.SIGTTOU, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        os.execv(argv[0], argv)
    os.write(out, struct.pack("i", pid))
    while True:
        status = os.waitpid(pid, os.WUNTRACED)[1]
        os.write(out, struct.pack("i", status))
        if not os.WIFSTOPPED(status):
            # The terminal stays until it has been looked at.
            signal.pause()


class Top:
    """pfmon top in the foreground of a terminal."""

    def __init__(self, argv, rows, columns):
        self.seen = b""
        self.told, out = os.pipe()
        self.shell, self.fd = pty.fork()
        if not self.shell:
            shell(argv, out)
        os.close(out)
        self.resize(rows, columns)
        self.before = termios.tcgetattr(self.fd)
        os.write(self.fd, b"\n")
        self.pid = struct.unpack("i", os.read(self.told, 4))[0]

    def done(self):
        os.kill(self.shell, signal.SIGKILL)
        os.waitpid(self.shell, 0)
        os.close(self.fd)
        os.close(self.told)

    def resize(self, rows, columns):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ,
                    struct.pack("HHHH", rows, columns, 0, 0))

    def read(self):
        """What came, for a moment; False when there is nobody any more."""
        if not select.select([self.fd], [], [], 0.05)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.seen += data
        return bool(data)

    def until(self, condition):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if condition():
                return True
            if not self.read():
                return condition()
        return False

    def draws(self, n, since=0):
        return self.until(lambda: self.seen.count(DRAW, since) >= n + 1)

    def wait(self):
        """Its status, ended or stopped, when all that it has written was read."""
        if not self.until(lambda: select.select([self.told], [], [], 0)[0]):
            os.kill(self.pid, signal.SIGKILL)
            return None
        # The kernel hands it on in its own time.
        self.until(lambda: LEAVE in self.seen)
        return struct.unpack("i", os.read(self.told, 4))[0]

    def same(self):
        return termios.tcgetattr(self.fd) == self.before

    def screens(self, since=0):
        return [s for s in self.seen[since:].split(DRAW)[1:]]


def fits(screen, rows, columns):
    text = re.sub(rb"\033\[\??[0-9;]*[A-Za-z]", b"", screen)
    lines = text.split(b"\r\n")
    if b"\033" in text:
        return "an escape that is not ours: %r" % text
    if len(lines) > rows:
        return "%d lines" % len(lines)
    for line in lines:
        if len(line.decode(errors="replace")) > columns:
            return "a line of %d columns" % len(line)
    return None


def begin(argv, rows=24, columns=80):
    top = Top(argv, rows, columns)
    if not top.draws(2):
        check("draws", False, top.seen)
    return top


def main():
    argv = [sys.argv[1], "top", "-d", "0.2"] + sys.argv[2:]

    top = begin(argv)
    check("enters another screen", ENTER in top.seen)
    check("keys come at once, unseen",
          not termios.tcgetattr(top.fd)[3] & (termios.ICANON | termios.ECHO))
    # The last one may not be all there yet.
    bad = [w for w in (fits(s, 24, 80) for s in top.screens()[1:-1]) if w]
    check("fits", not bad, bad)
    check("says what it shows", b"samples of task-clock" in top.seen, top.seen[:400])
    at = len(top.seen)
    top.resize(8, 30)
    # What was drawn before that is read first, as much as there is by now.
    check("draws for a smaller window",
          top.until(lambda: not all(fits(s, 8, 30) for s in top.screens(at)[:-1])))
    at = len(top.seen)
    top.draws(3, at)
    bad = [w for w in (fits(s, 8, 30) for s in top.screens(at)[1:-1]) if w]
    check("fits a smaller window", not bad, bad)
    os.write(top.fd, b"xq")
    status = top.wait()
    check("q ends it", status == 0, status)
    check("q: leaves the screen", top.seen.rstrip().endswith(LEAVE), top.seen[-80:])
    check("q: the terminal is as before", top.same())
    top.done()

    for name in ("INT", "TERM", "HUP", "QUIT", "USR1", "ALRM", "ABRT", "SEGV", "XCPU"):
        number = getattr(signal, "SIG" + name)
        top = begin(argv)
        os.kill(top.pid, number)
        status = top.wait()
        check("SIG%s ends it" % name, status is not None and
              (os.WIFSIGNALED(status) and os.WTERMSIG(status) == number or
               os.WIFEXITED(status)), status)
        check("SIG%s: leaves the screen" % name, LEAVE in top.seen, top.seen[-80:])
        check("SIG%s: the terminal is as before" % name, top.same())
        top.done()

    top = begin(argv)
    os.kill(top.pid, signal.SIGTSTP)
    status = top.wait()
    check("stops", status is not None and os.WIFSTOPPED(status), status)
    check("stopped: the terminal is as before", top.same() and LEAVE in top.seen)
    at = len(top.seen)
    os.kill(top.pid, signal.SIGCONT)
    check("goes on", top.draws(2, at) and ENTER in top.seen[at:])
    os.write(top.fd, b"q")
    check("goes on, and ends", top.wait() == 0)
    check("goes on: the terminal is as before", top.same())
    top.done()


main()
