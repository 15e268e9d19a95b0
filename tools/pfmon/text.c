// SPDX-License-Identifier: GPL-2.0-only
/* Names that come from files and processes. */
#include <err.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"
#include "text.h"

struct name {
	struct name *next;
	uint32_t hash;
	bool shown;	/* it has only what can be shown */
	char text[];
};

static struct name **buckets;
static size_t n_buckets, n_names;

static void grow(void)
{
	size_t n = n_buckets ? 4 * n_buckets : 1024, i;
	struct name **more = calloc(n, sizeof(*more)), *name, *next;

	if (!more)
		err(EXIT_PFMON, NULL);
	for (i = 0; i < n_buckets; i++) {
		for (name = buckets[i]; name; name = next) {
			next = name->next;
			name->next = more[name->hash % n];
			more[name->hash % n] = name;
		}
	}
	free(buckets);
	buckets = more;
	n_buckets = n;
}

/* Does it end a line, or turn the direction in which text is read? */
static bool moves_text(uint32_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/*
 * Bytes of the character of UTF-8 at @s, 0 if it is none, or none that can be
 * shown: C0 and C1 controls, what moves text, halves of pairs, U+FFFE and U+FFFF.
 */
static size_t character(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len, i;
	uint32_t c;

	if (*s < 0x80)
		return *s >= ' ' && *s != 0x7f;
	len = *s >= 0xf0 ? 4 : *s >= 0xe0 ? 3 : 2;
	if (*s < 0xc2 || *s > 0xf4)
		return 0;
	c = *s & (0x7fU >> len);
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) ||
	    c < 0xa0 || (c & 0xfffe) == 0xfffe || moves_text(c))
		return 0;
	return len;
}

static void clean(char *text)
{
	size_t len;

	for (; *text; text += len) {
		len = character((unsigned char *)text);
		if (!len) {
			*text = '?';
			len = 1;
		}
	}
}

uint32_t text_hash(const char *text)
{
	uint32_t h = 0x811c9dc5;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x01000193;
	return h;
}

static struct name *find(const char *text, uint32_t h)
{
	struct name *name;

	if (n_names >= n_buckets)
		grow();
	for (name = buckets[h % n_buckets]; name; name = name->next)
		if (name->hash == h && !strcmp(name->text, text))
			break;
	return name;
}

static struct name *new_name(const char *text)
{
	struct name *name = malloc(sizeof(*name) + strlen(text) + 1);

	if (!name)
		err(EXIT_PFMON, NULL);
	strcpy(name->text, text);
	return name;
}

static const char *insert(struct name *name, uint32_t h, bool shown)
{
	name->hash = h;
	name->shown = shown;
	name->next = buckets[h % n_buckets];
	buckets[h % n_buckets] = name;
	n_names++;
	return name->text;
}

const char *text_intern(const char *text)
{
	uint32_t h = text_hash(text);
	struct name *name = find(text, h);
	const char *cleaned;

	if (name && name->shown)
		return name->text;
	name = new_name(text);
	clean(name->text);
	/* A name that had to be changed is the one that looks so. */
	if (strcmp(name->text, text)) {
		cleaned = text_intern(name->text);
		free(name);
		return cleaned;
	}
	return insert(name, h, true);
}

const char *text_keep(const char *text)
{
	uint32_t h = text_hash(text);
	struct name *name = find(text, h);
	bool shown;

	if (name)
		return name->text;
	name = new_name(text);
	clean(name->text);
	shown = !strcmp(name->text, text);
	strcpy(name->text, text);
	return insert(name, h, shown);
}

static int is_first(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

int text_width(const char *text)
{
	int width = 0;

	while (*text)
		width += is_first(*text++);
	return width;
}

size_t text_cut(const char *text, int width)
{
	size_t at = 0;

	for (; text[at]; at++) {
		if (!is_first(text[at]))
			continue;
		if (width <= 0)
			break;
		width--;
	}
	return at;
}

void text_json(FILE *out, const char *text)
{
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

void text_xml(FILE *out, const char *text, size_t len)
{
	for (; *text && len; text++, len--) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}
