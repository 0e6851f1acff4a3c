/*
 * Closes the descriptors that a stop leaves behind: those that bash opened for itself and lost by the jump.
 *
 * # Theory of operation
 * A stop makes bash jump out of whatever it does. What it has noted for unwinding it closes. What it held in a local
 * variable only, it forgets: the reading end of `$(…)` in bash 4.4 and 5.0, a coprocess that a second one replaced, the
 * file that `.` reads, the temporary file of a here-document. A command's own `exec 7>file` looks the same from outside
 * and has to stay. So each kind is reported by what bash does with it and a command does not:
 *
 * - The plumbing of pipelines, substitutions and coprocesses: bash forks while it has both ends of an unnamed pipe. Such
 *   pairs are noted before each fork. An end that still has the number it had then is bash's own; a command that wants
 *   one (`exec 3< <(…)`) opens it again and has another number, or the other direction.
 * - The file of `.`: bash counts a `.` before it reads the file, and again when it has read it. Where a stop finds the
 *   counts apart, the file has the number that was the lowest free one. Bash unwinds before it jumps, so this is looked
 *   up in the handler, by system calls only.
 * - The temporary file of a here-document has a name that bash gave it, and is open for both directions.
 * - What was opened after the stop and before bash gave up was for nothing.
 *
 * Pipes that bash still knows by its own tables are closed by its own functions first. A coprocess that it still has is
 * left to it: it closes both ends when it has seen the process end.
 *
 * What was open before the order is left alone. That is looked up between two orders, when no host waits for us.
 */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bash.h"
#include "room.h"

/* Up to 63 bash makes the pipes of substitutions and coprocesses, and above that only where 63 of them are open. */
#define FIRST 3
#define BEFORE_COUNT 64
#define PATH_SIZE 256
static const char temporary_name[] = "/sh-thd";

/* What was open at a moment. */
struct files {
  int count;
  struct file *all;
};

static uint64_t open_before;                        /* bit 0 is descriptor 3 */
static struct files at_fork = {0, room_of_fork};    /* at the latest fork of this order */
static struct files at_stop = {0, room_of_stop};    /* at the first stop of this order */
static bool is_stopped;
static struct file *const noted = room_of_noted; /* ends of pipes that bash had at a fork */
static int noted_count;
static struct file source; /* that a stop found `.` reading */

/* The kernel takes no more of them than there may be descriptors (`ulimit -n`). */
static int look(struct pollfd *all, int count) {
  struct rlimit limit;
  int taken = count;
  for (int index = 0; index < count; index++) all[index] = (struct pollfd){FIRST + index, 0, POLLNVAL};
  int found = poll(all, (nfds_t)taken, 0);
  if (found >= 0 || errno != EINVAL || getrlimit(RLIMIT_NOFILE, &limit) != 0) return found;
  if (limit.rlim_cur < (rlim_t)taken) taken = (int)limit.rlim_cur;
  return poll(all, (nfds_t)taken, 0);
}

static bool is_open(const struct pollfd *one) { return (one->revents & POLLNVAL) == 0; }

static uint64_t set_of(const struct pollfd *all) {
  uint64_t set = 0;
  for (int index = 0; index < BEFORE_COUNT; index++)
    if (is_open(&all[index])) set |= UINT64_C(1) << index;
  return set;
}

static bool has(uint64_t set, int number) {
  return number - FIRST < BEFORE_COUNT && (set >> (number - FIRST) & 1) != 0;
}

bool descriptor_stat(int number, struct stat *found) { return syscall(SYS_fstat, number, found) == 0; }

static bool file_at(int number, struct file *file) {
  struct stat found;
  int flags = fcntl(number, F_GETFL), own_flags = fcntl(number, F_GETFD);
  if (flags < 0 || own_flags < 0 || !descriptor_stat(number, &found)) return false;
  *file = (struct file){
      number, flags & O_ACCMODE, (own_flags & FD_CLOEXEC) == 0, found.st_mode & S_IFMT, found.st_dev, found.st_ino,
  };
  return true;
}

static bool lead_to_the_same(const struct file *one, const struct file *other) {
  return one->direction == other->direction && one->device == other->device && one->inode == other->inode;
}

static bool is_same(const struct file *one, const struct file *other) {
  return one->number == other->number && lead_to_the_same(one, other);
}

static bool is_still(const struct file *file) {
  struct file now;
  return file->number >= 0 && file_at(file->number, &now) && is_same(file, &now);
}

static bool are_both_ends(const struct file *one, const struct file *other) {
  return one->device == other->device && one->inode == other->inode && one->direction + other->direction == O_WRONLY;
}

/* Pipes of a name lie in a file system of their own, and a command may have both ends of one. */
static bool is_unnamed(const struct file *end) {
  static dev_t device;
  int pair[2];
  struct file found;
  if (device == 0) {
    if (pipe2(pair, O_CLOEXEC) != 0) return false;
    if (file_at(pair[0], &found)) device = found.device;
    close(pair[0]);
    close(pair[1]);
  }
  return end->type == S_IFIFO && end->device == device;
}

void descriptors_note(void) {
  struct pollfd all[BEFORE_COUNT];
  noted_count = at_fork.count = at_stop.count = 0;
  is_stopped = false;
  source.number = -1;
  if (look(all, BEFORE_COUNT) >= 0) open_before = set_of(all);
}

static bool is_noted(const struct file *end) {
  for (int index = 0; index < noted_count; index++)
    if (is_same(&noted[index], end)) return true;
  return false;
}

