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

/* Those and what changes the shell without being able to end it: crates/pi-shell/src/session/effects.rs has the same. */
static const char *const plain[] = {
    ":",  "true",  "false", "echo",    "pwd",   "test",    "cd",      "export", "unset",    "set",
    "[",  "shopt", "umask", "unalias", "alias", "declare", "typeset", "local",  "readonly", "pushd",
    "popd",
};

static bool is_alias(const char *name) { return expand_aliases && find_alias(name) != NULL; }

bool has_overrides(void) {
  for (size_t at = 0; at < sizeof plain / sizeof *plain; at++)
    if (find_function(plain[at]) != NULL || is_alias(plain[at])) return true;
  return false;
}

/* Some word of the text is the name of an alias: what runs is not what the text says. */
static bool names_alias(const char *text, size_t length) {
  const char *const ends = " \t\n;&|()<>";
  char word[128];
  size_t size = 0;
  for (size_t at = 0; at <= length; at++) {
    if (at < length && strchr(ends, text[at]) == NULL) {
      if (size == sizeof word - 1) return true;
      word[size++] = text[at];
      continue;
    }
    word[size] = '\0';
    if (size > 0 && is_alias(word)) return true;
    size = 0;
  }
  return false;
}

static bool is_name_byte(char byte, bool is_first) {
  if (byte == '_' || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) return true;
  return !is_first && byte >= '0' && byte <= '9';
}

/* `$name`, where `name` refers to another variable: to `a[x=1]`, it may be. */
static bool is_reference(const char *text, size_t length) {
  char name[128];
  size_t size = 0;
  while (size < length && is_name_byte(text[size], size == 0)) size++;
  if (size == 0) return false;
  if (size >= sizeof name) return true;
  memcpy(name, text, size);
  name[size] = '\0';
  const struct variable *variable = find_variable_noref(name);
  return variable != NULL && (variable->attributes & VARIABLE_REFERS) != 0;
}

/*
 * What assigns while words are expanded: `${x:=1}`, `$((x++))`, `$[x++]`, `{fd}>file`, a reference to an element; and the
 * rest of `${`, to be safe. Bash drops a backslash before a newline, so the pair may stand within any of these.
 */
bool expands_harmlessly(const char *text, size_t length) {
  if (expand_aliases && names_alias(text, length)) return false;
  for (size_t at = 0; at + 1 < length; at++) {
    const char *rest = text + at + 1;
    if (text[at] == '$' && (*rest == '{' || *rest == '[' || is_reference(rest, length - at - 1))) return false;
    if (text[at] == '(' && *rest == '(') return false;
    if (text[at] == '}' && (*rest == '<' || *rest == '>')) return false;
    if (text[at] == '\\' && *rest == '\n') return false;
  }
  return true;
}

/* `test -v 'a[x=1]'` computes the subscript, and so does `-v name` where that refers to an element. */
static bool tests_harmlessly(const char *name, const struct word_list *arguments) {
  if (strcmp(name, "test") != 0 && strcmp(name, "[") != 0) return false;
  for (; arguments != NULL; arguments = arguments->next)
    if (strpbrk(arguments->word->word, "[$`") != NULL || strcmp(arguments->word->word, "-v") == 0 ||
        strcmp(arguments->word->word, "-R") == 0)
      return false;
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

bool defines_function(const struct command *command) {
  if (command == NULL || command->type != COMMAND_CONNECTION) return command != NULL && command->type == COMMAND_FUNCTION;
  const struct connection *both = command->value.connection;
  return defines_function(both->first) || defines_function(both->second);
}
