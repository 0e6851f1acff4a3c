/* The socket to the host, and the descriptors that come with its orders. See channel.c. */
#ifndef PI_BASH_CHANNEL_H
#define PI_BASH_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "../protocol.h"

/* An order as it arrived. The text is good until the next one. */
struct received {
  struct pi_order order;
  const char *text;
  size_t length;
  const char *directory; /* "" for none */
  const char *temporary; /* PI_ORDER_CONFINE's TMPDIR */
  const char *environment;
  size_t environment_length;
  int socket;  /* PI_ORDER_FORK's, else -1 */
  int ruleset; /* PI_ORDER_CONFINE's, else -1 */
  int error;  /* an errno: the order cannot be obeyed */
};

/* From this number on descriptors are out of the way of commands, and below their limit (`ulimit -n`). System calls only. */
int channel_lowest(void);

/* Moves the socket and a descriptor of /dev/null out of the way of commands. False: `socket` is not a socket. */
bool channel_open(int socket);

/* Puts another socket in the place of the first one. False: no descriptor is free. */
bool channel_replace(int socket);

/* Closes every descriptor but the channel's own and `kept`. Returns 0 or an errno. */
int channel_close_others(int kept);

/* Waits for an order. For one that runs, 0, 1 and 2 are the command's afterwards. False: the host is gone. */
bool channel_receive(struct received *received);

/* Closes 0, 1 and 2: between two commands they are free, so that the next ones arrive there. */
void channel_release(void);

/* Has what is written to 2 meanwhile vanish. The answer is for channel_unmute. */
int channel_mute(void);
void channel_unmute(int kept);

/* False: the host is gone, or a command closed the socket. */
bool channel_report(const struct pi_report *report, const char *text);

#endif
