/** What `read` and its like give to variables: the input that the line shows. */
import type { EffectiveCommand, Redirection } from "@pi-bash/command";
import { expandText, expandWord, type Field, knownText, textField, UNKNOWN, type Values } from "./fields.ts";
import type { Pipelines } from "./pipelines.ts";
import { scriptOf } from "./process-substitution.ts";
import type { Assigned, Surroundings } from "./source.ts";

/** What a `read` takes from its own redirections, from those of the block around it, or from the stage before. */
export function readFrom(command: EffectiveCommand, bindings: Surroundings, pipelines: Pipelines): Assigned[] {
  const names = command.argv.slice(1).flatMap(({ value }) => (/^[A-Za-z_]\w*$/.test(value ?? "") ? [value ?? ""] : []));
  const input = (): readonly Field[] => {
    const values = bindings.at(command);
    const read = pipelines.inputsOf(command).map((redirection) => redirectedFields(redirection, values));
    const known = read.flatMap((fields) => fields ?? []);
    return known.length > 0 ? known : bindings.inputOf(command);
  };
  return [...names, "REPLY", "MAPFILE"].map((each): Assigned => [each, input]);
}

/** The words that a redirection of input has; undefined where that is a file. */
function redirectedFields({ operator, target, body, text }: Redirection, values: Values): readonly Field[] | undefined {
  if (body !== undefined) return linesOfBody(body, /['"\\]/.test(text), values);
  if (target === null) return undefined;
  if (operator === "<<<") return expandWord(target, values).flatMap(blankSeparated);
  const script = operator === "<" ? scriptOf(target.text) : undefined;
  return script === undefined ? undefined : values.output(script);
}

/** What a here-document expands has no quotes. */
function linesOfBody(body: string, isQuoted: boolean, values: Values): readonly Field[] {
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const expand = (line: string): readonly Field[] => {
    if (isQuoted || !/[$`\\]/.test(line)) return [textField(line.trim())];
    return line.includes('"') ? [[UNKNOWN]] : expandText(`"${line.trim()}"`, values);
  };
  return lines.flatMap(expand).flatMap(blankSeparated);
}

/** The pieces at blanks and at what `IFS` is set to most. */
function blankSeparated(field: Field): readonly Field[] {
  const text = knownText(field);
  return text === undefined ? [field] : [field, ...text.split(/[\s:,;|]+/).map(textField)];
}
