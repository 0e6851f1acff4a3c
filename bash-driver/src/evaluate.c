/*
 * Runs a text in this bash as if it were its script, and comes back whatever ends the text.
 *
 * # Theory of operation
 * Bash's parser takes its input from a pair of functions. Ours give it the order's bytes, so quoting, here-documents,
 * aliases, line numbers and the words of errors are those of a script file.
 *
 * What ends a script (`exit`, `set -e`, an unset variable under `set -u`, an interrupt) is a jump to `top_level`. It
 * lands here. Then the EXIT trap runs, as at the end of a script: before anything is unwound, so that it finds the
 * local variables and redirections it would find there. Only then is bash put back to its top level.
 *
 * Unwinding after the jump is done by functions whose data may lie in the stack frames that the jump left behind. So
 * commands run below a gap in the stack, and everything after the jump happens inside of the gap.
 */
#include "evaluate.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <unistd.h>

#include "../protocol.h"
#include "bash.h"
#include "descriptors.h"
#include "effects.h"
#include "stop.h"

#define END_OF_INPUT (-1)
#define NEWLINE_TOKEN '\n'
/* An EXIT trap has this much stack before it reaches the frames of the command. Pages of it that no one uses cost nothing. */
#define STACK_GAP (256 * 1024)

extern int __sigsetjmp(void *buffer, int save_mask) __attribute__((returns_twice));

static const char *text;
static size_t length, position;
static pid_t own_process;
static int calm_indirection;
static struct command *running;
static bool has_scope, kept_state, defined_function;
static int traces_errors, traces_functions; /* before this text */

static int next_byte(void) { return position < length ? (unsigned char)text[position++] : END_OF_INPUT; }

static int put_back(int byte) {
  if (byte != END_OF_INPUT && position > 0) position--;
  return byte;
}

static void read_from_text(void) {
  union input_location nowhere = {NULL};
  init_yy_io(next_byte, put_back, INPUT_IS_STREAM, dollar_vars[0], nowhere);
}

static void drop_running(void) {
  struct command *command = running;
  running = NULL;
  if (command != NULL) dispose_command(command);
}

/* NAME=VALUE as the word that a script would have, `NAME='VALUE'`, as bash's parser writes it down. */
static char *quoted_assignment(const char *assignment) {
  const char *from = strchr(assignment, '=');
  char *word = xmalloc(strlen(assignment) * 4 + 3);
  char *to = word;
  if (from == NULL) from = assignment + strlen(assignment);
  memcpy(to, assignment, (size_t)(from - assignment));
  to += from - assignment;
  *to++ = '=';
  *to++ = '\'';
  for (from += *from == '='; *from != '\0'; from++) {
    if (*from == '\'') to = stpcpy(to, "'\\'");
    if (*from == PARSER_ESCAPE || *from == PARSER_NOTHING) *to++ = PARSER_ESCAPE;
    *to++ = *from;
  }
  strcpy(to, "'");
  return word;
}

/* What some variables mean to bash itself (LC_ALL, TZ) is what they are now. */
static void heed_environment(const struct script *script) {
  const char *end = script->environment + script->environment_length;
  for (const char *one = script->environment; one < end; one += strlen(one) + 1) {
    char *name = xmalloc(strlen(one) + 1);
    strcpy(name, one)[strcspn(one, "=")] = '\0';
    stupidly_hack_special_variables(name);
    xfree(name);
  }
}

/* As for `NAME=VALUE eval TEXT`: a scope of its own, which goes with this text. False: a variable is read-only. */
static bool give_environment(const struct script *script) {
  const char *end = script->environment + script->environment_length;
  bool is_given = true;
  for (const char *one = script->environment; one < end && is_given; one += strlen(one) + 1) {
    char *word = quoted_assignment(one);
    struct word_desc assignment = {word, 0};
    is_given = assign_in_env(&assignment, 0) != 0;
    xfree(word);
  }
  if (!is_given || temporary_env == NULL) return is_given;
  push_scope(SCOPE_OF_BUILTIN, temporary_env);
  temporary_env = NULL;
  has_scope = true;
  heed_environment(script);
  return true;
}

