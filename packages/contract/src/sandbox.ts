/**
 * Sandboxes and limits: what a session is kept from, and what a result says of it.
 */
import { z } from "zod";

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

/** The sandbox that a command ran in. */
export const SandboxReport = z.object({
  mode: SandboxMode.exclude(["full"]),
  backend: SandboxBackend,
  /** The host's network could be used. */
  network: z.boolean(),
  /** What was not contained, by name. Empty unless `allowDegraded` was given. */
  degraded: z.array(z.string()),
});
export type SandboxReport = z.infer<typeof SandboxReport>;

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
