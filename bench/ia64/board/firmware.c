// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The firmware of the bench's IA-64 machine: PAL, SAL and EFI, as far as Linux 6.1 calls them
 *
 * It is here, and not code of the machine. A procedure's entry is a gate: a break.m that brings the CPU
 * here, and an instruction by which it returns when the answer is in its registers. So what
 * can fault on the way back, the register stack above all, faults as it does for any code.
 *
 * Pointers are addresses as the caller has them. An access to one may fault, and the call is made
 * again when the kernel has handled that: nothing has been changed before the last access.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "target/ia64/cpu.h"
#include "exec/cpu_ldst.h"
#include "exec/exec-all.h"
#include "sysemu/rtc.h"
#include "sysemu/runstate.h"
#include "firmware.h"

/* Status: of PAL and SAL (Linux's asm/pal.h and asm/sal.h), of EFI (specification 1.10, appendix D) */
#define DONE                    0
#define UNIMPLEMENTED           ((uint64_t)-1)
#define INVALID                 ((uint64_t)-2)
#define EFI_INVALID_PARAMETER   (1ull << 63 | 2)
#define EFI_UNSUPPORTED         (1ull << 63 | 3)
#define EFI_NOT_FOUND           (1ull << 63 | 14)

/* PAL procedures: SDM volume 2, chapter 11; those from 256 to 511 take arguments as a function does. */
enum {
    PAL_CACHE_INFO = 2, PAL_CACHE_SUMMARY = 4, PAL_PTCE_INFO = 6, PAL_VM_SUMMARY = 8,
    PAL_FREQ_RATIOS = 14, PAL_PERF_MON_INFO = 15, PAL_RSE_INFO = 19, PAL_HALT_LIGHT = 29,
    PAL_VM_PAGE_SIZE = 34,
};
#define PAL_IS_STACKED(index)   ((index) & 256)

enum {
    SAL_SET_VECTORS = 0x01000000, SAL_CACHE_FLUSH = 0x01000008, SAL_FREQ_BASE = 0x01000012,
};
/* What SAL_SET_VECTORS is for, and SAL_FREQ_BASE */
enum { VECTOR_BOOT_RENDEZVOUS = 2, VECTORS };
enum { FREQ_PLATFORM = 0, FREQS = 3 };

/* ar.itc counts nanoseconds: ten of them are a cycle of the platform. */
#define PLATFORM_HZ             100000000
#define RATIO(numerator)        ((uint64_t)(numerator) << 32 | 1)

/* There is one machine. All but "info" is under QEMU's big lock. */
static struct {
    FirmwareInfo info;
    uint64_t rendezvous, rendezvous_gp; /* where the kernel wants its other CPUs */
    bool is_virtual;                    /* EFI has been given virtual addresses */
} firmware;

/*
 * What a procedure gets and gives
 */

static uint64_t argument(CPUIA64State *env, int i)
{
    return i < CFM_SOF(env->cfm) ? env->gr[gr_index(env, 32 + i)] : 0;
}

static void answer(CPUIA64State *env, uint64_t status, uint64_t r9, uint64_t r10, uint64_t r11)
{
    env->gr[8] = status;
    env->gr[9] = r9;
    env->gr[10] = r10;
    env->gr[11] = r11;
    env->gr_nat[0] &= ~(15ull << 8);
}

static uint64_t load(CPUIA64State *env, uint64_t address)
{
    return cpu_ldq_le_mmuidx_ra(env, address, cpu_mmu_index(env, false), 0);
}

static void store(CPUIA64State *env, uint64_t address, uint64_t val)
{
    cpu_stq_le_mmuidx_ra(env, address, val, cpu_mmu_index(env, false), 0);
}

/* sleep_here: the CPU does nothing until an interrupt, and goes on where it is */
static G_NORETURN void sleep_here(CPUIA64State *env)
{
    CPUState *cs = env_cpu(env);

    cs->halted = 1;
    cs->exception_index = EXCP_HLT;
    cpu_loop_exit(cs);
}

/*
 * PAL
 */

