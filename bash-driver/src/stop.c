/*
 * The stop signal: sets bash's interrupt for the order that the host names, and for no other.
 *
 * # Theory of operation
 * Bash looks at `interrupt_state` wherever it is safe to give up a command, and unwinds to its top level. The handler
 * sets it and changes nothing else of bash's, so a stop cannot meet bash half-way through its own data.
 *
 * The signal is one of the three that glibc and musl reserve. Their sigaction and sigprocmask refuse or ignore it, and
 * bash has only those: no `trap '' 32` reaches the kernel. Hence the bare system calls in here. It is free in bash,
 * which has one thread: glibc uses it to cancel threads, musl for timers that start threads.
 *
 * Bash sends SIGINT to itself where a command substitution died of it, as one does that is stopped too, and would die
 * of it. So that signal is ignored from a stop to the end of its order.
 *
 * A stop may come between bash's look at the interrupt and a system call that waits. So a timer repeats the signal until
 * bash has given up (`stop_landed`). The builtin `wait` needs that too: it forgets a process that has ended where it sees
 * the stop between the system call that reported it and its notes. It is reported only where the signal has broken the
 * call off.
 *
 * What reads from the shell is killed with the stop, so a builtin that writes to it meets SIGPIPE, which would end the shell
 * before the stop does, the lower number being delivered first. Where bash leaves that signal to the kernel, or ends by
 * it, a handler of ours looks first whether bash is giving up.
 *
 * Bash names what died of a signal where it has waited for it (`line 1: 4711 Killed …`). From a stop until bash has
 * given up, what dies is what the host kills, and that line is not part of the command's output. So descriptor 2 leads
 * to a file in memory until then. Bash may put back what 2 was by itself, where a redirection ends. The file is known by
 * its inode, and is replaced by the saved descriptor only where it is still there.
 *
 * A stop carries the order's sequence number. One that arrives when its order is over hits no one, and one that
 * overtakes its order is remembered.
 */
#include "stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "../protocol.h"
#include "bash.h"
#include "channel.h"
#include "descriptors.h"

#define KERNEL_MASK_SIZE 8
#define MEMFD_CLOEXEC 1U
#define ERRORS 2
#define REPEAT_AFTER_NS 1000000

static volatile sig_atomic_t armed;
static volatile sig_atomic_t taken;
static volatile uint32_t armed_sequence;
static volatile uint32_t stopped_sequence;
static volatile sig_atomic_t anything_stopped;

/* The kernel's own layout of struct sigaction, which differs from the C libraries'. */
struct kernel_sigaction {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
#if defined(__x86_64__)
  void (*restorer)(void);
#endif
  unsigned long mask;
};

static volatile sig_atomic_t ignores_interrupt;
static volatile sig_atomic_t gives_up; /* from a stop until bash has given up */
static pid_t own_process;

static bool has_timer;
static int timer; /* the kernel's number of it */

static void repeat_every(long nanoseconds) {
  struct itimerspec time = {{0, nanoseconds}, {0, nanoseconds}};
  if (has_timer) syscall(SYS_timer_settime, timer, 0, &time, NULL);
}

