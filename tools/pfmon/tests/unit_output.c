// SPDX-License-Identifier: GPL-2.0-only
/* Adding samples up, and printing them; names that must not do harm there. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <signal.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "unit.h"
#include "../data_write.h"
#include "../outfile.h"
#include "../profile_out.h"
#include "../profile.h"
#include "../text.h"

static void test_text(void)
{
	char *json = NULL, *xml = NULL;
	size_t size;
	FILE *f;

	CHECK(text_intern("abc") == text_intern("abc"));
	CHECK(text_intern("abc") != text_intern("abd"));
	CHECK_STR(text_intern("gr\303\274n \342\202\254 \360\237\230\200"),
		  "gr\303\274n \342\202\254 \360\237\230\200");
	CHECK_STR(text_intern("a\033[31m\n\177"), "a?[31m??");
	/* Not UTF-8: a lone byte, too long a form, a half of a pair, C1. */
	CHECK_STR(text_intern("\377|\300\257|\355\240\200|\302\205|\303"),
		  "?|??|???|??|?");
	/* Ends of lines and directions, and what is beside these. */
	CHECK_STR(text_intern("\330\234|\342\200\216|\342\200\217|\342\200\250|\342\200\256|"
			      "\342\201\246|\342\201\251"), "??|???|???|???|???|???|???");
	CHECK_STR(text_intern("\330\233|\342\200\215|\342\200\220|\342\200\247|\342\200\257|"
			      "\342\201\245|\342\201\252"),
		  "\330\233|\342\200\215|\342\200\220|\342\200\247|\342\200\257|"
		  "\342\201\245|\342\201\252");
	CHECK(text_intern("x\001") == text_intern("x?"));
	CHECK(text_width(text_intern("gr\303\274n")) == 4);
	CHECK(text_cut("gr\303\274n", 3) == 4 && text_cut("abc", 9) == 3);
	CHECK(text_cut("abc", 0) == 0 && text_cut("abc", -5) == 0);
	/* Only a sanitizer sees how this ends. */
	CHECK(text_cut("abc", INT_MIN) == 0);

	f = open_memstream(&json, &size);
	text_json(f, "a\"b\\c");
	fclose(f);
	CHECK_STR(json, "\"a\\\"b\\\\c\"");
	free(json);
	f = open_memstream(&xml, &size);
	text_xml(f, "<a & \"b\">", 100);
	fclose(f);
	CHECK_STR(xml, "&lt;a &amp; &quot;b&quot;&gt;");
	free(xml);
}

static struct profile *make_profile(void)
{
	static struct profile p;
	static const struct {
		const char *process, *binary, *symbol;
		uint64_t count;
	} samples[] = {
		{ "prog", "/bin/prog", "main", 3 },
		{ "prog", "/bin/prog", "operator<<(a&, \"b\")", 60 },
		{ "prog", "/bin/prog", "main", 7 },
		{ "prog", "/lib/gr\303\274n;.so", "main", 29 },
		{ "other", "/bin/prog", "main", 1 },
	};
	const char *frame[3];
	size_t i;

	memset(&p, 0, sizeof(p));
	profile_by(p.by, "process,binary,symbol");
	p.frames = 3;
	p.events = 1;
	p.event = calloc(1, sizeof(*p.event));
	*p.event = test_event;
	p.readings = test_event.readings;
	p.complete = true;
	p.end.elapsed_ns = 1500000000;
	strcpy(p.header.title, "'prog <x>'");
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		frame[0] = text_intern(samples[i].process);
		frame[1] = text_intern(samples[i].binary);
		frame[2] = text_intern(samples[i].symbol);
		profile_add(&p, frame, 3, samples[i].count, samples[i].count)->sum[0] += 2000;
	}
	profile_sort(&p);
	return &p;
}

static char *print(void (*how)(FILE *, const struct profile *,
			       const struct selection *),
		   size_t lines, double min)
{
	struct selection sel = { lines, min };
	struct profile *p = make_profile();
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	how(f, p, &sel);
	fclose(f);
	profile_free(p);
	return text;
}

