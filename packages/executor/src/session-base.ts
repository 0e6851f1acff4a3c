/**
 * What the sessions of one place begin with: the natives, the shell, the environment, the snapshot, the mask and the pool.
 *
 * One for this machine, and one for each place that was asked for. On a place everything that a path or a variable means is
 * asked there: the login environment, the bash, the folder, the rc.
 */
import { posix, resolve as resolveHere } from "node:path";
import type { SandboxOptions, Settings } from "@pi-bash/contract";
import { HARD_TIMEOUT_GRACE_MS } from "@pi-bash/contract/internal";
import { type ChildEnvironment, childEnvironment } from "./environment/child-environment.ts";
import type { ExecutorPorts } from "./executor-surface.ts";
import type { NativesPort, OutputMask, SessionOptions } from "./natives-port.ts";
import { farSnapshotFiles } from "./places/far-snapshot-files.ts";
import type { OpenedPlace, PlaceFacts, PlaceFiles, RemotePlace } from "./places/place.ts";
import { ConfinementProof } from "./read-only/confinement.ts";
import { sandboxOf } from "./sandbox-settings.ts";
import { Secrets } from "./secrets.ts";
import { SessionPool } from "./sessions/session-pool.ts";
import { type ShellConfig, ShellConfigError, shellConfig } from "./shell-config.ts";
import { SNAPSHOT_BUDGET_MS, SnapshotSource } from "./snapshot/snapshot.ts";
import { usableNatives } from "./usable-natives.ts";
import { checkFarDirectory, checkWorkingDirectory } from "./working-directory.ts";

/** Time that a place's own last word may take past the grace, in milliseconds: its answer says more than a timer here. */
const PLACE_GRACE_MS = 4_000;
/** Time that reading the rc of a place may take besides, in round trips. */
const SNAPSHOT_TRIPS = 12;
/** Where `false` may be on a place. */
const FALSE_PATHS = ["/usr/bin/false", "/bin/false"] as const;

/** What a base is made of. */
export interface BaseSource {
  readonly settings: Settings;
  readonly ports: ExecutorPorts;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Masks what runs here. */
  readonly secrets: Secrets;
}

/** What every session of one place begins with. */
export interface SessionBase {
  readonly natives: NativesPort;
  readonly config: ShellConfig;
  readonly environment: ChildEnvironment;
  readonly snapshots: SnapshotSource;
  readonly pool: SessionPool;
  readonly mask: OutputMask | undefined;
  readonly secrets: Secrets;
  readonly proof: ConfinementProof;
  readonly sandbox: SandboxOptions | undefined;
  /** Time past a deadline until a run is given up, in milliseconds. */
  readonly graceMs: number;
  /** Absent: this machine. */
  readonly place: BasePlace | undefined;
  /** Throws where a folder cannot be the one of a command. */
  checkFolder(cwd: string): Promise<void>;
  sessionOptions(snapshotPath: string | undefined): SessionOptions;
}

/** Where sessions of a base are. */
interface BasePlace {
  readonly name: string;
  readonly files: PlaceFiles;
  readonly facts: PlaceFacts;
  /** Time that it may be away while its commands go on, in milliseconds. */
  readonly awayMs: number | undefined;
}

/** The base of this machine. Rejects where it has no bash. */
export async function localBase(source: BaseSource): Promise<SessionBase> {
  const { settings, ports, hostEnv, secrets } = source;
  const { configName } = ports;
  const config = shellConfig({ settings, hostEnv, ...(configName === undefined ? {} : { configName }) });
  const natives: NativesPort = ports.natives ?? (await usableNatives());
  const workspace = ports.cwd ?? process.cwd();
  return assemble(source, {
    natives,
    config,
    secrets,
    environment: childEnvironment({ hostEnv, settings, shell: config.shell }),
    sandbox: sandboxOf(settings, workspace),
    cwd: ports.cwd,
    graceMs: ports.graceMs ?? HARD_TIMEOUT_GRACE_MS,
    place: undefined,
    files: {},
    checkFolder: (cwd) => checkWorkingDirectory(resolveHere(workspace, cwd)),
  });
}

/** The base of a place that is connected. Rejects where it has no bash. */
export async function placeBase(source: BaseSource, place: RemotePlace, opened: OpenedPlace): Promise<SessionBase> {
  const { settings, ports } = source;
  const { facts, natives, files } = opened;
  if (facts.bash === undefined) {
    const why = facts.bashError === undefined ? "" : `: ${facts.bashError}`;
    throw new ShellConfigError("PI_SHELL_NOT_FOUND", `${place.name} has no bash${why}`);
  }
  const shell = facts.bash.path;
  const kinds = await Promise.all(FALSE_PATHS.map((path) => files.stat(path)));
  const found = FALSE_PATHS.filter((_, at) => kinds[at]?.kind === "file");
  const environment = childEnvironment({
    hostEnv: facts.env,
    settings,
    shell,
    platform: "linux",
    isExecutable: (path) => found.some((each) => each === path),
  });
  const workspace = ports.cwd ?? facts.cwd;
  return assemble(source, {
    natives,
    config: { shell, ...(settings.shellPrefix === undefined ? {} : { prefix: settings.shellPrefix }) },
    environment,
    // Values of both machines: what the agent knows may stand in a command.
    secrets: new Secrets({ settings, hostEnv: source.hostEnv, farEnv: facts.env, natives }),
    sandbox: sandboxOf(settings, workspace),
    cwd: workspace,
    graceMs: (ports.graceMs ?? HARD_TIMEOUT_GRACE_MS) + PLACE_GRACE_MS + facts.rttMs,
    place: { name: place.name, files, facts, awayMs: opened.awayMs },
    files: { files: farSnapshotFiles({ natives, files, shell, env: environment.env, folder: facts.folder }) },
    checkFolder: (cwd) => checkFarDirectory(place.name, files, posix.resolve(workspace, cwd)),
  });
}

type Parts = Pick<
  SessionBase,
  "natives" | "config" | "environment" | "secrets" | "sandbox" | "graceMs" | "place" | "checkFolder"
> & { cwd: string | undefined; files: Pick<ConstructorParameters<typeof SnapshotSource>[0], "files"> };

async function assemble({ settings, ports }: BaseSource, parts: Parts): Promise<SessionBase> {
  const { cwd, files, ...base } = parts;
  const { natives, config, environment, sandbox, place } = base;
  const { maxIdleSessions: maxIdle, snapshotBudgetMs = SNAPSHOT_BUDGET_MS } = ports;
  const budgetMs = snapshotBudgetMs + (place?.facts.rttMs ?? 0) * SNAPSHOT_TRIPS;
  const snapshots = new SnapshotSource({
    natives,
    shell: config.shell,
    env: environment.env,
    budgetMs,
    ...files,
    ...(place === undefined ? {} : { platform: "linux" as const }),
  });
  const mask = await base.secrets.mask();
  const { limits } = settings;
  const sessionOptions = (snapshotPath: string | undefined): SessionOptions => ({
    shell: config.shell,
    baseEnv: environment.env,
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(limits === undefined ? {} : { limits }),
    ...(mask === undefined ? {} : { mask }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(snapshotPath === undefined ? {} : { snapshotPath }),
  });
  const pool = new SessionPool({ natives, ...(maxIdle === undefined ? {} : { maxIdle }) });
  const proof = new ConfinementProof(async () => ({ natives, session: sessionOptions(undefined) }));
  return { ...base, snapshots, pool, mask, proof, sessionOptions };
}
