/**
 * Runs commands for an agent: the owner of what would otherwise be global (sessions, snapshot, environment, artifacts).
 *
 * # Theory of operation
 * A call waits for the snapshot (made once), takes its session from the pool, opens a sink, and is watched until it
 * settles or its deadline and the grace have passed. Everything that became of a command is data in the result; only a
 * command that was never started rejects, with the reason. What the session is called by, and who waits for whom, is
 * in `sessions/`.
 */

import { resolve } from "node:path";
import { type SandboxOptions, Settings, type SettingsInput } from "@pi-bash/contract";
import { HARD_TIMEOUT_GRACE_MS } from "@pi-bash/contract/internal";
import { MAX_TIMER_MS, unlessAborted } from "@pi-bash/contract/wait";
import { ArtifactStore } from "./artifacts/store.ts";
import { type CommandResult, DEFAULT_TIMEOUT_MS, neverStarted } from "./command-result.ts";
import { type ExecuteBashOptions, runCommand } from "./command-run.ts";
import { type ChildEnvironment, checkCommandEnv, childEnvironment } from "./environment/child-environment.ts";
import type { Executor, ExecutorPorts } from "./executor-surface.ts";
import type { NativesPort, OutputMask, SessionOptions } from "./natives-port.ts";
import { checkCallOptions, checkExecutorOptions } from "./option-names.ts";
import { type Confinement, ConfinementProof, checkClaim } from "./read-only/confinement.ts";
import { loadRuleFiles, type RuleFiles } from "./rule-files.ts";
import { sandboxOf } from "./sandbox-settings.ts";
import { Secrets } from "./secrets.ts";
import { SessionFolders } from "./session-folders.ts";
import { SessionNews } from "./session-news.ts";
import { sessionKey } from "./sessions/session-key.ts";
import { SessionPool } from "./sessions/session-pool.ts";
import { type ShellConfig, shellConfig } from "./shell-config.ts";
import { SNAPSHOT_BUDGET_MS, type SnapshotOutcome, SnapshotSource } from "./snapshot/snapshot.ts";
import { usableNatives } from "./usable-natives.ts";
import { checkWorkingDirectory } from "./working-directory.ts";

export type { Executor, ExecutorPorts } from "./executor-surface.ts";

/** Keys of sessions are remembered up to here. */
const MAX_REMEMBERED_SESSIONS = 4_096;

/** What every session of an executor begins with. */
interface Base {
  natives: NativesPort;
  config: ShellConfig;
  environment: ChildEnvironment;
  snapshots: SnapshotSource;
  pool: SessionPool;
  mask: OutputMask | undefined;
}

/**
 * Makes an executor. Nothing is started before the first command.
 *
 * @throws UnknownOptionError for a setting or a port that there is not
 */
export function createExecutor(settings: SettingsInput = {}, ports: ExecutorPorts = {}): Executor {
  checkExecutorOptions(settings, ports);
  return new SessionExecutor(Settings.parse(settings), ports);
}

class SessionExecutor implements Executor {
  readonly artifacts: ArtifactStore;
  readonly folders = new SessionFolders();
  readonly sandbox: SandboxOptions | undefined;
  readonly masksArtifacts: boolean;
  readonly #settings: Settings;
  readonly #ports: ExecutorPorts;
  readonly #hostEnv: Readonly<Record<string, string | undefined>>;
  readonly #ownsArtifacts: boolean;
  #base: Promise<Base> | undefined;
  #pool: SessionPool | undefined;
  /** Keys of sessions by the agent's, each with the snapshot it was made with. */
  readonly #keys = new Map<string | undefined, { snapshotPath: string | undefined; key: string }>();
  readonly #proof: ConfinementProof;
  readonly #secrets: Secrets;
  readonly #news: SessionNews;
  #ruleFiles: Promise<RuleFiles> | undefined;
  #disposal: Promise<void> | undefined;

