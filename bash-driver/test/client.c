/*
 * The host that the tests speak to the driver through: starts a bash with the driver, and obeys lines from its
 * standard input. Every wait in here is bounded.
 *
 *   client BASH DRIVER
 *   run FLAGS LENGTH, and the text   one order. FLAGS: `-`, or f (text in a file), e (errors apart), i (input given)
 *   stop MICROS LENGTH, and the text the same, stopped after that time; what runs below the shell is killed
 *   prepare STATUS BYTES             `$?` of the next order, and how much of its text is the preamble
 *   fork own|same, use N, kill N     copies; number 0 is the first shell
 *   repeat TIMES LENGTH, and the text    the order many times; answers the shell's memory and descriptors
 *   bench TIMES LENGTH, and the text     the same, timed; answers best and median in nanoseconds
 *   confine DESCRIPTOR BYTES         a copy that is to be confined by a descriptor that is not a ruleset, or an empty one, and
 *                                    by a program of so many bytes of zero; answers what it says, and whether it has ended
 *   refuse KIND                      an order of another kind
 *
 * Answers are one line, for `run` and `stop` followed by the working directory and the output.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../protocol.h"

#define WAIT_MS 20000
#define SHELLS_MAX 4096
#define TEXT_MAX 4194304
#define TEXT_OF_REPORT_MAX 8192

static struct {
  int socket;
  pid_t process;
} shells[SHELLS_MAX];
static int shell_count, current;
static uint32_t sequence;
static char text[TEXT_MAX], output[TEXT_MAX];
static size_t text_length, output_length;
static uint32_t preamble_length;
static int32_t first_status = PI_KEEP_STATUS;
static struct {
  struct pi_report report;
  char text[TEXT_OF_REPORT_MAX];
} answer;
static size_t answer_length;

static _Noreturn void give_up(const char *what) {
  printf("lost %s\n", what);
  fflush(stdout);
  for (int index = 0; index < shell_count; index++) kill(shells[index].process, SIGKILL);
  exit(1);
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/* True: a report is there. False: the shell is gone. */
static bool take_report(void) {
  ssize_t got = recv(shells[current].socket, &answer, sizeof answer - 1, 0);
  if (got < (ssize_t)sizeof answer.report) return false;
  answer_length = (size_t)got - sizeof answer.report;
  answer.text[answer_length] = '\0';
  return true;
}

static bool await_report(void) {
  struct pollfd wait = {shells[current].socket, POLLIN, 0};
  if (poll(&wait, 1, WAIT_MS) != 1) give_up("report");
  return take_report();
}

static void send_order(const struct pi_order *order, const char *body, size_t size, const int *descriptors, size_t count) {
  char envelope[CMSG_SPACE(sizeof(int) * 4)] __attribute__((aligned(8)));
  struct iovec parts[2] = {{(void *)(uintptr_t)order, sizeof *order}, {(void *)(uintptr_t)body, size}};
  struct msghdr header;
  memset(&header, 0, sizeof header);
  memset(envelope, 0, sizeof envelope);
  header.msg_iov = parts;
  header.msg_iovlen = 2;
  if (count > 0) {
    header.msg_control = envelope;
    header.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    struct cmsghdr *control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(control), descriptors, sizeof(int) * count);
  }
  if (sendmsg(shells[current].socket, &header, MSG_NOSIGNAL) < 0 && errno != EPIPE) give_up("order");
}

static int file_with(const char *bytes, size_t size, const char *name, unsigned flags) {
  int file = memfd_create(name, flags);
  if (file < 0 || write(file, bytes, size) != (ssize_t)size || lseek(file, 0, SEEK_SET) != 0) give_up("memfd");
  return file;
}

