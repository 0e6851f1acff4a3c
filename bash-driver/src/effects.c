/*
 * Whether a text leaves the shell as it was, but for its status: programs do, and a few builtins that only print or test.
 *
 * The host keeps a copy of the shell for the case that it dies, and needs no new one after such a text. So what is in
 * doubt counts as a change, and nothing else depends on the answer.
 */
#include "effects.h"

#include <string.h>

/* Builtins that set nothing, whatever their arguments are. */
static const char *const harmless[] = {":", "true", "false", "echo", "pwd"};

/* What assigns while words are expanded: `${x:=1}`, `$((x++))`, `$[x++]`, `{fd}>file`; and the rest of `${`, to be safe. */
bool expands_harmlessly(const char *text, size_t length) {
  for (size_t at = 0; at + 1 < length; at++) {
    if (text[at] == '$' && (text[at + 1] == '{' || text[at + 1] == '[')) return false;
    if (text[at] == '(' && text[at + 1] == '(') return false;
    if (text[at] == '}' && (text[at + 1] == '<' || text[at + 1] == '>')) return false;
  }
  return true;
}

/* `test -v 'a[x=1]'` computes the subscript. */
static bool tests_harmlessly(const char *name, const struct word_list *arguments) {
  if (strcmp(name, "test") != 0 && strcmp(name, "[") != 0) return false;
  for (; arguments != NULL; arguments = arguments->next)
    if (strchr(arguments->word->word, '[') != NULL || strchr(arguments->word->word, '$') != NULL) return false;
  return true;
}

static bool is_harmless(const char *name) {
  for (size_t at = 0; at < sizeof harmless / sizeof *harmless; at++)
    if (strcmp(name, harmless[at]) == 0) return true;
  return false;
}

/* A name as it stands: what it is after an expansion is not known here. */
static bool is_literal(const char *word) { return strpbrk(word, "$`\\'\"*?[~{") == NULL || strcmp(word, "[") == 0; }

static bool runs_program(const struct simple_command *simple) {
  const struct word_list *words = simple->words;
  if (words == NULL) return false; /* assignments or redirections alone */
  const char *name = words->word->word;
  if ((words->word->flags & WORD_ASSIGNS) != 0 || !is_literal(name) || find_function(name) != NULL) return false;
  if (is_harmless(name) || tests_harmlessly(name, words->next)) return true;
  /* Bash looks for it among the enabled ones first; a disabled one is a program's name. */
  return find_shell_builtin(name) == NULL;
}

bool runs_programs_only(const struct command *command) {
  if (command == NULL) return true;
  switch (command->type) {
    case COMMAND_SIMPLE:
      return runs_program(command->value.simple);
    case COMMAND_CONNECTION:
      /* What runs in the background is in the job table. */
      return command->value.connection->connector != '&' && runs_programs_only(command->value.connection->first) &&
             runs_programs_only(command->value.connection->second);
    case COMMAND_SUBSHELL:
      return true;
    default:
      return false;
  }
}
