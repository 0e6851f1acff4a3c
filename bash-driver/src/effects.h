/* Whether a text leaves the shell as it was. */
#ifndef PI_BASH_EFFECTS_H
#define PI_BASH_EFFECTS_H

#include <stdbool.h>
#include <stddef.h>

#include "bash.h"

/* False: something in the bytes of a text may assign a variable where a word is expanded. */
bool expands_harmlessly(const char *text, size_t length);

/* True: the name of a builtin that hosts take for plain (`cd`, `export`) may be that of a function or an alias. */
bool has_overrides(void);

/* True: running `command` now changes nothing of the shell but its status, provided that its words expand harmlessly. */
bool runs_programs_only(const struct command *command);

/* True: a definition of a function is among the commands of a list. */
bool defines_function(const struct command *command);

#endif