static void test_adding(void)
{
	struct profile *p = make_profile();
	struct selection sel = { 0, 0 };

	CHECK(p->samples == 100 && p->rows == 4);
	CHECK(p->row[0]->count == 60 && p->row[1]->count == 29);
	CHECK(p->row[2]->count == 10 && p->row[2]->sum[0] == 4000);
	CHECK(p->row[3]->count == 1);
	CHECK(profile_rows(p, &sel) == 4);
	sel.lines = 3;
	CHECK(profile_rows(p, &sel) == 3);
	sel.min = 29;
	CHECK(profile_rows(p, &sel) == 2);
	sel.min = 100;
	CHECK(profile_rows(p, &sel) == 0);
	profile_free(p);
}

static void test_print_text(void)
{
	char *text = print(profile_text, 0, 0);

	CHECK_STR(text, "\n"
" 'prog <x>': 100 samples of task-clock, one each 873 ns on average; 0 lost; 1.5000 s\n"
"\n"
" percent   samples context-switches  process  binary         symbol\n"
"   60.00        60            2,000  prog     /bin/prog      operator<<(a&, \"b\")\n"
"   29.00        29            2,000  prog     /lib/gr\303\274n;.so  main\n"
"   10.00        10            4,000  prog     /bin/prog      main\n"
"    1.00         1            2,000  other    /bin/prog      main\n"
"\n");
	free(text);
	text = print(profile_text, 2, 0);
	CHECK(text && strstr(text, "\n   11.00            (2 more lines)\n"));
	free(text);
}

/* The heading of a profile with other periods, and of several events. */
static void test_heading(void)
{
	static const struct {
		uint64_t period;
		unsigned int events;
		const char *text;
	} cases[] = {
		{ 1000127, 1, ", one each 1.00 ms on average; 7 lost; 1.5000 s\n" },
		{ 4000, 1, ", one each 3,873 ns on average; 7 lost; 1.5000 s\n" },
		{ 333333, 2, ", one each 0.33 ms on average; 7 lost (of all events); 1.5000 s\n" },
	};
	struct selection sel = { 0, 0 };
	struct profile *p;
	char *text;
	size_t size, i;
	FILE *f;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		p = make_profile();
		p->event = reallocarray(p->event, 2, sizeof(*p->event));
		p->event[1] = *p->event;
		p->event->period = cases[i].period;
		p->events = cases[i].events;
		p->lost.samples = 7;
		f = open_memstream(&text, &size);
		profile_text(f, p, &sel);
		profile_json(f, p, &sel);
		profile_svg(f, p, &sel);
		fclose(f);
		CHECK(strstr(text, cases[i].text));
		CHECK(strstr(text, cases[i].events > 1 ? "\"events\": 2}" : "\"events\": 1}"));
		CHECK(strstr(text, cases[i].events > 1 ? ", 7 lost (of all events)</text>" :
			     ", 7 lost</text>"));
		free(text);
		profile_free(p);
	}
}

static void test_print_folded(void)
{
	char *text = print(profile_folded, 0, 5);

	CHECK_STR(text, "prog;/bin/prog;operator<<(a&, \"b\") 60\n"
			"prog;/lib/gr\303\274n:.so;main 29\n"
			"prog;/bin/prog;main 10\n");
	free(text);
}

/* Skips one value of JSON; NULL if it is none. */
static const char *json_value(const char *s)
{
	char close;

	if (*s == '"') {
		for (s++; *s && *s != '"'; s++)
			if (*s == '\\')
				s++;
		return *s ? s + 1 : NULL;
	}
	if (*s != '{' && *s != '[') {
		size_t len = strspn(s, "-.0123456789truefalsn");

		return len ? s + len : NULL;
	}
	close = *s == '{' ? '}' : ']';
	for (s++, s += strspn(s, " \n"); *s != close;) {
		if (close == '}') {
			s = *s == '"' ? json_value(s) : NULL;
			if (!s || strncmp(s, ": ", 2))
				return NULL;
			s += 2;
		}
		s = json_value(s);
		if (!s)
			return NULL;
		s += strspn(s, " \n");
		if (*s != ',' && *s != close)
			return NULL;
		if (*s == ',')
			s += 1 + strspn(s + 1, " \n");
	}
	return s + 1;
}