/* Gives the order; the answer is the descriptor its output is read from. */
static int give_run(const char *flags) {
  struct pi_order order = {PI_ORDER_RUN, ++sequence, 0, preamble_length, first_status, 0};
  int descriptors[4], pipes[2], input[2] = {-1, -1}, file = -1;
  size_t count = 0;
  if (pipe2(pipes, O_CLOEXEC) != 0) give_up("pipe");
  if (strchr(flags, 'i')) {
    if (pipe2(input, O_CLOEXEC) != 0 || write(input[1], "given\n", 6) != 6) give_up("pipe");
    close(input[1]);
    order.flags |= PI_ORDER_INPUT;
    descriptors[count++] = input[0];
  }
  descriptors[count++] = pipes[1];
  if (strchr(flags, 'e')) {
    order.flags |= PI_ORDER_ERRORS;
    descriptors[count++] = pipes[1];
  }
  bool in_file = strchr(flags, 'f') || text_length > PI_ORDER_TEXT_MAX;
  if (in_file) {
    order.flags |= PI_ORDER_TEXT_IN_FILE;
    descriptors[count++] = file = file_with(text, text_length, "text", MFD_CLOEXEC);
  }
  send_order(&order, text, in_file ? 0 : text_length, descriptors, count);
  preamble_length = 0;
  first_status = PI_KEEP_STATUS;
  close(pipes[1]);
  if (input[0] >= 0) close(input[0]);
  if (file >= 0) close(file);
  return pipes[0];
}

static bool read_output(int pipe) {
  ssize_t got = read(pipe, output + output_length, sizeof output - output_length);
  if (got > 0) output_length += (size_t)got;
  return got > 0;
}

static void kill_below(pid_t process) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
  FILE *children = fopen(path, "r");
  int child;
  if (children == NULL) return;
  while (fscanf(children, "%d", &child) == 1) {
    kill_below(child);
    kill(child, SIGKILL);
  }
  fclose(children);
}

static void send_stop(uint32_t which) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = PI_STOP_SIGNAL;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_value.sival_int = (int)which;
  syscall(SYS_rt_sigqueueinfo, shells[current].process, PI_STOP_SIGNAL, &info);
}

/* As a host does: the next order comes when nothing of the stopped one is left. */
static void await_nothing_below(pid_t process) {
  char path[64];
  int child;
  long long began = now();
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", process, process);
  for (;;) {
    FILE *children = fopen(path, "r");
    bool any = children != NULL && fscanf(children, "%d", &child) == 1;
    if (children != NULL) fclose(children);
    if (!any) return;
    if (now() - began > WAIT_MS * 1000000LL) give_up("end of processes");
    kill_below(process);
    usleep(200);
  }
}

/* The socket also ends where the shell becomes another program by `exec`: then its output goes on. */
static void read_until_dead(int pipe) {
  siginfo_t info;
  long long began = now();
  do {
    struct pollfd wait = {pipe, POLLIN, 0};
    if (poll(&wait, 1, 5) == 1 && !read_output(pipe)) usleep(1000);
    if (now() - began > WAIT_MS * 1000000LL) give_up("end of the program");
    memset(&info, 0, sizeof info);
    waitid(P_PID, (id_t)shells[current].process, &info, WEXITED | WNOHANG | WNOWAIT);
  } while (info.si_pid == 0);
}

/* Follows the order to its report, and stops it after `stop_after` microseconds unless that is negative. */
static bool follow(int pipe, long stop_after) {
  long long began = now();
  bool alive = true, stopped = false, open = true;
  output_length = 0;
  for (;;) {
    struct pollfd wait[2] = {{shells[current].socket, POLLIN, 0}, {open ? pipe : -1, POLLIN, 0}};
    long long spent = (now() - began) / 1000;
    if (spent > WAIT_MS * 1000LL) give_up("end of the order");
    if (stop_after >= 0 && spent >= stop_after) {
      if (!stopped) send_stop(sequence);
      stopped = true;
      kill_below(shells[current].process);
    }
    poll(wait, 2, stop_after < 0 ? 1000 : spent >= stop_after ? 1 : 0);
    if (wait[1].revents) open = read_output(pipe);
    if (wait[0].revents) {
      alive = take_report();
      break;
    }
  }
  if (!alive) read_until_dead(pipe);
  fcntl(pipe, F_SETFL, O_NONBLOCK);
  while (read_output(pipe)) continue;
  close(pipe);
  if (stopped && alive) await_nothing_below(shells[current].process);
  return alive;
}

