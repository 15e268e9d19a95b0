// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input that nobody would write, for all that pfmon reads: data files, sampling buffers,
 * programs, what processes say of their code, files of /proc and /sys, options. It must
 * not crash, hang, or touch what is not its own, which sanitizers tell. The first byte of
 * an input says what it is for.
 *
 * fuzz RUNS SEED [FILE]...: makes RUNS inputs out of examples, FILEs are data files or
 * programs; the same ones for the same SEED. Linked with libFuzzer that makes them, out of
 * the examples that "fuzz DIRECTORY FILE..." writes.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <getopt.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cfi_frame.h"
#include "../filter.h"
#include "../identity.h"
#include "../images.h"
#include "../jit.h"
#include "../keep.h"
#include "../lines.h"
#include "../measure.h"
#include "../modules.h"
#include "../profile_out.h"
#include "../pprof.h"
#include "../profile.h"
#include "../ratios.h"
#include "../raw.h"
#include "../space.h"
#include "../symtab.h"
#include "../target.h"
#include "../text.h"
#include "../turns.h"
#include "../vdso.h"

enum { DATA_FILE, PPROF, BLOCK, KALLSYMS, PROCESS, EVENTS, CPUS, TIMES, TARGETS, TURNS, PMU,
       SCRIPT, RAW, TOP, FORMAT, BY, MODULES, JIT, ELF, VDSO_FILE, NAME, LINES, KEPT, FRAMES, KINDS };

#define INPUT_MAX	65536

static const unsigned char *input;	/* what files have in them */
static size_t input_size;
static jmp_buf out;
static uint64_t samples_read;		/* of data files */
static uint64_t symbols_read;		/* of programs */
static uint64_t frames_found;		/* of callers */

#undef fopen
FILE *fuzz_open(const char *path, const char *mode)
{
	if (strcmp(path, "fuzz") && strncmp(path, "/proc/", 6) && strncmp(path, "/sys/", 5))
		return fopen(path, mode);
	return fmemopen((void *)input, input_size, "r");
}

