/* The stop signal: how a host interrupts the order that it names. See stop.c. */
#ifndef PI_BASH_STOP_H
#define PI_BASH_STOP_H

#include <stdbool.h>
#include <stdint.h>

/* Installs the handler and clears the signal mask that the host may have left. False: this system refuses. */
bool stop_install(void);

/* In a copy, which has the handler but is another process. */
void stop_renew(void);

/* From now on a stop of this order interrupts bash; one that came early does so at once. */
void stop_arm(uint32_t sequence);
void stop_disarm(void);

/* Bash has given the command up: what is run now (traps) is ended by another stop only. */
void stop_landed(void);

/* Whether the armed order was stopped. */
bool stop_was_taken(void);

#endif