static void test_print_json(void)
{
	char *text = print(profile_json, 3, 0);
	const char *end;

	CHECK(text && (end = json_value(text)) && !strcmp(end, "\n"));
	CHECK(text && strstr(text, "\n{\"percent\": 60.00, \"samples\": 60, \"process\": \"prog\", "
		"\"binary\": \"/bin/prog\", \"symbol\": \"operator<<(a&, \\\"b\\\")\", "
		"\"context-switches\": 2000},\n"));
	CHECK(text && strstr(text, "\"title\": \"'prog <x>'\""));
	CHECK(text && strstr(text, "\"complete\": true, \"elapsed_ns\": 1500000000"));
	CHECK(text && strstr(text, "\"by\": [\"process\", \"binary\", \"symbol\"]"));
	CHECK(text && strstr(text, "\"omitted\": {\"rows\": 1, \"samples\": 1}"));
	free(text);
}

/* Every element is closed, in its order, and what is between is escaped. */
static bool well_formed(const char *s)
{
	const char *name[32];
	size_t depth = 0, len;

	if (strncmp(s, "<?xml", 5))
		return false;
	s = strchr(s, '\n');
	for (; s && *s; s++) {
		if (*s == '&' && strncmp(s, "&lt;", 4) && strncmp(s, "&gt;", 4) &&
		    strncmp(s, "&amp;", 5) && strncmp(s, "&quot;", 6))
			return false;
		if (*s != '<')
			continue;
		s++;
		if (*s == '/') {
			len = strcspn(s + 1, ">");
			if (!depth-- || strncmp(name[depth], s + 1, len))
				return false;
		} else if (depth < 32) {
			name[depth++] = s;
			while (*s && *s != '>') {
				if (*s == '<')
					return false;
				/* Attributes may have anything but quotes. */
				if (*s == '"')
					s = strchr(s + 1, '"');
				if (!s)
					return false;
				s++;
			}
			if (s[-1] == '/')
				depth--;
		}
	}
	return !depth;
}

static unsigned int occurrences(const char *text, const char *what)
{
	unsigned int n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void test_print_svg(void)
{
	char *svg = print(profile_svg, 0, 0);

	CHECK(svg && well_formed(svg));
	/* The whole, two processes, three binaries, four symbols. */
	CHECK(svg && occurrences(svg, "<g role=\"listitem\"><title>") == 10);
	CHECK(svg && strstr(svg, "<title>all: 100 samples, 100.00%</title>"));
	CHECK(svg && strstr(svg, "<title>prog: 99 samples, 99.00%</title>"));
	CHECK(svg && strstr(svg, "<title>operator&lt;&lt;(a&amp;, &quot;b&quot;): 60 samples, 60.00%</title>"));
	CHECK(svg && strstr(svg, "<title id=\"t\">'prog &lt;x&gt;'</title>"));
	CHECK(svg && !strstr(svg, "<script") && !strstr(svg, "href"));
	/* 60 % of the width, beside the 10 % that come first in the alphabet. */
	CHECK(svg && strstr(svg, "width=\"708.00\""));
	free(svg);
	svg = print(profile_svg, 0, 5);
	CHECK(svg && well_formed(svg));
	CHECK(svg && occurrences(svg, "<g role=\"listitem\"><title>") == 7);
	free(svg);
}

/* A flame graph of @n places. */
static void draw_places(unsigned int n)
{
	static const struct selection all;
	static struct profile p;
	const char *frame[2];
	char name[32];
	FILE *out = fopen("/dev/null", "w");
	unsigned int i;

	if (!out)
		exit(2);
	memset(&p, 0, sizeof(p));
	profile_by(p.by, "binary,address");
	p.frames = 2;
	p.events = 1;
	p.event = calloc(1, sizeof(*p.event));
	*p.event = test_event;
	frame[0] = text_intern("binary");
	for (i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "0x%u", (i * 7919 + 13) % n);
		frame[1] = text_intern(name);
		profile_add(&p, frame, 2, 1, 1);
	}
	profile_sort(&p);
	profile_svg(out, &p, &all);
	fclose(out);
	profile_free(&p);
}

/* 16 times as many take 16 times as long and a little, not 256 times. */
static void test_many_places(void)
{
	CHECK(times_as_long(draw_places, 1000, 16000, 64) < 64);
}