/* cache_info: a cache of 16 KB for code, and one for data, which is written back: SDM 2:374 */
static void cache_info(CPUIA64State *env, uint64_t level, uint64_t type)
{
    const uint64_t ways = 4, line = 7, size = 0x4000;
    const uint64_t write_back = type == 2 ? 1 : 0;

    if (level != 0 || (type != 1 && type != 2)) {
        answer(env, INVALID, 0, 0, 0);
        return;
    }
    answer(env, DONE, write_back << 1 | ways << 8 | line << 16 | line << 24, size, 0);
}

/* vm_summary: what target/mmu.c does: SDM 2:468 */
static void vm_summary(CPUIA64State *env)
{
    const uint64_t walker = 0, key_bits = 24, hash = 10, rid_bits = 24, purges = 0xffff;
    const uint64_t caches = 2, levels = 1;

    answer(env, DONE,
           walker | TARGET_PHYS_ADDR_SPACE_BITS << 1 | key_bits << 8 |
           (IA64_NR_PKR - 1) << 16 | hash << 24 | (IA64_NR_TR - 1ull) << 32 |
           (IA64_NR_TR - 1ull) << 40 | caches << 48 | levels << 56,
           (IA64_VA_BITS - 1) | rid_bits << 8 | purges << 16, 0);
}

/* perf_mon_info: four masks of 256 bits at @buffer: SDM 2:440 */
static void perf_mon_info(CPUIA64State *env, uint64_t buffer)
{
    uint64_t masks[16], info = ia64_perf_mon_info(env, masks);
    int i;

    if (buffer & 7) {
        answer(env, INVALID, 0, 0, 0);
        return;
    }
    for (i = 0; i < 16; i++) {
        store(env, buffer + 8 * i, masks[i]);
    }
    answer(env, DONE, info, 0, 0);
}

/* give_back: @env goes on behind the gate; the break has been its slot 0 */
static void give_back(CPUIA64State *env, bool by_branch)
{
    if (by_branch) {
        env->ip += 16;
    } else {
        env->ri = 1;
    }
    env->psr &= ~PSR_ONE;
}

static void pal_call(CPUIA64State *env)
{
    const uint64_t page_sizes = 0x115557000;
    uint64_t index = env->gr[28];

    switch (index) {
    case PAL_CACHE_SUMMARY:
        answer(env, DONE, 1, 2, 0);
        break;
    case PAL_CACHE_INFO:
        cache_info(env, env->gr[29], env->gr[30]);
        break;
    case PAL_PTCE_INFO:
        /* One ptc.e is enough. */
        answer(env, DONE, 0, 1ull << 32 | 1, 0);
        break;
    case PAL_VM_SUMMARY:
        vm_summary(env);
        break;
    case PAL_VM_PAGE_SIZE:
        answer(env, DONE, page_sizes, page_sizes, 0);
        break;
    case PAL_RSE_INFO:
        answer(env, DONE, NR_STACKED, 0, 0);
        break;
    case PAL_FREQ_RATIOS:
        answer(env, DONE, RATIO(10), RATIO(1), RATIO(10));
        break;
    case PAL_PERF_MON_INFO:
        perf_mon_info(env, env->gr[29]);
        break;
    case PAL_HALT_LIGHT:
        answer(env, DONE, 0, 0, 0);
        give_back(env, true);
        sleep_here(env);
    default:
        answer(env, UNIMPLEMENTED, 0, 0, 0);
    }
    give_back(env, !PAL_IS_STACKED(index));
}

/*
 * SAL
 */

static uint64_t set_vectors(uint64_t type, uint64_t address, uint64_t gp)
{
    if (type >= VECTORS) {
        return INVALID;
    }
    if (type == VECTOR_BOOT_RENDEZVOUS) {
        qemu_mutex_lock_iothread();
        firmware.rendezvous = address;
        firmware.rendezvous_gp = gp;
        qemu_mutex_unlock_iothread();
    }
    return DONE;
}

