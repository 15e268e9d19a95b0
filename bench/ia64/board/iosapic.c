// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An I/O SAPIC: from lines of devices to interrupts of CPUs
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "exec/address-spaces.h"
#include "hw/irq.h"
#include "sysemu/reset.h"
#include "board.h"

#define NR_LINES    24

/* Places, where both Linux (asm/iosapic.h) and FreeBSD (sapicreg.h) have them */
#define SELECT      0x00
#define WINDOW      0x10
#define EOI         0x40
/* and what can be selected */
#define REG_ID      0x00
#define REG_VERSION 0x01
#define REG_ENTRY   0x10            /* two for each line */

#define ENTRY_VECTOR(e)     extract64(e, 0, 8)
#define ENTRY_MODE(e)       extract64(e, 8, 3)
#define ENTRY_LOW           (1ull << 13)
#define ENTRY_BUSY          (1ull << 14)    /* by level: no end of interrupt yet; read only */
#define ENTRY_LEVEL         (1ull << 15)
#define ENTRY_MASK          (1ull << 16)
#define ENTRY_WRITABLE      (0xffull | 7 << 8 | ENTRY_LOW | ENTRY_LEVEL | ENTRY_MASK)
#define ENTRY_EID(e)        extract64(e, 48, 8)
#define ENTRY_ID(e)         extract64(e, 56, 8)

typedef struct IOSapic {
    MemoryRegion memory;
    uint32_t select, id;
    uint64_t entry[NR_LINES];
    uint32_t lines;                 /* as they are, whatever is active */
} IOSapic;

static bool is_active(IOSapic *s, int line)
{
    return (s->lines >> line & 1) != !!(s->entry[line] & ENTRY_LOW);
}

static void interrupt(IOSapic *s, int line)
{
    uint64_t entry = s->entry[line];

    if (entry & ENTRY_LEVEL) {
        s->entry[line] |= ENTRY_BUSY;
    }
    board_interrupt(ENTRY_ID(entry), ENTRY_EID(entry), ENTRY_MODE(entry), ENTRY_VECTOR(entry));
}

/* look: whether a line that interrupts by its level has to do it */
static void look(IOSapic *s, int line)
{
    if ((s->entry[line] & (ENTRY_LEVEL | ENTRY_MASK | ENTRY_BUSY)) == ENTRY_LEVEL &&
        is_active(s, line)) {
        interrupt(s, line);
    }
}

/* set_line: an edge at a line that is masked is lost, as Linux says of hardware */
static void set_line(void *opaque, int line, int level)
{
    IOSapic *s = opaque;
    bool was_active = is_active(s, line);

    s->lines = deposit32(s->lines, line, 1, !!level);
    if (s->entry[line] & ENTRY_LEVEL) {
        look(s, line);
    } else if (!was_active && is_active(s, line) && !(s->entry[line] & ENTRY_MASK)) {
        interrupt(s, line);
    }
}

static uint64_t iosapic_read(void *opaque, hwaddr address, unsigned size)
{
    IOSapic *s = opaque;
    uint32_t line = (s->select - REG_ENTRY) / 2;

    if (address == SELECT) {
        return s->select;
    }
    if (address != WINDOW) {
        return 0;
    }
    switch (s->select) {
    case REG_ID:
        return s->id;
    case REG_VERSION:
        return (NR_LINES - 1) << 16 | 0x20;
    case REG_ENTRY ... REG_ENTRY + 2 * NR_LINES - 1:
        return extract64(s->entry[line], s->select & 1 ? 32 : 0, 32);
    default:
        return 0;
    }
}

static void iosapic_write(void *opaque, hwaddr address, uint64_t val, unsigned size)
{
    IOSapic *s = opaque;
    uint32_t line = (s->select - REG_ENTRY) / 2;
    uint64_t busy;
    int i;

    switch (address) {
    case SELECT:
        s->select = val & 0xff;
        return;
    case EOI:
        for (i = 0; i < NR_LINES; i++) {
            if (ENTRY_VECTOR(s->entry[i]) == (val & 0xff)) {
                s->entry[i] &= ~ENTRY_BUSY;
                look(s, i);
            }
        }
        return;
    case WINDOW:
        break;
    default:
        return;
    }
    if (s->select == REG_ID) {
        s->id = val;
    } else if (s->select >= REG_ENTRY && line < NR_LINES) {
        if (s->select & 1) {
            s->entry[line] = deposit64(s->entry[line], 32, 32, val & 0xffff0000);
        } else {
            busy = val & ENTRY_LEVEL ? s->entry[line] & ENTRY_BUSY : 0;
            s->entry[line] = deposit64(s->entry[line], 0, 32, (val & ENTRY_WRITABLE) | busy);
            look(s, line);
        }
    }
}

static const MemoryRegionOps iosapic_ops = {
    .read = iosapic_read,
    .write = iosapic_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 4, .max_access_size = 4 },
};

static void iosapic_reset(void *opaque)
{
    IOSapic *s = opaque;
    int i;

    s->select = s->id = 0;
    for (i = 0; i < NR_LINES; i++) {
        s->entry[i] = ENTRY_MASK;
    }
}

qemu_irq *board_iosapic(hwaddr base)
{
    IOSapic *s = g_new0(IOSapic, 1);

    memory_region_init_io(&s->memory, NULL, &iosapic_ops, s, "ia64.iosapic", 0x100);
    memory_region_add_subregion(get_system_memory(), base, &s->memory);
    qemu_register_reset(iosapic_reset, s);
    return qemu_allocate_irqs(set_line, s, NR_LINES);
}
