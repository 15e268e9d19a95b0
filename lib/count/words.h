/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What perf's users write, in the words that there are here. */
#ifndef COUNT_WORDS_H
#define COUNT_WORDS_H

#include <stddef.h>

/* Between the groups of words_expand(). */
#define WORDS_GROUP	';'

/**
 * words_expand() - write a list without perf's syntax
 * @list:  "{a,b}:u", which are groups, and "cpu/event=N,umask=N/", an event by its parts
 * @text:  receives names and numbers with commas between them, and WORDS_GROUP between groups
 * @size:  bytes at @text
 * @error: receives one line that says what is wrong, of EVENTS_ERROR_MAX bytes
 *
 * Return: 0, or -1.
 */
int words_expand(const char *list, char *text, size_t size, char *error);

/**
 * words_hint() - what to write for a word of perf's that has no event here
 * @name: the word
 * @len:  its characters
 *
 * Return: the rest of a sentence, or NULL: the word is none of these.
 */
const char *words_hint(const char *name, size_t len);

#endif /* COUNT_WORDS_H */