static void note_end(const struct file *end) {
  if (is_noted(end)) return;
  if (noted_count == LOOKED_AT) {
    int kept = 0;
    for (int index = 0; index < noted_count; index++)
      if (is_still(&noted[index])) noted[kept++] = noted[index];
    noted_count = kept;
  }
  if (noted_count < LOOKED_AT) noted[noted_count++] = *end;
}

static void list(struct files *files, struct pollfd *all, int count) {
  files->count = 0;
  if (look(all, count) < 0) return;
  for (int index = 0; index < count; index++)
    if (is_open(&all[index]) && file_at(FIRST + index, &files->all[files->count])) files->count++;
}

/* A function of its own: its frame is larger than a page, and most forks need none of it. */
static __attribute__((noinline)) void list_open(struct files *files) {
  struct pollfd all[LOOKED_AT];
  list(files, all, LOOKED_AT);
}

/* As far as bash has ends of pipes: above that only where there was no room, see above. */
static void list_open_of_fork(void) {
  struct pollfd all[BEFORE_COUNT];
  int index = 0;
  list(&at_fork, all, BEFORE_COUNT);
  while (index < BEFORE_COUNT && is_open(&all[index])) index++;
  if (index == BEFORE_COUNT) list_open(&at_fork);
}

static bool is_in(const struct files *files, const struct file *file) {
  for (int index = 0; index < files->count; index++)
    if (is_same(&files->all[index], file)) return true;
  return false;
}

void descriptors_note_fork(void) {
  list_open_of_fork();
  for (int one = 0; one < at_fork.count; one++) {
    const struct file *end = &at_fork.all[one];
    if (!is_unnamed(end)) continue;
    for (int other = one + 1; other < at_fork.count; other++) {
      const struct file *opposite = &at_fork.all[other];
      if (!are_both_ends(end, opposite)) continue;
      if (has(open_before, end->number) && has(open_before, opposite->number)) continue;
      note_end(end);
      note_end(opposite);
    }
  }
}

/* A file whose reading can be stopped, opened as `.` does it, after the latest fork; not so far up that no fork lists it. */
static bool may_be_source(const struct file *file) {
  return file->number < FIRST + BEFORE_COUNT && file->direction == O_RDONLY && file->is_inherited &&
         file->type != S_IFREG && file->type != S_IFDIR && !is_in(&at_fork, file);
}

static void find_source(void) {
  struct pollfd all[BEFORE_COUNT];
  struct file file;
  int above = 0;
  if (look(all, BEFORE_COUNT) < 0) return;
  while (above < BEFORE_COUNT && is_open(&all[above])) above++;
  for (int number = FIRST + above - 1; number >= FIRST; number--) {
    if (has(open_before, number) || !file_at(number, &file) || !may_be_source(&file)) continue;
    source = file;
    return;
  }
}

/*
 * A redirection opens its file, copies it to the number that is wanted, and closes it. Then `.` may open the same pipe at the
 * same number. What was open at the stop has this mark, which is of the open file and means nothing without O_ASYNC.
 */
#define MARK SIGIO

static void mark_open(void) {
  for (int index = 0; index < at_stop.count; index++)
    if (!has(open_before, at_stop.all[index].number) && may_be_source(&at_stop.all[index]))
      fcntl(at_stop.all[index].number, F_SETSIG, MARK);
}

static bool was_open_at_stop(const struct file *file) {
  if (!is_in(&at_stop, file)) return false;
  return has(open_before, file->number) || !may_be_source(file) || fcntl(file->number, F_GETSIG) == MARK;
}

void descriptors_note_stop(void) {
  if (sourcenest > sourcelevel) find_source();
  if (is_stopped) return;
  is_stopped = true;
  list_open(&at_stop);
  mark_open();
}

static void close_temporary(const struct file *file) {
  char link[32], path[PATH_SIZE];
  int number = file->number;
  if (has(open_before, number) || file->direction != O_RDWR || file->type != S_IFREG) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", number);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = '\0';
  const char *name = strrchr(path, '/');
  if (name == NULL || strncmp(name, temporary_name, sizeof temporary_name - 1) != 0) return;
  unlink(path);
  close(number);
}

static bool is_of_coprocess(int number) {
  return sh_coproc.process > 0 && (sh_coproc.read_from == number || sh_coproc.write_to == number);
}

/* Whether it was put back from a copy that bash kept while the number led elsewhere; such copies are never inherited. */
static bool was_put_back(const struct file *file) {
  if (has(open_before, file->number)) return true;
  for (int index = 0; index < at_stop.count; index++)
    if (!at_stop.all[index].is_inherited && lead_to_the_same(&at_stop.all[index], file)) return true;
  return false;
}

/* True: the file that a `.` had not yet opened at the stop was among them. */
static bool close_later_ones(void) {
  struct file room[LOOKED_AT];
  struct files now = {0, room};
  bool was_source = false;
  list_open(&now);
  for (int index = 0; index < now.count; index++) {
    const struct file *file = &now.all[index];
    if (was_open_at_stop(file) || was_put_back(file) || is_of_coprocess(file->number)) continue;
    was_source = was_source || may_be_source(file);
    close(file->number);
  }
  return was_source;
}

static void close_plumbing(void) {
  for (int index = 0; index < noted_count; index++)
    if (is_still(&noted[index]) && !is_of_coprocess(noted[index].number)) close(noted[index].number);
  noted_count = 0;
}

void descriptors_close_left(void) {
  if (close_pgrp_pipe != NULL) close_pgrp_pipe();
  if (unlink_fifo_list != NULL) unlink_fifo_list();
  for (int index = 0; index < at_stop.count; index++)
    if (is_still(&at_stop.all[index])) close_temporary(&at_stop.all[index]);
  close_plumbing();
  if (!close_later_ones() && is_still(&source)) close(source.number);
  source.number = -1;
}
