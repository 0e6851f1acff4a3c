/**
 * What a result says once: an rc that was lost, names that were withheld, rule files that are not used, a missing mask.
 *
 * One object for an executor, which remembers what it said, and to which sessions.
 */
import type { CommandResult, ExecutorNotice } from "./command-result.ts";
import type { ChildEnvironment } from "./environment/child-environment.ts";
import type { OutputMask } from "./natives-port.ts";
import type { Secrets } from "./secrets.ts";
import type { Lease } from "./sessions/session-pool.ts";
import { type SnapshotOutcome, snapshotNotice } from "./snapshot/snapshot.ts";

/** Sessions that have had the withheld names are remembered up to here. */
const MAX_REMEMBERED_SESSIONS = 4_096;

/** What a run was given. */
interface RunFacts {
  /** The session's key. */
  key: string;
  lease: Lease;
  snapshot: SnapshotOutcome;
  environment: ChildEnvironment;
  mask: OutputMask | undefined;
}

/** What was not said yet. */
export class SessionNews {
  readonly #secrets: Secrets;
  readonly #toldSessions = new Set<string>();
  #isSnapshotFailureReported = false;
  /** What is wrong with rule files. */
  #problems: string[] = [];

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** What is wrong with rule files: for the next result. */
  tellProblems(problems: string[]): void {
    this.#problems = problems;
  }

  /** Adds what is said once: a lost rc, withheld names, a copy, a lost earlier session. */
  addTo(result: CommandResult, run: RunFacts): CommandResult {
    const notices: ExecutorNotice[] = [...(result.notices ?? [])];
    if (run.snapshot.kind === "failed" && !this.#isSnapshotFailureReported) {
      this.#isSnapshotFailureReported = true;
      notices.push({ kind: "snapshot", text: snapshotNotice(run.snapshot.reason) });
    }
    for (const text of this.#problems.splice(0)) notices.push({ kind: "minimizer", text });
    notices.push(...this.#secrets.untoldNotices(run.mask));
    const withheldNames = this.#untoldNames(run);
    const isIsolated = run.lease.turn === "clone";
    return {
      ...result,
      ...(run.lease.isReset ? { sessionReset: true } : {}),
      ...(withheldNames.length === 0 ? {} : { withheldNames }),
      ...(isIsolated ? { isIsolated } : {}),
      ...(notices.length === 0 ? {} : { notices }),
    };
  }

  #untoldNames({ key, environment }: RunFacts): string[] {
    if (environment.withheld.length === 0 || this.#toldSessions.has(key)) return [];
    if (this.#toldSessions.size < MAX_REMEMBERED_SESSIONS) this.#toldSessions.add(key);
    return environment.withheld.map((variable) => variable.name);
  }
}
