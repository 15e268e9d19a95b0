#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""models.py LINUX PROGRAM - compare the library's tables of models with a kernel's source

PROGRAM is built from models.c. LINUX has the list of Intel's models, which have to be in the
tables or named here, and perf's copy of the makers' lists of events, with which the codes and
the counters of the tables have to agree. Prints what does not, and a line with how much was
compared; the status is 1 if anything does not agree.
"""
import csv
import json
import os
import re
import subprocess
import sys

# Models that are not in the tables: perf_events of Linux 6.1 does not know them, either.
LEFT_OUT = {
    "CANNONLAKE_L": "Palm Cove: no list of events",
    "ICELAKE_NNPI": "an accelerator's",
    "LAKEFIELD": "a hybrid of Sunny Cove and Tremont: no list of events",
    "ATOM_AIRMONT_NP": "a network processor's",
}

# Only with PEBS, which perfmon has not.
PRECISE = {"INST_RETIRED.TOTAL_CYCLES_PS"}

# Alder Lake N has the smaller cores of its list only.
SMALL_ONLY = {190}

BEFORE_ICE_LAKE = set(range(106)) | {133, 142, 158, 165, 166}

# What a name is in the lists, but for those whose codes are the architecture's. Where there are
# several each model has one of them.
NAMES = {
    "cache-references": {"LONGEST_LAT_CACHE.REFERENCE"},
    "cache-misses": {"LONGEST_LAT_CACHE.MISS"},
    "l1-misses": {"L1D.REPLACEMENT", "L1D.REPL", "MEM_LOAD_UOPS_RETIRED.L1_MISS",
                  "MEM_UOPS_RETIRED.L1_MISS_LOADS"},
    "l1-accesses": {"MEM_INST_RETIRED.ALL_LOADS", "MEM_UOPS_RETIRED.ALL_LOADS",
                    "MEM_INST_RETIRED.LOADS"},
    "L1-dcache-stores": {"MEM_INST_RETIRED.ALL_STORES", "MEM_UOPS_RETIRED.ALL_STORES"},
    "L1-icache-load-misses": {"ICACHE.MISSES", "ICACHE_64B.IFTAG_MISS", "L2_RQSTS.ALL_CODE_RD"},
    "dTLB-load-misses": {"DTLB_LOAD_MISSES.MISS_CAUSES_A_WALK",
                         "DTLB_LOAD_MISSES.WALK_COMPLETED"},
    "dTLB-store-misses": {"DTLB_STORE_MISSES.MISS_CAUSES_A_WALK",
                          "DTLB_STORE_MISSES.WALK_COMPLETED"},
    "iTLB-load-misses": {"ITLB_MISSES.MISS_CAUSES_A_WALK", "ITLB_MISSES.WALK_COMPLETED"},
}

# What selects off-core responses, in the lists, is in a register of the event's own.
RESPONSES = {
    "LLC-loads": re.compile(r"(OFFCORE_RESPONSE|OCR)\.DEMAND_DATA_RD\.ANY_RESPONSE"),
    "LLC-load-misses": re.compile(r"(OFFCORE_RESPONSE|OCR)\.DEMAND_DATA_RD\.L3_MISS"),
}

# Names of Zen's lists. Of unit masks that a list leaves out the kernel's own tables tell.
AMD_NAMES = {"branches": "ex_ret_brn", "branch-misses": "ex_ret_brn_misp",
             "instructions": "ex_ret_instr", "cache-misses": "l2_cache_req_stat.ic_dc_miss_in_l2",
             "l1-misses": "l2_cache_accesses_from_dc_misses", "l1-accesses": "ls_dc_accesses",
             "dTLB-load-misses": "l2_dtlb_misses",
             "iTLB-load-misses": "bp_l1_tlb_miss_l2_tlb_miss"}

# perf_events' own codes, by array and what they are called there. Zen 3's list has a unit mask
# more for l1-misses than the array, which is of all of Zen.
AMD_EVENTS = {"cache-references": "CACHE_REFERENCES", "cache-misses": "CACHE_MISSES",
              "branches": "BRANCH_INSTRUCTIONS", "branch-misses": "BRANCH_MISSES"}
AMD_MAPS = {"amd_perfmon_event_map": (15, 16, 17, 18, 20, 21),
            "amd_f17h_perfmon_event_map": (23, 24, 25)}
AMD_CACHES = {"l1-accesses": ("L1D", "ACCESS"), "l1-misses": ("L1D", "MISS"),
              "dTLB-load-misses": ("DTLB", "MISS"), "iTLB-load-misses": ("ITLB", "MISS")}
AMD_ARRAYS = {"amd_hw_cache_event_ids": (15, 16, 17, 18, 20, 21),
              "amd_hw_cache_event_ids_f17h": (23, 24, 25)}
AMD_OTHER = {(25, "l1-misses")}

# Families of AMD's that Linux 6.1 has no list of: Hygon's Zen, which is compared with AMD's
# first one and with the kernel's arrays, and Zen 5, which is compared with nothing.
AMD_UNLISTED = {24: 23, 26: None}

# What a name is in the lists of POWER. POWER10's list has cycles and instructions as the
# first counter has them, and here they are for any counter.
POWER_NAMES = {
    "cycles": {"PM_CYC"}, "instructions": {"PM_INST_CMPL"}, "branches": {"PM_BR_CMPL"},
    "branch-misses": {"PM_BR_MPRED_CMPL"}, "cache-references": {"PM_DATA_FROM_L2MISS"},
    "cache-misses": {"PM_DATA_FROM_L3MISS"}, "l1-misses": {"PM_LD_MISS_L1", "PM_LD_MISS_L1_FIN"},
    "l1-accesses": {"PM_LD_REF_L1"}, "LLC-loads": {"PM_DATA_FROM_L3"},
    "LLC-load-misses": {"PM_DATA_FROM_L3MISS"},
}
POWER_FIRST = {("POWER10", "cycles"): 0x100f0, ("POWER10", "instructions"): 0x100fe}


class Tables:
    """The library's answers, each question once."""

    def __init__(self, program):
        self.questions = []
        self.program = program
        self.answers = {}

    def ask(self, *question):
        self.questions.append(question)

    def run(self):
        text = "".join(" ".join(map(str, q)) + "\n" for q in self.questions)
        out = subprocess.run([self.program], input=text, capture_output=True, text=True,
                             check=True).stdout.split()
        assert len(out) == len(self.questions)
        self.answers = dict(zip(self.questions, (int(word, 0) for word in out)))


