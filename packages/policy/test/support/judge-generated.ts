/**
 * The laws of generated lines: bash executes nothing that was not found in the text, and a line called read-only
 * changes nothing and starts nothing that acts.
 */
import { join } from "node:path";
import { analyzeCommand } from "@pi-bash/command";
import { classify } from "../../src/classify.ts";
import { recordCommands, runForReal } from "./bash-judge.ts";
import { isPredicted } from "./predicted.ts";

/** What was found wrong, and how much was looked at. */
export interface Findings {
  /** Lines with a command that ran and was not predicted. */
  readonly unpredicted: readonly string[];
  /** Lines called read-only that started an acting program or changed their folder. */
  readonly wronglyReadOnly: readonly string[];
  readonly understood: number;
  readonly readonly: number;
  readonly executed: number;
}

/** Programs of the corpus that act whatever their arguments are. */
const ACTING = new Set(["touch", "rm"]);

function readsText(program: string | null | undefined): boolean {
  return /^(?:eval|bash|sh)$/.test(program ?? "eval");
}

/** Judges lines in a scratch folder; `real` of the read-only ones are also run with the real programs. */
export function judgeGenerated(lines: readonly string[], folder: string, real: number): Findings {
  const recorded = recordCommands(lines, join(folder, "recorded"));
  const understood = recorded.filter(({ line }) => analyzeCommand(line).ok);
  const readonly = recorded.filter(({ line }) => classify(line).class === "readonly");
  const unpredicted = understood.filter(({ line, executed }) => {
    const analysis = analyzeCommand(line);
    // A text that expands before `eval` reads it is reported as unknown: anything may run, and nothing is approved.
    const isOpen = analysis.effective.some(
      ({ unresolved, argv }) => unresolved !== undefined && readsText(argv[0]?.value),
    );
    return !isOpen && executed.some((argv) => !isPredicted(argv, analysis));
  });
  const acted = readonly.filter(
    ({ executed, changed }) => changed || executed.some(([name]) => ACTING.has(name ?? "")),
  );
  const tried = runForReal(
    readonly.slice(0, real).map(({ line }) => line),
    join(folder, "real"),
  );
  return {
    unpredicted: unpredicted.map(({ line }) => line),
    wronglyReadOnly: [...acted, ...tried.filter(({ changed }) => changed)].map(({ line }) => line),
    understood: understood.length,
    readonly: readonly.length,
    executed: recorded.reduce((sum, { executed }) => sum + executed.length, 0),
  };
}