static void leave_scope(void) {
  /* Where bash can drop all scopes at once, there may be others on top of ours. */
  if (reset_local_contexts != NULL) reset_local_contexts();
  else if (has_scope) pop_scope(0);
  if (has_scope) array_needs_making = 1;
  has_scope = false;
}

/* A jump may leave a pipeline that was being started: what is begun next would be taken for the rest of it. */
static void forget_pipeline(void) {
  if (!already_making_children) return;
  stop_making_children();
  cleanup_the_pipeline();
}

/* A jump out of the second of two redirections leaves the first one made. */
static void undo_redirections(void) {
  struct redirect *list = redirection_undo_list;
  if (list == NULL) return;
  redirection_undo_list = NULL;
  do_redirections(list, REDIRECT_NOW);
  dispose_redirects(list);
}

/* Bash between two commands of a script: nothing entered, nothing half read. */
static void calm_down(void) {
  interrupt_state = 0;
  forget_pipeline();
  undo_redirections();
  top_level_cleanup();
  leave_scope();
  if (temporary_env != NULL) dispose_used_env_vars();
  variable_context = 0;
  make_funcname_visible(0); /* a jump out of a function leaves it visible */
  executing = executing_builtin = builtin_ignoring_errexit = stdin_redir = 0;
  subshell_environment = 0;
  indirection_level = calm_indirection;
  this_command_name = NULL;
  drop_running();
}

static void calm_parser(void) {
  reset_parser();
  current_token = NEWLINE_TOKEN;
  need_here_doc = 0;
  shell_eof_token = 0;
  EOF_Reached = 0;
  read_from_text();
}

/* Options that mean this text only, see docs/decisions/0005-option-scopes.md. */
static void drop_scoped_options(void) {
  /* With this one, a trap on DEBUG that fails would keep every later text from running. */
  if (debugging_mode) {
    debugging_mode = 0;
    error_trace_mode = traces_errors;
    function_trace_mode = traces_functions;
    set_shellopts();
  }
  if (!exit_immediately_on_error && !echo_input_at_read && !read_but_dont_execute && !just_one_command) return;
  change_flag('e', '+');
  change_flag('v', '+');
  change_flag('n', '+');
  change_flag('t', '+');
  read_but_dont_execute = just_one_command = 0;
  set_shellopts();
}

static __attribute__((noinline)) void execute_below_gap(void) {
  volatile char gap[STACK_GAP];
  gap[0] = 0;
  gap[STACK_GAP - 1] = gap[0];
  executing = 1;
  execute_command(running);
  executing = 0;
  gap[0] = 1; /* keeps the call above from becoming a jump that gives the gap back */
}

/* True: there may be another command. Runs one line, or as many as one command has. */
static bool one_command(uint32_t *ending) {
  executing = 0;
  if (parse_command() != 0) {
    /* With an unfinished quote bash would end with the status of the command before, which may be a success. */
    last_command_exit_value = EX_BADUSAGE;
    *ending = PI_ENDED_SYNTAX;
    return false;
  }
  running = global_command;
  global_command = NULL;
  if (running != NULL && read_but_dont_execute) drop_running();
  if (running != NULL) {
    current_command_number++;
    kept_state = kept_state && runs_programs_only(running);
    defined_function = defined_function || defines_function(running);
    execute_below_gap();
    drop_running();
    if (just_one_command) return false;
  }
  return !EOF_Reached;
}

/* A fork of ours that an error brings back here has no business in this function. */
static void end_if_forked(void) {
  if (getpid() != own_process) exit_shell(last_command_exit_value);
}

