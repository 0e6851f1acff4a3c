/*
 * The stop signal: sets bash's interrupt for the order that the host names, and for no other.
 *
 * # Theory of operation
 * Bash looks at `interrupt_state` wherever it is safe to give up a command, and unwinds to its top level. The handler
 * sets it and does nothing else, so a stop cannot meet bash half-way through its own data.
 *
 * The signal is one of the three that glibc and musl reserve. Their sigaction and sigprocmask refuse or ignore it, and
 * bash has only those: no `trap '' 32` reaches the kernel. Hence the bare system calls in here. It is free in bash,
 * which has one thread: glibc uses it to cancel threads, musl for timers that start threads.
 *
 * Bash sends SIGINT to itself where a command substitution died of it, as one does that is stopped too, and would die
 * of it. So that signal is ignored from a stop to the end of its order.
 *
 * A stop carries the order's sequence number. One that arrives when its order is over hits nobody, and one that
 * overtakes its order is remembered.
 */
#include "stop.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../protocol.h"
#include "bash.h"

#define KERNEL_MASK_SIZE 8

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

static void take(void) {
  struct kernel_sigaction ignore;
  taken = 1;
  interrupt_state = 1;
  /* `wait` looks at this one only. */
  if (&wait_signal_received != NULL) wait_signal_received = PI_STOP_SIGNAL;
  if (ignores_interrupt) return;
  memset(&ignore, 0, sizeof ignore);
  ignore.handler = (void (*)(int, siginfo_t *, void *))(uintptr_t)SIG_IGN;
  ignores_interrupt = syscall(SYS_rt_sigaction, SIGINT, &ignore, NULL, KERNEL_MASK_SIZE) == 0;
}

static void take_stop(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  if (info->si_code != SI_QUEUE) return; /* `kill -32` of a command */
  stopped_sequence = (uint32_t)info->si_value.sival_int;
  anything_stopped = 1;
  if (armed && stopped_sequence == armed_sequence) take();
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

bool stop_install(void) {
  struct kernel_sigaction action;

  memset(&action, 0, sizeof action);
  action.handler = take_stop;
  action.flags = SA_SIGINFO; /* no SA_RESTART: a read that waits has to look at the interrupt */
#if defined(__x86_64__)
  action.flags |= SA_RESTORER_FLAG;
  action.restorer = pi_return_from_signal;
#endif
  if (&top_level_mask != NULL) memset(&top_level_mask, 0, KERNEL_MASK_SIZE);
  if (!unblock_all()) return false;
  return syscall(SYS_rt_sigaction, PI_STOP_SIGNAL, &action, NULL, KERNEL_MASK_SIZE) == 0;
}

void stop_arm(uint32_t sequence) {
  taken = 0;
  interrupt_state = 0;
  armed_sequence = sequence;
  armed = 1;
  /* After `armed` is set, so that a stop in between is seen by one of the two. */
  if (anything_stopped && stopped_sequence == sequence) take();
}

void stop_disarm(void) {
  armed = 0;
  anything_stopped = 0;
  interrupt_state = 0;
  if (&wait_signal_received != NULL) wait_signal_received = 0;
  /* Not as it was found: that may have been the handler of a wait that is over. */
  if (ignores_interrupt) set_sigint_handler();
  ignores_interrupt = 0;
  if (taken) unblock_all();
}

bool stop_was_taken(void) { return taken != 0; }
