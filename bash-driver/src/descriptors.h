/* The descriptors that a stopped order left open and that no name leads to. See descriptors.c. */
#ifndef PI_BASH_DESCRIPTORS_H
#define PI_BASH_DESCRIPTORS_H

/* From here on descriptors are the driver's own (see channel.c), and not looked at. */
#define ABOVE_COMMANDS 997

/* Between two orders: which descriptors are open now was left open on purpose. */
void descriptors_note(void);

/* Before each fork: which pipes bash has made for it. */
void descriptors_note_fork(void);

/* In the handler of a stop: what is open now, and which file `.` is reading. */
void descriptors_note_stop(void);

/* When bash has unwound: closes what else it left. */
void descriptors_close_left(void);

#endif
