/*
 * What a command used, as the difference of what getrusage(2) says before and after it.
 */
#include "usage.h"

#include <sys/resource.h>
#include <sys/time.h>

static struct rusage shell_before, children_before;

static uint64_t microseconds(struct timeval time) { return (uint64_t)time.tv_sec * 1000000U + (uint64_t)time.tv_usec; }

static uint64_t grown(struct timeval before, struct timeval after) {
  uint64_t from = microseconds(before), to = microseconds(after);
  return to > from ? to - from : 0;
}

#ifdef __APPLE__
static uint64_t kib(long size) { return (uint64_t)size / 1024U; } /* bytes there */
#else
static uint64_t kib(long size) { return (uint64_t)size; }
#endif

/* A record that the command has not broken says nothing of it. */
static uint64_t record(const struct rusage *before, const struct rusage *after) {
  return after->ru_maxrss > before->ru_maxrss ? kib(after->ru_maxrss) : 0;
}

void usage_begin(void) {
  getrusage(RUSAGE_SELF, &shell_before);
  getrusage(RUSAGE_CHILDREN, &children_before);
}

struct pi_usage usage_end(void) {
  struct rusage shell, children;
  getrusage(RUSAGE_SELF, &shell);
  getrusage(RUSAGE_CHILDREN, &children);
  uint64_t of_shell = record(&shell_before, &shell), of_children = record(&children_before, &children);
  struct pi_usage usage = {
      grown(shell_before.ru_utime, shell.ru_utime) + grown(children_before.ru_utime, children.ru_utime),
      grown(shell_before.ru_stime, shell.ru_stime) + grown(children_before.ru_stime, children.ru_stime),
      of_shell > of_children ? of_shell : of_children,
  };
  return usage;
}