static void say_gone(void) {
  int status = 0;
  long long began = now();
  while (waitpid(shells[current].process, &status, WNOHANG) == 0)
    if (now() - began > WAIT_MS * 1000000LL) give_up("dead shell");
  printf("gone %d %d %zu\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
         output_length);
  fwrite(output, 1, output_length, stdout);
}

static void say_ended(void) {
  if (answer.report.kind == PI_REPORT_REFUSED) {
    printf("refused %d\n", answer.report.number);
    return;
  }
  if (answer.report.kind != PI_REPORT_ENDED || answer.report.sequence != sequence) give_up("order of reports");
  printf("ended %d %u %u %s %zu %zu\n", answer.report.number, answer.report.ending, answer.report.flags,
         answer.report.options, answer_length, output_length);
  fwrite(answer.text, 1, answer_length, stdout);
  fwrite(output, 1, output_length, stdout);
}

static void run(const char *flags, long stop_after) {
  if (follow(give_run(flags), stop_after)) say_ended();
  else say_gone();
}

static void greeted(int index, int socket, pid_t process) {
  int before = current;
  shells[index].socket = socket;
  shells[index].process = process;
  current = index;
  if (!await_report()) give_up("greeting");
  if (answer.report.kind != PI_REPORT_GREETING || answer.report.number != PI_PROTOCOL_VERSION) give_up("greeting");
  current = before;
}

static void leave_copy(bool own) {
  struct pi_order order = {PI_ORDER_FORK, ++sequence, own ? PI_ORDER_OWN_PID : 0, 0, PI_KEEP_STATUS, 0};
  int pair[2];
  if (shell_count == SHELLS_MAX || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) give_up("socket");
  send_order(&order, NULL, 0, &pair[1], 1);
  close(pair[1]);
  if (!await_report() || answer.report.kind != PI_REPORT_FORKED || answer.report.number <= 0) give_up("copy");
  pid_t process = answer.report.number;
  greeted(shell_count++, pair[0], process);
  printf("forked %d %d\n", shell_count - 1, process);
}

/* A ruleset that handles the making of symbolic links, without rules; on a kernel without Landlock there is none. */
static int make_ruleset(void) {
  const uint64_t handled = 1 << 12;
  return (int)syscall(444, &handled, sizeof handled, 0);
}

/* What the copy says first, and whether it has ended by itself. */
static void confine_copy(const char *descriptor, size_t size) {
  struct pi_order order = {PI_ORDER_FORK, ++sequence, PI_ORDER_CONFINE, 5, PI_KEEP_STATUS, 0};
  int pair[2], passed[2];
  const char body[4096] = "/tmp";
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0 || size + 5 > sizeof body) give_up("socket");
  passed[0] = pair[1];
  passed[1] = strcmp(descriptor, "ruleset") == 0 ? make_ruleset() : open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (passed[1] < 0) {
    printf("no Landlock\n");
    return;
  }
  send_order(&order, body, size + 5, passed, strcmp(descriptor, "none") == 0 ? 1 : 2);
  close(passed[0]);
  close(passed[1]);
  if (!await_report()) give_up("copy");
  if (answer.report.kind == PI_REPORT_REFUSED) {
    printf("refused %d\n", answer.report.number);
    close(pair[0]);
    return;
  }
  pid_t process = answer.report.number;
  int before = current;
  shells[shell_count].socket = pair[0];
  shells[shell_count].process = process;
  current = shell_count;
  if (!await_report()) give_up("word of a copy");
  struct pi_report said = answer.report;
  bool has_ended = !await_report();
  current = before;
  close(pair[0]);
  waitpid(process, NULL, 0);
  printf("said %u %u %d %s\n", said.kind, said.ending, said.number, has_ended ? "and ended" : "and goes on");
}

static void end_shell(int index) {
  kill(shells[index].process, SIGKILL);
  close(shells[index].socket);
  waitpid(shells[index].process, NULL, 0);
  printf("killed\n");
}

