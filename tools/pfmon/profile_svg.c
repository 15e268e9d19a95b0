// SPDX-License-Identifier: GPL-2.0-only
/*
 * A profile as a flame graph: one SVG file that needs nothing else. Each frame
 * is as wide as its share of the samples and stands on the one that it is part
 * of. The <title> of a frame appears under the mouse, and screen readers read it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>

#include "calltree.h"
#include "numbers.h"
#include "profile_out.h"
#include "text.h"

#define WIDTH		1200
#define MARGIN		10
#define HEAD		52		/* for the heading */
#define HEIGHT		20		/* of a frame */
#define LETTER		7.3		/* width, of the font below */
#define NARROW		0.2		/* frames that are not drawn */
#define LETTERS		((int)((WIDTH - 2 * MARGIN) / LETTER))	/* of a line of the heading */

/* By how much the share of a frame has changed, in percent of all. */
static double change_of(const struct profile *p, const struct node *node)
{
	return profile_percent(p, node->weight) - profile_percent(p->before, node->before);
}

static double largest_change(const struct profile *p, const struct node *node)
{
	double most = 0, one;

	for (; node; node = node->next) {
		one = fmax(fabs(change_of(p, node)), largest_change(p, node->child));
		most = fmax(most, one);
	}
	return most;
}

/*
 * The redder the more it has grown, the bluer the more it has shrunk. What has done neither, as
 * far as the number beside it says, is grey: the lightest red would look like more.
 */
static void print_change(FILE *out, double change, double most)
{
	if (fabs(change) < 0.005) {
		fputs("hsl(0,0%,92%)", out);
		return;
	}
	fprintf(out, "hsl(%d,90%%,%.0f%%)", change < 0 ? 220 : 5,
		96 - (most > 0 ? 36 * fabs(change) / most : 0));
}

/* As much of a name as fits into so many letters; what is cut says so. */
static void print_cut(FILE *out, const char *name, int letters)
{
	size_t len = text_cut(name, letters);

	if (name[len])
		len = text_cut(name, letters - 1);
	text_xml(out, name, len);
	if (name[len])
		fputs("…", out);
}

/* Light colours, so that black on them can be read; equal names look equal. */
static void print_colour(FILE *out, const char *name)
{
	uint32_t h = text_hash(name);

	fprintf(out, "hsl(%u,%u%%,%u%%)", 10 + (h >> 4) % 45, 70 + (h >> 12) % 25,
		65 + (h >> 20) % 12);
}

static void print_frame(FILE *out, const struct profile *p, const struct node *node,
			double x, double y, double width, double most)
{
	char count[NUMBERS_MAX];
	int letters = (int)((width - 6) / LETTER);

	fputs("<g role=\"listitem\"><title>", out);
	text_xml(out, node->name, SIZE_MAX);
	fprintf(out, ": %s sample%s, %.2f%%", numbers_count(count, node->count),
		node->count == 1 ? "" : "s", profile_percent(p, node->weight));
	if (p->before)
		fprintf(out, ", %+.2f", change_of(p, node));
	fputs("</title>", out);
	fprintf(out, "<rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"",
		x, y, width, HEIGHT - 1);
	if (p->before)
		print_change(out, change_of(p, node), most);
	else
		print_colour(out, node->name);
	fputs("\"/>", out);
	/* A name of which less than this fits says nothing. */
	if (letters > 0 && (letters >= 4 || !node->name[text_cut(node->name, letters)])) {
		fprintf(out, "<text x=\"%.2f\" y=\"%.0f\">", x + 3,
			y + HEIGHT - 6);
		print_cut(out, node->name, letters);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

/* A node and what stands on it; @y is where its own frame begins, @most the largest change. */
static void print_node(FILE *out, const struct profile *p, const struct node *node,
		       const struct selection *sel, double x, double y, double most)
{
	double scale = (WIDTH - 2 * MARGIN) / (double)p->weight;
	double width = scale * (double)node->weight;
	const struct node *child;

	if (width < NARROW || profile_percent(p, node->weight) < sel->min)
		return;
	print_frame(out, p, node, x, y, width, most);
	for (child = node->child; child; child = child->next) {
		print_node(out, p, child, sel, x, y - HEIGHT, most);
		x += scale * (double)child->weight;
	}
}

static void print_head(FILE *out, const struct profile *p, int height)
{
	const char *title = text_intern(p->header.title);
	const struct sampled_event *e = &p->event[p->chosen];
	char n[NUMBERS_MAX];

	fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
		" viewBox=\"0 0 %d %d\" role=\"group\" aria-labelledby=\"t d\">\n",
		WIDTH, height, WIDTH, height);
	fputs("<title id=\"t\">", out);
	text_xml(out, title, SIZE_MAX);
	fputs("</title>\n<desc id=\"d\">Flame graph: each frame is as wide as its share of ", out);
	fprintf(out, "%s samples of ", numbers_count(n, p->samples));
	text_xml(out, text_intern(e->name), SIZE_MAX);
	fputs(" and stands on the one that it is part of.", out);
	if (p->before)
		fputs(" Red ones have a larger share than before, blue ones a smaller one.", out);
	fputs("</desc>\n"
	      "<style>text{font:12px monospace;fill:#000}"
	      "rect{stroke:#fff;stroke-width:.5}"
	      "g:hover>rect{stroke:#000;stroke-width:1.5}</style>\n", out);
	fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, height);
	fprintf(out, "<text x=\"%d\" y=\"20\" style=\"font-weight:bold\">", MARGIN);
	print_cut(out, title, LETTERS);
	fprintf(out, "</text>\n<text x=\"%d\" y=\"38\">%s samples of ", MARGIN,
		numbers_count(n, p->samples));
	print_cut(out, text_intern(e->name), LETTERS / 8);
	fprintf(out, ", %s lost%s%s</text>\n",
		numbers_lost(n, p->lost.samples, p->lost.estimated), profile_of_all(p),
		p->complete ? "" : "; the file is not complete");
	if (!p->before)
		return;
	fprintf(out, "<text x=\"%d\" y=\"38\" text-anchor=\"end\">since ", WIDTH - MARGIN);
	print_cut(out, text_intern(p->before->header.title), LETTERS / 4);
	fprintf(out, ", %s samples: red is more, blue is less</text>\n",
		numbers_count(n, p->before->samples));
}

void profile_svg(FILE *out, const struct profile *p, const struct selection *sel)
{
	struct node *root = calltree_new(p);
	double most = p->before ? largest_change(p, root->child) : 0;
	int height = HEAD + ((int)p->depth + 1) * HEIGHT + MARGIN;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", out);
	print_head(out, p, height);
	fputs("<g role=\"list\">\n", out);
	if (p->samples)
		print_node(out, p, root, sel, MARGIN, height - MARGIN - HEIGHT, most);
	fputs("</g>\n</svg>\n", out);
	calltree_free(root);
}
