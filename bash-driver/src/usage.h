/*
 * What a command used: processor time and peak memory, see struct pi_usage in protocol.h.
 */
#ifndef PI_BASH_USAGE_H
#define PI_BASH_USAGE_H

#include "../protocol.h"

/* Before the command, where its order asks for it. */
void usage_begin(void);

/* After it. */
struct pi_usage usage_end(void);

#endif
