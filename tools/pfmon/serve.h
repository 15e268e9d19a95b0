/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What processes that read have in common: see reader.h. Such a process opens all files that
 * it needs first, and can do nothing but compute after that, for as long as its limits let it.
 */
#ifndef PFMON_SERVE_H
#define PFMON_SERVE_H

#include "reader.h"

struct Dwfl_Module;

struct answer {
	uint32_t size;
	unsigned char text[READER_ANSWER_MAX];
};

/**
 * serve_begin() - begin with limits of memory and time
 * @t: symbols of the file
 *
 * Return: the file, for libdwfl; NULL if there is none.
 */
struct Dwfl_Module *serve_begin(const struct symtab *t);

/**
 * serve_rest() - open no more files, have no rights
 */
void serve_rest(void);

/**
 * serve_all() - answer questions until there are no more, and end
 * @fd:     where the questions come from, and the answers go to
 * @answer: adds what there is at an address to an answer without anything: 1 byte at least
 * @arg:    of @answer
 */
void __attribute__((noreturn))
serve_all(int fd, void (*answer)(void *arg, uint64_t addr, struct answer *a), void *arg);

#endif /* PFMON_SERVE_H */
