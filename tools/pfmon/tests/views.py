#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What pfmon report makes of calls, beside what the samples say, of which the file was made

views.py children JSON FORMAT	--children by address, of `craft --places 50 --frames 6`
views.py calls JSON FOLDED	--calls '*', of the stacks of the same recording
views.py tree TEXT FOLDED	-f tree of all that there is, likewise
views.py diff JSON BEFORE NOW	by address, of the stacks of both recordings, which are one
				frame each
views.py svg SVG BEFORE NOW	likewise, as a differential flame graph
views.py lines TOOL PROGRAM JSON FOLDED
				--by address,line and --inline --by address,chain, as
				addr2line(1), or another TOOL like it, has them
views.py spoil PROGRAM SEED	damage its debug information, in place
"""

import argparse
import collections
import json
import random
import re
import subprocess
import sys

import datafile

PLACES, FRAMES, MAPS, SAMPLES = 50, 6, 7, 3000


def crafted(form):
    return datafile.crafted(argparse.Namespace(
        samples=SAMPLES, places=PLACES, frames=FRAMES, maps=MAPS, mixed=False, format=form,
        periods=[1000]))


def children(report, form):
    """Each address of a sample counts it once; calls are looked for a byte before their
    return"""
    own, total = collections.Counter(), collections.Counter()
    for s in crafted(form):
        own["%#x" % s.user[0]] += 1
        for addr in {s.user[0], *(ip - 1 for ip in s.user[1:])}:
            total["%#x" % addr] += 1
    rows = json.load(open(report, encoding="utf-8"))["rows"]
    got = {row["address"]: (row["samples"], row["total_samples"]) for row in rows}
    assert len(got) == len(rows)
    # Of a library that is mapped its own addresses are not known: those of the process.
    assert got == {addr: (own[addr], total[addr]) for addr in total}, (len(got), len(total))
    totals = [row["total_samples"] for row in rows]
    assert totals == sorted(totals, reverse=True)
    assert all(abs(row["total_percent"] - 100 * row["total_samples"] / SAMPLES) < 0.006
               for row in rows)


def stacks(path):
    for line in open(path, encoding="utf-8"):
        frames, count = line.rsplit(" ", 1)
        yield frames.split(";"), int(count)


def calls(report, folded):
    want = collections.Counter()
    for frames, count in stacks(folded):
        found = set()
        for i, name in enumerate(frames):
            found.add((name, "total", None))
            if i:
                found.add((name, "caller", frames[i - 1]))
            found.add((name, "callee", frames[i + 1]) if i + 1 < len(frames)
                      else (name, "self", None))
        for key in found:
            want[key] += count
    rows = json.load(open(report, encoding="utf-8"))["calls"]
    got = {(r["function"], r["relation"], r.get("other")): r["samples"] for r in rows}
    assert len(got) == len(rows) and got == want, (got, want)
    # Each function at once, and its callers before it.
    order = [r["function"] for r in rows]
    blocks = [name for i, name in enumerate(order) if not i or order[i - 1] != name]
    assert len(blocks) == len(set(order)), blocks
    kinds = ["caller", "total", "self", "callee"]
    assert all(a["function"] != b["function"] or
               kinds.index(a["relation"]) <= kinds.index(b["relation"])
               for a, b in zip(rows, rows[1:]))


def tree(text, folded):
    want = collections.Counter()
    for frames, count in stacks(folded):
        for i in range(len(frames)):
            want[tuple(frames[:i + 1])] += count
    got, path, place = {}, [], []
    lines = open(text, encoding="utf-8").read().split("  calls\n")[1].split("\n\n")[0]
    for line in lines.split("\n"):
        count = int(line[8:18].replace(",", ""))
        rest = line[20:]
        depth = len(rest) - len(rest.lstrip(" -"))
        branch = rest.lstrip(" ").startswith("- ")
        # One without a mark was called by the line above, where it stands.
        while branch and place and place[-1] >= depth:
            place.pop()
            path.pop()
        place.append(depth)
        path.append(rest.lstrip(" -"))
        assert tuple(path) not in got, path
        got[tuple(path)] = count
    assert got == want, (set(got) ^ set(want))


def shares(path):
    counts = {frames[0]: count for frames, count in stacks(path)}
    return {name: (count, 100 * count / sum(counts.values())) for name, count in counts.items()}


def diff(report, before, now):
    document = json.load(open(report, encoding="utf-8"))
    old, new = shares(before), shares(now)
    rows = document["rows"]
    assert document["before"]["samples"] == sum(count for count, _ in old.values())
    assert {row["address"] for row in rows} == set(old) | set(new) and len(rows) > 12
    assert set(old) - set(new) and set(new) - set(old)
    for row in rows:
        was, is_now = old.get(row["address"], (0, 0)), new.get(row["address"], (0, 0))
        assert (row["before_samples"], row["samples"]) == (was[0], is_now[0]), row
        for got, want in ((row["before_percent"], was[1]), (row["percent"], is_now[1]),
                          (row["change"], is_now[1] - was[1])):
            assert abs(got - want) < 0.006, row
    changes = [abs(row["change"]) for row in rows]
    assert all(a >= b - 0.011 for a, b in zip(changes, changes[1:]))


def svg(path, before, now):
    old, new = shares(before), shares(now)
    text = open(path, encoding="utf-8").read()
    found = {}
    for match in re.finditer(r"<title>(0x\w+): [^%]*, ([0-9.]+)%, ([-+][0-9.]+)</title>"
                             r"<rect [^>]*width=\"([0-9.]+)\"[^>]*fill=\"hsl\((\d+),90%,(\d+)%\)\"/>"
                             r"(?:<text [^>]*>([^<]*)</text>)?",
                             text):
        name, share, change, width, hue, light, label = match.groups()
        # A letter is 7.3 wide.
        letters = int((float(width) - 6) / 7.3)
        assert (label or "") == (name if len(name) <= letters else
                                 name[:letters - 1] + "…" if letters >= 4 else ""), match.group()
        found[name] = float(change), int(hue), int(light)
        assert abs(float(share) - new[name][1]) < 0.006
        assert abs(float(width) - 1180 * new[name][1] / 100) < 0.006
        assert abs(float(change) - new[name][1] + old.get(name, (0, 0))[1]) < 0.006
        assert int(hue) == (220 if float(change) < 0 else 5), match.group()
    assert set(found) == set(new)
    # The larger the change the darker; what is not drawn can have changed most.
    by_change = sorted(found.values(), key=lambda row: abs(row[0]))
    assert all(a[2] >= b[2] for a, b in zip(by_change, by_change[1:])), by_change
    assert len({row[1] for row in by_change}) == 2 and by_change[-1][2] < 80


def addr2line(tool, program, addresses):
    """The functions and lines of each, the innermost first"""
    text = subprocess.run([tool, "-a", "-i", "-f", "-e", program, *addresses], check=True,
                          stdout=subprocess.PIPE, encoding="utf-8").stdout
    found = {}
    for line in text.splitlines():
        if line.startswith("0x"):
            now = found.setdefault("%#x" % int(line, 16), [])
            name = None
        elif name is None:
            name = line
        else:
            place = re.sub(r" \(.*", "", line).rsplit("/", 1)[-1]
            now.append((name, "[unknown]" if "?" in place or
                        place.endswith(":0") else place))
            name = None
    return found


def lines(tool, program, report, folded):
    rows = json.load(open(report, encoding="utf-8"))["rows"]
    known = addr2line(tool, program, [row["address"] for row in rows])
    wrong = [(row, known[row["address"]]) for row in rows
             if row["line"] != known[row["address"]][0][1]]
    assert not wrong, wrong[:5]
    assert sum(row["line"] != "[unknown]" for row in rows) > 20
    inner = 0
    for (addr, *calls), _ in stacks(folded):
        want = [name for name, _ in known[addr]][::-1]
        inner = max(inner, len(want))
        # Between functions there is none, and a debugger has the one before.
        assert calls == want or calls == ["[inlined]"], (addr, calls, want)
    assert inner == 3, inner


def spoil(program, seed):
    rnd = random.Random(int(seed))
    text = subprocess.run(["readelf", "-SW", program], check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout
    data = bytearray(open(program, "rb").read())
    for match in re.finditer(r" \.debug_\w+ +\w+ +\w+ (\w+) (\w+) ", text):
        at, size = (int(word, 16) for word in match.groups())
        for _ in range(rnd.randrange(1, 2 + size // 20)):
            data[at + rnd.randrange(size)] = rnd.choice((0, 1, 0x7f, 0x80, 0xff,
                                                         rnd.randrange(256)))
    open(program, "r+b").write(data)


if __name__ == "__main__":
    {"children": children, "calls": calls, "tree": tree, "lines": lines,
     "spoil": spoil, "diff": diff, "svg": svg}[sys.argv[1]](*sys.argv[2:])
