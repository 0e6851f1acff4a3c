/* Has a copy give up its rights. See confine.c. */
#ifndef PI_BASH_CONFINE_H
#define PI_BASH_CONFINE_H

#include <stdint.h>

#include "channel.h"

/* Whether this process was confined, by itself or as a copy of one that was. */
bool is_confined(void);

/* What an order with PI_ORDER_CONFINE asks for. Returns 0, or the step that failed (PI_CONFINE_…), with errno. */
uint32_t confine(const struct received *received);

#endif
