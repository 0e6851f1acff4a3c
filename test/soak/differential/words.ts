/**
 * The words of random commands: names of variables, functions and aliases, odd values, options.
 */
import { pick, type Random } from "../../support/random.ts";

const SCALARS = ["a", "b", "c", "E1", "n", "lower", "REPLY"] as const;
const ARRAYS = ["arr", "sp"] as const;
const MAPS = ["map"] as const;
export const FUNCTIONS = ["f", "g", "h", "my-fn", "é", "a.b", "x:y"] as const;
export const ALIASES = ["ll", "say", "if2", "a-b"] as const;
/** Variables whose attributes and values a probe looks at. */
export const VARIABLES = [
  ...SCALARS,
  ...ARRAYS,
  ...MAPS,
  "ref",
  "r1",
  "r2",
  "int",
  "up",
  "IFS",
  "OLDPWD",
  "PS4",
  "HOME",
  "LANG",
] as const;

/** Values as words of bash. */
const VALUES = [
  "1",
  "''",
  "-n",
  "'two words'",
  "'  spaces  '",
  "'*'",
  "'?[a'",
  "$'line\\nline'",
  "$'tab\\there'",
  "$'\\001\\033[0m\\177'",
  "$'\\xff\\xfe'",
  "'é ü 漢字 😀'",
  '"quote\'s"',
  "'\"double\"'",
  "'back\\slash'",
  "'$notvar `x` !'",
  "'}'",
  "')'",
  "'#pi-end'",
  "$'#pi-limits\\n#pi-end\\n'",
  "'~'",
  "a=b",
  "0x1f",
  "010",
  "/",
  "$'trailing\\n'",
  "$'\\r'",
  `'${"x".repeat(700)}'`,
] as const;

export const SHOPTS = [
  "extglob",
  "nullglob",
  "dotglob",
  "failglob",
  "nocaseglob",
  "nocasematch",
  "lastpipe",
  "inherit_errexit",
  "xpg_echo",
  "globstar",
  "expand_aliases",
  "sourcepath",
  "shift_verbose",
  "localvar_inherit",
  "localvar_unset",
  "patsub_replacement",
  "checkhash",
  "cdable_vars",
  "execfail",
  "globasciiranges",
  "huponexit",
  "assoc_expand_once",
  "cdspell",
  "compat44",
  "compat50",
] as const;

export const OPTIONS = [
  "allexport",
  "hashall",
  "noclobber",
  "noglob",
  "pipefail",
  "braceexpand",
  "ignoreeof",
  "notify",
  "physical",
  "interactive-comments",
  "posix",
  "xtrace",
  "nounset",
] as const;

type Make = (random: Random) => string;

export const value: Make = (random) => pick(VALUES, random);
export const scalar: Make = (random) => pick(SCALARS, random);
export const array: Make = (random) => pick(ARRAYS, random);
export const fn: Make = (random) => pick(FUNCTIONS, random);
