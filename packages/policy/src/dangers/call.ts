/**
 * One command as the judges of hard blocks see it, and what they answer.
 */
import type { CommandAnalysis, EffectiveCommand, Word } from "@pi-bash/command";
import type { Folder } from "../danger-paths.ts";
import { type Refusal, refuse } from "../finding.ts";
import { type Field, knownText } from "./values/fields.ts";

/** Blocks that some machines need, for instance one that administers itself. */
export interface DangerOptions {
  /** False lets `shutdown`, `reboot` and relatives through to the ordinary decision. Default true. */
  readonly blockShutdown?: boolean;
  /**
   * False treats a block that cannot be decided (`rm -rf "$X"` where nothing says what `X` is) like any other command.
   * Default true: it asks in every mode.
   */
  readonly askUndecidedBlocks?: boolean;
}

/** A command that runs in the end. */
export interface DangerCall {
  readonly command: EffectiveCommand;
  /** The program, without its folder. */
  readonly name: string;
  readonly args: readonly Word[];
  readonly folder: Folder;
  /** The possible arguments, in order; a word that may become several things has several. */
  readonly fields: readonly Field[];
  /** The fields of one word. */
  fieldsOf(word: Word): readonly Field[];
  /** The fields that `xargs` adds; undefined where nothing is added. */
  readonly added: readonly Field[] | undefined;
  /** The program whose output those come from. */
  readonly feeder: string | undefined;
  /** The commands that came of the same simple command: what `find -exec` runs beside the `find`. */
  readonly beside: readonly EffectiveCommand[];
  /** The line that the command stands in. */
  readonly line: CommandAnalysis;
  readonly options: DangerOptions;
}

/** Judges the calls of one program. */
export type DangerJudge = (call: DangerCall) => Refusal | undefined;

/** Code of a block that depends on what is not known. */
export const UNDECIDED_CODE = "undecided-block";

/** A block. */
export function block(code: string, message: string): Refusal {
  return refuse(code, "block", message);
}

/** Something that is a block for some values of what is not known. */
export function undecided(message: string): Refusal {
  const hint = "write the path out, or give the variable its value in the same command";
  return refuse(UNDECIDED_CODE, "unknown", `${message}: whether this is a hard block cannot be decided`, hint);
}

/** The first block among answers, else the first doubt. */
export function worst(answers: readonly (Refusal | undefined)[]): Refusal | undefined {
  return answers.find((each) => each?.severity === "block") ?? answers.find((each) => each !== undefined);
}

/** Known text at the start of a field. */
export function leadingText(field: Field): string {
  const [first] = field;
  return first?.kind === "text" ? first.text : "";
}

/** How a field is shown in a message. */
export function shownField(field: Field): string {
  return field
    .map((part) => (part.kind === "text" ? part.text : part.kind === "char" ? "?" : part.kind === "star" ? "*" : "…"))
    .join("");
}

/** The arguments that name files, with what `xargs` adds. */
export function operandsOf({ fields, added }: DangerCall): readonly Field[] {
  const end = fields.findIndex((field) => knownText(field) === "--");
  const given = fields.filter((field, at) => (end !== -1 && at > end) || !leadingText(field).startsWith("-"));
  return [...given, ...(added ?? [])];
}