#undef open
/* A file that only we may write, always the same one, with the input in it, then zeroes. */
static int open_input(size_t size)
{
	static int file = -1;
	char path[32];

	if (file < 0)
		file = memfd_create("fuzz", MFD_CLOEXEC);
	if (file < 0 || fchmod(file, 0600) || ftruncate(file, (off_t)size) ||
	    pwrite(file, input, input_size, 0) != (ssize_t)input_size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* What the kernel and processes say, and programs that are looked for. */
static bool is_input(const char *path)
{
	static const char *const begins[] = {
		"/sys/kernel/perfmon/", "/fuzz/", "/usr/lib/debug/", "/lib/modules/",
	};
	size_t i;

	for (i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(path, begins[i], strlen(begins[i])))
			return true;
	return !strncmp(path, "/proc/", 6) &&
	       (strstr(path, "/mem") || strstr(path, "/map_files/"));
}

int fuzz_open_fd(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
	va_end(args);
	if (!is_input(path))
		return open(path, flags, mode);
	/* Of memory there is always more. */
	return open_input(strstr(path, "/mem") ? 4 * INPUT_MAX : input_size);
}

#undef syscall
/* Files as other processes see them. */
long fuzz_syscall(long number, ...)
{
	return number == SYS_openat2 ? open_input(input_size) : -1;
}

#ifdef FUZZ_ELF
#undef elf_getdata
/* What has no structure that libelf knows: alone, so that a sanitizer sees where it ends. */
Elf_Data *fuzz_getdata(Elf_Scn *scn, Elf_Data *from)
{
	Elf_Data *whole = elf_getdata(scn, from);
	static Elf_Data alone;

	if (!whole || !whole->d_buf || whole->d_type != ELF_T_BYTE)
		return whole;
	free(alone.d_buf);
	alone = *whole;
	alone.d_buf = malloc(whole->d_size + !whole->d_size);
	if (!alone.d_buf)
		abort();
	memcpy(alone.d_buf, whole->d_buf, whole->d_size);
	return &alone;
}
#endif

/* A kernel with four counters of the hardware. */
int perfmonctl(int fd, int cmd, void *arg, int narg)
{
	pfarg_config_t *cfg = arg;

	(void)fd;
	(void)narg;
	if (cmd == PFM_GET_CONFIG)
		cfg->cf_impl_pmcs[0] = cfg->cf_impl_pmds[0] = 0xf;
	return 0;
}

/* What it would have said is made, too. */
static void say(const char *format, va_list args)
{
	static char said[4096];

	if (format)
		vsnprintf(said, sizeof(said), format, args);
}

void fuzz_say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}

void fuzz_end(int status, const char *format, ...)
{
	va_list args;

	(void)status;
	va_start(args, format);
	say(format, args);
	va_end(args);
	longjmp(out, 1);
}

static void print_all(const struct profile *p)
{
	static const struct selection all, some = { 2, 10 };
	FILE *null = fopen("/dev/null", "w");

	if (!null)
		abort();
	if (p->calls) {
		profile_calls(null, p, &all);
		profile_calls(null, p, &some);
		profile_calls_json(null, p, &all);
	} else {
		profile_text(null, p, &all);
		profile_text(null, p, &some);
		profile_json(null, p, &all);
		profile_folded(null, p, &all);
		profile_svg(null, p, &some);
		profile_tree(null, p, &all);
		profile_tree(null, p, &some);
	}
	fclose(null);
}

/* The first byte chooses what samples are told apart by, and the second what else is asked. */
enum { PREFER_CHAINS = 1, CHILDREN = 2, REVERSE = 4, CALLS = 8, ABSOLUTE = 16,
       COMPARE = 32 };

static void try_data_file(bool pprof)
{
	static struct profile other;
	struct visitor visitor = { .chosen = true, .sample = pprof_sample };
	char error[DATA_ERROR_MAX];
	static struct profile p;
	bool compare = false;
	FILE *null;
	int d;

	memset(&p, 0, sizeof(p));
	for (d = 0; d < DIMENSIONS && input_size; d++)
		p.by[d] = input[0] >> d & 1;
	/* Another process reads lines: try_lines() is for its answers. */
	p.by[BY_LINE] = false;
	if (input_size > 1) {
		p.prefer_chains = input[1] & PREFER_CHAINS;
		p.children = input[1] & CHILDREN && !p.by[BY_CHAIN] && !p.prefer_chains;
		p.reverse = input[1] & REVERSE;
		p.calls = input[1] & CALLS ? "*" : NULL;
		p.absolute = input[1] & ABSOLUTE;
		compare = input[1] & COMPARE && !p.calls && !p.children;
		input += 2;
		input_size -= 2;
	}
	if (pprof) {
		visitor.arg = pprof_new();
		p.visitor = &visitor;
	}
	other = p;
	if (!profile_read(&p, "fuzz", NULL, error) && !pprof) {
		/* With one that ends earlier. */
		input_size -= compare ? input_size / 4 : 0;
		if (compare && !profile_read(&other, "fuzz", NULL, error) &&
		    !memcmp(p.by, other.by, sizeof(p.by)))
			profile_compare(&p, &other);
		print_all(&p);
	}
	samples_read += p.samples;
	if (pprof && p.events) {
		null = fopen("/dev/null", "w");
		pprof_write(visitor.arg, &p, null);
		fclose(null);
	}
	if (pprof)
		pprof_free(visitor.arg);
	profile_free(&p);
	profile_free(&other);
}

static void visit(void *arg, struct space *space, const struct sampled_event *event,
		  const struct pmon_sample *sample)
{
	uint64_t *last = arg;
	struct place place;

	if (sample->time < *last || !event)
		abort();
	*last = sample->time;
	space_find(space, sample, &place);
	samples_read++;
}

/* As pfmon script reads it. */
static void try_script(void)
{
	uint64_t last = 0;
	struct visitor visitor = { .sample = visit, .arg = &last };
	char error[DATA_ERROR_MAX];
	static struct profile p;

	memset(&p, 0, sizeof(p));
	p.visitor = &visitor;
	profile_read(&p, "fuzz", NULL, error);
	profile_free(&p);
}

static void try_raw(void)
{
	FILE *null = fopen("/dev/null", "w");

	raw_print("fuzz", null);
	fclose(null);
}

/* As pfmon top reads it, in two parts. */
static void try_top(void)
{
	char error[DATA_ERROR_MAX];
	static struct profile p;
	struct loading *l;

	memset(&p, 0, sizeof(p));
	p.by[BY_SYMBOL] = true;
	l = profile_live(&p, "fuzz", error);
	if (!l)
		return;
	if (!profile_update(l, input_size / 2) && !profile_update(l, input_size))
		samples_read += p.samples;
	profile_live_end(l);
	profile_free(&p);
}

static void try_format(const char *text)
{
	const struct pmon_format *format;
	unsigned char *arg = NULL;
	size_t size;

	if (!raw_format(text, &format, &arg, &size))
		free(arg);
}

static void see_module(void *arg, const struct df_module *module, const char *name)
{
	(void)arg;
	if (module->id_size > sizeof(module->id) || !*name)
		abort();
}

/* A block of each format, as this machine and as another has it. */
static void try_block(void)
{
	const struct pmon_format *format;
	struct pmon_layout layout;
	struct pmon_record rec;
	struct pmon_iter it;
	unsigned int i, turned, v;
	uint64_t sum = 0;
	void *block;

	pmon_layout_init(&layout);
	pmon_layout_add(&layout, 288, 2);
	for (i = 0; (format = pmon_format_at(i)); i++) {
		for (turned = 0; turned < 2; turned++) {
			/* Of its own, so that a sanitizer sees where it ends. */
			block = malloc(input_size + !input_size);
			memcpy(block, input, input_size);
			if (turned && format->turn)
				format->turn(block, input_size, &layout);
			pmon_iter_begin(&it, format, block, input_size, &layout, NULL);
			while (pmon_iter_next(&it, &rec) > 0) {
				if (rec.type != PMON_SAMPLE)
					continue;
				for (v = 0; v < rec.sample.values; v++)
					sum += rec.sample.value[v];
				for (v = 0; v < rec.sample.kernel + rec.sample.user; v++)
					sum += rec.sample.chain[v];
			}
			free(block);
		}
	}
	/* All of it was read. */
	if (sum == 0x123456789abcdef)
		puts("");
}

static void try_kallsyms(void)
{
	struct symtab symbols = { 0 };
	uint64_t addr;

	symtab_read_kallsyms(&symbols, "fuzz");
	for (addr = 0; addr < 64; addr++)
		symtab_find(&symbols, addr << 58);
	symtab_free(&symbols);
}

static void try_process(void)
{
	struct data_writer data = { .out.file = fopen("/dev/null", "w") };
	struct images *images = images_new(&data);

	if (!data.out.file)
		abort();
	images_see(images, 1);
	images_exec(images, 1);
	images_free(images);
	fclose(data.out.file);
}

static void have_pmu(const char *model, unsigned int family, unsigned int cpu)
{
	static struct pmu pmu;
	unsigned int i;

	memset(&pmu, 0, sizeof(pmu));
	strcpy(pmu.model, model);
	pmu.family = family;
	pmu.cpu = cpu;
	for (i = 0; i < 4; i++)
		pmu.pmc[i].there = pmu.pmd[i].there = true;
	events_pmu(&pmu);
}

/* The ratios of events that each happened as often as its place in the list says. */
static void try_ratios(const struct counters *c)
{
	static struct result result;
	struct ratio ratio;
	unsigned int i;

	memset(&result, 0, sizeof(result));
	result.counters = c;
	for (i = 0; i < c->n; i++)
		result.sum.value[i] = i;
	for (i = 0; i < c->n; i++)
		ratios_find(&result, &result.sum, i, &ratio);
}

static void try_list(const char *text, bool each)
{
	static struct counters c;
	char error[EVENTS_ERROR_MAX];

	memset(&c, 0, sizeof(c));
	c.many = true;
	if (counters_add(&c, text, error))
		memset(&c, 0, sizeof(c));
	counters_add(&c, "task-clock", error);
	counters_trigger(&c, text, 7, error);
	counters_take_turns(&c, each, error);
	counters_together(&c, error);
	try_ratios(&c);
	counters_restrict(&c);
}

/* The model, and what the processor says of itself, are the input. */
static void try_pmu(void)
{
	static struct pmu pmu;

	pmu_read(&pmu);
	pmu_is_other(&pmu);
	pmu_counters(&pmu);
	events_pmu(&pmu);
	try_list("cycles:u,instructions,branches,branch-misses,r00c0", false);
	have_pmu("none", 0, 0);
}

static void try_events(const char *text)
{
	static const struct {
		const char *model;
		unsigned int family, cpu;
	} models[] = {
		{ "none", 0, 0 }, { "Intel P6", 6, 8 }, { "AMD K8", 15, 5 },
		{ "Intel architectural 4", 6, 94 },
	};
	size_t i;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		have_pmu(models[i].model, models[i].family, models[i].cpu);
		try_list(text, i & 1);
	}
	have_pmu("none", 0, 0);
}

