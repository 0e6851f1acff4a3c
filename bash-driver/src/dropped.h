/* Whether a command in a confined copy changed what the session has, which is dropped with the copy. See dropped.c. */
#ifndef PI_BASH_DROPPED_H
#define PI_BASH_DROPPED_H

#include <stdbool.h>

/* In the copy that others are made from: what there is now is what the session has. */
void dropped_note(void);

/* In a copy of that one, after its command. */
bool dropped_anything(void);

#endif
