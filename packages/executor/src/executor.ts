/**
 * Runs commands for an agent: the owner of what would otherwise be global (sessions, snapshot, environment, artifacts).
 *
 * # Theory of operation
 * A call waits for the snapshot (made once), takes its session from the pool, opens a sink, and is watched until it
 * settles or its deadline and the grace have passed. Everything that became of a command is data in the result; only a
 * command that was never started rejects, with the reason. What the session is called by, and who waits for whom, is
 * in `sessions/`.
 */

import { type SandboxOptions, Settings, type SettingsInput } from "@pi-bash/contract";
import { MAX_TIMER_MS, unlessAborted } from "@pi-bash/contract/internal/wait";
import { ArtifactStore } from "./artifacts/store.ts";
import { type CommandResult, DEFAULT_TIMEOUT_MS, neverStarted } from "./command-result.ts";
import { type ExecuteBashOptions, runCommand } from "./command-run.ts";
import { type ChildEnvironment, checkCommandEnv, childEnvironment } from "./environment/child-environment.ts";
import type { Executor, ExecutorPorts, SessionPlace } from "./executor-surface.ts";
import type { ListeningPort, NativesPort, OutputMask } from "./natives-port.ts";
import { checkCallOptions, checkExecutorOptions } from "./option-names.ts";
import { Bases } from "./places/bases.ts";
import { placeTerminal } from "./places/place-terminal.ts";
import { type Confinement, checkClaim } from "./read-only/confinement.ts";
import { loadRuleFiles, type RuleFiles } from "./rule-files.ts";
import { sandboxOf } from "./sandbox-settings.ts";
import { Secrets } from "./secrets.ts";
import type { SessionBase } from "./session-base.ts";
import { SessionFolders } from "./session-folders.ts";
import { SessionNews } from "./session-news.ts";
import { sessionKey } from "./sessions/session-key.ts";
import { shellConfig } from "./shell-config.ts";
import type { SnapshotOutcome } from "./snapshot/snapshot.ts";
import { type OpenTerminalOptions, runOnTerminal } from "./tty/open-terminal.ts";

export type { Executor, ExecutorPorts } from "./executor-surface.ts";

/** Keys of sessions are remembered up to here. */
const MAX_REMEMBERED_SESSIONS = 4_096;