  constructor(settings: Settings, ports: ExecutorPorts) {
    this.#settings = settings;
    this.masksArtifacts = settings["secrets.mask"] && settings["secrets.maskArtifacts"];
    this.#ports = ports;
    this.sandbox = sandboxOf(settings, ports.cwd ?? process.cwd());
    this.#hostEnv = { ...(ports.hostEnv ?? process.env) };
    this.#ownsArtifacts = ports.artifacts === undefined;
    this.#proof = new ConfinementProof(async () => {
      const base = await this.#open();
      return { natives: base.natives, session: this.#sessionOptions(base, undefined) };
    });
    this.artifacts =
      ports.artifacts ??
      new ArtifactStore({
        maxBytes: settings["artifacts.maxBytes"],
        quotaBytes: settings["artifacts.quotaBytes"],
        maxAgeMs: settings["artifacts.maxAgeMs"],
      });
    this.#secrets = new Secrets({ settings, hostEnv: this.#hostEnv, natives: ports.natives });
    this.#news = new SessionNews(this.#secrets);
    this.artifacts.maskWith(this.#secrets.mask);
  }

  async executeBash(command: string, options: ExecuteBashOptions = {}): Promise<CommandResult> {
    if (this.#disposal !== undefined) throw new Error("executor is disposed");
    checkCallOptions(options);
    const timeoutMs = checkTimeout(options.timeoutMs);
    checkCommandEnv(options.env ?? {}, this.#settings["bash.environment.allow"]);
    const { signal } = options;
    if (signal?.aborted) return neverStarted();
    const base = await this.#open();
    if (options.readOnly === true) checkClaim(base.natives);
    // Every call but the first finds it made.
    const known = this.#knownSnapshot(base);
    if (!this.#hasSession(base, known, options.sessionKey)) await this.#checkFolder(options.cwd);
    const snapshot = known ?? (await unlessAborted(this.#snapshot(base), signal));
    if (snapshot === "aborted") return neverStarted();
    const snapshotPath = pathOf(snapshot);
    const key = this.#keyOf(base, snapshotPath, options.sessionKey);
    // A session that stands has sourced it; only a new one needs the file.
    if (snapshotPath !== undefined && !base.pool.has(key)) await base.snapshots.restore();
    const sessionOptions = this.#sessionOptions(base, snapshotPath);
    const lease = await base.pool.acquire(key, sessionOptions, { mayClone: options.overlap === "clone", signal });
    if (lease === undefined) return neverStarted();
    if (options.isEphemeral) lease.session.isEphemeral = true;
    options.onTurn?.();
    const call = { command, options, timeoutMs, session: sessionOptions };
    const result = await runCommand(call, lease, {
      natives: base.natives,
      settings: this.#settings,
      artifacts: this.artifacts,
      prefix: base.config.prefix,
      mask: base.mask,
      graceMs: this.#ports.graceMs ?? HARD_TIMEOUT_GRACE_MS,
      ruleFiles: () => this.#rules(base.natives),
    }).catch((error: unknown) => this.#proof.rejected(error));
    const { environment, mask } = base;
    return this.#news.addTo(result, { key, lease, snapshot, environment, mask });
  }

  secretMask(): Promise<OutputMask | undefined> {
    return this.#secrets.mask();
  }

  confinement(): Promise<Confinement> {
    return this.#proof.found();
  }

  environment(): ChildEnvironment {
    const { shell } = this.#config();
    return childEnvironment({ hostEnv: this.#hostEnv, settings: this.#settings, shell });
  }

  async closeSession(agentKey: string): Promise<void> {
    this.folders.delete(agentKey);
    const base = await this.#base;
    if (base === undefined) return;
    const snapshot = await this.#snapshot(base);
    await base.pool.close(this.#keyOf(base, pathOf(snapshot), agentKey));
  }

  stats(): { sessions: number; idle: number; quarantined: number } {
    return this.#pool?.stats() ?? { sessions: 0, idle: 0, quarantined: 0 };
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#close();
    return this.#disposal;
  }

  async #close(): Promise<void> {
    const base = await this.#base?.catch(() => undefined);
    await this.#proof.settled();
    await base?.pool.dispose();
    await base?.snapshots.dispose();
    this.artifacts.unmask(this.#secrets.mask);
    if (this.#ownsArtifacts) await this.artifacts.dispose();
  }

  /** What sessions begin with, worked out once; a failure (no bash) is tried again at the next call. */
  #open(): Promise<Base> {
    this.#base ??= this.#prepare().catch((error: unknown) => {
      this.#base = undefined;
      throw error;
    });
    return this.#base;
  }

  async #prepare(): Promise<Base> {
    const config = this.#config();
    const natives: NativesPort = this.#ports.natives ?? (await usableNatives());
    const environment = this.environment();
    const { maxIdleSessions: maxIdle, snapshotBudgetMs: budgetMs = SNAPSHOT_BUDGET_MS } = this.#ports;
    const snapshots = new SnapshotSource({ natives, shell: config.shell, env: environment.env, budgetMs });
    const mask = await this.secretMask();
    this.#pool = new SessionPool({ natives, ...(maxIdle === undefined ? {} : { maxIdle }) });
    return { natives, config, environment, snapshots, pool: this.#pool, mask };
  }

  #config(): ShellConfig {
    const { configName } = this.#ports;
    const named = configName === undefined ? {} : { configName };
    return shellConfig({ settings: this.#settings, hostEnv: this.#hostEnv, ...named });
  }

  #snapshot(base: Base): Promise<SnapshotOutcome> {
    return this.#ports.usesSnapshot === false ? Promise.resolve({ kind: "none" }) : base.snapshots.getOrCreate();
  }

  #hasSession(base: Base, snapshot: SnapshotOutcome | undefined, agentKey: string | undefined): boolean {
    return snapshot !== undefined && base.pool.has(this.#keyOf(base, pathOf(snapshot), agentKey));
  }

  /** Nothing is started for a folder that is missing. */
  async #checkFolder(cwd: string | undefined): Promise<void> {
    if (cwd !== undefined) await checkWorkingDirectory(resolve(this.#ports.cwd ?? process.cwd(), cwd));
  }

  #knownSnapshot(base: Base): SnapshotOutcome | undefined {
    return this.#ports.usesSnapshot === false ? { kind: "none" } : base.snapshots.known;
  }

  /** The rule files, read once: when the first output is there to be minimized. */
  #rules(natives: NativesPort): Promise<RuleFiles> {
    this.#ruleFiles ??= loadRuleFiles(this.#settings, this.#ports.cwd ?? process.cwd(), natives).then((files) => {
      this.#news.tellProblems(files.problems);
      return files;
    });
    return this.#ruleFiles;
  }

  #keyOf(base: Base, snapshotPath: string | undefined, agentKey: string | undefined): string {
    const known = this.#keys.get(agentKey);
    if (known !== undefined && known.snapshotPath === snapshotPath) return known.key;
    const { config, environment } = base;
    const parts = { shell: config.shell, prefix: config.prefix, env: environment.env };
    const key = sessionKey({ ...parts, snapshotPath, sessionKey: agentKey });
    // The environment is long and never changes here: hashing it for every command would cost more than a builtin.
    if (this.#keys.size >= MAX_REMEMBERED_SESSIONS) this.#keys.clear();
    this.#keys.set(agentKey, { snapshotPath, key });
    return key;
  }

  #sessionOptions(base: Base, snapshotPath: string | undefined): SessionOptions {
    const { cwd } = this.#ports;
    const { sandbox } = this;
    const { limits } = this.#settings;
    return {
      shell: base.config.shell,
      baseEnv: base.environment.env,
      ...(sandbox === undefined ? {} : { sandbox }),
      ...(limits === undefined ? {} : { limits }),
      ...(base.mask === undefined ? {} : { mask: base.mask }),
      ...(cwd === undefined ? {} : { cwd }),
      ...(snapshotPath === undefined ? {} : { snapshotPath }),
    };
  }
}

function pathOf(snapshot: SnapshotOutcome): string | undefined {
  return snapshot.kind === "ready" ? snapshot.path : undefined;
}

function checkTimeout(timeoutMs: number | undefined): number {
  if (timeoutMs === undefined) return DEFAULT_TIMEOUT_MS;
  if (!Number.isFinite(timeoutMs)) {
    throw new RangeError(`\`timeoutMs\` is ${String(timeoutMs)}; use a number of milliseconds from 1`);
  }
  return Math.min(Math.max(1, timeoutMs), MAX_TIMER_MS);
}
