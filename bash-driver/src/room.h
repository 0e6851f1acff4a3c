#ifndef PI_BASH_ROOM_H
#define PI_BASH_ROOM_H

/*
 * Room for what is large. It lies behind the small state of all other files, which then shares a page or two: after a fork,
 * the kernel copies each page that is written to, and a command with a program has a fork.
 */
#include <stdbool.h>
#include <sys/types.h>

#include "../protocol.h"

/* Descriptors from 3 on that are looked at: all below our own, see channel.c. */
#define LOOKED_AT 997

/* A descriptor, and what it led to when it was looked at. */
struct file {
  int number; /* -1: none */
  int direction;
  bool is_inherited;
  mode_t type;
  dev_t device;
  ino_t inode;
};

/* A message from the host, see protocol.h. */
struct message {
  struct pi_order order;
  char text[PI_ORDER_TEXT_MAX];
};

extern struct message message;
extern struct file room_of_fork[LOOKED_AT];
extern struct file room_of_stop[LOOKED_AT];
extern struct file room_of_noted[LOOKED_AT];

#endif
