/*
 * The builtin `pi_driver FD [NAME]`: takes orders from the socket FD and never returns.
 *
 * It takes the place of the loop in which bash reads its script: the loop over orders is here, how a text is run is in
 * evaluate.c, how it is stopped in stop.c, and the socket is channel.c's. NAME becomes `$0`.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/sched.h>
#include <linux/stat.h>

#include "../protocol.h"
#include "bash.h"
#include "channel.h"
#include "confine.h"
#include "descriptors.h"
#include "dropped.h"
#include "effects.h"
#include "evaluate.h"
#include "stop.h"
#include "usage.h"

#define EXPORT __attribute__((visibility("default")))

static bool is_running, is_copy, can_stop, last_was_stopped;

/* By either name: that of glibc, or that of musl. Bash itself forgets the forks of `$(…)` and `>(…)`. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *) __attribute__((weak));
extern int pthread_atfork(void (*)(void), void (*)(void), void (*)(void)) __attribute__((weak));

static bool counts_forks;
static uint32_t forks;

static void before_fork(void) {
  forks++;
  descriptors_note_fork();
}

static bool begin_counting(void) {
  if (__register_atfork != NULL) return __register_atfork(before_fork, NULL, NULL, NULL) == 0;
  return pthread_atfork != NULL && pthread_atfork(before_fork, NULL, NULL) == 0;
}

static void copy_options(struct pi_report *report) {
  char *options = which_set_flags();
  strncpy(report->options, options, PI_OPTIONS_SIZE - 1);
  xfree(options);
}

static bool greet(void) {
  struct pi_report report;
  memset(&report, 0, sizeof report);
  report.kind = PI_REPORT_GREETING;
  report.number = PI_PROTOCOL_VERSION;
  report.flags = can_stop ? PI_REPORT_CAN_STOP : 0;
  copy_options(&report);
  return channel_report(&report, shell_version_string());
}

/*
 * Has bash's handler take in all that have died. A stop may meet bash where it had heard of an end and put off looking;
 * no other signal comes for that one.
 */
static void take_in_the_dead(void) { kill(getpid(), SIGCHLD); }

/*
 * What a stop killed below bash is named by bash when it next reads a line. That would be in another command's output,
 * and of processes whose end the host asked for.
 */
static void forget_stopped_jobs(void) {
  int kept = channel_mute();
  take_in_the_dead();
  notify_and_cleanup(ALL_JOBS);
  coproc_reap();
  channel_unmute(kept);
}

static bool refuse(const struct received *received, int error) {
  struct pi_report report;
  memset(&report, 0, sizeof report);
  report.kind = PI_REPORT_REFUSED;
  report.sequence = received->order.sequence;
  report.number = error;
  return channel_report(&report, "");
}

/* As far as it was asked for: by statx(2), since libc's function has another name in older ones. */
static bool same_file(const char *one, const char *other) {
  struct statx found[2];
  const unsigned int what = STATX_INO;
  if (syscall(SYS_statx, AT_FDCWD, one, 0, what, &found[0]) != 0) return false;
  if (syscall(SYS_statx, AT_FDCWD, other, 0, what, &found[1]) != 0) return false;
  return found[0].stx_ino == found[1].stx_ino && found[0].stx_dev_major == found[1].stx_dev_major &&
         found[0].stx_dev_minor == found[1].stx_dev_minor;
}

/* By that name and in fact. To enter it again would make `cd -` lead nowhere. */
static bool is_in(const char *directory) {
  return the_current_working_directory != NULL && strcmp(directory, the_current_working_directory) == 0 &&
         same_file(directory, ".");
}

/*
 * By the kernel first, whose answer is the one that counts. Then `cd` notes it in PWD and OLDPWD, and may not be able
 * to (`readonly PWD`), which is no matter here.
 */
static int enter(const char *directory) {
  char *copy;
  if (*directory == '\0' || is_in(directory)) return 0;
  if (chdir(directory) != 0) return errno;
  copy = xmalloc(strlen(directory) + 1);
  struct word_desc word = {strcpy(copy, directory), 0};
  struct word_list words = {NULL, &word};
  int kept = channel_mute();
  cd_builtin(&words);
  channel_unmute(kept);
  xfree(copy);
  return 0;
}

/* A trap on a signal may run beside any command: programs send signals, and one on CHLD runs for each program. */
static bool has_traps_beside(void) {
  for (int signal = 1; signal < _NSIG; signal++)
    if (signal_is_trapped(signal)) return true;
  return signal_is_trapped(DEBUG_TRAP) || signal_is_trapped(ERROR_TRAP);
}

/* The kernel's word, which takes nothing from bash's own waiting. */
static bool has_children(void) {
  const int options = WEXITED | WNOHANG | WNOWAIT;
  siginfo_t unused;
  return syscall(SYS_waitid, P_ALL, 0, &unused, options, NULL) == 0 || errno != ECHILD;
}

