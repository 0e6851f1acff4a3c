/**
 * Where a command that runs text gets its text: a word of it, a file, or its input.
 *
 * Shells, `eval`, `source` and interpreters, and commands whose name is itself made while they run. A program that
 * only reads its input (`jq`, `python3 -c '…'` with a text of its own, `bash script.sh`) runs none of it.
 */
import type { EffectiveCommand, Word } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import { RUNS_IN_SHELL } from "../builtins.ts";

/** Where the text is: `text` and `code` in a word, for a shell and for an interpreter; `file` behind a path. */
export type ProgramText = { readonly kind: "text" | "code" | "file"; readonly word: Word } | { readonly kind: "stdin" };

const SHELLS = /^(?:[bdzk]?a?sh|rbash|mksh|yash|fish|tcsh|csh|pwsh|powershell)$/;
const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|luajit|tclsh[\d.]*|Rscript|R|osascript|groovy|julia|guile|racket)$/;
/** Programs that take command lines from their input. */
const TAKES_LINES = /^(?:at|batch|parallel|newgrp|sg)$/;
const STANDARD_INPUT = /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/;

/** Whether the word names a program that runs code of its own language. */
export function isInterpreter(word: Word | undefined): boolean {
  return INTERPRETERS.test(programName(word?.value ?? ""));
}

/** What a command runs as a program; empty for one that runs none. */
export function programTexts(command: EffectiveCommand): ProgramText[] {
  const { argv, unresolved, via } = command;
  const first = argv[0];
  if (first === undefined) return [];
  if (first.value === null) return madeProgram(first);
  const name = programName(first.value);
  const own = textsOf(name, argv.slice(1), via.includes("xargs"));
  if (own !== undefined) return own;
  if (unresolved === undefined) return first.value.includes("/") ? [{ kind: "file", word: first }] : [];
  // A wrapper that was not understood may run any of its words, and its text may be one.
  const at = argv.findIndex(({ value }) => isRunner(programName(value ?? "")));
  if (at > 0) return textsOf(programName(argv[at]?.value ?? ""), argv.slice(at + 1), false) ?? [];
  return argv.slice(1).flatMap((word): ProgramText[] => (word.value === null ? [{ kind: "text", word }] : []));
}

function isRunner(name: string): boolean {
  return SHELLS.test(name) || INTERPRETERS.test(name) || RUNS_IN_SHELL.has(name);
}