static void try_cpus(const char *text)
{
	static struct cpu_list cpus;

	cpu_list_parse(&cpus, text);
	/* That of the machine is the input, too. */
	cpu_list_parse(&cpus, "all");
}

static void try_times(const char *text)
{
	static const struct option options[] = { FILTER_OPTIONS };
	struct filter f = { 0 };
	size_t i;

	filter_matches(text, "one/of,them[");
	filter_matches("o*,[a-c]*,\\", text);
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		filter_option(&f, options[i].val, text);
}

static void try_turns(const char *text)
{
	struct turn_options o = { .trigger = text };
	static struct counters c;
	char error[EVENTS_ERROR_MAX];

	memset(&c, 0, sizeof(c));
	c.many = true;
	counters_add(&c, "cs,cs,cs,cs,cs,cs,cs,cs,cs", error);
	if (*text == '@')
		turns_set_timeout(&o, text + 1);
	turns_make(&o, &c);
}

static void try_target(const char *text)
{
	static struct target t;

	memset(&t, 0, sizeof(t));
	if (*text == '@')
		target_option(&t, 'C', text + 1);
	else
		target_option(&t, 't', text);
}

static void find_jit(struct jit *jit, uint64_t addr)
{
	const struct symbol *s = jit_find(jit, addr);

	if (s && (addr < s->addr || addr - s->addr >= s->size || !*s->name))
		abort();
}