static bool run(const struct received *received) {
  struct pi_report report;
  struct script script = {
      received->text,         received->length,      received->order.sequence,
      received->order.status, received->environment, received->environment_length,
  };
  if (last_was_stopped) forget_stopped_jobs();
  last_was_stopped = false;
  int status = last_command_exit_value;
  int error = enter(received->directory);
  last_command_exit_value = status;
  if (error != 0) {
    channel_release();
    return refuse(received, error);
  }
  uint32_t forks_before = forks;
  bool is_measured = (received->order.flags & PI_ORDER_USAGE) != 0;
  if (is_measured) usage_begin();
  struct evaluation evaluation = evaluate(&script);

  last_was_stopped = evaluation.ending == PI_ENDED_STOPPED;
  if (last_was_stopped) take_in_the_dead();
  channel_release();
  memset(&report, 0, sizeof report);
  if (is_measured) report.usage = usage_end();
  report.kind = PI_REPORT_ENDED;
  report.sequence = received->order.sequence;
  report.number = evaluation.status;
  report.ending = evaluation.ending;
  report.flags = !counts_forks || forks != forks_before ? PI_REPORT_MADE_PROCESS : 0;
  if (has_children()) report.flags |= PI_REPORT_HAS_CHILDREN;
  if (has_overrides()) report.flags |= PI_REPORT_HAS_OVERRIDES;
  if (evaluation.kept_state) report.flags |= PI_REPORT_KEPT_STATE;
  if (has_traps_beside()) report.flags |= PI_REPORT_HAS_TRAPS;
  if (is_confined() && !evaluation.kept_state && (evaluation.defined_function || dropped_anything()))
    report.flags |= PI_REPORT_DROPPED_STATE;
  copy_options(&report);
  return channel_report(&report, the_current_working_directory != NULL ? the_current_working_directory : "");
}

/* The copy's last word: it has rights that it was to give up, so it runs nothing. */
static bool end_unconfined(uint32_t step, int error) {
  struct pi_report report;
  memset(&report, 0, sizeof report);
  report.kind = PI_REPORT_NOT_CONFINED;
  report.number = error;
  report.ending = step;
  channel_report(&report, "");
  return false;
}

/* In the copy: it is a shell of its own, with a group of its own, since a command may say `kill 0`. */
static bool become_copy(const struct received *received) {
  is_copy = true;
  stop_renew();
  setpgid(0, 0);
  shell_pgrp = original_pgrp = getpid();
  if (received->order.flags & PI_ORDER_OWN_PID) dollar_dollar_pid = getpid();
  if (!channel_replace(received->socket)) return false;
  if (received->order.flags & PI_ORDER_CONFINE) {
    uint32_t step = confine(received);
    if (step != 0) return end_unconfined(step, errno);
    if (received->length > 0) dropped_note();
  }
  return greet();
}

/*
 * CLONE_PARENT makes the copy a child of our parent. So it is in no job table, no trap on CHLD runs for it, and its end
 * is the supervisor's to see. libc has no function for it; in a process without threads nothing of libc's needs to know.
 */
static bool leave_copy(const struct received *received) {
  struct pi_report report;
  long process = syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
  int error = errno;

  if (process == 0) return become_copy(received);
  close(received->socket);
  if (received->ruleset >= 0) close(received->ruleset);
  memset(&report, 0, sizeof report);
  report.kind = PI_REPORT_FORKED;
  report.sequence = received->order.sequence;
  report.number = process > 0 ? (int32_t)process : -error;
  return channel_report(&report, "");
}

static bool obey(const struct received *received) {
  /* Also where the order is refused then: the host asks for it once. */
  if (received->order.kind == PI_ORDER_RUN && received->order.flags & PI_ORDER_OWN_PID) dollar_dollar_pid = getpid();
  if (received->error != 0) return refuse(received, received->error);
  return received->order.kind == PI_ORDER_RUN ? run(received) : leave_copy(received);
}

/* The builtin is no part of a script's world: `enable` and `compgen -b` do not list it. */
static void hide_builtin(void) {
  char name[] = "pi_driver";
  struct builtin *entry = builtin_address_internal(name, 1);
  if (entry == NULL) return;
  entry->flags &= ~BUILTIN_ENABLED;
  entry->function = NULL; /* `compgen` looks at this only */
}

/* Errors, `caller` and BASH_SOURCE name the script by the last element of this array, which cannot be assigned to. */
static void name_source(char *name) {
  char variable[] = "BASH_SOURCE";
  struct variable *source = find_variable(variable);
  if (source == NULL || source->value == NULL) return;
  array_shift(source->value, 1, ARRAY_SHIFT_FREES);
  array_rshift(source->value, 1, name);
}

static void become_script(char *name) {
  if (name != NULL) {
    char *copy = xmalloc(strlen(name) + 1);
    dollar_vars[0] = strcpy(copy, name);
    name_source(name);
  }
  remember_args(NULL, 1);
  hide_builtin();
  last_command_exit_value = 0;
}

/* -1: not a descriptor's number. (Newer headers of glibc give strtol a name that older ones lack.) */
static int descriptor_number(const char *word) {
  int number = 0;
  if (*word == '\0') return -1;
  for (; *word != '\0'; word++) {
    if (*word < '0' || *word > '9' || number > 100000) return -1;
    number = number * 10 + (*word - '0');
  }
  return number;
}

static int drive(struct word_list *words) {
  struct received received;

  if (is_running) return EXECUTION_FAILURE;
  int socket = words != NULL ? descriptor_number(words->word->word) : -1;
  if (socket < 0) {
    builtin_usage();
    return EX_USAGE;
  }
  if (!channel_open(socket)) return EXECUTION_FAILURE;
  is_running = true;
  can_stop = stop_install();
  counts_forks = begin_counting();
  become_script(words->next != NULL ? words->next->word->word : NULL);
  evaluate_begin(); /* frees the words */
  channel_release();
  bool goes_on = greet();
  while (goes_on) {
    descriptors_note();
    goes_on = channel_receive(&received) && obey(&received);
  }
  /* A copy has nothing to take leave of: temporary files and coprocesses are the first shell's. */
  if (is_copy) _exit(last_command_exit_value);
  exit_shell(last_command_exit_value);
}

static char *const documentation[] = {(char *)(uintptr_t) "Takes orders from the socket FD.", NULL};

EXPORT struct builtin pi_driver_struct = {
    (char *)(uintptr_t) "pi_driver", drive, BUILTIN_ENABLED, documentation, "pi_driver FD [NAME]", NULL,
};