/**
 * Makes an executor. Nothing is started before the first command.
 *
 * ```ts
 * import { createExecutor } from "@pi-bash/executor";
 *
 * const executor = createExecutor({ defaultTimeout: 60_000 }, { cwd: process.cwd() });
 * const result = await executor.executeBash("cd src; ls", { sessionKey: "agent-1" });
 * console.log(result.output, result.exitCode, result.workingDir);
 * await executor.dispose();
 * ```
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
  readonly recordsTerminals: boolean;
  readonly #settings: Settings;
  readonly #ports: ExecutorPorts;
  readonly #hostEnv: Readonly<Record<string, string | undefined>>;
  readonly #ownsArtifacts: boolean;
  readonly #bases: Bases;
  /** Keys of sessions by the agent's, and the snapshot that they have in them. */
  readonly #keys = new WeakMap<
    SessionBase,
    { snapshotPath: string | undefined; byAgent: Map<string | undefined, string> }
  >();
  /** Sessions whose results have named their place. */
  readonly #placed = new Set<string>();
  readonly #secrets: Secrets;
  readonly #news: SessionNews;
  #ruleFiles: Promise<RuleFiles> | undefined;
  #disposal: Promise<void> | undefined;
  /** Programs on terminals, and what ends them with the executor. */
  readonly #terminals = new Set<Promise<unknown>>();
  readonly #ended = new AbortController();

  constructor(settings: Settings, ports: ExecutorPorts) {
    this.#settings = settings;
    this.masksArtifacts = settings["secrets.mask"] && settings["secrets.maskArtifacts"];
    this.recordsTerminals = settings["tty.record"];
    this.#ports = ports;
    this.sandbox = sandboxOf(settings, ports.cwd ?? process.cwd());
    this.#hostEnv = { ...(ports.hostEnv ?? process.env) };
    this.#ownsArtifacts = ports.artifacts === undefined;
    this.artifacts =
      ports.artifacts ??
      new ArtifactStore({
        maxBytes: settings["artifacts.maxBytes"],
        quotaBytes: settings["artifacts.quotaBytes"],
        maxAgeMs: settings["artifacts.maxAgeMs"],
      });
    this.#secrets = new Secrets({ settings, hostEnv: this.#hostEnv, natives: ports.natives });
    this.#news = new SessionNews(this.#secrets);
    const source = { settings, ports, hostEnv: this.#hostEnv, secrets: this.#secrets };
    this.#bases = new Bases(source, ports);
    this.artifacts.maskWith(this.#secrets.mask);
  }

  async executeBash(command: string, options: ExecuteBashOptions = {}): Promise<CommandResult> {
    if (this.#disposal !== undefined) throw new Error("executor is disposed; create another one");
    checkCallOptions(options);
    const timeoutMs = checkTimeout(options.timeoutMs);
    checkCommandEnv(options.env ?? {}, this.#settings["bash.environment.allow"]);
    const { signal } = options;
    if (signal?.aborted) return neverStarted();
    const base = await unlessAborted(this.#bases.of(options.sessionKey, { like: options.placeKey, signal }), signal);
    if (base === "aborted") return neverStarted();
    if (options.readOnly === true) checkClaim(base.natives);
    // Every call but the first finds it made.
    const known = this.#knownSnapshot(base);
    if (!this.#hasSession(base, known, options.sessionKey) && options.cwd !== undefined) {
      // A place that is away answers when it is back.
      await unlessAborted(base.checkFolder(options.cwd), signal);
    }
    const made = known ?? (await unlessAborted(this.#snapshot(base), signal));
    if (made === "aborted") return neverStarted();
    const key = this.#keyOf(base, pathOf(made), options.sessionKey);
    // A session that stands has sourced it; only a new one needs the file.
    const isWanted = made.kind === "ready" && !base.pool.has(key);
    const snapshot = isWanted ? await base.snapshots.restore() : made;
    const sessionOptions = base.sessionOptions(pathOf(snapshot));
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
      graceMs: base.graceMs,
      awayMs: base.place?.awayMs,
      ruleFiles: () => this.#rules(base.natives),
      place: base.place,
    }).catch((error: unknown) => base.proof.rejected(error));
    const { environment, mask } = base;
    const withNews = this.#news.addTo(result, { key, lease, snapshot, environment, mask });
    return base.place === undefined ? withNews : this.#onPlace(withNews, key, options.sessionKey, base.place.name);
  }

  async runOnTerminal(command: string, options: OpenTerminalOptions): Promise<CommandResult> {
    if (this.#disposal !== undefined) throw new Error("executor is disposed; create another one");
    checkCommandEnv(options.env ?? {}, this.#settings["bash.environment.allow"]);
    const base = await this.#bases.of(options.placeKey);
    await base.checkFolder(options.cwd);
    const snapshotPath = pathOf(await this.#snapshot(base));
    const signal = AbortSignal.any([options.signal, this.#ended.signal]);
    if (signal.aborted) return neverStarted();
    const { masksArtifacts, artifacts } = this;
    const host = { base, settings: this.#settings, hostEnv: this.#hostEnv, artifacts, masksArtifacts, snapshotPath };
    const mask = await this.#secrets.mask();
    const run = runOnTerminal(command, { ...options, signal }, { ...host, mask });
    const over = run.catch(() => undefined);
    this.#terminals.add(over);
    return run.finally(() => this.#terminals.delete(over));
  }

  /** Says where a command ran, and, once a session, that its commands do. */
  async #onPlace(
    result: CommandResult,
    key: string,
    sessionKey: string | undefined,
    place: string,
  ): Promise<CommandResult> {
    const isReset = await this.#bases.takeLoss(sessionKey);
    const placed: CommandResult = { ...result, place, ...(isReset ? { sessionReset: true } : {}) };
    if (this.#placed.has(key)) return placed;
    if (this.#placed.size < MAX_REMEMBERED_SESSIONS) this.#placed.add(key);
    const notice = {
      kind: "place" as const,
      text: `Commands of this session run on ${place}; paths are of that machine.`,
    };
    return { ...placed, notices: [...(placed.notices ?? []), notice] };
  }

  async placeOf(key?: string): Promise<SessionPlace | undefined> {
    if ((await this.#bases.placeOf(key)).kind === "local") return undefined;
    const base = await this.#bases.of(key);
    if (base.place === undefined) return undefined;
    const { name, files, facts } = base.place;
    const terminal = placeTerminal(base, this.#settings);
    const cwd = this.#ports.cwd ?? facts.cwd;
    return { name, cwd, home: facts.home, terminal, stat: (path) => files.stat(path) };
  }

  secretMask(): Promise<OutputMask | undefined> {
    return this.#secrets.mask();
  }

  async confinement(key?: string): Promise<Confinement> {
    try {
      return await (await this.#bases.of(key)).proof.found();
    } catch (error) {
      return { available: false, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  async portHolder(port: number, key?: string): Promise<ListeningPort | undefined> {
    const { natives } = await this.#bases.of(key);
    return (await natives.portHolder?.(port)) ?? undefined;
  }

  environment(): ChildEnvironment {
    const { configName } = this.#ports;
    const named = configName === undefined ? {} : { configName };
    const { shell } = shellConfig({ settings: this.#settings, hostEnv: this.#hostEnv, ...named });
    return childEnvironment({ hostEnv: this.#hostEnv, settings: this.#settings, shell });
  }

  async closeSession(agentKey: string): Promise<void> {
    this.folders.delete(agentKey);
    const base = await this.#bases.existing(agentKey);
    const releasePlace = this.#bases.forget(agentKey);
    try {
      if (base === undefined) return;
      const snapshot = await this.#snapshot(base);
      await base.pool.close(this.#keyOf(base, pathOf(snapshot), agentKey));
    } finally {
      await releasePlace();
    }
  }

  stats(): { sessions: number; idle: number; quarantined: number } {
    return this.#bases.stats();
  }

  dispose(): Promise<void> {
    this.#disposal ??= this.#close();
    return this.#disposal;
  }

  async #close(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#terminals);
    for (const base of await this.#bases.close()) {
      await base.proof.settled();
      await base.pool.dispose();
      await base.snapshots.dispose();
    }
    await this.#bases.releaseAll();
    this.artifacts.unmask(this.#secrets.mask);
    if (this.#ownsArtifacts) await this.artifacts.dispose();
  }

  #snapshot(base: SessionBase): Promise<SnapshotOutcome> {
    return this.#ports.usesSnapshot === false ? Promise.resolve({ kind: "none" }) : base.snapshots.getOrCreate();
  }

  #hasSession(base: SessionBase, snapshot: SnapshotOutcome | undefined, agentKey: string | undefined): boolean {
    return snapshot !== undefined && base.pool.has(this.#keyOf(base, pathOf(snapshot), agentKey));
  }

  #knownSnapshot(base: SessionBase): SnapshotOutcome | undefined {
    return this.#ports.usesSnapshot === false ? { kind: "none" } : base.snapshots.known;
  }

  /** The rule files, read once: when the first output is there to be minimized. */
  #rules(natives: NativesPort): Promise<RuleFiles> {
    this.#ruleFiles ??= loadRuleFiles(this.#settings, this.#nearFolder(), natives).then((files) => {
      this.#news.tellProblems(files.problems);
      return files;
    });
    return this.#ruleFiles;
  }

  #keyOf(base: SessionBase, snapshotPath: string | undefined, agentKey: string | undefined): string {
    // The first one stays in the keys: a snapshot that is lost later changes nothing for the shells that stand.
    const keys = this.#keys.get(base) ?? { snapshotPath, byAgent: new Map<string | undefined, string>() };
    this.#keys.set(base, keys);
    const known = keys.byAgent.get(agentKey);
    if (known !== undefined) return known;
    const { config, environment } = base;
    const parts = { shell: config.shell, prefix: config.prefix, env: environment.env };
    const key = sessionKey({ ...parts, snapshotPath: keys.snapshotPath, sessionKey: agentKey });
    // The environment is long and never changes here: hashing it for every command would cost more than a builtin.
    if (keys.byAgent.size >= MAX_REMEMBERED_SESSIONS) keys.byAgent.clear();
    keys.byAgent.set(agentKey, key);
    return key;
  }

  /** The folder of this machine that the executor works for: on a place, `cwd` is one over there. */
  #nearFolder(): string {
    const { cwd, place, placement } = this.#ports;
    return place === undefined && placement === undefined && cwd !== undefined ? cwd : process.cwd();
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
