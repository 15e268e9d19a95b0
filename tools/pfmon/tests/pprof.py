#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reads a file of pfmon report -f pprof by protoc, and checks that it is consistent.

pprof.py FILE - prints a line for each set of labels and stack of calls:
"SAMPLES EVENTS... COMMAND TID CPU BUILD-ID BINARY SYMBOL CALLERS", from the largest.
pprof.py FILE REPORT - compares it with a report as JSON, by process, thread, cpu,
binary and symbol.
"""
import gzip
import json
import os
import re
import subprocess
import sys


def decode(path):
    """The text form of protoc as dictionaries: each field a list."""
    with open(path, "rb") as f:
        data = f.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    here = os.path.dirname(os.path.abspath(__file__))
    got = subprocess.run(
        ["protoc", "--proto_path=" + here, "--decode=pfmon.tests.Profile", "profile.proto"],
        input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    # What it says there is of texts that are not UTF-8.
    assert not got.stderr, got.stderr.decode(errors="replace")
    top = {}
    stack = [top]
    for line in got.stdout.decode("ascii").splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith("{"):
            new = {}
            stack[-1].setdefault(line[:-2], []).append(new)
            stack.append(new)
        else:
            name, _, value = line.partition(": ")
            # A field that the .proto does not have is printed as a number.
            assert not name.isdigit(), line
            if value.startswith('"'):
                value = re.sub(rb"\\([0-7]{3}|.)", unescape,
                               value[1:-1].encode()).decode()
            elif value in ("true", "false"):
                value = value == "true"
            else:
                value = int(value)
            stack[-1].setdefault(name, []).append(value)
    return top


def unescape(match):
    text = match.group(1)
    if len(text) == 3:
        return bytes([int(text, 8)])
    return {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(text, text)


class Profile:
    def __init__(self, path):
        self.top = top = decode(path)
        self.text = top["string_table"]
        assert self.text[0] == "" and len(set(self.text)) == len(self.text)
        self.types = [(self.string(t, "type"), self.string(t, "unit"))
                      for t in top["sample_type"]]
        self.mappings = self.numbered("mapping")
        self.locations = self.numbered("location")
        self.functions = self.numbered("function")
        self.samples = [self.sample(s) for s in top.get("sample", [])]
        used = {i for s in top.get("sample", []) for i in s["location_id"]}
        assert used == set(self.locations), "locations that no sample has"

    def string(self, message, field):
        return self.text[message.get(field, [0])[0]]

    def numbered(self, name):
        things = self.top.get(name, [])
        assert [t["id"][0] for t in things] == list(range(1, len(things) + 1))
        return {t["id"][0]: t for t in things}

    def place(self, number):
        location = self.locations[number]
        mapping = self.mappings[location["mapping_id"][0]]
        start = mapping.get("memory_start", [0])[0]
        limit = mapping.get("memory_limit", [0])[0]
        address = location.get("address", [0])[0]
        assert not limit or start <= address < limit
        # Each has one: speedscope adds up only what has.
        (line,) = location["line"]
        function = self.functions[line["function_id"][0]]
        assert function["name"] == function["system_name"]
        symbol, binary = self.string(function, "name"), self.string(mapping, "filename")
        if symbol == self.unnamed(binary):
            assert symbol == binary == "[unknown]" or not mapping.get("has_functions", [0])[0]
        else:
            assert symbol not in ("[unknown]", "[changed]")
        return self.string(mapping, "build_id"), binary, symbol

    @staticmethod
    def unnamed(binary):
        """What stands for a function that is not known: what it is part of."""
        if binary == "[kernel.kallsyms]":
            return "[kernel]"
        return binary if binary.startswith("[") else "[" + binary.rpartition("/")[2] + "]"

    def sample(self, s):
        labels = {}
        for label in s["label"]:
            # To pprof's own decoder and those made after it one of nothing but zeroes is none.
            if not any(label.get(f, [0])[0] for f in ("str", "num", "num_unit")):
                continue
            key = self.string(label, "key")
            assert key and key not in labels
            labels[key] = (self.string(label, "str") if "str" in label else
                           label.get("num", [0])[0])
        assert len(s["value"]) == len(self.types)
        return s["value"], labels, [self.place(i) for i in s["location_id"]]


def compare(profile, report):
    """By what both know: the same numbers."""
    with open(report, encoding="utf-8") as f:
        want = json.load(f)
    event = want["event"]
    unit = "nanoseconds" if want["unit"] == "ns" else "count"
    assert profile.types[:2] == [("samples", "count"), (event, unit)], profile.types
    assert profile.top["period"] == [want["period"]]
    sums = {}
    for value, labels, places in profile.samples:
        _, binary, symbol = places[0]
        key = (labels.get("command", ""), str(labels.get("tid", "[unknown]")),
               str(labels.get("cpu", "[unknown]")),
               "[kernel]" if binary == "[kernel.kallsyms]" else binary,
               "[unknown]" if symbol == profile.unnamed(binary) else symbol)
        sums[key] = sums.get(key, 0) + value[0]
    rows = {tuple(r[k] for k in ("process", "thread", "cpu", "binary", "symbol")):
            r["samples"] for r in want["rows"]}
    assert sums == rows, (sums, rows)
    assert sum(sums.values()) == want["samples"]


def main():
    profile = Profile(sys.argv[1])
    if len(sys.argv) > 2:
        compare(profile, sys.argv[2])
        return
    for value, labels, places in sorted(profile.samples, key=lambda s: -s[0][0]):
        print(*value, labels.get("command"), labels.get("tid"), labels.get("cpu"),
              places[0][0] or "-", *places[0][1:], *(p[2] for p in places[1:]))


if __name__ == "__main__":
    main()
