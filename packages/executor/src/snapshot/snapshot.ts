/**
 * Gives sessions the user's shell: a file made once from the rc, sourced by each new session.
 *
 * # Theory of operation
 * A bash of its own sources the rc, supervised like any command and bounded in time, and writes down what it has; the
 * snapshot is assembled from that and tried out in another bash before it is used. It is run as an interactive shell
 * first, because most rc files return at once otherwise; where that fails (an rc that starts another shell for people),
 * without. A failure is reported once and never fatal: commands run without the user's functions then.
 */
import { posix } from "node:path";
import { settlesWithin } from "@pi-bash/contract/internal/wait";
import { randomName } from "../artifacts/private-folder.ts";
import type { NativesPort, RunResult } from "../natives-port.ts";
import { isBash } from "../shell-config.ts";
import { assembleSnapshot, type Snapshot } from "./assemble.ts";
import { captureScript } from "./capture-script.ts";
import { quote } from "./quote.ts";
import { parseRecord } from "./record.ts";
import { nearSnapshotFiles, type SnapshotFiles } from "./snapshot-files.ts";

/** Most time making a snapshot may take, in milliseconds; the first command waits for it. */
export const SNAPSHOT_BUDGET_MS = 5_000;
/** Part of it that the first try may use, so that a second one is possible. */
const FIRST_TRY_SHARE = 0.6;
/** A snapshot larger than this is not what a person wrote. */
const MAX_SNAPSHOT_BYTES = 4 * 1024 * 1024;
/** Time beyond a run's own deadline before it is given up. */
const SETTLE_MARGIN_MS = 2_000;

/** What became of a snapshot. */
export type SnapshotOutcome =
  | { kind: "ready"; path: string }
  /** The user has no rc, or the shell is no bash. */
  | { kind: "none" }
  | { kind: "failed"; reason: string };

/** Whose aliases and functions are read, and by what. */
export interface SnapshotOptions {
  natives: Pick<NativesPort, "executeShell">;
  shell: string;
  /** The environment that sessions begin with; its `HOME` has the rc. */
  env: Readonly<Record<string, string>>;
  /** Default `SNAPSHOT_BUDGET_MS`. */
  budgetMs?: number;
  platform?: NodeJS.Platform;
  /** Where the rc is, and the snapshot. Default: this machine. */
  files?: SnapshotFiles;
}

/** The snapshot of one shell and environment, made when it is first asked for. */
export class SnapshotSource {
  readonly #options: SnapshotOptions;
  #made: Promise<SnapshotOutcome> | undefined;
  #known: SnapshotOutcome | undefined;
  readonly #files: SnapshotFiles;
  #text = "";

  constructor(options: SnapshotOptions) {
    this.#options = options;
    this.#files = options.files ?? nearSnapshotFiles();
  }

  /** What `getOrCreate` resolves with now; undefined: it is being made, or was not asked for. */
  get known(): SnapshotOutcome | undefined {
    return this.#known;
  }

  /** The snapshot, made once. Never rejects. */
  getOrCreate(): Promise<SnapshotOutcome> {
    this.#made ??= this.#make()
      .catch((error: unknown) => ({
        kind: "failed" as const,
        reason: error instanceof Error ? error.message : String(error),
      }))
      .then((outcome) => {
        this.#known = outcome;
        return outcome;
      });
    return this.#made;
  }