static void test_empty(void)
{
	static const struct selection all;
	static struct profile p;
	char *text = NULL;
	struct df_end end = { 0 };
	struct sampled_event hostile;
	struct data_writer w;
	char error[DATA_ERROR_MAX];
	size_t size;
	FILE *f;

	CHECK(data_create(&w, path, "nothing", 0) == 0);
	data_event(&w, &test_event);
	data_close(&w, &end);
	profile_by(p.by, "symbol");
	CHECK(profile_read(&p, path, NULL, error) == 0);
	CHECK(p.complete && p.samples == 0 && p.rows == 0);
	f = open_memstream(&text, &size);
	profile_svg(f, &p, &all);
	fclose(f);
	CHECK(text && well_formed(text));
	free(text);
	text = NULL;
	f = open_memstream(&text, &size);
	profile_json(f, &p, &all);
	fclose(f);
	CHECK(text && json_value(text));
	free(text);
	profile_free(&p);

	/* What the file calls its events is not for the terminal. */
	CHECK(data_create(&w, path, "hostile", 0) == 0);
	hostile = test_event;
	strcpy(hostile.name, "a\033[31m\nb");
	data_event(&w, &hostile);
	data_close(&w, &end);
	CHECK(profile_read(&p, path, "other", error) == -1);
	CHECK(strstr(error, "there are a?[31m?b"));
	profile_free(&p);

	CHECK(data_create(&w, path, "no events", 0) == 0);
	data_close(&w, &end);
	profile_by(p.by, "symbol");
	CHECK(profile_read(&p, path, NULL, error) == -1);
	CHECK(strstr(error, "has no events"));
	profile_free(&p);
}

static bool has(const char *name, const char *text)
{
	char buf[64] = "";
	FILE *f = fopen(name, "r");
	size_t n = f ? fread(buf, 1, sizeof(buf) - 1, f) : 0;

	if (f)
		fclose(f);
	return n == strlen(text) && !memcmp(buf, text, n);
}

/* A file with two names is overwritten when what it gets is complete, and fits. */
static void test_overwrite(void)
{
	char dir[] = "/tmp/pfmon-unit.XXXXXX";
	static char large[65536];
	struct rlimit limit, small;
	struct outfile o;
	FILE *f;

	CHECK(mkdtemp(dir) && !chdir(dir));
	f = fopen("a", "w");
	fputs("what was there before", f);
	fclose(f);
	CHECK(link("a", "b") == 0);

	CHECK(outfile_open(&o, "a", 0) == 0 && o.path && o.into);
	fputs("new", o.file);
	CHECK(fflush(o.file) == 0 && has("b", "what was there before"));
	outfile_drop(&o);
	fclose(o.file);
	CHECK(has("b", "what was there before") && access(o.temp, F_OK) == -1);

	CHECK(outfile_open(&o, "a", 0) == 0);
	fprintf(o.file, "%01000d", 7);
	CHECK(fflush(o.file) == 0);
	signal(SIGXFSZ, SIG_IGN);
	CHECK(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	small = limit;
	small.rlim_cur = 900;
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	CHECK(outfile_keep(&o, NULL) == -1 && errno == EFBIG);
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(has("b", "what was there before") && access(o.temp, F_OK) == 0);
	outfile_drop(&o);

	/* stdio writes a large block at once, and forgets it if that fails. */
	CHECK(outfile_open(&o, "a", 0) == 0);
	CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
	CHECK(fwrite(large, 1, sizeof(large), o.file) < sizeof(large));
	CHECK(outfile_keep(&o, NULL) == -1 && errno == EFBIG);
	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	outfile_drop(&o);

	CHECK(outfile_open(&o, "a", 0) == 0);
	fputs("new", o.file);
	CHECK(outfile_keep(&o, ".old") == 0);
	CHECK(has("a", "new") && has("b", "new") && access("a.old", F_OK) == -1);
	CHECK(unlink("a") == 0 && unlink("b") == 0 && rmdir(dir) == 0);
}

int main(void)
{
	make_file();
	test_text();
	test_adding();
	test_print_text();
	test_heading();
	test_print_folded();
	test_print_json();
	test_print_svg();
	test_many_places();
	test_empty();
	test_overwrite();
	return check_done();
}