static void sal_call(CPUIA64State *env)
{
    uint64_t first = argument(env, 1);

    switch (argument(env, 0)) {
    case SAL_SET_VECTORS:
        answer(env, set_vectors(first, argument(env, 2), argument(env, 3)), 0, 0, 0);
        break;
    case SAL_CACHE_FLUSH:
        /* QEMU's memory is coherent. Code, data, both; or to make code's see data's */
        answer(env, first >= 1 && first <= 4 ? DONE : INVALID, 0, 0, 0);
        break;
    case SAL_FREQ_BASE:
        if (first == FREQ_PLATFORM) {
            /* How much it drifts is not known. */
            answer(env, DONE, PLATFORM_HZ, -1, 0);
        } else {
            answer(env, first < FREQS ? UNIMPLEMENTED : INVALID, 0, 0, 0);
        }
        break;
    default:
        answer(env, UNIMPLEMENTED, 0, 0, 0);
    }
    give_back(env, false);
}

static void wait_for_wake_up(CPUState *cs, run_on_cpu_data data)
{
    cpu_reset(cs);
    cs->halted = 1;
}

/*
 * park: the CPU has left the kernel, and waits for its next start as it did for its first. An
 * interrupt that comes now is that start already, and follows the reset.
 */
static G_NORETURN void park(CPUIA64State *env)
{
    CPUState *cs = env_cpu(env);

    qemu_mutex_lock_iothread();
    IA64_CPU(cs)->parked = true;
    async_run_on_cpu(cs, wait_for_wake_up, RUN_ON_CPU_NULL);
    qemu_mutex_unlock_iothread();
    sleep_here(env);
}

/*
 * EFI's runtime services
 */

/* get_time: EFI_TIME, 16 bytes, and if it is wanted EFI_TIME_CAPABILITIES, 12: 6.3 */
static uint64_t get_time(CPUIA64State *env, uint64_t time, uint64_t capabilities)
{
    struct tm tm;

    if (!time) {
        return EFI_INVALID_PARAMETER;
    }
    qemu_get_timedate(&tm, 0);
    store(env, time, (tm.tm_year + 1900) | (tm.tm_mon + 1) << 16 | tm.tm_mday << 24 |
          (uint64_t)tm.tm_hour << 32 | (uint64_t)tm.tm_min << 40 | (uint64_t)tm.tm_sec << 48);
    store(env, time + 8, 0);        /* nanoseconds; the zone is UTC, without daylight saving */
    if (capabilities) {
        store(env, capabilities, 1);    /* Hz, and no accuracy that could be told */
        cpu_stl_le_mmuidx_ra(env, capabilities + 8, 0, cpu_mmu_index(env, false), 0);
    }
    return DONE;
}

/*
 * virtual_address: of the physical @address, by a kernel's memory map; false if none of its
 * entries that are for runtime has it
 */
static bool virtual_address(CPUIA64State *env, uint64_t map, uint64_t size, uint64_t step,
                            uint64_t address, uint64_t *result)
{
    uint64_t end = map + size - size % step, start, pages;
    bool found = false;

    for (; map != end; map += step) {
        start = load(env, map + 8);
        pages = load(env, map + 24);
        if (load(env, map + 32) & EFI_RUNTIME && address >= start &&
            (address - start) >> 12 < pages) {
            *result = load(env, map + 16) + address - start;
            found = true;
        }
    }
    return found;
}

static uint64_t set_virtual_address_map(CPUIA64State *env)
{
    uint64_t size = argument(env, 0), step = argument(env, 1), version = argument(env, 2);
    uint64_t map = argument(env, 3), gates, tables;

    if (firmware.is_virtual) {
        return EFI_UNSUPPORTED;
    }
    if (step < EFI_DESCRIPTOR_SIZE || (uint32_t)version != EFI_DESCRIPTOR_VERSION) {
        return EFI_INVALID_PARAMETER;
    }
    if (!virtual_address(env, map, size, step, GATES, &gates) ||
        !virtual_address(env, map, size, step, TABLES, &tables)) {
        return EFI_NOT_FOUND;
    }
    qemu_mutex_lock_iothread();
    firmware.is_virtual = true;
    tables_put_efi(gates, tables);
    qemu_mutex_unlock_iothread();
    return DONE;
}

