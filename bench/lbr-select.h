/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bits of Intel's LBR_SELECT: each leaves branches of a kind, or to a level, out.
 *
 * Intel SDM, volume 3, "Filtering of Last Branch Records".
 */
#ifndef PERFMON_LBR_SELECT_H
#define PERFMON_LBR_SELECT_H

#define NOT_KERNEL	(1 << 0)
#define NOT_USER	(1 << 1)
#define JCC		(1 << 2)
#define CALL		(1 << 3)
#define IND_CALL	(1 << 4)
#define RET		(1 << 5)
#define IND_JMP		(1 << 6)
#define JMP		(1 << 7)
#define FAR		(1 << 8)
#define KINDS		(JCC | CALL | IND_CALL | RET | IND_JMP | JMP | FAR)

#endif /* PERFMON_LBR_SELECT_H */