  /** Writes the file again if it was removed or changed meanwhile (RC-05). Called before a new session sources it. */
  async restore(): Promise<SnapshotOutcome> {
    const made = await this.getOrCreate();
    if (made.kind !== "ready") return made;
    try {
      return { kind: "ready", path: await this.#files.keep(made.path, this.#text) };
    } catch {
      const lost = { kind: "failed" as const, reason: `\`${made.path}\` is gone and cannot be written again` };
      this.#known = lost;
      this.#made = Promise.resolve(lost);
      return lost;
    }
  }

  /** Removes the files. */
  async dispose(): Promise<void> {
    await this.#made;
    await this.#files.dispose();
  }

  async #make(): Promise<SnapshotOutcome> {
    const { shell, env } = this.#options;
    const home = env["HOME"];
    const platform = this.#options.platform ?? process.platform;
    if (!isBash(shell) || platform === "win32" || home === undefined || home === "") return { kind: "none" };
    const rc = posix.join(home, ".bashrc");
    if (!(await this.#files.has(rc))) return { kind: "none" };

    const budgetMs = this.#options.budgetMs ?? SNAPSHOT_BUDGET_MS;
    const deadline = performance.now() + budgetMs;
    const snapshot =
      (await this.#capture(rc, "-i", deadline - budgetMs * (1 - FIRST_TRY_SHARE))) ??
      (await this.#capture(rc, "+i", deadline));
    if (snapshot === undefined) return { kind: "failed", reason: `\`${rc}\` did not end in time, or ended the shell` };
    if (Buffer.byteLength(snapshot.text) > MAX_SNAPSHOT_BYTES)
      return { kind: "failed", reason: `\`${rc}\` defines too much` };
    const path = await this.#files.write(`snapshot-bash-${randomName()}.sh`, snapshot.text);
    const problem = await this.#verify(path, snapshot, deadline);
    if (problem !== undefined) {
      await this.#files.remove(path);
      return { kind: "failed", reason: `what \`${rc}\` defines cannot be loaded again: ${problem}` };
    }
    this.#text = snapshot.text;
    return { kind: "ready", path };
  }

  /** Sources the rc and reads what it defined. Absent: the shell did not come to the end. */
  async #capture(rc: string, mode: "-i" | "+i", deadline: number): Promise<Snapshot | undefined> {
    const name = randomName();
    const recordPath = await this.#files.target(`record-${name}`);
    const script = await this.#files.write(`capture-${name}.sh`, captureScript(rc, recordPath));
    try {
      const bash = `${quote(this.#options.shell)} --noprofile --norc ${mode} -c '. "$0"' ${quote(script)}`;
      await this.#run(bash, deadline);
      const record = parseRecord(await this.#files.read(recordPath));
      return record === undefined ? undefined : assembleSnapshot(record);
    } finally {
      // The record may hold secrets of the rc; it is gone before anything else happens.
      await Promise.allSettled([this.#files.remove(script), this.#files.remove(recordPath)]);
    }
  }

  /** Sources the snapshot in a fresh bash: nothing may be printed, functions and `PATH` must be what they were. */
  async #verify(path: string, snapshot: Snapshot, deadline: number): Promise<string | undefined> {
    const functions = snapshot.functions.map(quote).join(" ");
    const expected = snapshot.path ?? this.#options.env["PATH"] ?? "";
    const checks = [
      `. ${quote(path)}`,
      ...(functions === "" ? [] : [`builtin declare -F -- ${functions} >/dev/null`]),
      ...(expected === "" ? [] : [`[[ $PATH == ${quote(expected)} ]]`]),
      "builtin echo verified",
    ];
    const result = await this.#run(checks.join(" && "), deadline);
    const output = result?.output?.text ?? "";
    if (output.trim() === "verified" && result?.exitCode === 0) return undefined;
    return result === undefined || result.timedOut
      ? "it takes too long"
      : `bash says \`${output.trim().slice(0, 200)}\``;
  }

  /** Runs a command in a fresh bash. Absent: it did not end in time. */
  async #run(command: string, deadline: number): Promise<RunResult | undefined> {
    const timeoutMs = Math.floor(deadline - performance.now());
    if (timeoutMs < 1) return undefined;
    const { natives, shell, env } = this.#options;
    let result: RunResult | undefined;
    const run = natives
      .executeShell({ shell, baseEnv: { ...env }, command, timeoutMs, cwd: "/", sink: { maxBytes: 16 * 1024 } })
      .then((value) => {
        result = value;
      });
    await settlesWithin(run, timeoutMs + SETTLE_MARGIN_MS);
    return result;
  }
}

/** One line for the person and the model, reported once. */
export function snapshotNotice(reason: string): string {
  return `Functions and aliases of the user's shell are not loaded: ${reason}`;
}