/* reset_system: never returns; until all CPUs are stopped, the call is made again and again. */
static G_NORETURN void reset_system(CPUIA64State *env, uint64_t type)
{
    const uint32_t shut_down = 2;

    qemu_mutex_lock_iothread();
    if ((uint32_t)type == shut_down) {
        qemu_system_shutdown_request(SHUTDOWN_CAUSE_GUEST_SHUTDOWN);
    } else {
        qemu_system_reset_request(SHUTDOWN_CAUSE_GUEST_RESET);
    }
    qemu_mutex_unlock_iothread();
    sleep_here(env);
}

static void efi_call(CPUIA64State *env, int service)
{
    uint64_t status;

    switch (service) {
    case EFI_GET_TIME:
        status = get_time(env, argument(env, 0), argument(env, 1));
        break;
    case EFI_SET_VIRTUAL_ADDRESS_MAP:
        status = set_virtual_address_map(env);
        break;
    case EFI_RESET_SYSTEM:
        reset_system(env, argument(env, 0));
    default:
        status = EFI_UNSUPPORTED;
    }
    answer(env, status, 0, 0, 0);
    give_back(env, false);
}

/*
 * Gates and starts
 */

/* code_address: the physical address of the bundle that is executed */
static hwaddr code_address(CPUIA64State *env)
{
    CPUTLBEntryFull *full;
    void *host;

    if (probe_access_full(env, env->ip, MMU_INST_FETCH, cpu_mmu_index(env, true), true, &host,
                          &full, 0) & TLB_INVALID_MASK) {
        return -1;
    }
    return full->phys_addr | (env->ip & ~TARGET_PAGE_MASK);
}

/**
 * ia64_firmware - the CPU executes a break that may be a gate's
 * @env: the CPU; ip and ri are the break's
 * @imm: what the instruction has
 *
 * Only the bundles of the gates themselves, at level 0, lead to the firmware; any other break with such
 * a number is what it is elsewhere.
 *
 * Returns true if it was one, and the CPU goes on at ip and ri. It may not return: an access to what
 * the caller points to can fault, and there are calls that have the CPU wait.
 *
 * Context: the CPU's thread, in a helper whose return address is not needed any more.
 */
bool ia64_firmware(CPUIA64State *env, uint64_t imm)
{
    uint64_t gate = imm - GATE_BREAK;

    if (gate >= NR_GATES || env->cpl || env->ri || code_address(env) != gate_address(gate)) {
        return false;
    }
    switch (gate) {
    case GATE_PAL:
        pal_call(env);
        break;
    case GATE_SAL:
        sal_call(env);
        break;
    case GATE_AP_RETURN:
        park(env);
    default:
        efi_call(env, gate - GATE_EFI);
    }
    return true;
}

/**
 * firmware_start - have a CPU begin what firmware begins it with
 * @cs: the CPU, after a reset
 *
 * The first one starts the kernel. Another one that gets an interrupt goes where the kernel has told
 * SAL; if it has not told anything, where the first one began.
 *
 * Context: under QEMU's big lock, when the CPU executes nothing.
 */
void firmware_start(CPUState *cs)
{
    CPUIA64State *env = &IA64_CPU(cs)->env;

    rse_set_bspstore(env, BACKING_STORES + cs->cpu_index * BACKING_STORE);
    if (cs == first_cpu || !firmware.rendezvous) {
        cpu_set_pc(cs, firmware.info.entry);
        env->gr[28] = BOOT_PARAMETERS;
    } else {
        cpu_set_pc(cs, firmware.rendezvous);
        env->gr[1] = firmware.rendezvous_gp;
        env->br[0] = gate_address(GATE_AP_RETURN);
    }
}

/* firmware_reset: with the machine: what the kernel has told is forgotten */
void firmware_reset(void)
{
    firmware.rendezvous = firmware.rendezvous_gp = 0;
    firmware.is_virtual = false;
}

/* firmware_init: once, when the machine is made */
void firmware_init(const FirmwareInfo *info)
{
    firmware.info = *info;
    tables_init(info);
}