/* What a process says of its code is also what /proc says of the process; it grows. */
static void try_jit(const char *text)
{
	struct jit_file file = { 0 };
	struct jit *jit = NULL;
	size_t whole = input_size;
	uint64_t addr;
	char *lines;
	int part;

	jit_may_be(text);
	for (part = 1; part <= 2; part++) {
		input_size = part * whole / 2;
		while ((lines = jit_read(getpid(), getpid(), 0, &file))) {
			jit_add(&jit, lines);
			free(lines);
		}
		for (addr = 0; addr < 64; addr++)
			find_jit(jit, addr << 58);
	}
	jit_add(&jit, text);
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		addr = strtoull(text, NULL, 16);
		find_jit(jit, addr);
		find_jit(jit, addr - 1);
		find_jit(jit, addr + 15);
	}
	jit_free(jit);
}

/* That of a program or library that is its own debug file, too. */
static void see_elf(int fd)
{
	uint8_t *id = malloc(BUILD_ID_MAX);	/* alone, as above */
	struct segment segment[3] = { 0 };
	struct symtab t = { 0 };
	struct symbol *s;
	uint64_t addr;
	size_t i, n;

	n = symtab_segments(fd, segment, 3);
	if (!id || symtab_build_id(fd, id, BUILD_ID_MAX) > BUILD_ID_MAX || n > 3)
		abort();
	free(id);
	symtab_read_fd(&t, fd, "/fuzz/file");
	for (i = 0; i < n; i++)
		symtab_addr(&t, segment[i].offset, &addr);
	for (i = 0; i < t.symbols; i++) {
		s = symtab_find(&t, t.symbol[i].addr);
		if (s && !*symtab_name(s))
			abort();
		symbols_read += s != NULL;
	}
	symtab_free(&t);
}

static void try_elf(void)
{
	int fd = open_input(input_size);

	see_elf(fd);
	close(fd);
}

/* Memory as /proc has it is the input: a line that says where it is, then a file. */
static void try_vdso(void)
{
	/* As examples have it. */
	const struct identity known = {
		.id_size = 4, .id = { 1, 2, 3, 4 },
	};
	struct identity found;
	struct stat st;
	int fd = vdso_open(&known);

	if (fd < 0)
		return;
	if (fstat(fd, &st))
		abort();
	identity_of(&found, fd, &st);
	if (!identity_same(&found, &known))
		abort();
	see_elf(fd);
	close(fd);
}

