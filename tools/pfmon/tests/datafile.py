#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A data file of pfmon record as record-format.txt has it, written field by field.

datafile.py [OPTION]... FILE - a file with samples of one process, whose places and
numbers are known: see --help. It is the same for the same options.
"""
import argparse
import os
import random
import struct
import uuid

MAGIC = b"\x89PFM\r\n\x1a\n"
EVENT, PROCESS, MAP, SAMPLES, LOST, END, BINARY, TURNS, MODULE, JIT, INODE, SYMBOLS, \
    COMPRESSED = range(1, 14)
UUIDS = {
    "default": "2bc7616b-0d22-4314-9d84-75be0d45c77e",
    "double": "c2253d65-fa32-4418-80fe-c8faeb292a4b",
    "aggregate": "c366d20d-94cc-45fc-811b-06f96ee63075",
    "callchain": "b0324930-cddc-4540-a6cb-6a16bd0b7dda",
    "calldouble": "1563207c-d598-42f5-86d6-57d40460d664",
    "callaggregate": "4c77ea49-10d1-4cc9-aa1f-c11dccfa7cfa",
}
PMD = 288
BEGAN = 1_000_000_000       # CLOCK_MONOTONIC, ns
BASE, STEP = 0x10000000, 0x20000    # where mappings are
BLOCK = 60_000              # bytes of samples in each buffer, about


def strings(*words):
    return b"".join(w if isinstance(w, bytes) else w.encode() for w in
                    (x for word in words for x in (word, b"\0")))


def frame(data, each=100_000):
    """A frame of zstd, of blocks that are not compressed"""
    blocks = [data[i:i + each] for i in range(0, len(data), each)]
    return b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", len(data)) + b"".join(
        struct.pack("<I", len(b) << 3 | (i == len(blocks) - 1))[:3] + b
        for i, b in enumerate(blocks))


class Sample:
    """Where it is, whose, when, and what led there: the innermost call first."""

    def __init__(self, ip, pid=100, tid=100, cpu=0, time=BEGAN, period=1000, pmd=PMD,
                 values=(), kernel=(), user=(), setno=0, count=1, registers=(), stack=b"",
                 machine=62):
        """registers and stack: of calldouble only, in the order of its header"""
        self.__dict__.update(locals())


class DataFile:
    """Writes the records; order is '<' or '>', as struct has it."""

    def __init__(self, path, order="<", major=1, minor=5, more=0,
                 kernel_base=1 << 63, boot="", title="crafted", flags=0, compressed=False):
        """more: bytes that a later version appends to the header and to records, and to
        headers and entries of buffers that say how long they are"""
        if compressed:
            major = 2
        self.packed = [] if compressed else None
        self.order = order
        self.file = open(path, "wb")
        self.samples = 0
        self.more = b"\xee" * more
        self.file.write(self.pack(
            "8sIHHIIQQQ40s80s", MAGIC, 0x01020304, major, minor, 168 + more, flags,
            kernel_base, 1_700_000_000_000_000_000, BEGAN, boot.encode(), title.encode()))
        self.file.write(self.more)

    def pack(self, layout, *values):
        return struct.pack(self.order + layout, *values)

    def record(self, kind, body):
        body += bytes(-len(body) % 8) + self.more
        body = self.pack("II", kind, len(body)) + body
        if self.packed is None:
            self.file.write(body)
            return
        # Small records together, and the end as it is.
        if kind != END:
            self.packed.append(body)
        if self.packed and (kind == END or len(self.packed) == 3 or len(body) > 1000):
            self.compressed(b"".join(self.packed))
            self.packed = []
        if kind == END:
            self.file.write(body)

    def compressed(self, records, size=None, zstd=None):
        """What is compressed; size: what the record says of it; zstd: the frame"""
        zstd = frame(records) if zstd is None else zstd
        size = len(records) if size is None else size
        body = self.pack("QII", size, len(zstd), 0) + zstd
        body += bytes(-len(body) % 8)
        self.file.write(self.pack("II", COMPRESSED, len(body)) + body)

    def event(self, name="task-clock", pmd=PMD, setno=0, unit=1, period=1000, mask=0,
              readings=()):
        """readings: (pmd, kind, name) of each"""
        body = self.pack("HHHHQQ", pmd, setno, unit, len(readings), period, mask)
        for number, kind, _ in readings:
            body += self.pack("HHI", number, kind, 0)
        self.record(EVENT, body + strings(name, *(r[2] for r in readings)))

    def process(self, pid=100, time=BEGAN, comm="crafted", command="crafted"):
        self.record(PROCESS, self.pack("iIQ", pid, 0, time) + strings(comm, command))

    def map(self, start, end, path, offset=0, pid=100, time=BEGAN, binary=0):
        self.record(MAP, self.pack("iIQQQQ", pid, binary, time, start, end, offset) +
                    strings(path))

    def binary(self, number, path, size, mtime, build_id=b"", segments=()):
        """segments: (offset, size, address) of each"""
        body = self.pack("IIQq24s", number, len(build_id), size, mtime, build_id)
        body += strings(path)
        body += bytes(-len(body) % 8)
        self.record(BINARY, body + b"".join(self.pack("QQQ", *s) for s in segments))

    def lost(self, samples=0, estimated=0, full=0, masked=0, messages=0, throttled=0,
             threads=0, maps=0):
        self.record(LOST, self.pack("8Q", samples, estimated, full, masked, messages,
                                    throttled, threads, maps))

    def turns(self, setno, ns, turns):
        self.record(TURNS, self.pack("IIQQ", setno, 0, ns, turns))

    def module(self, start, size, name, number=7, build_id=b""):
        self.record(MODULE, self.pack("QQQII24s", start, size, number, len(build_id), 0,
                                      build_id) + strings(name))

    def jit(self, text, pid=100, time=BEGAN):
        self.record(JIT, self.pack("iIQ", pid, 0, time) + strings(text))

    def inode(self, major, minor, number):
        self.record(INODE, self.pack("IIQ", major, minor, number))

    def symbols(self, binary, symbols):
        """symbols: (address, size, name) of each"""
        body = self.pack("II", binary, len(symbols))
        body += b"".join(self.pack("QQ", *s[:2]) for s in symbols)
        self.record(SYMBOLS, body + strings(*(s[2] for s in symbols)))

    def end(self, elapsed=2_000_000_000, status=0):
        self.record(END, self.pack("QQiI", elapsed, self.samples, status, 0))
        self.file.close()

    def block(self, form, body, pid=-1, tid=-1, cpu=0):
        self.record(SAMPLES, self.pack("16siiiI", uuid.UUID(UUIDS[form]).bytes, pid, tid,
                                       cpu, len(body)) + body)

    def entry(self, s):
        return self.pack("iiHHHHQQQ%dQ" % len(s.values), s.pid, s.tid, s.pmd, s.setno,
                         s.cpu, 0, -s.period % (1 << 64), s.time, s.ip, *s.values)

    def chain(self, s):
        calls = [*s.kernel, *s.user]
        program = self.pack("HHI%dQ" % len(s.registers), s.machine, len(s.registers),
                            len(s.stack), *s.registers) + s.stack if s.registers else b""
        return self.pack("HHiiHHHHHHQQQ%dQ" % (len(s.values) + len(calls)), 1,
                         48 + 8 * (len(s.values) + len(calls)) + len(program), s.pid, s.tid,
                         s.pmd, s.setno, s.cpu, len(s.values), len(s.kernel), len(s.user),
                         -s.period % (1 << 64), s.time, s.ip, *s.values, *calls) + program

    def slot(self, s):
        return self.pack("iHHQQII", s.pid, s.setno, s.pmd, s.ip, 0, 6, s.count)

    def chained_map(self, start, length, path, pid=100, time=BEGAN, offset=0):
        name = strings(path)
        name += bytes(-len(name) % 8)
        return self.pack("HHiiIIIQQQQQ", 2, 64 + len(name), pid, pid, 5, 8, 1, 77, time,
                         start, length, offset) + name

    def chained_exec(self, comm, pid=100, time=BEGAN):
        return self.pack("HHiiIQ16s", 3, 40, pid, pid, 0, time, comm.encode())

    # What the kernel's buffers have, given their parts.

    def default_block(self, entries):
        body = b"".join(entries)
        return self.pack("QQQQII", len(entries), 40 + len(body), 0, 65536, 0x10000,
                         0) + body

    def double_block(self, entries):
        """two halves, of which the second was filled first"""
        later = entries[len(entries) // 2:]
        first = entries[:len(entries) // 2]
        head = 56 + 2 * 40
        at = head
        halves = b""
        for half, number in ((later, len(first)), (first, 0)):
            size = sum(map(len, half))
            halves += self.pack("QQQQII", at, at + size, len(half), number, 2, 0)
            at += size
        return self.pack("IIQQQQQII", 0x10000, 0, 65536, 32000, 1, len(entries), 0, 48,
                         0) + halves + b"".join(later + first)

    def aggregate_block(self, slots, samples):
        return self.pack("IIQIIIIQQQII", 0x20000, 0, 65536, 1024, len(slots), 768, 0,
                         samples, 0, 0, 6, 0) + b"".join(slots)

    def callchain_block(self, records):
        """of version 1.0, which does not say how long its header is, or a later one"""
        size = 72 + len(self.more)
        body = b"".join(records)
        return self.pack("QQQQIIQQQIHH", len(records), size + len(body), 0, 65536,
                         0x10002 if self.more else 0x10000, 7, 0, 0, 0, 1000, 64,
                         size if self.more else 0) + self.more + body

    def calldouble_block(self, records):
        """two halves, of which the second was filled first, and a gap at the end"""
        later = records[len(records) // 2:]
        first = records[:len(records) // 2]
        at = 160 + len(self.more)
        head = self.pack("IIQIIIHHIIQQQQQ", 0x10000, at, 65536, 7, 32000, 1000, 64, 0, 0, 0,
                         1, len(records), 0, 0, 0)
        head += self.pack("HHiiIQQQQ", 4, 48, 0, 0, 0, BEGAN + 5, BEGAN + 6, 2, 1)
        for half, number in ((later, 8), (first, 7)):
            size = sum(map(len, half))
            head += self.pack("IIII", at, at + size, number, 2)
            at += size
        return head + self.more + b"".join(later + first)

    def callaggregate_block(self, counts, maps=()):
        """counts: of each (sample's program, set, counter, chain), and its first time"""
        gen, each, chains, words = 6, 64 + len(self.more), b"", {}
        slots = 200 + len(self.more)
        index = slots + each * len(counts)
        entries = b""
        for (pid, setno, pmd, kernel, user), (count, first) in counts.items():
            chain = kernel, user
            if chain not in words:
                words[chain] = index + len(chains)
                calls = [*kernel, *user]
                chains += self.pack("QHHI%dQ" % len(calls), 0x123456789, len(kernel),
                                    len(user), 0, *calls)
            entries += self.pack("IIiiIHHQQQQII", gen, count, pid, 0, 1, setno, pmd, 7,
                                 1 << 40, 0x987654321, first, words[chain], 0) + self.more
        at = index + len(chains)
        table = self.pack("10IQQQ", slots, index, index, at, at + sum(map(len, maps)), gen,
                          len(counts), len(chains) // 8, 0, 0, 1 << 33, 0, 0)
        return self.pack("IIQIIIIIIHHIQQQ", 0x10000, slots, 1 << 20, 7, 1024, 65536, 4096,
                         900, each, 64, 0, gen, 1 << 33, 0, 0) + table + bytes(64) + \
            self.more + entries + chains + b"".join(maps)

    def write(self, form, samples, before=()):
        """All samples in blocks of the format; before: other records of the first"""
        if form == "callaggregate":
            counts = {}
            for s in samples:
                self.samples += s.count
                key = s.pid, s.setno, s.pmd, tuple(s.kernel), tuple(s.user)
                count, first = counts.get(key, (0, s.time))
                counts[key] = count + s.count, first
            table = list(counts.items())
            for i in range(0, len(table), 500):
                self.block(form, self.callaggregate_block(dict(table[i:i + 500]),
                                                          () if i else before))
            return
        if form == "aggregate":
            slots = {}
            for s in samples:
                self.samples += s.count
                key = (s.pid, s.setno, s.pmd, s.ip)
                if key in slots:
                    slots[key].count += s.count
                else:
                    slots[key] = s
            table = list(slots.values())
            for i in range(0, len(table), 1000):
                part = table[i:i + 1000]
                self.block(form, self.aggregate_block(
                    [self.slot(s) for s in part], sum(s.count for s in part)))
            return
        pack = self.chain if form.startswith("call") else self.entry
        make = getattr(self, form + "_block")
        parts, size = list(before), 0
        for s in samples:
            parts.append(pack(s))
            size += len(parts[-1])
            self.samples += 1
            if size > BLOCK:
                self.block(form, make(parts))
                parts, size = [], 0
        if parts:
            self.block(form, make(parts))


def walk(rnd, o):
    """A way of --frames calls from main() on, the innermost first: who calls whom is the
    same each time, and outer calls are shared by many"""
    site = 0
    chain = []
    for _ in range(o.frames - 1):
        site = (site * 4 + 1 + rnd.randrange(4)) % (8 * o.maps)
        chain.insert(0, BASE + site // 8 * STEP + 0x800 + site % 8 * 64)
    return chain


def crafted(o):
    """As many samples as --samples says, of --places places. A tenth of the places have
    nine of ten samples; each is the end of one chain of --frames calls."""
    rnd = random.Random(13)
    places = []
    for i in range(o.places):
        # All places are different ones.
        ip = BASE + i % o.maps * STEP + 0x1000 + 16 * (i // o.maps)
        places.append((ip, *walk(rnd, o)))
    hot = max(1, o.places // 10)
    for i in range(o.samples):
        frames = places[i % hot if i % 10 else i // 10 % o.places]
        at = i * 7919 % o.samples if o.mixed else i
        yield Sample(frames[0], time=BEGAN + 1000 * at, tid=100 + i % 3, cpu=i % 2,
                     period=o.periods[i % len(o.periods)], values=(i % 5, i << 33),
                     user=frames if o.format.startswith("call") else ())


def execs(path, programs, samples):
    """Five processes that execute so many programs each, of which the first has made code;
    samples in what they have mapped and made, and some without a time, nowhere"""
    f = DataFile(path)
    f.event()
    for i in range(programs):
        for pid in range(100, 105):
            f.process(pid=pid, time=BEGAN + 1000 * i, comm="program%d" % (i % 7 if i else pid))
            f.map(BASE, BASE + STEP, "/no/such/lib%d.so" % (i % 3), pid=pid,
                  time=BEGAN + 1000 * i)
            if not i:
                f.jit("7000 1000 made\n", pid=pid, time=BEGAN)
    # Many that are of one program each.
    f.write("default", (Sample((BASE, 0x7000, 0x100000)[i % 3] + i // 3 * 16 % 4096, pid=100 + i % 5,
                               time=BEGAN + 1000 * (i * 7919 % programs) if i % 3 < 2 else 0)
                        for i in range(samples)))
    f.end()


def hostile(path):
    """Names that are none: of the title, event, process, file and reading"""
    names = [b'"quoted\\', b"<&>;'", b"\x1b[31m\r\n\t", b"\xff\xfe half \xc3", b"{=\",}[",
             "\u2028\u202e\u0085\ud7ff\U0001f600".encode(), b"\xed\xa0\x80 \xf4\x90\x80\x80",
             b"%s%n -- ]]> */", b"", b"x" * 100]
    f = DataFile(path, title="<\"\x1b&\n")
    f.event(b'cycles";\x07\xff', readings=((290, 1, b"\n,<reading>\x9b"),))
    for i, name in enumerate(names):
        f.process(pid=100 + i, comm=name, command=name)
        f.binary(i + 1, b"/" + name, 1, 1, bytes([i]) * 20)
        f.map(BASE, BASE + STEP, b"/" + name, pid=100 + i, binary=i + 1)
    f.write("default", (Sample(BASE + i % 3, pid=100 + i % len(names), values=(i,))
                        for i in range(1000)))
    f.write("callchain", (Sample(BASE, pid=100 + i % len(names), values=(i,),
                                 user=(BASE, BASE + i % 7)) for i in range(1000)),
            [f.chained_exec("\x1b<\";", pid=100),
             f.chained_map(BASE, STEP, b"/\xff\n;<\"", pid=100)])
    for i, name in enumerate(names):
        f.symbols(i + 1, [(BASE, 16, name)])
    f.symbols(0, [(1 << 63, 16, b"\x1b\t[\x07\n]")])
    f.end()


def stacks(f, path, build_id):
    """Samples of the program that has written the file, see frames.c: of its stack, of nothing
    of it, in the kernel, and what nobody can unwind"""
    with open(path, encoding="ascii") as text:
        lines = dict(line.split(None, 1) for line in text)
    registers = [int(word, 16) for word in lines["registers"].split()]
    stack = bytes.fromhex(lines["stack"])
    machine, ip = int(lines["machine"]), registers[-1]
    start, end, offset = (int(word, 16) for word in lines["map"].split()[:3])
    name = lines["map"].split()[3]
    st = os.stat(name)
    f.binary(1, name, st.st_size, st.st_mtime_ns, build_id, [(offset, end - start, start)])
    f.map(start, end, name, offset=offset, binary=1)
    own = {"machine": machine, "registers": registers, "stack": stack, "values": (0, 0)}
    f.write("calldouble", (Sample(kernel=kernel, user=(ip, start + 1), time=BEGAN + i,
                                  **{"ip": ip, **own, **change})
                           for i, (kernel, change) in enumerate((
                               ((), {}), ((), {"stack": b""}),
                               ((1 << 63,), {"ip": 1 << 63}), ((), {"registers": ()}),
                               ((), {"machine": 40}), ((), {"registers": registers[:5]})))))


def program(path, order, bits, build_id):
    """An executable for PowerPC: the functions leaf, middle and outer, of 64 bytes each, at
    BASE + 0x1000"""
    wide = bits == 64
    names = (b"leaf", b"middle", b"outer")
    sections = strings("", ".text", ".symtab", ".strtab", ".shstrtab", ".note.gnu.build-id")
    text = strings("", *names)

    def pack(narrow, layout, *values):
        return struct.pack(order + (layout if wide else narrow), *values)

    symbols = pack("IIIBBH", "IBBHQQ", 0, 0, 0, 0, 0, 0)
    for i, name in enumerate(names):
        at, value = text.index(b"\0" + name + b"\0") + 1, BASE + 0x1000 + 64 * i
        symbols += struct.pack(order + "IBBHQQ", at, 0x12, 0, 1, value, 64) if wide else \
            struct.pack(order + "IIIBBH", at, value, 64, 0x12, 0, 1)
    note = struct.pack(order + "III4s", 4, len(build_id), 3, b"GNU\0") + build_id
    parts = {}
    body = b""
    for name, part in (("text", bytes(192)), ("note", note), ("symtab", symbols),
                       ("strtab", text), ("shstrtab", sections)):
        body += bytes(-len(body) % 8)
        parts[name] = 0x1000 + len(body), len(part)
        body += part

    body += bytes(-len(body) % 8)

    def section(name, kind, flags, addr, part, link=0, info=0, each=0):
        return pack("10I", "IIQQQQIIQQ", sections.index(name.encode() + b"\0"), kind, flags,
                    addr, *parts[part], link, info, 4, each)

    def segment(kind, flags, offset, size):
        if wide:
            return struct.pack(order + "IIQQQQQQ", kind, flags, offset, BASE + offset,
                               BASE + offset, size, size, 0x1000 if kind == 1 else 4)
        return struct.pack(order + "8I", kind, offset, BASE + offset, BASE + offset, size,
                           size, flags, 0x1000 if kind == 1 else 4)

    ehsize, phsize, shsize = (64, 56, 64) if wide else (52, 32, 40)
    head = struct.pack(order + "4sBBBB8s", b"\x7fELF", 1 + wide, 1 if order == "<" else 2, 1,
                       0, b"")
    head += pack("HHIIIIIHHHHHH", "HHIQQQIHHHHHH", 2, 21 if wide else 20, 1, BASE + 0x1000,
                 ehsize, 0x1000 + len(body), 2 if wide else 0, ehsize, phsize, 2, shsize, 6, 4)
    head += segment(1, 5, 0, 0x1000 + len(body)) + segment(4, 4, *parts["note"])
    with open(path, "wb") as f:
        f.write(head + bytes(0x1000 - len(head)) + body + bytes(shsize) +
                section(".text", 1, 6, BASE + 0x1000, "text") +
                section(".symtab", 2, 0, 0, "symtab", 3, 1, 24 if wide else 16) +
                section(".strtab", 3, 0, 0, "strtab") +
                section(".shstrtab", 3, 0, 0, "shstrtab") +
                section(".note.gnu.build-id", 7, 2, BASE + parts["note"][0], "note"))


def addresses(text):
    return tuple(int(word, 0) for word in text.split(","))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("--order", choices=("little", "big"), default="little")
    parser.add_argument("--format", choices=UUIDS, default="default")
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--places", type=int, default=1000)
    parser.add_argument("--frames", type=int, default=1)
    parser.add_argument("--maps", type=int, default=10)
    parser.add_argument("--mixed", action="store_true",
                        help="times that are all different, and in no order")
    parser.add_argument("--minor", type=int, default=5)
    parser.add_argument("--rate", type=int,
                        help="samples of a second, each with a period of its own")
    parser.add_argument("--periods", default=[1000],
                        type=lambda text: [int(word, 0) for word in text.split(",")],
                        help="of the samples in turn")
    parser.add_argument("--more", type=int, default=0,
                        help="bytes that a later version has in the header and records")
    parser.add_argument("--map", nargs=3, metavar=("ADDRESS", "OFFSET", "PATH"),
                        help="one more mapping, of a page, and a sample at its begin")
    parser.add_argument("--build-id", default="", help="of its file")
    parser.add_argument("--calls", type=addresses, default=(),
                        help="that led to the sample there, the innermost first")
    parser.add_argument("--kernel-calls", type=addresses, default=(),
                        help="the sample is in the kernel, at the first of these")
    parser.add_argument("--kernel-base", type=lambda text: int(text, 0), default=1 << 63)
    parser.add_argument("--program", type=int, choices=(32, 64),
                        help="not a data file: a program of so many bits, for PowerPC")
    parser.add_argument("--others", action="store_true",
                        help="records of each other kind, and a sample of a function that "
                        "the process has made")
    parser.add_argument("--names", action="store_true",
                        help="names that were kept, and samples there in the kernel")
    parser.add_argument("--compressed", action="store_true", help="records in frames of zstd")
    parser.add_argument("--execs", type=int, metavar="PROGRAMS",
                        help="samples of processes that execute so many programs each")
    parser.add_argument("--stacks", metavar="FILE",
                        help="samples with registers and stack, as frames.c has written them")
    parser.add_argument("--hostile", action="store_true", help="names that do harm")
    o = parser.parse_args()
    if o.hostile:
        hostile(o.file)
        return
    if o.execs:
        execs(o.file, o.execs, o.samples)
        return
    order = "<" if o.order == "little" else ">"
    if o.program:
        program(o.file, order, o.program, bytes.fromhex(o.build_id))
        return
    f = DataFile(o.file, order, minor=o.minor, more=o.more, kernel_base=o.kernel_base,
                 compressed=o.compressed)
    readings = ((290, 1, "reading"), (300, 0, "register"))
    if o.rate is None:
        f.event(readings=readings)
    else:
        f.event("cycles", unit=3, period=o.rate, readings=readings)
    f.process()
    if o.stacks:
        stacks(f, o.stacks, bytes.fromhex(o.build_id))
        f.end()
        return
    for i in range(o.maps):
        f.map(BASE + i * STEP, BASE + (i + 1) * STEP, "/no/such/lib%d.so" % i)
    if o.map:
        ip = int(o.map[0], 0)
        st = os.stat(o.map[2])
        f.binary(1, o.map[2], st.st_size, st.st_mtime_ns, bytes.fromhex(o.build_id),
                 [(int(o.map[1], 0) & ~4095, 4096, ip & ~4095)])
        if o.others:
            f.inode(8, 1, st.st_ino)
        f.map(ip & ~4095, (ip & ~4095) + 4096, o.map[2], offset=int(o.map[1], 0) & ~4095, binary=1)
    if o.more:
        f.record(99, b"of a later version")
    more = [Sample([*o.kernel_calls, ip][0], values=(0, 0), kernel=o.kernel_calls,
                   user=(ip, *o.calls) if o.calls else ())] if o.map else []
    if o.others:
        f.map(0x7000, 0x8000, "//anon")
        f.jit("7000 10 made\n7008 20 later\n")
        f.module((1 << 63) + 4096, 8192, "module", build_id=b"12345678")
        f.turns(0, 1_000_000, 3)
        more += [Sample(at, values=(0, 0)) for at in (0x7010, (1 << 63) + 4100)]
    if o.names:
        more += [Sample(at, values=(0, 0)) for at in ((1 << 63) + 0x20, (1 << 63) + 0x2020)]
    f.write(o.format, (s for part in (crafted(o), more) for s in part))
    f.lost(samples=3, estimated=4, full=1)
    if o.names:
        if o.map:
            f.symbols(1, [(ip & ~7, 8, "_ZN4kept8functionEv"), (ip - 0x100, 2, "other")])
        f.symbols(0, [((1 << 63), 0x40, "kept_kernel"),
                      ((1 << 63) + 0x2000, 0x40, "kept_module\t[mod]")])
        f.symbols(99, [(0, 1, "of no file")])
    f.end()


if __name__ == "__main__":
    main()