def models_of(header):
    """Name and number of each model of Intel's family 6."""
    found = re.findall(r"^#define INTEL_FAM6_(\w+)\s+(0x\w+)", open(header).read(), re.M)
    return [(name, int(number, 16)) for name, number in found]


def code_of(event):
    """Event and unit mask; None of what has other fields, or an event's register."""
    if event.get("Unit", "cpu_core") not in ("cpu_core", "cpu_atom"):
        return None
    numbers = [int(word, 16) for word in event.get("EventCode", "").split(",") if word.strip()]
    umask = int(event.get("UMask", "0").split(",")[0] or "0", 16)
    return numbers[0] | umask << 8 if len(numbers) == 1 else None


def counters_of(event):
    """Bits of the general counters, as of a core whose other thread is off."""
    text = event.get("CounterHTOff", event.get("Counter", ""))
    if not re.fullmatch(r"[0-9, ]+", text):
        return None
    return sum(1 << int(n) for n in text.split(",") if n.strip())


def events_of(folder):
    """All events of a list but those of units that are no core's."""
    found = []
    for file in sorted(os.listdir(folder)):
        if not file.startswith("uncore"):
            found += json.load(open(os.path.join(folder, file)))
    return found


def array_of(source, name):
    """The text of an array in the kernel's source."""
    return re.search(r"\b%s\b[^;]*?=\s*\{(.*?)\n *\};" % name, source, re.S).group(1)


