// SPDX-License-Identifier: GPL-2.0-only
/* The terminal as a screen that is drawn again and again: what ECMA-48 has. */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "require.h"
#include "terminal.h"
#include "text.h"

#define LINES	24	/* of a terminal that does not say how large it is */
#define COLUMNS	80

/* Another screen and no cursor; and back. */
static const char enter[] = "\033[?1049h\033[?25l\033[H\033[J";
static const char leave[] = "\033[?25h\033[?1049l";

/* Those that end a program, and that are not seen to elsewhere. */
static const int fatal[] = {
	SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGUSR1, SIGUSR2,
	SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ, SIGIO, SIGPWR,
};

static struct termios before;
static volatile sig_atomic_t taken;

/* Both may run in a signal's handler. */
static void set(void)
{
	struct termios keys = before;

	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	keys.c_cc[VMIN] = 0;
	keys.c_cc[VTIME] = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	if (write(STDOUT_FILENO, enter, sizeof(enter) - 1) < 0)
		return;
	taken = 1;
}

void terminal_end(void)
{
	if (!taken)
		return;
	taken = 0;
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	if (write(STDOUT_FILENO, leave, sizeof(leave) - 1) < 0)
		return;
}

/* Its action is the default one again: it ends the program when this returns. */
static void on_fatal(int sig)
{
	terminal_end();
	raise(sig);
}

static void on_stop(int sig);

static void catch_stop(void)
{
	struct sigaction action = { .sa_handler = on_stop, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(SIGTSTP, &action, NULL);
}

/* Stops here, and goes on here. */
static void on_stop(int sig)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	int saved = errno;
	sigset_t mask;

	terminal_end();
	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, sig);
	raise(sig);
	pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
	catch_stop();
	set();
	errno = saved;
}

int terminal_begin(void)
{
	struct sigaction action = {
		.sa_handler = on_fatal, .sa_flags = SA_RESETHAND,
	};
	size_t i;

	if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before))
		return -1;
	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		sigaction(fatal[i], &action, NULL);
	catch_stop();
	atexit(terminal_end);
	set();
	return 0;
}

static struct winsize size(void)
{
	struct winsize w;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) || !w.ws_row || !w.ws_col)
		w = (struct winsize){ .ws_row = LINES, .ws_col = COLUMNS };
	return w;
}

size_t terminal_lines(void)
{
	unsigned short lines = size().ws_row;

	return lines < 2 ? 2 : lines;
}

static int put(const char *text, size_t len)
{
	ssize_t n;

	while (len) {
		n = write(STDOUT_FILENO, text, len);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			text += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

/* In one piece, so that it does not flicker. */
int terminal_draw(char *text)
{
	struct winsize w = size();
	unsigned int lines = 0;
	char *end, *screen;
	size_t len;
	FILE *f;
	int ret;

	f = open_memstream(&screen, &len);
	if (!f)
		err(EXIT_PFMON, NULL);
	fputs("\033[H", f);
	for (; *text && lines < w.ws_row; text = end, lines++) {
		end = text + strcspn(text, "\n");
		if (*end)
			*end++ = '\0';
		fprintf(f, "%s%.*s\033[K", lines ? "\n" : "",
			(int)text_cut(text, w.ws_col), text);
	}
	fputs("\033[J", f);
	fclose(f);
	ret = put(screen, len);
	free(screen);
	return ret;
}

int terminal_key(void)
{
	unsigned char key;
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	ssize_t n;

	if (poll(&fd, 1, 0) <= 0)
		return 0;
	n = read(STDIN_FILENO, &key, 1);
	if (n < 0 && errno == EINTR)
		return 0;
	return n == 1 ? key : -1;
}
