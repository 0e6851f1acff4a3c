/**
 * Says which single program's output a command line produces, for the minimizer.
 *
 * A minimizer may only judge text whose author is known: one command, nothing piped, nothing redirected away, no
 * wrapper that prints of its own. Everything else has no invocation and gets lossless treatment.
 */
import type { Construct } from "./syntax.ts";
import type { EffectiveCommand } from "./unwrap-state.ts";
import { firstValue, type Word } from "./word.ts";

/** The program whose output is seen. */
export interface Invocation {
  /** Program and arguments after unwrapping; an operand that expands (`src/*.ts`) stands as written. */
  readonly argv: readonly string[];
}

/** Builtins that change the session and print nothing, so that they may precede the one command. */
const SILENT: ReadonlySet<string> = new Set([
  "cd",
  "export",
  "set",
  "shopt",
  "umask",
  "ulimit",
  "unset",
  "source",
  ".",
]);

/** The invocation of an analysed command line without errors, or undefined. */
export function findInvocation(
  commandCount: number,
  constructs: readonly Construct[],
  effective: readonly EffectiveCommand[],
): Invocation | undefined {
  // Expansions of variables cannot print; every other construct can.
  if (constructs.some((construct) => construct.kind !== "parameter")) return undefined;
  const speaking = effective.filter((command) => !isSilent(command));
  const [only] = speaking;
  if (speaking.length !== 1 || only === undefined || effective.length < commandCount) return undefined;
  if (only !== effective.at(-1)) return undefined;
  if (only.noisy || !only.argvComplete || only.unresolved !== undefined || !keepsOutput(only)) return undefined;
  const argv: string[] = [];
  for (const word of only.argv) {
    const text = argument(word, argv.length === 0);
    if (text === undefined) return undefined;
    argv.push(text);
  }
  return { argv };
}

function isSilent(command: EffectiveCommand): boolean {
  const name = firstValue(command.argv);
  return SILENT.has(name) && command.argv.length > 1 && command.argv[1]?.value !== "-";
}

/** Only `2>&1`, `2>/dev/null` and a changed input leave standard output where it is. */
function keepsOutput(command: EffectiveCommand): boolean {
  return command.simple.redirections.every((redirection) => {
    if (redirection.operator === "<" || redirection.operator === "<<<") return true;
    const target = redirection.target?.value;
    return (
      redirection.descriptor === 2 && ((redirection.operator === ">&" && target === "1") || target === "/dev/null")
    );
  });
}

function argument(word: Word, isProgram: boolean): string | undefined {
  if (word.value !== null) return word.value;
  const operand = !isProgram && !word.splits && word.leading !== "" && !word.leading.startsWith("-");
  return operand ? word.display : undefined;
}