def compare_amd(tables, lists, linux):
    """What of AMD's codes does not agree with its lists and with the kernel's arrays."""
    bad = []
    compared = 0
    source = open(os.path.join(linux, "arch/x86/events/amd/core.c")).read()
    cases = []
    for pattern, found in lists:
        if not pattern.startswith("AuthenticAMD"):
            continue
        family = int(pattern.split("-")[1])
        if family in AMD_UNLISTED:
            bad.append("AMD %d: there is a list now: %s" % (family, pattern))
        for name, word in AMD_NAMES.items():
            for event in found:
                # An event that has unit masks, none of which is given, says nothing.
                if event.get("EventName") == word and \
                   ("UMask" in event or not any(e.get("EventName", "").startswith(word + ".")
                                                for e in found)):
                    cases.append((family, name, code_of(event), pattern))
    for array, families in AMD_MAPS.items():
        text = array_of(source, array)
        for name, word in AMD_EVENTS.items():
            code = int(re.search(r"PERF_COUNT_HW_%s\]\s*= (0x\w+)" % word, text).group(1), 16)
            cases += [(family, name, code, array) for family in families]
    for array, families in AMD_ARRAYS.items():
        text = array_of(source, array)
        for name, (unit, result) in AMD_CACHES.items():
            part = re.search(r"\[ *C\(%s *\) *\] = \{.*?OP_READ.*?RESULT_%s\) *\] *= (0x\w+)" %
                             (unit, result), text, re.S)
            cases += [(family, name, int(part.group(1), 16), array) for family in families
                      if (family, name) not in AMD_OTHER]
    for family, name, want, where in cases:
        code = tables.answers["AMD", family, 1, name]
        # An event that this family has no name for is in none of its lists either.
        if not code and name in ("dTLB-load-misses", "iTLB-load-misses"):
            continue
        compared += 1
        if code != want:
            bad.append("AMD %d: %s is %x, in %s %x" % (family, name, code, where, want))
    for family, other in AMD_UNLISTED.items():
        for name in AMD_NAMES if other else ():
            compared += 1
            if tables.answers["AMD", family, 1, name] != tables.answers["AMD", other, 1, name]:
                bad.append("AMD %d: %s is not as of family %d" % (family, name, other))
    if compared < 60:
        bad.append("only %d of AMD's codes compared" % compared)
    return bad, compared


def compare_power(tables, linux):
    """What of POWER's codes does not agree with perf's lists."""
    bad = []
    compared = 0
    folder = os.path.join(linux, "tools/perf/pmu-events/arch/powerpc")
    for kind in ("POWER8", "POWER9", "POWER10"):
        found = events_of(os.path.join(folder, kind.lower()))
        for name, words in POWER_NAMES.items():
            code = tables.answers[kind, 0, 0, name]
            want = {int(e["EventCode"], 16) for e in found if e.get("EventName") in words}
            # POWER10 has no event of LLC-loads, and so none of the two.
            if not code:
                continue
            compared += 1
            if code not in want and want != {POWER_FIRST.get((kind, name))}:
                bad.append("%s: %s is %x, in the list %s" %
                           (kind, name, code, " ".join("%x" % c for c in want)))
    if compared < 28:
        bad.append("only %d of POWER's codes compared" % compared)
    return bad, compared


def lists_of(events):
    """The lists of each of Intel's models: (family, model), events."""
    with open(os.path.join(events, "mapfile.csv"), newline="") as f:
        rows = list(csv.reader(f))[1:]
    for pattern, _, name, _ in rows:
        yield pattern, events_of(os.path.join(events, name))


