/*
 * The part of bash that the driver uses: names, types and values, declared here so that building needs no header of
 * bash. Nothing of the driver's own is in here.
 *
 * Bash exports these to loadable builtins. They are the same in every version that README.md lists; the weak ones may
 * be missing. Any other name that a bash lacks makes `enable -f` fail, since the object is linked with `-z now`.
 */
#ifndef PI_BASH_BASH_H
#define PI_BASH_BASH_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>

/* What a loadable builtin is made of. */
struct word_desc {
  char *word;
  int flags;
};
struct word_list {
  struct word_list *next;
  struct word_desc *word;
};
struct builtin {
  char *name;
  int (*function)(struct word_list *);
  int flags;
  char *const *long_doc;
  const char *short_doc;
  char *handle;
};
#define BUILTIN_ENABLED 0x01
#define EXECUTION_SUCCESS 0
#define EXECUTION_FAILURE 1
#define EX_USAGE 258
extern struct builtin *builtin_address_internal(char *name, int disabled_too);
extern void builtin_usage(void);

/* What was parsed, as far as it is looked at. */
struct command;
struct simple_command {
  int flags;
  int line;
  struct word_list *words;
  void *redirections;
};
struct connection {
  int ignored;
  struct command *first, *second;
  int connector; /* a character, or the number of `&&` or `||`, which differs between versions */
};
struct command {
  int type;
  int flags;
  int line;
  void *redirections;
  union {
    struct simple_command *simple;
    struct connection *connection;
  } value;
};
#define COMMAND_SIMPLE 4
#define COMMAND_CONNECTION 6
#define COMMAND_FUNCTION 7
#define COMMAND_SUBSHELL 13
#define WORD_ASSIGNS 0x04
extern void *find_alias(const char *name);
extern void *find_function(const char *name);
extern void *find_shell_builtin(const char *name);
extern int expand_aliases;
extern int echo_command_at_execute; /* `set -x`, which expands PS4 */

/* The parser, and where it reads from. */
union input_location {
  void *pointer;
};
#define INPUT_IS_STREAM 2
extern void init_yy_io(int (*get)(void), int (*unget)(int), int kind, const char *name, union input_location location);
extern void push_stream(int reset_line_number);
extern int parse_command(void);
extern void reset_parser(void);
extern struct command *global_command;
extern int EOF_Reached, line_number, current_token, need_here_doc, shell_eof_token;

/* Running what was parsed. */
extern int execute_command(struct command *command);
extern void dispose_command(struct command *command);
extern int current_command_number, executing, executing_builtin, indirection_level, stdin_redir;
extern int variable_context, builtin_ignoring_errexit, subshell_environment;
extern char *this_command_name;
extern volatile int last_command_exit_value;
extern void notify_and_cleanup(int job); /* bash 5.3 looks at the argument */
#define ALL_JOBS (-1)
extern void *temporary_env;
extern int assign_in_env(struct word_desc *assignment, int with_effects); /* 0: the variable is read-only */
#define PARSER_ESCAPE '\001'  /* stands before itself and the next in words that were parsed */
#define PARSER_NOTHING '\177' /* stands for the empty string there */
extern void *push_scope(int kind, void *variables);
extern void *pop_scope(int is_special);
#define SCOPE_OF_BUILTIN 0x08
extern void stupidly_hack_special_variables(char *name); /* LC_ALL, TZ and such take effect */
extern int array_needs_making; /* the environment of programs is made again */
extern void make_funcname_visible(int is_visible);
extern void dispose_used_env_vars(void);
extern void reset_local_contexts(void) __attribute__((weak)); /* where bash has it */

