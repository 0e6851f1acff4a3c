/**
 * Scripts that a line writes and runs, and that start themselves: `echo '$0 & $0' > x; bash x`.
 *
 * Only a text that stands in the line is read: the words of `echo` and `printf`, and here-documents.
 */
import type { CommandAnalysis, EffectiveCommand, SimpleCommand } from "@pi-bash/command";
import { firstValue, programName, SHELLS } from "@pi-bash/command/internal";
import { RUNS_IN_SHELL } from "../builtins.ts";

/** Scripts of one line that are looked at: each is parsed. */
const MAX_SCRIPTS = 16;

/** A script that a line writes. */
interface Script {
  readonly file: string;
  readonly text: string;
  readonly command: SimpleCommand;
}

/** The commands that write a script which is a bomb, where the line runs it. */
export function writtenBombs(analysis: CommandAnalysis, isBomb: (text: string) => boolean): readonly SimpleCommand[] {
  const { commands, nestedCommands, effective } = analysis;
  const scripts = [...commands, ...nestedCommands].flatMap(scriptsOf).slice(0, MAX_SCRIPTS);
  const run = scripts.filter(({ file }) => effective.some((command) => runs(command, file)));
  return run.filter(({ file, text }) => isBomb(namedItself(text, file))).map(({ command }) => command);
}

function scriptsOf(command: SimpleCommand): readonly Script[] {
  const { argv, redirections } = command;
  const target = redirections.findLast(({ operator }) => /^(?:&?>>?|>\|)$/.test(operator))?.target?.value;
  if (target == null) return [];
  const text = textOf(programName(firstValue(argv)), command);
  return text === undefined ? [] : [{ file: normal(target), text, command }];
}

function textOf(name: string, { argv, redirections }: SimpleCommand): string | undefined {
  const words = argv.slice(1).flatMap(({ value }) => (value === null || /^-[neE]+$/.test(value) ? [] : [value]));
  if (name === "echo") return words.join(" ").replaceAll("\\n", "\n");
  if (name === "printf") return words.join("\n").replaceAll("\\n", "\n");
  const here = redirections.find(({ operator }) => operator.startsWith("<<"));
  return name === "cat" ? (here?.body ?? here?.target?.value ?? undefined) : undefined;
}

/** `x` and `./x` are the same file. */
function normal(path: string): string {
  return path.replace(/^(?:\.\/)+/, "");
}

/** `./x`, `bash x` and `source x`. */
function runs({ argv }: EffectiveCommand, file: string): boolean {
  const [program = "", ...rest] = argv.map(({ value }) => value ?? "");
  if (normal(program) === file && program.includes("/")) return true;
  const isShell = SHELLS.has(programName(program)) || RUNS_IN_SHELL.has(program);
  return isShell && rest.some((word) => normal(word) === file);
}

/** The script by its own name is what `$0` is. */
function namedItself(text: string, file: string): string {
  return text
    .split(/(?<=[\s;&|(){}])|(?=[\s;&|(){}])/)
    .map((piece) => (normal(piece) === file ? "$0" : piece))
    .join("");
}