/* Whether the signal has broken off a system call that waited. */
static bool broke_off_a_call(const ucontext_t *context) {
#if defined(__x86_64__)
  const unsigned char *next = (const unsigned char *)(uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  return context->uc_mcontext.gregs[REG_RAX] == -EINTR && next[-2] == 0x0f && next[-1] == 0x05;
#elif defined(__aarch64__)
  const uint32_t *next = (const uint32_t *)(uintptr_t)context->uc_mcontext.pc;
  return context->uc_mcontext.regs[0] == (unsigned long long)-EINTR && next[-1] == 0xd4000001;
#else
#error "how this processor makes a system call is not known"
#endif
}

static void heed_pipe(void);
static void take_pipe(int number, siginfo_t *info, void *context);

/* A handler's frame, as the kernel lays it out above the stack pointer: sigreturn(2), asm/sigframe.h. */
#if defined(__x86_64__)
#define PC(context) ((context)->uc_mcontext.gregs[REG_RIP])
#define FIRST_ARGUMENT(context) ((context)->uc_mcontext.gregs[REG_RDI])
#define FRAME_OF(context) ((context)->uc_mcontext.gregs[REG_RSP] + 8)
typedef greg_t word;
#elif defined(__aarch64__)
#define PC(context) ((context)->uc_mcontext.pc)
#define FIRST_ARGUMENT(context) ((context)->uc_mcontext.regs[0])
#define FRAME_OF(context) ((context)->uc_mcontext.sp + 128)
typedef unsigned long long word;
#endif

/* What a handler has interrupted that is about to run; NULL where none is. */
static ucontext_t *interrupted_by(const ucontext_t *context) {
  struct kernel_sigaction action;
  word number = FIRST_ARGUMENT(context);
  if (number < 1 || number >= _NSIG) return NULL;
  if (syscall(SYS_rt_sigaction, (int)number, NULL, &action, KERNEL_MASK_SIZE) != 0) return NULL;
  return PC(context) == (word)(uintptr_t)action.handler ? (ucontext_t *)(uintptr_t)FRAME_OF(context) : NULL;
}

/*
 * A SIGPIPE that arrived with the stop is delivered before it, and so is the SIGCHLD of who was killed. Where the command
 * has just set its first trap on EXIT, the first one goes to bash, which would end the shell by it: the handlers are about
 * to run, one below the other. Ours runs in the place of that one.
 */
static void turn_pipe_away(ucontext_t *context) {
  for (int depth = 0; context != NULL && depth < _NSIG; depth++) {
    bool is_of_bash = PC(context) == (word)(uintptr_t)termsig_sighandler;
    if (is_of_bash && FIRST_ARGUMENT(context) == SIGPIPE) {
      PC(context) = (word)(uintptr_t)take_pipe;
      return;
    }
    context = interrupted_by(context);
  }
}

static int kept_errors = -1; /* what 2 was, while it is muted */
static dev_t mute_device;
static ino_t mute_inode;

/* System calls only: a signal may have broken off anything. Without a descriptor to spare, bash is heard. */
static void mute(void) {
  struct stat found;
  if (kept_errors >= 0) return;
  int file = (int)syscall(SYS_memfd_create, "pi-mute", MEMFD_CLOEXEC);
  if (file < 0) return;
  kept_errors = descriptor_stat(file, &found) ? fcntl(ERRORS, F_DUPFD_CLOEXEC, channel_lowest()) : -1;
  if (kept_errors >= 0) {
    mute_device = found.st_dev;
    mute_inode = found.st_ino;
    dup2(file, ERRORS);
  }
  close(file);
}

static void unmute(void) {
  struct stat now;
  if (kept_errors < 0) return;
  if (descriptor_stat(ERRORS, &now) && now.st_dev == mute_device && now.st_ino == mute_inode) dup2(kept_errors, ERRORS);
  close(kept_errors);
  kept_errors = -1;
}

/* `context` is NULL where no signal has just arrived. */
static void take(ucontext_t *context) {
  struct kernel_sigaction ignore;
  bool is_waiting = context != NULL && broke_off_a_call(context);
  turn_pipe_away(context);
  taken = gives_up = 1;
  repeat_every(REPEAT_AFTER_NS);
  interrupt_state = 1;
  heed_pipe(); /* a first trap on EXIT within this order has bash end by it */
  descriptors_note_stop();
  mute();
  /* `wait` looks at this one only. */
  if (&wait_signal_received != NULL && is_waiting) wait_signal_received = PI_STOP_SIGNAL;
  if (ignores_interrupt) return;
  memset(&ignore, 0, sizeof ignore);
  ignore.handler = (void (*)(int, siginfo_t *, void *))(uintptr_t)SIG_IGN;
  ignores_interrupt = syscall(SYS_rt_sigaction, SIGINT, &ignore, NULL, KERNEL_MASK_SIZE) == 0;
}

static void take_stop(int number, siginfo_t *info, void *context) {
  int error = errno;
  (void)number;
  if (info->si_code == SI_TIMER && armed && taken) take(context);
  /* Nor for `kill -32` of a command. */
  if (info->si_code == SI_QUEUE) {
    stopped_sequence = (uint32_t)info->si_value.sival_int;
    anything_stopped = 1;
    if (armed && stopped_sequence == armed_sequence) take(context);
  }
  errno = error;
}

#if defined(__x86_64__)
#define SA_RESTORER_FLAG 0x04000000UL
/* x86-64 has no return from a handler but the one the program brings. 15 is rt_sigreturn. */
__asm__(
    ".text\n"
    ".local pi_return_from_signal\n"
    ".type pi_return_from_signal, @function\n"
    "pi_return_from_signal:\n"
    "  movl $15, %eax\n"
    "  syscall\n"
    ".size pi_return_from_signal, . - pi_return_from_signal\n");
extern void pi_return_from_signal(void) __attribute__((visibility("hidden")));
#endif

/* No signal is blocked, whatever the host blocked at the fork or bash does where it was interrupted. */
static bool unblock_all(void) {
  unsigned long nothing = 0;
  return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &nothing, NULL, KERNEL_MASK_SIZE) == 0;
}

