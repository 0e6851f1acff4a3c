/**
 * Sandboxes and limits: what a session is kept from, and what a result says of it.
 */
import * as z from "zod";

const paths = z.array(z.string().min(1)).readonly();

/** How much of the file system commands can write. `full`: whatever the user can; no sandbox. */
export const SandboxMode = z.enum(["read-only", "workspace-write", "full"]);
export type SandboxMode = z.infer<typeof SandboxMode>;

/** What holds a sandbox: `bubblewrap` (namespaces), `landlock` (rules of Linux), `seatbelt` (macOS). */
export const SandboxBackend = z.enum(["bubblewrap", "landlock", "seatbelt"]);
export type SandboxBackend = z.infer<typeof SandboxBackend>;

/** Most rules of one sandbox. */
const MAX_NETWORK_RULES = 256;

/**
 * What of the network commands can reach: hosts that rules name, through a proxy that the sandbox runs.
 *
 * A rule is `host` (ports 80 and 443), `host:port`, `*.host` or `*.host:port` (every name below it, not the name itself),
 * `address:port`, `[address]:port` or `localhost:port`. One that is none of these is refused with `PI_INVALID_OPTION`
 * before anything is started. No rule at all: everything is refused, and named in results.
 */
export const SandboxNetworkRules = z.strictObject({
  allow: z.array(z.string().min(1)).max(MAX_NETWORK_RULES).readonly(),
});
export type SandboxNetworkRules = z.infer<typeof SandboxNetworkRules>;

/** The network of a sandbox: `true` the host's, `false` none, else what rules allow. */
export const SandboxNetwork = z.union([z.boolean(), SandboxNetworkRules]);
export type SandboxNetwork = z.infer<typeof SandboxNetwork>;

/** A sandbox that is asked for. One that cannot be had refuses the command with `PI_SANDBOX_UNAVAILABLE`. */
export const SandboxOptions = z.object({
  mode: SandboxMode,
  /** What of the network commands can reach. Rules need `bubblewrap`, or `landlock` with namespaces. Default false. */
  network: SandboxNetwork.optional(),
  /** Default: the first that works, `bubblewrap` before `landlock`. */
  backend: SandboxBackend.optional(),
  /** Folders that commands can write in `workspace-write`; absolute. */
  writablePaths: paths.optional(),
  /** What stays read-only in them, besides what always does; absolute, or relative to each of them. */
  protectedPaths: paths.optional(),
  /** Files and folders that commands cannot see; absolute. Needs `bubblewrap` or `seatbelt`. */
  hiddenPaths: paths.optional(),
  /** Go on where a backend lacks something, and name it in each result. Default false: refuse. */
  allowDegraded: z.boolean().optional(),
});
export type SandboxOptions = z.infer<typeof SandboxOptions>;

/**
 * What a program outside of the sandbox will obey.
 *
 * - `git-repository`: git runs programs for it: configuration, a hook, a pointer to a repository elsewhere
 * - `git-rebase`: an unfinished rebase whose `exec` lines run with `git rebase --continue`
 * - `tool-configuration`: an editor, a package manager or an agent reads it in the folder it works in
 */
export const SandboxPlantKind = z.enum(["git-repository", "git-rebase", "tool-configuration"]);
export type SandboxPlantKind = z.infer<typeof SandboxPlantKind>;

/** Something that appeared or changed in a writable folder and that a program outside will obey. */
export const SandboxPlant = z.object({
  kind: SandboxPlantKind,
  /** Absolute. */
  path: z.string(),
});
export type SandboxPlant = z.infer<typeof SandboxPlant>;

/** Something that the proxy of a sandbox refused. */
export const SandboxNetworkRefusal = z.object({
  /** Host and port, as the program asked for them. */
  target: z.string(),
  /** Why, as the rest of a sentence that begins with the target and `which`. */
  reason: z.string(),
  /** The rule that would allow it. Absent: no rule would. */
  rule: z.string().optional(),
});
export type SandboxNetworkRefusal = z.infer<typeof SandboxNetworkRefusal>;

