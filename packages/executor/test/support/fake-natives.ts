/**
 * A native runtime that does what a test tells it, misbehaviour included: never settles, loses state, lies about files.
 */
import type { NativesPort, RunOptions, RunOutput, RunResult, SessionOptions } from "../../src/natives-port.ts";

/** One run that the fake was asked for. */
export interface FakeRun {
  shell: FakeShell | undefined;
  options: RunOptions;
  onChunk: ((error: Error | null, chunk: string) => void) | undefined;
}

/** What a run does. Default: it exits with 0 and writes its command. */
export type Behaviour = (run: FakeRun) => Promise<RunResult>;

export class FakeShell {
  readonly options: SessionOptions;
  isClosed = false;
  backgroundJobs = 0;
  readonly #natives: FakeNatives;

  constructor(options: SessionOptions, natives: FakeNatives) {
    this.options = options;
    this.#natives = natives;
  }

  run(options: RunOptions, onChunk?: FakeRun["onChunk"]): Promise<RunResult> {
    return this.#natives.perform({ shell: this, options, onChunk });
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }

  async handOver(): Promise<boolean> {
    return this.#natives.canHandOver;
  }

  async liveBackgroundJobCount(): Promise<number> {
    return this.backgroundJobs;
  }
}

export class FakeNatives implements NativesPort {
  readonly shells: FakeShell[] = [];
  readonly runs: FakeRun[] = [];
  canClone = true;
  canHandOver = false;
  /** What the system says of confinement. */
  readOnly: NonNullable<ReturnType<NativesPort["capabilities"]>["readOnly"]> | undefined = undefined;
  behaviour: Behaviour = async ({ options }) => ended({ text: `${options.command}\n` });
  minimizeOutputAsync?: NonNullable<NativesPort["minimizeOutputAsync"]>;
  verifyMinimizerRules?: NonNullable<NativesPort["verifyMinimizerRules"]>;
  readonly Shell: NativesPort["Shell"];

  constructor() {
    const natives = this;
    this.Shell = class extends FakeShell {
      constructor(options: SessionOptions = {}) {
        super(options, natives);
        natives.shells.push(this);
      }
    };
  }

  executeShell(options: SessionOptions & RunOptions, onChunk?: FakeRun["onChunk"]): Promise<RunResult> {
    return this.perform({ shell: undefined, options, onChunk });
  }

  perform(run: FakeRun): Promise<RunResult> {
    this.runs.push(run);
    return this.behaviour(run);
  }

  capabilities(): ReturnType<NativesPort["capabilities"]> {
    const { readOnly } = this;
    return { session: "persistent", clone: this.canClone, ...(readOnly === undefined ? {} : { readOnly }) };
  }
}

/** A result of a command that ended by itself. */
export function ended(output: Partial<RunOutput> = {}, rest: Partial<Omit<RunResult, "output">> = {}): RunResult {
  const text = output.text ?? "";
  const bytes = Buffer.byteLength(text);
  const lines = text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);
  return {
    exitCode: 0,
    cancelled: false,
    timedOut: false,
    sessionReset: false,
    survivors: [],
    wallTimeMs: 1,
    ...rest,
    output: {
      truncated: false,
      totalBytes: bytes,
      totalLines: lines,
      outputBytes: bytes,
      outputLines: lines,
      spilled: false,
      shownRange: { startLine: lines === 0 ? 0 : 1, endLine: lines },
      lateOutputBytes: 0,
      ...output,
      text,
    },
  };
}

/** A run that settles never, whatever is asked of it. */
export function never(): Promise<RunResult> {
  return new Promise(() => undefined);
}
