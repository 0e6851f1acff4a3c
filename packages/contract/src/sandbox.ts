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
