/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names that come from files and processes. They can have anything in them,
 * and are made fit for terminals, JSON and SVG once, where they come in.
 */
#ifndef PFMON_TEXT_H
#define PFMON_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/**
 * text_intern() - the one copy of a name
 * @name: whatever it has
 *
 * What is not valid UTF-8, controls a terminal, ends a line or turns the direction of
 * text becomes '?', one for each byte.
 *
 * Return: a string that lives on; equal names have the same address.
 */
const char *text_intern(const char *name);

/**
 * text_keep() - the one copy of a name as it is
 * @name: whatever it has
 *
 * For names of files that are to be opened. What is printed is text_intern() of it.
 *
 * Return: a string that lives on; equal names have the same address.
 */
const char *text_keep(const char *name);

/**
 * text_hash() - a number that is the same for equal names
 * @text: name
 *
 * Return: the number.
 */
uint32_t text_hash(const char *text);

/**
 * text_width() - how many columns a name takes
 * @text: from text_intern()
 *
 * Return: the number of its characters.
 */
int text_width(const char *text);

/**
 * text_cut() - how much of a name fits
 * @text:  from text_intern()
 * @width: columns
 *
 * Return: bytes of whole characters.
 */
size_t text_cut(const char *text, int width);

/**
 * text_json() - print a name as a string of JSON, with its quotes
 * @out:  where to
 * @text: from text_intern()
 */
void text_json(FILE *out, const char *text);

/**
 * text_xml() - print a name as text of XML
 * @out:  where to
 * @text: from text_intern()
 * @len:  bytes of it at most
 */
void text_xml(FILE *out, const char *text, size_t len);

#endif /* PFMON_TEXT_H */