def main(linux, program):
    tables = Tables(program)
    events = os.path.join(linux, "tools/perf/pmu-events/arch/x86")
    models = models_of(os.path.join(linux, "arch/x86/include/asm/intel-family.h"))
    lists = list(lists_of(events))
    bad = []

    for _, number in models:
        tables.ask("Intel", 6, number, "known")
    cases = []
    responses = []
    for pattern, found in lists:
        maker, family, rest = pattern.split("-", 2)
        if maker != "GenuineIntel":
            continue
        for _, number in models:
            # A row can name a stepping, too.
            if not re.fullmatch(rest.split("-")[0], "%02X" % number):
                continue
            for event in found:
                if any(w.fullmatch(event.get("EventName", "")) for w in RESPONSES.values()):
                    responses.append((number, event))
                code = code_of(event)
                if code is None or "EventName" not in event or \
                   (number in SMALL_ONLY and event.get("Unit") == "cpu_core"):
                    continue
                cases.append((number, event, code))
                tables.ask("Intel", 6, number, "%x" % code)
            for name in NAMES:
                tables.ask("Intel", 6, number, name)
            for name in RESPONSES:
                tables.ask("Intel", 6, number, name)
                tables.ask("Intel", 6, number, "value:" + name)
    for family in (15, 16, 17, 18, 20, 21, 23, 24, 25, 26):
        for name in sorted(set(AMD_NAMES) | set(AMD_EVENTS)):
            tables.ask("AMD", family, 1, name)
    for kind in ("POWER8", "POWER9", "POWER10"):
        for name in POWER_NAMES:
            tables.ask(kind, 0, 0, name)
    tables.run()

    for name, number in models:
        known = tables.answers["Intel", 6, number, "known"]
        if not known and name not in LEFT_OUT:
            bad.append("%s (%d) is neither in the tables nor left out" % (name, number))
        if known and name in LEFT_OUT:
            bad.append("%s (%d) is in the tables and left out" % (name, number))

    # Lists before Ice Lake say of most events that the first four counters have them, whether
    # the others have them or not.
    there = {}
    for number, event, _ in cases:
        key = number, event.get("Unit")
        there[key] = there.get(key, 0) | (counters_of(event) or 0)
        if number in BEFORE_ICE_LAKE:
            there[key] &= 0xf

    compared = selected = 0
    for number, event, code in cases:
        if not tables.answers["Intel", 6, number, "known"]:
            continue
        allowed = counters_of(event)
        if allowed is None or not code & 0xff or event["EventName"] in PRECISE or \
           event.get("MSRIndex", "").lower() == "0x3f6":
            continue
        # Nehalem's lists alone have them on counter 2 only; neither Linux nor libpfm4 has that.
        if number <= 47 and event["EventName"].startswith("OFFCORE_RESPONSE"):
            continue
        compared += 1
        can = tables.answers["Intel", 6, number, "%x" % code] & there[number, event.get("Unit")]
        if can & ~allowed:
            bad.append("model %d: %s (%x) is counted by %#x, and pfmon would take %#x" %
                       (number, event["EventName"], code, allowed, can))
    for name, words in NAMES.items():
        for number in sorted({case[0] for case in cases}):
            want = {}
            for case in cases:
                if case[0] == number and case[1]["EventName"] in words:
                    want.setdefault(case[1].get("Unit", ""), set()).add(case[2])
            code = tables.answers["Intel", 6, number, name]
            for codes in want.values():
                compared += 1
                if code and code not in codes:
                    bad.append("model %d: %s is %x, in the list %s" %
                               (number, name, code, " ".join("%x" % c for c in codes)))
    for number, event in responses:
        name = next(n for n, words in RESPONSES.items() if words.fullmatch(event["EventName"]))
        value = tables.answers["Intel", 6, number, "value:" + name]
        code = tables.answers["Intel", 6, number, name]
        if not value:
            continue
        selected += 1
        if int(event["MSRValue"], 16) != value or \
           "%02X" % (code & 0xff) not in event["EventCode"].upper():
            bad.append("model %d: %s is %x with %#x, in the list %s with %s" %
                       (number, name, code, value, event["EventCode"], event["MSRValue"]))
    if selected < 10:
        bad.append("only %d off-core responses compared" % selected)
    for more, n in (compare_amd(tables, lists, linux), compare_power(tables, linux)):
        bad += more
        compared += n
    print("\n".join(bad + ["%d models, %d events compared" % (len(models), compared)]))
    return 1 if bad or compared < 1000 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