static void try_name(const char *text)
{
	struct symbol s = { .name = text };

	symtab_demangle = true;
	symtab_name(&s);
}

static void try_lines(void)
{
	unsigned char *answer = malloc(input_size + !input_size);	/* alone, as above */
	struct lines_found found;
	unsigned int i;

	memcpy(answer, input, input_size);
	if (lines_parse(answer, input_size, &found)) {
		if (found.frames > LINES_FRAMES)
			abort();
		for (i = 0; i < found.frames; i++)
			lines_short(&found.frame[i]);
	}
	free(answer);
}

/* A frame, and then the stack that it is applied to, again and again. */
static void try_frames(void)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_PPC, EM_PPC64 };
	const struct cfi_frame *f;
	struct cfi_state state;
	struct cfi_frame *answer;
	unsigned char *stack;
	size_t size, i, k;

	if (input_size < sizeof(*f))
		return;
	memcpy(&state.machine, input + offsetof(struct cfi_frame, ops), sizeof(state.machine));
	size = sizeof(*f) + state.machine % (CFI_OPS + 2) * sizeof(f->op[0]);
	if (size > input_size)
		size = input_size;
	answer = malloc(size);		/* alone, as above */
	stack = malloc(input_size - size + 1);
	memcpy(answer, input, size);
	memcpy(stack, input + size, input_size - size);
	f = cfi_parse(answer, size);
	for (i = 0; f && i < sizeof(machines) / sizeof(machines[0]); i++) {
		answer->machine = machines[i];
		state = (struct cfi_state){
			.machine = machines[i], .known = ~0ULL, .stack_at = UINT64_MAX - 4096 * i,
			.stack = stack, .stack_size = input_size - size,
		};
		for (k = 0; k < CFI_REGS; k++)
			state.reg[k] = state.stack_at + 8 * k;
		for (k = 0; k < 100 && cfi_apply(f, &state) != CFI_END; k++)
			frames_found++;
	}
	free(answer);
	free(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size || size > INPUT_MAX)
		return 0;
	input = data + 1;
	input_size = size - 1;
	text = strndup((const char *)input, input_size);
	if (!setjmp(out)) {
		switch (data[0] % KINDS) {
		case DATA_FILE:
		case PPROF:
			try_data_file(data[0] % KINDS == PPROF);
			break;
		case BLOCK:
			try_block();
			break;
		case KALLSYMS:
			try_kallsyms();
			break;
		case PROCESS:
			try_process();
			break;
		case EVENTS:
			try_events(text);
			break;
		case CPUS:
			try_cpus(text);
			break;
		case TIMES:
			try_times(text);
			break;
		case TARGETS:
			try_target(text);
			break;
		case TURNS:
			try_turns(text);
			break;
		case PMU:
			try_pmu();
			break;
		case SCRIPT:
			try_script();
			break;
		case RAW:
			try_raw();
			break;
		case TOP:
			try_top();
			break;
		case FORMAT:
			try_format(text);
			break;
		case BY:
			profile_by((bool[DIMENSIONS]){ false }, text);
			break;
		case MODULES:
			modules_read("", see_module, NULL);
			break;
		case JIT:
			try_jit(text);
			break;
		case ELF:
			try_elf();
			break;
		case VDSO_FILE:
			try_vdso();
			break;
		case NAME:
			try_name(text);
			break;
		case LINES:
			try_lines();
			break;
		case KEPT:
			keep_check(input, input_size);
			break;
		case FRAMES:
			try_frames();
			break;
		}
	}
	free(text);
	return 0;
}

#ifndef LIBFUZZER
static struct example {
	unsigned char *data;
	size_t size;
} example[320];
static unsigned int examples, count[KINDS];	/* all, and those of a kind */
static uint64_t state;

static uint64_t chance(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return below ? (state >> 11) % below : 0;
}

static void add_example(int kind, int by, const void *data, size_t size)
{
	struct example *e = &example[examples++];

	count[kind]++;
	e->size = 1 + 2 * (by >= 0) + size;
	e->data = malloc(e->size);
	e->data[0] = (unsigned char)kind;
	if (by >= 0) {
		e->data[1] = (unsigned char)by;
		e->data[2] = (unsigned char)(by >> 8);
	}
	memcpy(e->data + e->size - size, data, size);
}