static uint32_t run_commands(void) {
  volatile uint32_t ending = PI_ENDED_COMPLETE;
  uint32_t heard = PI_ENDED_COMPLETE;
  int jump = __sigsetjmp(top_level, 0);

  end_if_forked();
  if (jump != 0) {
    if (stop_was_taken()) return PI_ENDED_STOPPED;
    if (jump != JUMP_DISCARD) return PI_ENDED_EXIT;
    if (last_command_exit_value == 0) last_command_exit_value = 1;
    calm_down();
    if (just_one_command || EOF_Reached) return ending;
  }
  while (one_command(&heard)) continue;
  ending = heard;
  return ending;
}

/* Returns false where the trap itself ended the shell, as by `exit`. */
static bool run_trap(int number, const char *name) {
  interrupt_state = 0;
  if (__sigsetjmp(top_level, 0) != 0) return false;
  if (signal_is_ignored(number) || trap_list[number] == NULL) return true;
  char *commands = xmalloc(strlen(trap_list[number]) + 1);
  strcpy(commands, trap_list[number]);
  parse_and_execute(commands, name, RUN_AS_SCRIPT | RUN_NO_HISTORY | RUN_FROM_LINE_1);
  return true;
}

/* A stop is to a script what SIGTERM is: it may clean up. */
static void run_trap_on_stop(struct evaluation *result) {
  if (!stop_was_taken() || !signal_is_trapped(SIGTERM)) return;
  if (!run_trap(SIGTERM, "terminate trap")) result->status = last_command_exit_value;
  end_if_forked();
}

/*
 * Bash has a function for this, but after it no later EXIT trap would run: it is made for a shell that is about to end.
 * The status of the trap is no one's, unless the trap itself says `exit`.
 */
static void run_trap_on_exit(struct evaluation *result) {
  if (!signal_is_trapped(EXIT_TRAP)) return;
  /* As a script's, that has left its loop by then: what `set -x` shows of the trap has one sign less. */
  if (calm_indirection > 0) indirection_level = calm_indirection - 1;
  if (!run_trap(EXIT_TRAP, "exit trap")) result->status = last_command_exit_value;
  end_if_forked();
  if (signal_is_trapped(EXIT_TRAP)) restore_default_signal(EXIT_TRAP);
}

static __attribute__((noinline)) void finish(struct evaluation *result) {
  result->status = last_command_exit_value;
  stop_landed();
  run_trap_on_stop(result);
  run_trap_on_exit(result);
  if (__sigsetjmp(top_level, 0) == 0) calm_down();
  if (stop_was_taken()) descriptors_close_left();
  last_command_exit_value = result->status;
}

void evaluate_begin(void) {
  own_process = getpid();
  calm_indirection = indirection_level;
  push_stream(1);
  calm_down();
}

struct evaluation evaluate(const struct script *script) {
  struct evaluation result = {PI_ENDED_COMPLETE, 0, false, false};

  own_process = getpid();
  text = script->text;
  length = script->length;
  position = 0;
  line_number = 0;
  calm_parser();
  traces_errors = error_trace_mode;
  traces_functions = function_trace_mode;
  stop_arm(script->sequence);
  if (script->status != PI_KEEP_STATUS) last_command_exit_value = script->status;
  kept_state = !echo_command_at_execute && expands_harmlessly(text, length);
  defined_function = false;
  if (give_environment(script)) result.ending = run_commands();
  else last_command_exit_value = 1;
  finish(&result);
  heed_environment(script);
  if (stop_was_taken()) result.ending = PI_ENDED_STOPPED;
  result.kept_state = kept_state && result.ending == PI_ENDED_COMPLETE;
  result.defined_function = defined_function;
  stop_disarm();
  length = position = 0;
  drop_scoped_options();
  fflush(stdout);
  __fpurge(stdout); /* what could not be written (a full disk) is no part of the next command's output */
  clearerr(stdout); /* nor is that it could not */
  return result;
}