/* A timer is of one process. Without one a stop may need to be sent twice. */
void stop_renew(void) {
  struct sigevent event;
  own_process = getpid();
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = PI_STOP_SIGNAL;
  has_timer = syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) == 0;
}

static struct kernel_sigaction action_of(void (*handler)(int, siginfo_t *, void *)) {
  struct kernel_sigaction action;
  memset(&action, 0, sizeof action);
  action.handler = handler;
  action.flags = SA_SIGINFO; /* no SA_RESTART: a read that waits has to look at the interrupt */
#if defined(__x86_64__)
  action.flags |= SA_RESTORER_FLAG;
  action.restorer = pi_return_from_signal;
#endif
  return action;
}

static volatile sig_atomic_t bash_ends_by_pipe;

static void take_pipe(int number, siginfo_t *info, void *context) {
  struct kernel_sigaction by_kernel;
  (void)info;
  (void)context;
  if (gives_up && getpid() == own_process) return;
  if (bash_ends_by_pipe) {
    termsig_sighandler(number);
    return;
  }
  memset(&by_kernel, 0, sizeof by_kernel);
  syscall(SYS_rt_sigaction, number, &by_kernel, NULL, KERNEL_MASK_SIZE);
  kill(getpid(), number); /* delivered when this handler is left */
}

/* Again for each order: a command may have changed it, or bash. */
static void heed_pipe(void) {
  struct kernel_sigaction now, ours = action_of(take_pipe);
  if (syscall(SYS_rt_sigaction, SIGPIPE, NULL, &now, KERNEL_MASK_SIZE) != 0) return;
  bool is_of_bash = (uintptr_t)now.handler == (uintptr_t)termsig_sighandler;
  if (!is_of_bash && (uintptr_t)now.handler != (uintptr_t)SIG_DFL) return;
  bash_ends_by_pipe = is_of_bash;
  syscall(SYS_rt_sigaction, SIGPIPE, &ours, NULL, KERNEL_MASK_SIZE);
}

bool stop_install(void) {
  struct kernel_sigaction action = action_of(take_stop);
  if (&top_level_mask != NULL) memset(&top_level_mask, 0, KERNEL_MASK_SIZE);
  if (!unblock_all()) return false;
  stop_renew();
  return syscall(SYS_rt_sigaction, PI_STOP_SIGNAL, &action, NULL, KERNEL_MASK_SIZE) == 0;
}

/* With the signal blocked: once the timer runs, it may come again before this is over. */
static void take_early_stop(void) {
  unsigned long stop = 1UL << (PI_STOP_SIGNAL - 1);
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &stop, NULL, KERNEL_MASK_SIZE);
  take(NULL);
  syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &stop, NULL, KERNEL_MASK_SIZE);
}

void stop_arm(uint32_t sequence) {
  taken = gives_up = 0;
  interrupt_state = 0;
  heed_pipe();
  armed_sequence = sequence;
  armed = 1;
  /* After `armed` is set, so that a stop in between is seen by one of the two. */
  if (anything_stopped && stopped_sequence == sequence) take_early_stop();
}

void stop_landed(void) {
  gives_up = 0;
  unmute();
  if (taken) repeat_every(0);
}

void stop_disarm(void) {
  armed = gives_up = 0;
  if (taken) repeat_every(0);
  unmute(); /* a stop may have come as the order was over */
  anything_stopped = 0;
  interrupt_state = 0;
  if (&wait_signal_received != NULL) wait_signal_received = 0;
  /* Not as it was found: that may have been the handler of a wait that is over. */
  if (ignores_interrupt) set_sigint_handler();
  ignores_interrupt = 0;
  if (taken) unblock_all();
}

bool stop_was_taken(void) { return taken != 0; }
