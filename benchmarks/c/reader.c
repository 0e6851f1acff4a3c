/*
 * The limit of the machine: starts `bash -c COMMAND` on a pipe or a terminal, reads and counts all it writes, waits for
 * it, and prints "BYTES WALL_NS CPU_NS STATUS". CPU_NS is this program's own, without the command's.
 *
 *   reader pipe|pty COMMAND
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char buffer[1 << 20];

static long long now_ns(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static long long cpu_ns(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000LL +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000LL;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* In the child: `out` becomes standard output and error, and the controlling terminal where it is one. */
static void become_bash(int out, int is_terminal, char *command) {
  setsid();
  if (is_terminal) {
    ioctl(out, TIOCSCTTY, 0);
    dup2(out, 0);
  } else {
    int nothing = open("/dev/null", O_RDONLY);
    dup2(nothing, 0);
    close(nothing);
  }
  dup2(out, 1);
  dup2(out, 2);
  if (out > 2) close(out);
  execlp("bash", "bash", "-c", command, (char *)0);
  _exit(127);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  int is_terminal = strcmp(argv[1], "pty") == 0;
  int from, to;
  long long started = now_ns(), cpu = cpu_ns();
  if (is_terminal) {
    struct winsize size = {.ws_row = 40, .ws_col = 120};
    from = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (from < 0 || grantpt(from) || unlockpt(from)) fail("posix_openpt");
    to = open(ptsname(from), O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (to < 0) fail("terminal");
    ioctl(from, TIOCSWINSZ, &size);
  } else {
    int ends[2];
    if (pipe(ends)) fail("pipe");
    from = ends[0];
    to = ends[1];
    fcntl(from, F_SETFD, FD_CLOEXEC);
  }
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) become_bash(to, is_terminal, argv[2]);
  close(to);
  long long total = 0;
  for (;;) {
    ssize_t count = read(from, buffer, sizeof buffer);
    if (count > 0) total += count;
    else if (count < 0 && errno == EINTR) continue;
    else break; /* end of file, or EIO where the last holder of a terminal is gone */
  }
  int status;
  waitpid(child, &status, 0);
  printf("%lld %lld %lld %d\n", total, now_ns() - started, cpu_ns() - cpu, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return 0;
}
