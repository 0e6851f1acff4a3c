/**
 * What is on the screen of a session, one below the other: calls, the person's commands, and texts of the console.
 */
import type { BashResult } from "@pi-bash/contract";
import {
  BashCallComponent,
  BashExecutionComponent,
  type CallAnswer,
  JobCallComponent,
  type PartialArguments,
  type Role,
  TaskCallComponent,
  type Theme,
  type UncheckedAnswer,
} from "@pi-bash/renderer";
import { rowText, styledLines, wrapLines } from "@pi-bash/renderer/internal";
import type { OtherTool } from "./entered-line.ts";

/** Room to draw in, in cells. */
export interface Room {
  readonly width: number;
  readonly rows: number;
}

export interface Block {
  /** Rows of at most `width` columns. */
  render(room: Room): readonly string[];
  /** Shows everything, or the end again; what is kept elsewhere is read first. */
  toggle(): Promise<void> | void;
}

/** Reads a whole output by the id of its artifact; undefined: it is gone, or too large to be shown. */
export type ReadOutput = (artifactId: string) => Promise<string | undefined>;

/** Text of the console's own, or of a job. */
export function textRows(text: string, width: number, theme: Theme, role?: Role): string[] {
  const style = role === undefined ? undefined : theme.colours[role];
  const lines = styledLines(text, theme.hasColour && style === undefined);
  const coloured = style === undefined ? lines : lines.map((line) => line.map((run) => ({ ...run, style })));
  return wrapLines(coloured, width).map((row) => rowText(row));
}

/** A command of the person's own. */
export class UserBlock implements Block {
  readonly #component: BashExecutionComponent;
  #isExpanded = false;

  constructor(command: string, isExcluded: boolean, theme: Theme) {
    this.#component = new BashExecutionComponent(command, { theme, isExcludedFromContext: isExcluded });
  }

  append(chunk: string): void {
    this.#component.append(chunk);
  }

  finish(result: BashResult): void {
    this.#component.finish(result);
  }

  fail(message: string): void {
    this.#component.fail(message);
  }

  toggle(): void {
    this.#isExpanded = !this.#isExpanded;
    this.#component.setExpanded(this.#isExpanded);
  }

  render({ width }: Room): readonly string[] {
    return this.#component.render(width);
  }
}

/** A call of the bash tool. */
export class CallBlock implements Block {
  readonly #component: BashCallComponent;
  readonly #readOutput: ReadOutput;
  #artifactId: string | undefined;
  #isExpanded = false;
  #rows: number | undefined;

  constructor(
    params: Readonly<Record<string, unknown>>,
    { sessionCwd, theme, readOutput }: { sessionCwd: string; theme: Theme; readOutput: ReadOutput },
  ) {
    this.#readOutput = readOutput;
    this.#component = new BashCallComponent({ args: shownArguments(params), sessionCwd, isStarted: true }, { theme });
  }

  answer(answer: CallAnswer): void {
    this.#artifactId = answer.details?.meta?.truncation?.artifactId;
    this.#component.setAnswer(answer);
  }

  async toggle(): Promise<void> {
    this.#isExpanded = !this.#isExpanded;
    if (this.#isExpanded && this.#artifactId !== undefined) {
      this.#component.setOptions({ fullOutput: await this.#readOutput(this.#artifactId) });
    }
    this.#component.setOptions({ expanded: this.#isExpanded });
  }

  render({ width, rows }: Room): readonly string[] {
    if (rows !== this.#rows) this.#component.setOptions({ rows });
    this.#rows = rows;
    return this.#component.render(width);
  }
}

/** A call of a task tool or of the job tool. */
export class OtherBlock implements Block {
  readonly #component: TaskCallComponent | JobCallComponent;
  #isExpanded = false;
  #rows: number | undefined;

  constructor(tool: OtherTool, args: Readonly<Record<string, unknown>>, theme: Theme) {
    const call = { args, isStarted: true };
    this.#component =
      tool === "job" ? new JobCallComponent(call, { theme }) : new TaskCallComponent({ tool, ...call }, { theme });
  }

  answer(answer: UncheckedAnswer): void {
    this.#component.setAnswer(answer);
  }

  toggle(): void {
    this.#isExpanded = !this.#isExpanded;
    this.#component.setOptions({ expanded: this.#isExpanded });
  }

  render({ width, rows }: Room): readonly string[] {
    if (rows !== this.#rows) this.#component.setOptions({ rows });
    this.#rows = rows;
    return this.#component.render(width);
  }
}

/** What can be drawn of parameters that no one has checked yet: the tool says what is wrong with the others. */
function shownArguments({ command, cwd, env }: Readonly<Record<string, unknown>>): PartialArguments {
  const variables = typeof env === "object" && env !== null ? Object.entries(env) : [];
  return {
    command: typeof command === "string" ? command : "",
    ...(typeof cwd === "string" ? { cwd } : {}),
    ...(variables.length === 0
      ? {}
      : { env: Object.fromEntries(variables.map(([name, value]) => [name, String(value)])) }),
  };
}
