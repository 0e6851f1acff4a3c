/**
 * What may run behind a program of which nothing is known, and behind one whose name is a pattern.
 *
 * `$SUDO sh -c x` runs `sh -c x` whether the variable holds a wrapper or nothing, `$X -c 'rm x'` runs a text where it
 * holds a shell, and `/bin/r?` is `rm`. None of it is certain: a block in such a text is undecided.
 */
import type { Word } from "@pi-bash/command";
import { programName, SHELLS } from "@pi-bash/command/internal";
import type { Field } from "../values/fields.ts";
import { plainText } from "../values/rendered-fields.ts";
import { type WordReader, writtenOut } from "./shell-texts.ts";

/** Wrappers that stand behind `$SUDO` and its like. */
const WRAPS =
  /^(?:sudo|doas|env|exec|command|builtin|nohup|nice|ionice|setsid|stdbuf|timeout|time|xargs|chroot|busybox)$/;
/** Names of variables that hold a wrapper which changes the user. */
const RAISES = /su(?:do)?(?![a-z])|doas|root/i;
/** Programs that a pattern is tried for. */
const MAX_NAMES = 8;

/** The texts that may run; `judged` are the programs that have a judge. */
export function textsBehind({ argv, expand }: WordReader, judged: Iterable<string>): readonly string[] {
  const [program, ...rest] = argv;
  if (program === undefined) return [];
  const behind = (before: string): readonly string[] =>
    writtenOut({ argv: rest, expand }).map((text) => `${before} ${text}`.trim());
  if (program.expansions.glob) return namesLike(expand(program), judged).flatMap(behind);
  const [next] = rest;
  const name = programName(next?.value ?? "");
  if (SHELLS.has(name) || WRAPS.test(name)) return mayBeGone(program) ? behind("") : [];
  if (next?.leading.startsWith("-") !== true) return [];
  if (givesText(rest)) return behind("bash");
  return RAISES.test(program.text) ? behind("sudo") : [];
}

/** True for a program that may turn out to be nothing, or a wrapper, so that the next word is the program. */
export function mayBeGone({ splits, text, expansions }: Word): boolean {
  return !expansions.glob && (splits || RAISES.test(text));
}

/** `-c` with a text of several words. */
function givesText(words: readonly Word[]): boolean {
  const at = words.findIndex(({ leading }) => !leading.startsWith("-"));
  return at > 0 && /^-[a-zA-Z]*c$/.test(words[at - 1]?.value ?? "") && /\s/.test(words[at]?.display ?? "");
}

/** The programs in a folder of the system that a pattern matches. */
function namesLike(fields: readonly Field[], judged: Iterable<string>): readonly string[] {
  const patterns = fields.flatMap((field) => {
    const text = plainText(field);
    return /^\/(?:usr\/)?(?:local\/)?s?bin\//.test(text) ? [lastName(field)] : [];
  });
  const names = patterns.length === 0 ? [] : ["rm", "dd", "sh", "bash", ...judged, ...SHELLS.keys()];
  const found = names.filter((name) => patterns.some((pattern) => matches(pattern, name)));
  return [...new Set(found)].slice(0, MAX_NAMES);
}

/** The parts behind the last slash. */
function lastName(field: Field): Field {
  const at = field.findLastIndex((part) => part.kind === "text" && part.text.includes("/"));
  const part = field[at];
  if (part?.kind !== "text") return field;
  return [{ kind: "text", text: programName(part.text) }, ...field.slice(at + 1)];
}

/** Whether a pattern may become a name; all places reached so far are followed together. */
function matches(pattern: Field, name: string): boolean {
  let reached: readonly number[] = [0];
  for (const part of pattern) {
    const next = reached.flatMap((at) => {
      if (part.kind === "text") return name.startsWith(part.text, at) ? [at + part.text.length] : [];
      if (part.kind === "char") return at < name.length ? [at + 1] : [];
      return Array.from({ length: name.length - at + 1 }, (_, count) => at + count);
    });
    reached = [...new Set(next)];
  }
  return reached.includes(name.length);
}

/** `/proc/self/exe` is the shell itself where the shell starts it. */
export function ownShellTexts({ argv: [program, ...rest], expand }: WordReader): readonly string[] {
  if (program === undefined || !isOwnShell(program)) return [];
  return writtenOut({ argv: rest, expand }).map((text) => `bash ${text}`);
}

/** True for a word that names the program of the shell. */
export function isOwnShell({ text }: Word): boolean {
  return /^"?\/proc\/(?:self|thread-self|\$\$|\$BASHPID|\$\{BASHPID\})\/exe"?$/.test(text);
}
