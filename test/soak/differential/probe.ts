/** A step that prints the state which every other step may have changed. */
import type { Step } from "./grammar.ts";
import { FUNCTIONS, VARIABLES } from "./words.ts";

const TEXT = [
  "{ \\builtin echo status $?",
  ...VARIABLES.map((name) => `\\builtin declare -p ${name}`),
  '\\builtin printf \'<%q>\' $# "$@" "$PWD"',
  "\\builtin echo",
  ...FUNCTIONS.map((name) => `\\builtin declare -f ${name}`),
  "\\builtin alias -p",
  "\\builtin trap -p USR1 USR2 HUP ERR RETURN CHLD",
  "\\builtin shopt -p",
  "\\builtin shopt -po",
  "\\builtin umask",
  "\\builtin dirs",
  "\\builtin ulimit -Sn",
  "\\builtin ulimit -Sc",
  "\\builtin ulimit -Ss; } 2>/dev/null",
].join("; ");

/** The probe; what it prints ends with `$?` 0. */
export const PROBE: Step = { text: TEXT, plain: TEXT, replaces: false, cloned: false };