/** The sandbox that a command ran in. */
export const SandboxReport = z.object({
  mode: SandboxMode.exclude(["full"]),
  backend: SandboxBackend,
  /** What of the network could be reached. */
  network: SandboxNetwork,
  /** What its proxy refused since the result before, each once, at most 20. Absent: nothing. */
  networkRefusals: z.array(SandboxNetworkRefusal).optional(),
  /** What was not contained, by name. Empty unless `allowDegraded` was given. */
  degraded: z.array(z.string()),
  /** New since the result before, at most 20. Absent: nothing. See docs/sandbox.md, "What is left behind". */
  planted: z.array(SandboxPlant).optional(),
  /** The writable folders hold more than was searched for `planted`. Absent: everything was searched. */
  partlySearched: z.literal(true).optional(),
});
export type SandboxReport = z.infer<typeof SandboxReport>;

/**
 * What a sandbox may have refused.
 *
 * - `read-only-path`: writing outside the folders that can be written
 * - `protected-path`: writing what stays read-only in them
 * - `network`: the host's network, a server on the host's loopback, or a host that no rule allows
 * - `local-socket`: a Unix socket, with a path or an abstract name
 * - `mount`, `namespace`: mounting, unmounting, making or entering namespaces
 * - `process`: a process outside, by a signal, by `ptrace` or by `/proc`
 * - `terminal`: another session's terminal, or typing into the own one
 * - `file-metadata`: owners, set-id bits and other modes
 * - `privilege`: what only root's capabilities allow; in a sandbox root has none
 * - `system-call`: something else that the system-call filter keeps back
 */
export const SandboxRefusalKind = z.enum([
  "read-only-path",
  "protected-path",
  "network",
  "local-socket",
  "mount",
  "namespace",
  "process",
  "terminal",
  "file-metadata",
  "privilege",
  "system-call",
]);
export type SandboxRefusalKind = z.infer<typeof SandboxRefusalKind>;

/** Something that the sandbox refused: a record where it has a `target`, else a hint taken from what the command printed. */
export const SandboxRefusal = z.object({
  kind: SandboxRefusalKind,
  /** The path that the line names, as it names it. */
  path: z.string().optional(),
  /** Host and port that the sandbox's proxy refused. */
  target: z.string().optional(),
  /** The rule for `sandbox.network` that would allow the target. Absent: no rule would. */
  rule: z.string().optional(),
  /** The line of the output that says so, at most 200 UTF-16 units; of a target, why it was refused. */
  evidence: z.string(),
});
export type SandboxRefusal = z.infer<typeof SandboxRefusal>;

/** The sandbox that a command ran in, with what came of that. */
export const SandboxOutcome = SandboxReport.omit({ networkRefusals: true }).extend({
  /**
   * Records of the network first, at most 20, whatever the exit status; then hints, only where that is not 0, the newest
   * last, at most 5. Absent: there is neither.
   */
  refusals: z.array(SandboxRefusal).optional(),
});
export type SandboxOutcome = z.infer<typeof SandboxOutcome>;

const bound = z.number().int().nonnegative().optional();

/** Upper bounds of a session, set before its shell starts. Absent: the host's own. Not on Windows. */
export const ResourceLimits = z.object({
  /** `RLIMIT_AS`, in bytes. */
  addressSpaceBytes: bound,
  /** `RLIMIT_NOFILE`, a count. */
  openFiles: bound,
  /** `RLIMIT_NPROC`, a count for the whole user. */
  processes: bound,
  /** `RLIMIT_FSIZE`, in bytes. */
  fileSizeBytes: bound,
  /** `RLIMIT_CPU`, in seconds of each process. */
  cpuSeconds: bound,
  /** `RLIMIT_DATA`, in bytes. */
  dataBytes: bound,
  /** `RLIMIT_CORE`, in bytes. Default 0: no core dumps. */
  coreSizeBytes: bound,
  /** Memory of all processes of the session together, in bytes. Without control groups: `PI_LIMITS_UNAVAILABLE`. */
  sessionMemoryBytes: bound,
  /** Processes and threads of the session at one time; as `sessionMemoryBytes`. */
  sessionProcesses: bound,
});
export type ResourceLimits = z.infer<typeof ResourceLimits>;

/** A limit of the session that a command met. */
export const LimitMet = z.enum(["memory", "processes", "cpu-time", "file-size"]);
export type LimitMet = z.infer<typeof LimitMet>;
