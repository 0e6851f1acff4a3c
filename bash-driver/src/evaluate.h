/* Runs a text in this bash as if it were its script. See evaluate.c. */
#ifndef PI_BASH_EVALUATE_H
#define PI_BASH_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct evaluation {
  uint32_t ending; /* PI_ENDED_* */
  int status;
  bool kept_state; /* it ran programs only; the shell is as before but for its status */
  bool defined_function;
};

/* Once, before the first text: leaves the builtin that we are for bash, and makes our text its input. */
void evaluate_begin(void);

/* A text to run. */
struct script {
  const char *text;
  size_t length;
  uint32_t sequence;
  int status;                  /* what `$?` shows first, or PI_KEEP_STATUS */
  const char *environment;     /* NAME=VALUE, each with its NUL: exported for this text only */
  size_t environment_length;
};

/* The text must stay where it is until this returns. Only the process that called it returns from it. */
struct evaluation evaluate(const struct script *script);

#endif