static long memory_of(pid_t process) {
  char path[64], line[256];
  long kilobytes = -1;
  snprintf(path, sizeof path, "/proc/%d/status", process);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) sscanf(line, "VmData: %ld", &kilobytes);
  if (file != NULL) fclose(file);
  return kilobytes;
}

static int by_value(const void *left, const void *right) {
  long long a = *(const long long *)left, b = *(const long long *)right;
  return a < b ? -1 : a > b;
}

static void repeat(long times, bool timed) {
  long long *spent = calloc((size_t)times, sizeof *spent);
  if (spent == NULL) give_up("memory");
  for (long index = 0; index < times; index++) {
    long long began = now();
    int pipe = give_run("-");
    if (!await_report()) give_up("shell");
    spent[index] = now() - began;
    close(pipe);
  }
  qsort(spent, (size_t)times, sizeof *spent, by_value);
  if (timed) printf("bench %lld %lld\n", spent[0], spent[times / 2]);
  else printf("repeated %ld\n", memory_of(shells[current].process));
  free(spent);
}

static void start(char *bash, char *driver) {
  static const char boot[] = "eval \"exec $3<&-\"\nenable -f \"$1\" pi_driver && pi_driver \"$2\" bash\n";
  int pair[2], script = file_with(boot, sizeof boot - 1, "boot", 0);
  char path[32], number[16], script_number[16];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) give_up("socket");
  snprintf(path, sizeof path, "/proc/self/fd/%d", script);
  snprintf(number, sizeof number, "%d", pair[1]);
  snprintf(script_number, sizeof script_number, "%d", script);
  pid_t process = fork();
  if (process == 0) {
    char *words[] = {bash, "--norc", "--noprofile", path, driver, number, script_number, NULL};
    fcntl(pair[1], F_SETFD, 0);
    execv(bash, words);
    _exit(127);
  }
  close(pair[1]);
  close(script);
  shell_count = 1;
  greeted(0, pair[0], process);
  printf("ready %u %s\n", answer.report.flags, answer.text);
}

static void take_text(size_t size) {
  if (size > sizeof text || fread(text, 1, size, stdin) != size) exit(0);
  text_length = size;
}

static void obey(const char *line) {
  char word[16];
  long number;
  size_t size;
  if (sscanf(line, "run %15s %zu", word, &size) == 2) {
    take_text(size);
    run(word, -1);
  } else if (sscanf(line, "stop %ld %zu", &number, &size) == 2) {
    take_text(size);
    run("-", number);
  } else if (sscanf(line, "repeat %ld %zu", &number, &size) == 2 || sscanf(line, "bench %ld %zu", &number, &size) == 2) {
    take_text(size);
    repeat(number, line[0] == 'b');
  } else if (sscanf(line, "prepare %ld %zu", &number, &size) == 2) {
    first_status = (int32_t)number;
    preamble_length = (uint32_t)size;
    printf("prepared\n");
  } else if (sscanf(line, "fork %15s", word) == 1) {
    leave_copy(strcmp(word, "own") == 0);
  } else if (sscanf(line, "use %ld", &number) == 1 && number >= 0 && number < shell_count) {
    current = (int)number;
    printf("using\n");
  } else if (sscanf(line, "kill %ld", &number) == 1 && number >= 0 && number < shell_count) {
    end_shell((int)number);
  } else if (sscanf(line, "confine %15s %zu", word, &size) == 2) {
    confine_copy(word, size);
  } else if (sscanf(line, "refuse %ld", &number) == 1) {
    struct pi_order order = {(uint32_t)number, ++sequence, 0, 0, PI_KEEP_STATUS, 0};
    send_order(&order, NULL, 0, NULL, 0);
    if (await_report()) say_ended();
    else say_gone();
  } else {
    give_up("line");
  }
  fflush(stdout);
}

int main(int count, char **words) {
  char line[256];
  if (count != 3) return 2;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  start(words[1], words[2]);
  fflush(stdout);
  while (fgets(line, sizeof line, stdin) != NULL) obey(line);
  for (int index = 0; index < shell_count; index++) {
    kill_below(shells[index].process);
    kill(shells[index].process, SIGKILL);
  }
  return 0;
}
