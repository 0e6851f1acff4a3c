/** What is tried, and what was seen: the words that the harness and its runner inside the fixture exchange. */

/** A command line with the place it runs in. */
export interface Case {
  /** The text that `classify` judges and bash runs. */
  readonly line: string;
  /** Folder it runs in. Default: the workspace, or the folder of `files` when there are any. */
  readonly cwd?: string;
  /** Variables of the session, which the text does not show. */
  readonly env?: Readonly<Record<string, string>>;
  /** Empty files with these names, in a folder of their own. */
  readonly files?: readonly string[];
  /** Standard input. Default: `/dev/null`. */
  readonly stdin?: string;
}

/** What a case did beside printing. */
export interface Observation {
  /** One sentence for each effect; empty where it only read. */
  readonly effects: readonly string[];
  /** True when it was stopped because it took too long. */
  readonly timedOut: boolean;
  /** Exit status, or null after a signal. */
  readonly status: number | null;
  /** The end of what it printed, for a report. */
  readonly output: string;
}

/** The folder of the fixture in which cases run. */
export const WORKSPACE = "/place/ws";
/** The folder of a case's own files. */
export const GLOB_FOLDER = "/place/glob";
/** Stands for the victim's process id in lines, which is known only inside. */
export const VICTIM = "31337";
/** The victim's environment holds this; no output may show it. */
export const SECRET = "s3cret-of-another-process";
/** What the runner says once all traps are set. */
export const READY = "ready";
