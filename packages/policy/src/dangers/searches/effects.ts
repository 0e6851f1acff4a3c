/**
 * What the commands that a search runs do to the files they are given.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";

/** What some commands do. */
export interface Effects {
  readonly removes: boolean;
  readonly moves: boolean;
  readonly changesModes: boolean;
}

const REMOVERS = /^(?:rm|grm|srm|shred|unlink|rmdir|trash|rimraf|del|del-cli|truncate)$/;
const MODE_CHANGERS = /^(?:g?chmod|g?chown|g?chgrp|setfacl|chattr)$/;
const MOVERS = /^g?mv$/;

/** What commands do to the files they are given, by their programs. */
export function effectsOf(commands: readonly Pick<EffectiveCommand, "argv" | "unresolved">[]): Effects {
  const has = (is: (word: Word, role: Role) => boolean): boolean =>
    commands.some((command) => command.argv.some((word, index) => is(word, roleOf(command, index))));
  return {
    removes: has(isRemover) || commands.some(({ argv }) => movesToNowhere(argv)),
    moves: has((word, role) => isProgram(word, role, MOVERS)),
    changesModes: has((word, role) => isProgram(word, role, MODE_CHANGERS)),
  };
}

/** `mv FILE /dev/null`: nothing is left of the file. */
function movesToNowhere(argv: readonly Word[]): boolean {
  return argv.some(({ value }) => MOVERS.test(programName(value ?? ""))) && argv.at(-1)?.value === "/dev/null";
}

/** What a word is to its command. */
type Role = "program" | "argument" | "none";

/** A wrapper that was not understood may run any of its words. */
function roleOf({ argv, unresolved }: Pick<EffectiveCommand, "argv" | "unresolved">, index: number): Role {
  if (index === 0) return "program";
  return unresolved !== undefined || WRAPPER.test(programName(firstValue(argv))) ? "argument" : "none";
}

const WRAPPER = /^(?:sudo|doas|env|timeout|nice|xargs|busybox|sh|bash|dash|zsh)$/;

function isProgram(word: Word, role: Role, programs: RegExp): boolean {
  return role !== "none" && programs.test(programName(word.value ?? ""));
}

/** `rm`, and the text for a shell that has it. */
function isRemover(word: Word, role: Role): boolean {
  // What the search fills in stands in the text as written.
  const value = word.value ?? word.display;
  if (role === "none") return false;
  if (REMOVERS.test(programName(value))) return true;
  return role === "argument" && /\s/.test(value) && /(?:^|[\s;&|(/])(?:rm|shred|unlink)\s/.test(value);
}