/* A frame that callers of callers have, too, with an expression, and one that is not so. */
static void add_frames(void)
{
	static union {
		struct cfi_frame frame;
		unsigned char bytes[2048];
	} u;
	static const struct cfi_op op[] = {
		{ CFI_PUSH_REG, 7, 16 }, { CFI_PUSH_CFA, 0, 0 }, { CFI_PUSH, 0, -8 }, { CFI_ADD, 0, 0 },
		{ CFI_PUSH, 0, 24 }, { CFI_PUSH, 0, 32 }, { CFI_SUB, 0, 0 }, { CFI_NEG, 0, 0 },
		{ CFI_PICK, 0, 0 }, { CFI_SWAP, 0, 0 }, { CFI_DROP, 0, 0 }, { CFI_PUSH, 0, 1 },
		{ CFI_SHL, 0, 0 }, { CFI_NOT, 0, 0 }, { CFI_ABS, 0, 0 }, { CFI_PUSH_CFA, 0, 0 },
		{ CFI_LOAD, 0, 4 }, { CFI_GE, 0, 0 },
	};
	struct cfi_frame *f = &u.frame;
	unsigned int i;

	f->ops = sizeof(op) / sizeof(op[0]);
	f->back = 16;
	memcpy(f->op, op, sizeof(op));
	f->cfa = (struct cfi_rule){ CFI_IS, 0, 1 };
	for (i = 0; i < CFI_REGS; i++)
		f->reg[i] = (struct cfi_rule){ CFI_SAME, 4, (uint16_t)(f->ops - 4) };
	f->reg[7] = (struct cfi_rule){ CFI_IS, 1, 1 };
	f->reg[16] = (struct cfi_rule){ CFI_AT, 1, 3 };
	f->reg[3] = (struct cfi_rule){ CFI_AT, 4, (uint16_t)(f->ops - 4) };
	memset(u.bytes + sizeof(*f) + sizeof(op), 0x11, 1024);
	add_example(FRAMES, -1, u.bytes, sizeof(*f) + sizeof(op) + 1024);
	f->reg[16].kind = CFI_IS;
	f->reg[4] = f->reg[7];
	f->reg[1] = f->reg[7];
	f->back = 8;
	f->reg[8] = f->reg[16];
	f->op[0].reg = 4;
	add_example(FRAMES, -1, u.bytes, sizeof(*f) + sizeof(op) + 64);
}

