/*
 * What a host and the bash driver say to each other: one flat message in each direction, and the stop signal.
 *
 * Shared by both sides, and the only thing that is. The rules (who speaks when, what is guaranteed) are in README.md.
 * Messages travel on a SOCK_SEQPACKET socket between processes of one machine, so integers are in its own byte order.
 */
#ifndef PI_BASH_PROTOCOL_H
#define PI_BASH_PROTOCOL_H

#include <stdint.h>

#define PI_PROTOCOL_VERSION 6

/* What is longer, preamble and text together, goes through a file: PI_ORDER_TEXT_IN_FILE. */
#define PI_ORDER_TEXT_MAX 32768

/* pi_order.kind */
#define PI_ORDER_RUN 1  /* run the text as a script; answered by PI_REPORT_ENDED */
#define PI_ORDER_FORK 2 /* leave a copy that takes orders from the passed socket; answered by PI_REPORT_FORKED */

/*
 * pi_order.flags of PI_ORDER_RUN. Each of the first three announces a descriptor, passed in the order
 * input, output, errors, text. Output is always there; without errors, it takes both streams.
 */
#define PI_ORDER_INPUT 0x1        /* else standard input is /dev/null */
#define PI_ORDER_ERRORS 0x2
#define PI_ORDER_TEXT_IN_FILE 0x4 /* the descriptor is a seekable file, e.g. a memfd, that has the text */

/* pi_order.flags of PI_ORDER_RUN: the answer says what the command used. */
#define PI_ORDER_USAGE 0x8

/* pi_order.flags of both kinds: `$$` of this shell (of the copy) is its own process from now on. */
#define PI_ORDER_OWN_PID 0x10

/*
 * pi_order.flags of PI_ORDER_FORK: the copy gives up rights before it greets. A second descriptor is a Landlock ruleset.
 * The preamble is one string, the copy's TMPDIR; the text is a seccomp program. Without a text, the copy of a confined
 * copy: it enters the domain of the ruleset and has the rest from its parent. Where a step fails, the copy answers with
 * PI_REPORT_NOT_CONFINED on its own socket, and ends.
 */
#define PI_ORDER_CONFINE 0x20

#define PI_KEEP_STATUS (-1)

struct pi_order {
  uint32_t kind;
  uint32_t sequence; /* chosen by the host, echoed in the answer, named by a stop */
  uint32_t flags;
  /*
   * Bytes before the text: strings that end with a NUL each. Of PI_ORDER_RUN, the first is the directory to change to,
   * empty for none; each other is NAME=VALUE, exported for this order only. 0: neither.
   */
  uint32_t preamble;
  int32_t status; /* what `$?` shows first, or PI_KEEP_STATUS */
  uint32_t reserved; /* 0 */
  /* Preamble and text follow: all that is left of the message. */
};

/* pi_report.kind */
#define PI_REPORT_GREETING 1 /* first on every socket; text: bash's version; number: PI_PROTOCOL_VERSION */
#define PI_REPORT_ENDED 2    /* text: the working directory; number: status */
#define PI_REPORT_FORKED 3   /* number: the copy's process id, or an errno, negated */
#define PI_REPORT_REFUSED 4  /* nothing was run; number: an errno. The shell is as it was */

#define PI_REPORT_NOT_CONFINED 5 /* the copy's only answer, before it ends; number: an errno; ending: the step */

/* pi_report.ending of PI_REPORT_NOT_CONFINED, in the order of the steps. */
#define PI_CONFINE_TMPDIR 1
#define PI_CONFINE_DESCRIPTORS 2
#define PI_CONFINE_NO_NEW_PRIVILEGES 3
#define PI_CONFINE_CAPABILITIES 4
#define PI_CONFINE_LANDLOCK 5
#define PI_CONFINE_SECCOMP 6

/* pi_report.ending of PI_REPORT_ENDED. */
#define PI_ENDED_COMPLETE 1 /* the end of the text was reached */
#define PI_ENDED_EXIT 2     /* `exit`, `set -e`, `set -u`, `${x:?}`: what ends a script */
#define PI_ENDED_STOPPED 3  /* the stop signal was taken for this order */
#define PI_ENDED_SYNTAX 4   /* the parser gave up; what came before had been run */

/* pi_report.flags */
#define PI_REPORT_CAN_STOP 0x1    /* greeting: the stop signal is installed */
#define PI_REPORT_MADE_PROCESS 0x2 /* ended: the command may have created a process */
#define PI_REPORT_HAS_TRAPS 0x4 /* ended: a trap on ERR, DEBUG or a signal may run beside commands, whatever these are */
#define PI_REPORT_KEPT_STATE 0x8 /* ended: the text ran programs only, and the shell is as before but for its status */
#define PI_REPORT_HAS_CHILDREN 0x10 /* ended: the shell has children, living or dead ones */
#define PI_REPORT_HAS_OVERRIDES 0x20 /* ended: the name of a plain builtin may be that of a function or an alias */

#define PI_REPORT_DROPPED_STATE 0x40 /* ended, of a confined copy: it changed what the shell that it copies has */

#define PI_OPTIONS_SIZE 44

/*
 * What a command used, by getrusage(2): of this shell and of the children it has waited for, with theirs. The kernel keeps
 * the largest size of all that the shell has ever waited for: only where the command broke that record is it the command's.
 */
struct pi_usage {
  uint64_t user_us;
  uint64_t system_us;
  uint64_t peak_kib; /* largest resident set of one process; 0: not known */
};

struct pi_report {
  uint32_t kind;
  uint32_t sequence;
  int32_t number;
  uint32_t ending;
  uint32_t flags;
  char options[PI_OPTIONS_SIZE]; /* `$-`, ends with a NUL */
  struct pi_usage usage; /* ended, where PI_ORDER_USAGE asked for it; else 0 */
  /* The text follows: all that is left of the message. */
};

/*
 * The stop: rt_sigqueueinfo(2) with si_code SI_QUEUE and the order's sequence as si_value.sival_int. The number is one
 * that the C libraries keep to themselves, so `trap` cannot name it and no program can block it by their functions.
 */
#define PI_STOP_SIGNAL 32

#endif
