/**
 * Sandboxes and limits: what a session is kept from, and what a result says of it.
 */
import * as z from "zod";

const paths = z.array(z.string().min(1)).readonly();

/** How much of the file system commands can write. `full`: whatever the user can; no sandbox. */
export const SandboxMode = z.enum(["read-only", "workspace-write", "full"]);
export type SandboxMode = z.infer<typeof SandboxMode>;

/** Who holds a sandbox. */
export const SandboxBackend = z.enum(["bubblewrap", "landlock", "seatbelt"]);
export type SandboxBackend = z.infer<typeof SandboxBackend>;

/** A sandbox that is asked for. One that cannot be had refuses the command with `PI_SANDBOX_UNAVAILABLE`. */
export const SandboxOptions = z.object({
  mode: SandboxMode,
  /** Whether commands can use the host's network. Default false: they have none. */
  network: z.boolean().optional(),
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

/** The sandbox that a command ran in. */
export const SandboxReport = z.object({
  mode: SandboxMode.exclude(["full"]),
  backend: SandboxBackend,
  /** The host's network could be used. */
  network: z.boolean(),
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
 * - `network`: the host's network, or a server on the host's loopback
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

/** Something that the sandbox may have refused, as told by what the command printed: a hint, not a record. */
export const SandboxRefusal = z.object({
  kind: SandboxRefusalKind,
  /** The path that the line names, as it names it. */
  path: z.string().optional(),
  /** The line of the output that says so, at most 200 UTF-16 units. */
  evidence: z.string(),
});
export type SandboxRefusal = z.infer<typeof SandboxRefusal>;

/** The sandbox that a command ran in, with what came of that. */
export const SandboxOutcome = SandboxReport.extend({
  /** Only of a command with an exit status other than 0; the newest last, at most 5. Absent: nothing hints at any. */
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