static void add_texts(void)
{
	static const struct {
		int kind;
		const char *text;
	} texts[] = {
		{ KALLSYMS, "ffffffff81000000 T _text\nffffffff81000100 t f\t[ext4]\n0 A x\n" },
		{ PROCESS, "1 (a b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 99 1 1\n"
		  "400000-401000 r-xp 00001000 fe:00 1234   /bin/true\n"
		  "7f00-8000 --xp 0 0:0 0 \n7ffe0000-7fff0000 r-xp 0 00:00 0  [vdso]\n" },
		{ EVENTS, "cycles:u,r00c0:k,task-clock,r0148:e:i:c=2:u,r01b7:rsp=0x10001:k" },
		{ EVENTS, "skl::INST_RETIRED:ANY_P:u=0:k,L1D_PEND_MISS:PENDING:c=2:e:i:u" },
		{ EVENTS, "cs,migrations,minor-faults,fixed0:u,page-faults,l1-misses" },
		{ CPUS, "0-1,3,5-7,8191" }, { TIMES, "1.5-2" }, { TIMES, "a*,[b-d]?,\\x" },
		{ TARGETS, "1,22,333" }, { TARGETS, "@0-3,all" },
		{ EVENTS, "instructions:u,cycles:u,branch-misses,branches,instructions,cycles" },
		{ TURNS, "cs=1000" }, { TURNS, "@0.5" },
		{ PMU, "Intel architectural 4\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
		  "model\t\t: 94\nmodel name\t: some\n\n" },
		{ FORMAT, "2bc7616b-0d22-4314-9d84-75be0d45c77e:0010ff" },
		{ FORMAT, "00000000-0000-0000-0000-000000000001" },
		{ BY, "process,thread,cpu,binary,symbol,address,chain" },
		{ MODULES, "ext4 1000 2 a,b, Live 0xffffffffc0000000\nx 1 0 - Loading 0x0 (OE)\n" },
		{ PMU, "AMD K8\nvendor_id : AuthenticAMD\ncpu family : 15\nmodel : 5\n" },
		{ NAME, "_ZN3one3twoIiEEvT_S1_.part.0@plt" }, { NAME, "_ZNKSt6vectorIcE4sizeEv" },
		{ NAME, "_RNvXs_NtCs1234_4core3fmtNtB4_5Error3fmt" },
	};
	static const char lines[] = "\1\0\0\0inner\0/src/a.c\0\2\0\0\0_ZN3one3twoEv\0"
		"b.c\0\3\0\0\0\0/src/c.c";
	static const uint32_t kept[] = { DF_SYMBOLS, 8, 1, 0, DF_SYMBOLS, 0 };
	static char jit[4096];
	size_t i, len;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		add_example(texts[i].kind, -1, texts[i].text, strlen(texts[i].text));
	add_example(KEPT, -1, kept, sizeof(kept));
	add_example(LINES, -1, lines, sizeof(lines));
	add_frames();
	snprintf(jit, sizeof(jit), "Uid:\t0\t%u\t0\t0\nNSpid:\t1\t22\n4000 20 one\n4010 30 two()\n"
		 "0x4008 10 in between\n1000 ffff f\n4038 8 last\n8000000000000000 1 a b;c\n"
		 "4000 1 again\nfff0 f0 LazyCompile:~x /a.js:1\n", (unsigned int)geteuid());
	add_example(JIT, -1, jit, strlen(jit));
	for (i = 0; i < 100; i++) {
		len = strlen(jit);
		snprintf(jit + len, sizeof(jit) - len, "%zx %zx f%zu\n", 0x2000 + i * 8 % 0x100,
			 16 + i, i);
	}
	add_example(JIT, -1, jit, strlen(jit));
}

/* A program, also where the kernel has mapped it into all of them. */
static void add_program(const unsigned char *data, size_t size)
{
	/* As large as one can be, and a byte larger. */
	static const char *const lines[] = {
		"40-10040 r-xp 0 0:0 0 [vdso]\n", "40-10041 r-xp 0 0:0 0 [vdso]\n",
	};
	static char memory[INPUT_MAX];
	size_t i;

	add_example(ELF, -1, data, size);
	memcpy(memory + 0x40, data, size);
	for (i = 0; i < 2; i++) {
		strcpy(memory, lines[i]);
		add_example(VDSO_FILE, -1, memory, 0x40 + size);
	}
}

/* Also each block of samples in it, and as the beginning of one. */
static void add_file(const char *path)
{
	static unsigned char data[INPUT_MAX - 128];
	FILE *f = fopen(path, "r");
	size_t size;

	if (!f)
		exit(2);
	size = fread(data, 1, sizeof(data), f);
	fclose(f);
	if (!memcmp(data, "\x7f" "ELF", 4)) {
		add_program(data, size);
		return;
	}
	add_example(DATA_FILE, 0x5f, data, size);
	add_example(DATA_FILE, 0x80 | PREFER_CHAINS << 8, data, size);
	add_example(DATA_FILE, 0x5f | CHILDREN << 8, data, size);
	add_example(DATA_FILE, 0x5f | COMPARE << 8, data, size);
	add_example(DATA_FILE, (CALLS | ABSOLUTE) << 8, data, size);
	add_example(PPROF, 0, data, size);
	add_example(SCRIPT, -1, data, size);
	add_example(RAW, -1, data, size);
	add_example(TOP, -1, data, size);
	add_example(BLOCK, -1, data + size / 2, size - size / 2);
}

