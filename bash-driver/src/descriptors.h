/* The descriptors that a stopped order left open and that no name leads to. See descriptors.c. */
#ifndef PI_BASH_DESCRIPTORS_H
#define PI_BASH_DESCRIPTORS_H

#include <stdbool.h>
#include <sys/stat.h>

/* What a descriptor leads to, by a system call: fstat, as a name to link with, is newer than some systems. */
bool descriptor_stat(int number, struct stat *found);

/* Between two orders: which descriptors are open now was left open on purpose. */
void descriptors_note(void);

/* Before each fork: which pipes bash has made for it. */
void descriptors_note_fork(void);

/* In the handler of a stop: what is open now, and which file `.` is reading. */
void descriptors_note_stop(void);

/* When bash has unwound: closes what else it left. */
void descriptors_close_left(void);

#endif