/* How errors and interrupts leave a command: a jump to `top_level`, whose size only bash knows. */
extern char top_level[];
#define EX_BADUSAGE 2 /* the status of a text that does not parse */
#define JUMP_DISCARD 2 /* only the command is given up */
extern void top_level_cleanup(void);
extern void exit_shell(int status) __attribute__((noreturn));
extern volatile sig_atomic_t interrupt_state, terminating_signal;
extern void termsig_handler(int signal);
extern void termsig_sighandler(int signal); /* of what ends a shell that has a trap on EXIT */
extern sigset_t top_level_mask __attribute__((weak)); /* what subshells put back */

/* A pipeline that is being started. */
extern int already_making_children;
extern void stop_making_children(void);
extern void cleanup_the_pipeline(void);

/* What bash knows of the descriptors that it opened for itself. */
struct redirect;
extern struct redirect *redirection_undo_list; /* of the redirections that are being made */
extern int do_redirections(struct redirect *list, int flags);
extern void dispose_redirects(struct redirect *list);
#define REDIRECT_NOW 1
struct coprocess {
  char *name;
  pid_t process; /* -1: there is none */
  int read_from, write_to;
};
extern struct coprocess sh_coproc;
extern void coproc_reap(void);
extern int sourcenest, sourcelevel; /* `.` that were begun, and those whose file was read */
extern void unlink_fifo_list(void) __attribute__((weak)), close_pgrp_pipe(void) __attribute__((weak));

/* Traps. The trap on EXIT has the number 0. */
#define EXIT_TRAP 0
#define DEBUG_TRAP _NSIG
#define ERROR_TRAP (_NSIG + 1)
extern int signal_is_trapped(int signal), signal_is_ignored(int signal);
extern void *set_sigint_handler(void); /* of a pointer to a function, which no one here calls */
extern void restore_default_signal(int signal);
extern int wait_signal_received __attribute__((weak));
extern int debugging_mode; /* `shopt extdebug`, which sets the next two as well */
extern int error_trace_mode, function_trace_mode;
extern char *trap_list[];
#define RUN_AS_SCRIPT 0x001  /* not interactive */
#define RUN_NO_HISTORY 0x004
#define RUN_FROM_LINE_1 0x010
extern int parse_and_execute(char *freed_text, const char *name, int flags);

/* Options and parameters. */
extern int exit_immediately_on_error, echo_input_at_read, read_but_dont_execute, just_one_command;
extern int change_flag(int flag, int plus_or_minus);
extern void set_shellopts(void);
extern char *which_set_flags(void);
extern char *shell_version_string(void);
extern char *dollar_vars[];
struct array;
struct variable {
  char *name;
  struct array *value; /* where the variable is an array */
  char *exported;
  void *compute, *assign;
  int attributes;
};
#define VARIABLE_IS_EXPORTED 0x0000001
#define VARIABLE_IS_FIXED 0x0000002 /* `readonly` */
#define VARIABLE_IS_ARRAY 0x0000004
#define VARIABLE_IS_MAP 0x0000040 /* `declare -A` */
#define VARIABLE_REFERS 0x0000800 /* `declare -n` */
#define VARIABLE_IS_HIDDEN 0x0001000 /* declared, and not set */
extern struct variable **all_shell_variables(void), **all_shell_functions(void); /* lists to be freed; NULL for none */
struct alias {
  char *name, *value;
  char flags;
};
extern struct alias **all_aliases(void) __attribute__((weak)); /* the same; where bash has aliases */
extern struct variable *bind_variable(const char *name, const char *value, int flags);
extern struct variable *find_variable(const char *name), *find_variable_noref(const char *name);
extern int array_rshift(struct array *array, int places, char *value);
extern void *array_shift(struct array *array, int places, int flags);
#define ARRAY_SHIFT_FREES 1
extern void remember_args(struct word_list *words, int destructive);
extern char *the_current_working_directory;
extern int cd_builtin(struct word_list *words);
extern pid_t dollar_dollar_pid, shell_pgrp, original_pgrp;

/* Memory that bash frees, or has given. */
extern void *xmalloc(size_t size);
extern void xfree(void *memory);

#endif
