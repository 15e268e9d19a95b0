/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The layout of what pfmon record leaves for pfmon report. record-format.txt
 * says what it means; a change of it is a change of DF_MAJOR or DF_MINOR.
 */
#ifndef PFMON_DATAFILE_H
#define PFMON_DATAFILE_H

#include <stdint.h>

#define DF_DEFAULT_NAME	"pfmon.data"
#define DF_OLD		".old"	/* behind the name of the one before */

/* The first byte and the line ends tell of a transfer as text. */
#define DF_MAGIC	"\211PFM\r\n\032\n"
#define DF_ORDER	0x01020304U
#define DF_MAJOR	1	/* another one: the rest means something else */
#define DF_MAJOR_COMPRESSED 2	/* as 1, and there are DF_COMPRESSED, too */
#define DF_MINOR	5	/* a later one has more records */
#define DF_MINOR_MODULES 3	/* the first that says which modules there are */

#define DF_TITLE_MAX	80
#define DF_BOOT_MAX	40

/* Processes outside of the recorder's pid name space have the number 0, too. */
#define DF_OTHER_PIDS	1
/* The kernel could not have the periods of DF_RATE follow the events. */
#define DF_PERIODS_STAY	2

struct df_header {
	char magic[8];
	uint32_t order;		/* DF_ORDER, as the machine stores it */
	uint16_t major, minor;
	uint32_t size;		/* of this; the first record follows */
	uint32_t flags;		/* DF_OTHER_PIDS, DF_PERIODS_STAY */
	uint64_t kernel_base;	/* lowest address that is no program's */
	uint64_t realtime;	/* when it began, in ns: CLOCK_REALTIME ... */
	uint64_t monotonic;	/* ... and CLOCK_MONOTONIC, as all below */
	char boot[DF_BOOT_MAX];	/* the kernel's boot_id, or empty */
	char title[DF_TITLE_MAX];
};

/* Before each record. All begin at a multiple of 8 bytes. */
struct df_record {
	uint32_t type;
	uint32_t size;		/* of what follows, a multiple of 8 */
};

#define DF_RECORD_MAX	(256U << 20)

enum df_type {
	DF_EVENT = 1, DF_PROCESS, DF_MAP, DF_SAMPLES, DF_LOST, DF_END,
	DF_BINARY, DF_TURNS, DF_MODULE, DF_JIT, DF_INODE, DF_SYMBOLS, DF_COMPRESSED,
};

/* The event's name and one for each reading follow, each with a NUL. */
struct df_event {
	uint16_t pmd;		/* whose overflow is a sample */
	uint16_t set;
	uint16_t unit;		/* enum event_unit, or DF_RATE */
	uint16_t readings;	/* other registers in each sample */
	uint64_t period;	/* of DF_RATE: samples in a second */
	uint64_t random_mask;
	struct df_reading {
		uint16_t pmd;	/* in increasing order */
		uint16_t kind;	/* enum df_kind */
		uint32_t pad;
	} reading[];
};

/* A number of times; the period of each sample follows the events, so is its own. */
#define DF_RATE	3

enum df_kind { DF_VALUE, DF_SINCE_LAST };

/* comm and the command's first word follow, each with a NUL. */
struct df_process {
	int32_t pid;
	int32_t parent;		/* of which it is a copy, by fork(); 0: it executed a program */
	uint64_t time;
};

/* The path follows, with a NUL. */
struct df_map {
	int32_t pid;
	uint32_t binary;	/* number of its DF_BINARY, which comes before; 0: none */
	uint64_t time;
	uint64_t start, end;	/* addresses */
	uint64_t offset;	/* in the file */
};

/*
 * What tells a file from others of its path, which follows, with a NUL; then at a multiple
 * of 8 bytes its struct df_segments of code, as many as there is room for.
 */
struct df_binary {
	uint32_t number;	/* from 1 */
	uint32_t id_size;	/* bytes of the build ID, 0: not known */
	uint64_t size;
	int64_t mtime;		/* in ns */
	uint8_t id[24];
};

/*
 * Where the file of the DF_BINARY before is, as the kernel says it of a mapping: other
 * file systems than stat() has, if it is one of several.
 */
struct df_inode {
	uint32_t major, minor;	/* of the device */
	uint64_t inode;
};

/* Where a part of a file is when its program runs. */
struct df_segment {
	uint64_t offset, size;	/* in the file */
	uint64_t addr;		/* as symbols have it */
};

/* A module of the kernel that was loaded. Its name follows, with a NUL. */
struct df_module {
	uint64_t start, size;
	uint64_t instance;	/* another one each time that it is loaded; 0: not known */
	uint32_t id_size;	/* bytes of the build ID, 0: not known */
	uint32_t pad;
	uint8_t id[24];
};

/*
 * What a process says of code that it has made, as lines "START SIZE NAME", the numbers
 * hexadecimal, follows, with a NUL.
 */
struct df_jit {
	int32_t pid;
	uint32_t flags;		/* DF_JIT_PART */
	uint64_t time;		/* when it was read */
};

/* There was more, before these lines, than a recording is to have. */
#define DF_JIT_PART	1

/*
 * Functions of a file that samples or their calls are in. Their names follow, each with a NUL;
 * those of the kernel's modules with "\t[MODULE]" behind them.
 */
struct df_symbols {
	uint32_t binary;	/* number of its DF_BINARY, 0: the kernel */
	uint32_t symbols;
	struct df_symbol {
		uint64_t addr;	/* as the file has it; of the kernel as it is */
		uint64_t size;
	} symbol[];
};

/* What was copied from the kernel's sampling buffer follows. */
struct df_samples {
	uint8_t uuid[16];	/* of their format */
	int32_t pid, tid, cpu;	/* of the context; -1: not one only */
	uint32_t bytes;
};

struct df_lost {
	uint64_t samples;	/* that the kernel has counted */
	uint64_t estimated;	/* ... and an estimate of those that it has not */
	uint64_t full;		/* times that a buffer was full */
	uint64_t masked_ns;	/* time in which full ones waited for us */
	uint64_t messages;	/* that the kernel could not queue */
	uint64_t throttled;	/* times that there were too many interrupts */
	uint64_t threads;	/* that could not be sampled */
	uint64_t maps;		/* records of what was mapped and executed */
};

/* Of one of several event sets, in all contexts together. */
struct df_turns {
	uint32_t set;
	uint32_t pad;
	uint64_t ns;		/* that it was active */
	uint64_t turns;		/* times that it became the active one */
};

struct df_end {
	uint64_t elapsed_ns;
	uint64_t samples;
	int32_t status;		/* of the command, as a shell has it */
	uint32_t pad;
};

/* Records, one after the other, compressed: a frame of zstd follows. */
struct df_compressed {
	uint64_t size;		/* of the records, with what is before each */
	uint32_t bytes;		/* of the frame; zeroes fill up */
	uint32_t pad;
};

/* The records have at most so many bytes for each of the df_compressed's, with its df_record. */
#define DF_RATIO_MAX	256

#endif /* PFMON_DATAFILE_H */
