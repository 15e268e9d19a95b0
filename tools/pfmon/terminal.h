/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal as a screen that is drawn again and again. */
#ifndef PFMON_TERMINAL_H
#define PFMON_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * terminal_begin() - take the terminal
 *
 * Standard input gives keys at once, without showing them; the screen is another one.
 * Both are as before when the program ends, whatever signal ends it, and while it is
 * stopped. To be called after the signals that end the measurement have been seen to.
 *
 * Return: 0, or -1: standard input and output are no terminal.
 */
int terminal_begin(void);

/**
 * terminal_end() - give it back
 */
void terminal_end(void);

/**
 * terminal_lines() - how many lines fit on the screen
 *
 * Return: lines, at least 2.
 */
size_t terminal_lines(void);

/**
 * terminal_draw() - show a text in place of the one before
 * @text: lines, of which those that are too many or too long are cut off; changed
 *
 * Return: 0, or -1 with errno set.
 */
int terminal_draw(char *text);

/**
 * terminal_key() - read a key
 *
 * Return: the key, 0 if there is none, or -1 if there will be none.
 */
int terminal_key(void);

#endif /* PFMON_TERMINAL_H */