/* Numbers that limits stand at, and pieces that parsers look for. */
static size_t piece(unsigned char *to)
{
	static const uint64_t limits[] = {
		0, 1, 7, 8, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000,
		0xffffffff, 0x7fffffffffffffff, 0x8000000000000000, ~0ULL, ~0ULL - 7,
	};
	static const char *const texts[] = {
		",", "-", ":", "=", "0x", "99999999999999999999", "\n", " ", "\xff", "-1", "%s%n", "(", ")",
	};
	uint64_t n = limits[chance(sizeof(limits) / sizeof(limits[0]))] + chance(3) - 1;
	const char *text;
	size_t width;

	if (chance(2)) {
		text = texts[chance(sizeof(texts) / sizeof(texts[0]))];
		memcpy(to, text, strlen(text));
		return strlen(text);
	}
	width = 1UL << chance(4);
	if (chance(4) == 0)
		n = __builtin_bswap64(n) >> (64 - 8 * width);
	memcpy(to, &n, width);
	return width;
}

static size_t mutate(unsigned char *data, size_t size)
{
	unsigned char what[32];
	const struct example *other;
	size_t at, len, from;

	switch (chance(7)) {
	case 0:
		data[1 + chance(size - 1)] = (unsigned char)chance(256);
		return size;
	case 1:
		data[1 + chance(size - 1)] ^= (unsigned char)(1 << chance(8));
		return size;
	case 2:
		len = piece(what);
		at = 1 + chance(size - 1);
		if (at + len <= size)
			memcpy(data + at, what, len);
		return size;
	case 3:		/* put in */
		len = piece(what);
		at = 1 + chance(size);
		if (size + len > INPUT_MAX)
			return size;
		memmove(data + at + len, data + at, size - at);
		memcpy(data + at, what, len);
		return size + len;
	case 4:		/* cut out */
		at = 1 + chance(size - 1);
		len = chance(size - at < 64 ? size - at : 64);
		memmove(data + at, data + at + len, size - at - len);
		return size - len;
	case 5:		/* cut off */
		return chance(8) ? size : 2 + chance(size - 1);
	default:	/* from another */
		other = &example[chance(examples)];
		len = chance(other->size < 256 ? other->size : 256);
		from = chance(other->size - len);
		at = 1 + chance(size - 1);
		if (at + len <= size)
			memcpy(data + at, other->data + from, len);
		return size;
	}
}

/* One of a kind that is as likely as others, of which there are more or less. */
static const struct example *choose(void)
{
	unsigned int kind, n, i = 0;

	do
		kind = (unsigned int)chance(KINDS);
	while (!count[kind]);
	for (n = (unsigned int)chance(count[kind]); n || example[i].data[0] != kind; i++)
		n -= example[i].data[0] == kind;
	return &example[i];
}

static void write_examples(const char *directory)
{
	char path[4096];
	unsigned int i;
	FILE *f;

	for (i = 0; i < examples; i++) {
		snprintf(path, sizeof(path), "%s/%u", directory, i);
		f = fopen(path, "w");
		if (!f || fwrite(example[i].data, 1, example[i].size, f) != example[i].size ||
		    fclose(f))
			exit(2);
	}
}

static void try_all(unsigned long runs)
{
	unsigned char *data = malloc(INPUT_MAX), *copy;
	const struct example *e;
	unsigned long i;
	unsigned int n;
	size_t size;

	for (i = 0; i < examples; i++)
		LLVMFuzzerTestOneInput(example[i].data, example[i].size);
	for (i = 0; i < runs; i++) {
		e = choose();
		memcpy(data, e->data, e->size);
		size = e->size;
		for (n = 1 + (unsigned int)chance(8); n && size > 2; n--)
			size = mutate(data, size);
		copy = malloc(size);
		memcpy(copy, data, size);
		LLVMFuzzerTestOneInput(copy, size);
		free(copy);
	}
	printf("%lu inputs, %llu samples, %llu callers, ", runs, (unsigned long long)samples_read,
	       (unsigned long long)frames_found);
	if (symtab_has_elf)
		printf("%llu symbols\n", (unsigned long long)symbols_read);
	else
		puts("no libdw");
}

int main(int argc, char **argv)
{
	bool writes = argc > 2 && strchr(argv[1], '/');
	int a;

	if (argc < 3)
		return 2;
	for (a = writes ? 2 : 3; a < argc && examples < 260; a++)
		add_file(argv[a]);
	add_texts();
	if (writes) {
		write_examples(argv[1]);
		return 0;
	}
	state = 0x9e3779b97f4a7c15 ^ strtoul(argv[2], NULL, 10);
	try_all(strtoul(argv[1], NULL, 10));
	return 0;
}
#endif /* LIBFUZZER */