/** `$(curl …)` as a command, `$SHELL`, `$(command -v bash)`. */
function madeProgram(word: Word): ProgramText[] {
  const isShell = /^"?\$\{?(?:SHELL|BASH|0)\b/.test(word.text) || /\b(?:ba|z|da|k|a)?sh\)?["`]?$/.test(word.text);
  return [{ kind: "text", word }, ...(isShell ? [{ kind: "stdin" } as const] : [])];
}

function textsOf(name: string, args: readonly Word[], isAppended: boolean): ProgramText[] | undefined {
  if (SHELLS.test(name)) return shellTexts(args, isAppended);
  if (INTERPRETERS.test(name)) return interpreterTexts(name, args);
  if (name === "eval" || name === "trap" || name === "alias") return words(args, "text");
  if (name === "source" || name === ".") return fileOrInput(args[0]);
  if (name === "sudo" || name === "doas") {
    return hasOption(args, /^-[a-zA-Z]*[is]$|^--(?:login|shell)$/) ? [{ kind: "stdin" }] : undefined;
  }
  if (name === "su" || name === "runuser" || name === "script") return [commandOption(args)];
  if (name === "watch" || name === "ssh") return words(args, "text");
  return TAKES_LINES.test(name) ? [{ kind: "stdin" }] : undefined;
}

/** The text of `-c`; without one the program starts a shell, which reads its input. */
function commandOption(args: readonly Word[]): ProgramText {
  const at = args.findIndex(({ value }) => /^(?:-[a-zA-Z]*c|--command)$/.test(value ?? ""));
  const text = at === -1 ? undefined : args[at + 1];
  return text === undefined ? { kind: "stdin" } : { kind: "text", word: text };
}

function words(args: readonly Word[], kind: "text" | "file"): ProgramText[] {
  return args.map((word) => ({ kind, word }));
}

function hasOption(args: readonly Word[], option: RegExp): boolean {
  return args.some(({ value }) => option.test(value ?? ""));
}

function fileOrInput(word: Word | undefined): ProgramText[] {
  if (word === undefined) return [];
  return STANDARD_INPUT.test(word.value ?? "") ? [{ kind: "stdin" }] : [{ kind: "file", word }];
}

/** Options of shells and interpreters whose value is the next word. */
const TAKES_VALUE = /^(?:-[oO]|\+[oO]|--rcfile|--init-file|-W|-X|-r|--require|--import|--loader|-I|-C|--config)$/;
/** `-c` of a shell in any bundle; `-Command` of PowerShell. */
const SHELL_TEXT = /^-(?:[a-zA-Z]*c[a-zA-Z]*|-command)$/i;

function shellTexts(args: readonly Word[], isAppended: boolean): ProgramText[] {
  const startUp = args.filter((_, at) => /^--(?:rcfile|init-file)$/.test(args[at - 1]?.value ?? ""));
  const start: ProgramText[] = words(startUp, "file");
  const index = firstOperand(args);
  const before = args.slice(0, index === -1 ? args.length : index);
  const operand = index === -1 ? undefined : args[index];
  if (hasOption(before, SHELL_TEXT)) {
    if (operand !== undefined) return [...start, { kind: "text", word: operand }];
    return isAppended ? [...start, { kind: "stdin" }] : start;
  }
  if (operand === undefined || hasOption(before, /^-[a-zA-Z]*s[a-zA-Z]*$/)) return [...start, { kind: "stdin" }];
  return [...start, ...fileOrInput(operand)];
}

/** `-e` of `perl` in any bundle (`-ne`), `-c` of `python`, `-r` of `php`, and their long forms. */
function codeOption(name: string): RegExp {
  if (/^(?:python|pypy)/.test(name)) return /^-[a-zA-Z]*c$/;
  if (name.startsWith("php")) return /^-[rBRE]$/;
  return /^-[a-zA-Z0]*[eEp]$|^--(?:eval|print)$/;
}

const RUNS_BY_VERB: ReadonlySet<string> = new Set(["deno", "bun"]);

function interpreterTexts(name: string, args: readonly Word[]): ProgramText[] {
  const isCode = codeOption(name);
  const code = args.filter((_, at) => isCode.test(args[at - 1]?.value ?? ""));
  if (code.length > 0) return code.map((word) => ({ kind: "code", word }));
  const rest = RUNS_BY_VERB.has(name) && firstValue(args) === "run" ? args.slice(1) : args;
  if (name === "deno" && firstValue(rest) === "eval") return rest.slice(1).map((word) => ({ kind: "code", word }));
  // A module is a program of its own.
  if (/^(?:python|pypy)/.test(name) && hasOption(rest, /^-[a-zA-Z]*m$/)) return [];
  if (hasOption(rest, /^(?:--version|--help|-[vVh])$/)) return [];
  const index = firstOperand(rest);
  return index === -1 ? [{ kind: "stdin" }] : fileOrInput(rest[index]);
}

/** The index of the first word that is neither an option nor its value; a lone `-` is one. */
function firstOperand(args: readonly Word[]): number {
  for (let at = 0; at < args.length; at += 1) {
    const text = args[at]?.value ?? args[at]?.leading ?? "";
    if (text === "--") return at + 1 < args.length ? at + 1 : -1;
    if (TAKES_VALUE.test(text)) at += 1;
    else if (text === "-" || !/^[-+]/.test(text)) return at;
  }
  return -1;
}
