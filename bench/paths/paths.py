#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Count the instructions of perfmon's hot paths, in a kernel that is built and not booted.

usage: paths.py [-v] VMLINUX WORLD.O [ROW...]

The kernel's code is executed by Unicorn, one function at a time, in the world that world.c
makes. One line is one path: its name, and its instructions with 1 and with 4 counters;
with -v, all functions that have a share in them. ROW: only rows whose names have this in
them. A repeated instruction counts once. RDPMC, RDMSR, WRMSR, RDTSC and POPCNT are executed
here: Unicorn has no performance counters, and does not know the last one.

Text is as in a kernel that has booted: alternatives are patched by the kernel's own
function, for the processor of world.c, and static keys as they are in the row. A kernel
with retpolines, return thunks, or paravirtual calls is refused, since what it would
execute is decided by code that nothing here executes.

Before it counts, it counts functions whose length is known: an instruction too many or too
few ends it.
"""
import bisect
import struct
import sys

from unicorn import (Uc, UcError, UC_ARCH_X86, UC_HOOK_CODE, UC_HOOK_MEM_UNMAPPED, UC_MODE_64)
from unicorn.x86_const import (
    UC_X86_REG_GS_BASE, UC_X86_REG_R8, UC_X86_REG_R9, UC_X86_REG_RAX,
    UC_X86_REG_RCX, UC_X86_REG_RDI, UC_X86_REG_RDX, UC_X86_REG_RIP, UC_X86_REG_RSI,
    UC_X86_REG_RSP)

# Where things are. The kernel is where it was linked; the world is within 2 GB of it.
PERCPU = 0xffff888000000000
HEAP = 0xffff888001000000
STACK = 0xffffc90000000000
USER = 0x10000000
APIC = 0xffffffffff500000
WORLD = 0xffffffffa0000000
END = WORLD + 0xff000           # where a call returns to
SIZES = {PERCPU: 0x200000, HEAP: 0x200000, STACK: 0x20000, USER: 0x10000, APIC: 0x300000,
         WORLD: 0x100000}

MOST = 200000                   # instructions of a path, or it hangs
NMI = 0x00100000                # in preempt_count

PFM_READ_PMDS, PFM_STOP, PFM_START = 3, 4, 5
PFM_FL_SYSTEM_WIDE = 0x02
COUNTERS = 0x4c1                # the general ones, where they can be written in full
STATUS, CTR0_OVERFLOWED = 0x38e, 1


def fail(what):
    sys.exit("count-paths: " + what)


def signed(value):
    """An address or a difference of two, as the processor has it."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


