/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before all of pfmon's files when they are built for fuzz.c: files of /proc and
 * /sys are what is being tried, and what would end pfmon ends the try.
 */
#ifndef PFMON_TESTS_FUZZ_H
#define PFMON_TESTS_FUZZ_H

#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

FILE *fuzz_open(const char *path, const char *mode);
int fuzz_open_fd(const char *path, int flags, ...);
long fuzz_syscall(long number, ...);
void __attribute__((noreturn, format(printf, 2, 3)))
fuzz_end(int status, const char *format, ...);

void __attribute__((format(printf, 1, 2))) fuzz_say(const char *format, ...);

#define fopen	fuzz_open
#define open(...)	fuzz_open_fd(__VA_ARGS__)
#define syscall	fuzz_syscall
#define warn	fuzz_say
#define warnx	fuzz_say
#define err	fuzz_end
#define errx	fuzz_end

#ifdef FUZZ_ELF
#include <gelf.h>

Elf_Data *fuzz_getdata(Elf_Scn *scn, Elf_Data *from);

#define elf_getdata	fuzz_getdata
#endif

#endif /* PFMON_TESTS_FUZZ_H */
