/*
 * Whether a command in a confined copy changed what the session has, which is dropped with the copy.
 *
 * The host says so to whoever wrote the command, so what counts is what a later command would miss: a variable of the
 * session that has another value or is gone, a new one that programs are given, functions, aliases, options, traps, the
 * umask. A new variable that is not exported does not count, since most loops leave one. Nor does what bash sets by itself,
 * nor what is in an array: that is not looked at.
 *
 * The notes are taken once, in the copy that the others are made from, which have them by the fork.
 */
#include "dropped.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bash.h"

#define HASH_BEGIN UINT64_C(0xcbf29ce484222325)
#define HASH_FACTOR UINT64_C(0x100000001b3)
#define KINDS_OF_VALUE (VARIABLE_IS_EXPORTED | VARIABLE_IS_FIXED | VARIABLE_IS_ARRAY | VARIABLE_IS_MAP | VARIABLE_REFERS)

/* Bash sets them, and those that a builtin sets for the next line; PWD is the host's to follow. */
static const char *const passing[] = {
    "_", "PWD", "OLDPWD", "TMPDIR", "PIPESTATUS", "REPLY", "OPTIND", "OPTARG", "BASH_REMATCH", "COLUMNS", "LINES",
};

struct note {
  uint64_t name; /* 0: none is here */
  uint64_t value;
};

static struct note *notes; /* by the last bits of the name */
static size_t note_count, note_places;
static uint64_t rest_before;

static uint64_t hash_of(uint64_t hash, const void *bytes, size_t length) {
  for (const unsigned char *one = bytes; length > 0; length--) hash = (hash ^ *one++) * HASH_FACTOR;
  return hash;
}

static uint64_t hash_of_text(uint64_t hash, const char *text) {
  return text == NULL ? hash : hash_of(hash, text, strlen(text) + 1);
}

static uint64_t hash_of_name(const char *name) { return hash_of_text(HASH_BEGIN, name) | 1; }

/* An array's value is not a text. */
static uint64_t hash_of_value(const struct variable *variable) {
  int kind = variable->attributes & KINDS_OF_VALUE;
  uint64_t hash = hash_of(HASH_BEGIN, &kind, sizeof kind);
  bool is_text = (kind & (VARIABLE_IS_ARRAY | VARIABLE_IS_MAP)) == 0;
  return is_text ? hash_of_text(hash, (const char *)variable->value) : hash;
}

static bool counts(const struct variable *variable) {
  if (variable->compute != NULL || (variable->attributes & VARIABLE_IS_HIDDEN) != 0) return false;
  for (size_t at = 0; at < sizeof passing / sizeof *passing; at++)
    if (strcmp(variable->name, passing[at]) == 0) return false;
  return true;
}

/* Where the note of a name is, or would be. */
static struct note *place_of(uint64_t name) {
  size_t at = (size_t)name & (note_places - 1);
  while (notes[at].name != 0 && notes[at].name != name) at = (at + 1) & (note_places - 1);
  return &notes[at];
}

/*
 * Functions and traps by where bash has them. What is set again may come to lie in the same place: of functions, the parser
 * has seen the definition (defines_function).
 */
static uint64_t hash_of_rest(void) {
  uint64_t sum = 0;
  struct variable **functions = all_shell_functions();
  for (struct variable **one = functions; one != NULL && *one != NULL; one++)
    sum += hash_of(hash_of_name((*one)->name), &(*one)->value, sizeof(*one)->value);
  if (functions != NULL) xfree(functions);
  struct alias **aliases = all_aliases == NULL ? NULL : all_aliases();
  for (struct alias **one = aliases; one != NULL && *one != NULL; one++)
    sum += hash_of_text(hash_of_name((*one)->name), (*one)->value);
  if (aliases != NULL) xfree(aliases);
  long mask = syscall(SYS_umask, 0);
  syscall(SYS_umask, mask);
  sum += hash_of(HASH_BEGIN, &mask, sizeof mask);
  return hash_of(sum, &trap_list[EXIT_TRAP + 1], (size_t)(ERROR_TRAP - EXIT_TRAP) * sizeof *trap_list);
}

void dropped_note(void) {
  struct variable **all = all_shell_variables();
  size_t count = 0;
  for (struct variable **one = all; one != NULL && *one != NULL; one++) count++;
  if (notes != NULL) xfree(notes);
  note_places = 16;
  while (note_places < count * 2) note_places *= 2;
  notes = memset(xmalloc(note_places * sizeof *notes), 0, note_places * sizeof *notes);
  note_count = 0;
  for (struct variable **one = all; one != NULL && *one != NULL; one++) {
    if (!counts(*one)) continue;
    uint64_t name = hash_of_name((*one)->name);
    *place_of(name) = (struct note){name, hash_of_value(*one)};
    note_count++;
  }
  if (all != NULL) xfree(all);
  rest_before = hash_of_rest();
}

static bool changed_variables(void) {
  struct variable **all = all_shell_variables();
  size_t kept = 0;
  bool has_changed = false;
  for (struct variable **one = all; one != NULL && *one != NULL && !has_changed; one++) {
    if (!counts(*one)) continue;
    uint64_t name = hash_of_name((*one)->name);
    const struct note *note = place_of(name);
    if (note->name == 0) has_changed = ((*one)->attributes & VARIABLE_IS_EXPORTED) != 0;
    else if (note->value != hash_of_value(*one)) has_changed = true;
    else kept++;
  }
  if (all != NULL) xfree(all);
  return has_changed || kept != note_count;
}

bool dropped_anything(void) { return notes != NULL && (changed_variables() || hash_of_rest() != rest_before); }