class Elf:
    """A file of x86-64: its sections and symbols."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:5] != b"\x7fELF\x02":
            fail(path + " is not an ELF file of 64 bits")
        shoff, = struct.unpack_from("<Q", self.data, 40)
        size, count, names = struct.unpack_from("<HHH", self.data, 58)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", self.data, shoff + i * size)
                         for i in range(count)]
        self.names = [self.string(self.sections[names], s[0]) for s in self.sections]
        self.symbols = []
        for section in self.sections:
            if section[1] == 2:
                self.symbols += self.read_symbols(section)

    def string(self, section, offset):
        start = section[4] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def content(self, section):
        return self.data[section[4]:section[4] + section[5]]

    def read_symbols(self, section):
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, index, value, _ = struct.unpack_from("<IBBHQQ", self.data, at)
            yield (self.string(self.sections[section[6]], name), info, index, value)


class Image:
    """The kernel and the world in memory, as yet unpatched: bytes by address, and symbols."""

    def __init__(self, vmlinux, world):
        self.memory = {start: bytearray(size) for start, size in SIZES.items()}
        self.symbols = {}
        self.text = []
        self.load_kernel(Elf(vmlinux))
        self.load_world(Elf(world))
        self.text.sort()
        self.starts = [start for start, _ in self.text]

    def add(self, name, info, value):
        # Of several static functions of a name any will do: no path asks for one.
        if name not in self.symbols or info >> 4:
            self.symbols[name] = value
        if info & 15 in (0, 2):
            self.text.append((value, name))

    def load_kernel(self, elf):
        loads = []
        phoff, = struct.unpack_from("<Q", elf.data, 32)
        count, = struct.unpack_from("<H", elf.data, 56)
        for i in range(count):
            kind, _, offset, at, _, size, mem, _ = struct.unpack_from(
                "<IIQQQQQQ", elf.data, phoff + 56 * i)
            if kind == 1:
                loads.append((at, mem, elf.data[offset:offset + size]))
        self.kernel = 0xffffffff80000000
        end = max(at + mem for at, mem, _ in loads)
        self.memory[self.kernel] = bytearray((end - self.kernel + 0xfff) & ~0xfff)
        for at, _, data in loads:
            # Per-CPU variables are linked at 0.
            self.write(PERCPU + at if at < 0x1000000 else at, data)
        for name, info, index, value in elf.symbols:
            if index:
                self.add(name, info, value)
        for what in ("__retpoline_sites", "__return_sites", "__parainstructions"):
            end = self.symbols.get(what + "_end", self.symbols.get(what))
            if self.symbols.get(what) != end:
                fail("this kernel has %s: what it executes is decided at boot" % what[2:])

    def load_world(self, elf):
        at, self.where = WORLD, {}
        for i, section in enumerate(elf.sections):
            if section[2] & 2:          # it is in memory
                at = (at + max(section[8], 16) - 1) & -max(section[8], 16)
                self.where[i] = at
                if section[1] != 8:
                    self.write(at, elf.content(section))
                at += section[5]
        values = []
        for name, info, index, value in elf.symbols:
            if index in self.where:
                value += self.where[index]
                if name:
                    self.add(name, info, value)
            elif not index and name:
                if name not in self.symbols:
                    fail("world.o wants %s, which the kernel has not" % name)
                value = self.symbols[name]
            values.append(value)
        for section in elf.sections:
            if section[1] == 4 and section[7] in self.where:
                self.relocate(elf.content(section), self.where[section[7]], values)
        self.sections = {elf.names[i]: (start, start + elf.sections[i][5])
                         for i, start in self.where.items()}

    def relocate(self, table, base, values):
        for offset, info, addend in struct.iter_unpack("<QQq", table):
            kind, at = info & 0xffffffff, base + offset
            value = values[info >> 32] + addend
            if kind == 1:
                self.write(at, struct.pack("<Q", value & (1 << 64) - 1))
            elif kind in (2, 4):        # PC32, PLT32
                self.write(at, struct.pack("<i", signed(value - at)))
            elif kind in (10, 11):      # 32, 32S
                self.write(at, struct.pack("<I", value & 0xffffffff))
            elif kind == 24:            # PC64
                self.write(at, struct.pack("<q", signed(value - at)))
            else:
                fail("a relocation of kind %d in world.o" % kind)

    def place(self, at):
        for start, data in self.memory.items():
            if start <= at < start + len(data):
                return data, at - start
        fail("no memory at %#x" % at)
        return None

    def write(self, at, data):
        memory, offset = self.place(at)
        memory[offset:offset + len(data)] = data

    def read(self, at, size):
        memory, offset = self.place(at)
        return bytes(memory[offset:offset + size])

    def number(self, at, form):
        return struct.unpack(form, self.read(at, struct.calcsize(form)))[0]

    def name(self, at):
        i = bisect.bisect_right(self.starts, at) - 1
        return self.text[i][1] if i >= 0 else hex(at)


class Machine:
    """A CPU that executes an image, and counts."""

    ARGUMENTS = (UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX, UC_X86_REG_RCX, UC_X86_REG_R8,
                 UC_X86_REG_R9)

    def __init__(self, image, memory):
        self.image, self.memory = image, memory
        self.registers, self.time = {}, 1 << 30
        self.anew()

    def anew(self):
        """Go on with what is in memory: nothing is left of code that was translated."""
        self.uc = Uc(UC_ARCH_X86, UC_MODE_64)
        for start, data in self.memory.items():
            self.uc.mem_map(start, len(data))
            self.uc.mem_write(start, bytes(data))
        self.uc.reg_write(UC_X86_REG_GS_BASE, PERCPU)
        self.uc.hook_add(UC_HOOK_MEM_UNMAPPED, self.unmapped)
        self.hooked = False

    def save(self):
        return {start: bytearray(self.uc.mem_read(start, len(data)))
                for start, data in self.memory.items()}

    def unmapped(self, uc, _access, address, _size, _value, _data):
        print("no memory at %#x, in %s" % (address, self.image.name(uc.reg_read(UC_X86_REG_RIP))),
              file=sys.stderr)
        return False

    def write(self, at, form, value):
        self.uc.mem_write(at, struct.pack(form, value))

    def pair(self, value):
        self.uc.reg_write(UC_X86_REG_RAX, value & 0xffffffff)
        self.uc.reg_write(UC_X86_REG_RDX, value >> 32)

    def step(self, uc, at, size, _data):
        """Before each instruction."""
        code = bytes(uc.mem_read(at, min(size, 3)))
        self.time += 1
        # Each turn of a repeated instruction comes by here.
        if code[0] in (0xf2, 0xf3) and at == self.last and (code[1] == 0x48 or code[1] >= 0x6c):
            return
        self.last = at
        self.counted[at] = self.counted.get(at, 0) + 1
        if code[0] == 0xf3 and 0x0f in code[1:3]:
            self.count_bits(at)
        if size != 2 or code[0] != 0x0f:
            return
        if code[1] == 0x31:
            self.pair(self.time)
        elif code[1] in (0x32, 0x33):
            number = uc.reg_read(UC_X86_REG_RCX) & 0xffffffff
            self.reads += 1
            if code[1] == 0x33:
                # It has counted a little since it was written, or read.
                number += COUNTERS
                self.registers[number] = self.registers.get(number, 0) + 100
            self.pair(self.registers.get(number, 0))
        elif code[1] == 0x30:
            self.writes += 1
            number = uc.reg_read(UC_X86_REG_RCX) & 0xffffffff
            value = (uc.reg_read(UC_X86_REG_RDX) & 0xffffffff) << 32
            self.registers[number] = value | (uc.reg_read(UC_X86_REG_RAX) & 0xffffffff)
        else:
            return
        uc.reg_write(UC_X86_REG_RIP, at + size)

    # As the kernel writes it: of RDI or EDI to RAX.
    POPCNT = {b"\xf3\x48\x0f\xb8\xc7": 64, b"\xf3\x0f\xb8\xc7": 32}

    def count_bits(self, at):
        for code, bits in self.POPCNT.items():
            if bytes(self.uc.mem_read(at, len(code))) == code:
                value = self.uc.reg_read(UC_X86_REG_RDI) & (1 << bits) - 1
                self.uc.reg_write(UC_X86_REG_RAX, bin(value).count("1"))
                self.uc.reg_write(UC_X86_REG_RIP, at + len(code))

    def call(self, function, *arguments, count=True):
        """Call it, and return what it returns; without @count its code may patch itself."""
        at = self.image.symbols[function] if isinstance(function, str) else function
        if count and not self.hooked:
            self.uc.hook_add(UC_HOOK_CODE, self.step)
            self.hooked = True
        for register, value in zip(self.ARGUMENTS, arguments):
            self.uc.reg_write(register, value & (1 << 64) - 1)
        stack = STACK + SIZES[STACK] - 0x1008
        self.write(stack, "<Q", END)
        self.uc.reg_write(UC_X86_REG_RSP, stack)
        self.counted, self.last, self.reads, self.writes = {}, 0, 0, 0
        try:
            self.uc.emu_start(at, END, count=MOST if count else 0)
        except UcError as error:
            fail("%s: %s at %s" % (function, error,
                                   self.image.name(self.uc.reg_read(UC_X86_REG_RIP))))
        if self.uc.reg_read(UC_X86_REG_RIP) != END:
            fail("%s did not return" % function)
        value = self.uc.reg_read(UC_X86_REG_RAX)
        return value - (1 << 64) if value >> 63 else value

    def must(self, function, *arguments, **keywords):
        value = self.call(function, *arguments, **keywords)
        if value < 0:
            fail("%s: error %d" % (function, value))
        return value

    def count(self):
        return sum(self.counted.values())

    def patch_keys(self):
        """What the kernel does to its text when static keys change, for all keys."""
        symbols, changed = self.image.symbols, False
        tables = [(symbols["__start___jump_table"], symbols["__stop___jump_table"])] \
            if "__start___jump_table" in symbols else []
        tables += [self.image.sections[name] for name in self.image.sections
                   if name == "__jump_table"]
        for start, end in tables:
            table = bytes(self.uc.mem_read(start, end - start))
            for i, (code, target, key) in enumerate(struct.iter_unpack("<iiq", table)):
                at = start + 16 * i
                code, target, key = at + code, at + 4 + target, at + 8 + key
                enabled, = struct.unpack("<i", bytes(self.uc.mem_read(key & ~3, 4)))
                text = self.jump(code, target, (enabled > 0) ^ (key & 1))
                if text != bytes(self.uc.mem_read(code, len(text))):
                    self.uc.mem_write(code, text)
                    changed = True
        if changed:
            # Nothing is left of what was translated before.
            self.memory = self.save()
            self.anew()

    def jump(self, code, target, on):
        """A jump or a no-op, of the length of what is there."""
        now = bytes(self.uc.mem_read(code, 2))
        if now in (b"\xeb" + now[1:], b"\x66\x90"):
            return struct.pack("<Bb", 0xeb, target - code - 2) if on else b"\x66\x90"
        if now not in (b"\xe9" + now[1:], b"\x0f\x1f"):
            fail("no jump and no no-op at %#x, in %s" % (code, self.image.name(code)))
        return struct.pack("<Bi", 0xe9, target - code - 5) if on else b"\x0f\x1f\x44\x00\x00"


class World:
    """A kernel that is as far as if it had booted."""

    def __init__(self, image):
        self.image = image
        machine = Machine(image, image.memory)
        for name, at in image.symbols.items():
            if name.startswith("stand_in_"):
                place = image.symbols.get(name[len("stand_in_"):])
                if place:
                    machine.write(place, "<B", 0xe9)
                    machine.write(place + 1, "<i", at - place - 5)
        symbols = image.symbols
        machine.write(PERCPU + symbols["this_cpu_off"], "<Q", PERCPU)
        machine.write(symbols["__per_cpu_offset"], "<Q", PERCPU)
        machine.write(PERCPU + symbols["__preempt_count"], "<I", 0x80000000)
        own = image.sections.get(".altinstructions", (0, 0))
        machine.must("world_boot", HEAP, *own, count=False)
        machine.patch_keys()
        self.memory = machine.save()

    def machine(self):
        return Machine(self.image, {start: bytearray(data) for start, data in self.memory.items()})


def check_known(world):
    """Functions of known lengths; of static keys, where they are patched text."""
    machine = world.machine()

    def check(name, right):
        machine.call(name)
        if machine.count() - 1 != right:        # its return
            fail("%s has %d instructions, and is counted as %d" %
                 (name, right, machine.count() - 1))

    check("known_length", 26)
    check("known_alternative", 2)
    if "__jump_table" in world.image.sections:
        check("known_branch", 1)
        machine.write(world.image.symbols["known_key"], "<i", 1)
        machine.patch_keys()
        check("known_branch", 2)


#
# The rows. Each is a function of a machine and of the number of counters, which sets up and
# returns the calls that are counted.
#

def one(machine, n, *, sets=1, system=False):
    """A context that counts."""
    fd = machine.must("world_context", n, PFM_FL_SYSTEM_WIDE if system else 0, sets)
    machine.patch_keys()
    return fd


def command(machine, fd, op, n=0, first=0):
    """A call of a program."""
    return ("__x64_sys_perfmonctl", machine.call("world_call", fd, op, n, first))


def do(machine, *calls):
    """What is not counted."""
    for call in calls:
        result = machine.call(*call)
        if call[0] in ("__x64_sys_perfmonctl", "world_period") and result:
            fail("%s: error %d" % (call[0], result))


def threads(machine):
    return [machine.call("world_thread", i) for i in range(2)]


def run_and_stop(machine, n):
    fd = one(machine, n)
    for op in (PFM_STOP, PFM_START, PFM_STOP):
        do(machine, command(machine, fd, op))
    return fd


def switch(machine, to):
    """From the other thread to this one: what the scheduler does, and our hooks in it."""
    both = threads(machine)
    return [("world_clock",), ("hook_out", both[1 - to], both[to]), ("world_other", to),
            ("hook_in",)]


def row_start(machine, n):
    return [command(machine, run_and_stop(machine, n), PFM_START)]


def row_stop(machine, n):
    fd = run_and_stop(machine, n)
    do(machine, command(machine, fd, PFM_START))
    return [command(machine, fd, PFM_STOP)]


def row_read(machine, n):
    return [command(machine, one(machine, n), PFM_READ_PMDS, n)]


def row_read_one(machine, n):
    return [command(machine, one(machine, n), PFM_READ_PMDS, 1)]


def row_read_stopped(machine, n):
    return [command(machine, run_and_stop(machine, n), PFM_READ_PMDS, n)]


def row_out(machine, n):
    one(machine, n)
    do(machine, *switch(machine, 1), *switch(machine, 0))
    return switch(machine, 1)


def row_in(machine, n):
    one(machine, n)
    do(machine, *switch(machine, 1), *switch(machine, 0), *switch(machine, 1))
    return switch(machine, 0)


def row_both(machine, n):
    """Each has a context, with the same values in its registers."""
    one(machine, n)
    do(machine, *switch(machine, 1))
    one(machine, n)
    do(machine, *switch(machine, 0), *switch(machine, 1))
    return switch(machine, 0)


def row_system(machine, n):
    one(machine, n, system=True)
    do(machine, *switch(machine, 1))
    return switch(machine, 0)


def row_fault(machine, n):
    one(machine, n)
    return [("hook_fault",)]


def row_fault_system(machine, n):
    one(machine, n, system=True)
    return [("hook_fault",)]


def row_set(machine, n):
    fd = one(machine, n, sets=2)
    for number in (1, 0):
        do(machine, command(machine, fd, PFM_START, 1, number))
    return [command(machine, fd, PFM_START, 1, 1)]


def row_overflow(machine, n):
    fd = one(machine, n)
    machine.must("world_period", fd)
    machine.write(PERCPU + machine.image.symbols["__preempt_count"], "<I", 0x80000000 | NMI)
    machine.registers[STATUS] = CTR0_OVERFLOWED
    machine.registers[COUNTERS] = 2
    return [("pfm_interrupt_handle", machine.image.symbols["regs"])]


ROWS = [
    ("start", row_start), ("stop", row_stop),
    ("read while running", row_read), ("... one of them", row_read_one),
    ("read while stopped", row_read_stopped),
    ("a monitored thread is left", row_out), ("... and comes back", row_in),
    ("from a monitored thread to another", row_both),
    ("a switch, the CPU is monitored", row_system),
    ("a page fault of a monitored thread", row_fault),
    ("... and of a monitored CPU", row_fault_system),
    ("a switch of sets by PFM_START", row_set),
    ("a notified overflow, in the NMI", row_overflow),
]


def measure(world, row, n, verbose):
    machine = world.machine()
    calls = row(machine, n)
    total, shares, reads, writes = 0, {}, 0, 0
    for call in calls:
        result = machine.call(*call)
        if call[0] == "__x64_sys_perfmonctl" and result:
            fail("a call of the row fails: %d" % result)
        if call[0].startswith("world_"):
            continue
        # A hook is inlined where it is: its return is not there.
        total += machine.count() - call[0].startswith("hook_")
        reads, writes = reads + machine.reads, writes + machine.writes
        for at, number in machine.counted.items():
            name = world.image.name(at)
            shares[name] = shares.get(name, 0) + number
    if verbose:
        for name, number in sorted(shares.items(), key=lambda share: -share[1]):
            print("    %d: %6d %s" % (n, number, name))
        print("    %d: %d reads and %d writes of registers" % (n, reads, writes))
    return total


def main():
    arguments = sys.argv[1:]
    verbose = "-v" in arguments
    arguments = [word for word in arguments if word != "-v"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    image = Image(*arguments[:2])
    world = World(image)
    check_known(world)
    print("%-36s %8s %8s" % ("instructions in the kernel", 1, 4))
    for name, row in ROWS:
        if arguments[2:] and not any(word in name for word in arguments[2:]):
            continue
        print("%-36s %8d %8d" % (name, *(measure(world, row, n, verbose) for n in (1, 4))))


main()
