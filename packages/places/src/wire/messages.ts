/**
 * What control frames say, checked: the far side can be any program, and what it sends reaches results.
 *
 * Unknown members are dropped, as the protocol has it. Shapes are those of the native surface.
 */
import * as z from "zod";
import { FrameError } from "./frames.ts";

const count = z.number().int().nonnegative();
const text = z.string();

/** The far side's first frame. */
export const FarHello = z.object({
  /** The version of the protocol that both speak from now on. */
  protocol: z.number().int(),
  /** What was built: its version, and the SHA-256 of the running file where it could be read. */
  build: z.object({ version: text, digest: text.optional() }),
  /** The process that serves; another one after a restart. */
  instance: text,
  /** Asked for when a link comes back. */
  token: text.optional(),
  pid: count,
  /** Another one after the machine was started again. */
  bootId: text.optional(),
  /** Milliseconds since the Unix epoch, by the far clock. */
  clockMs: z.number().optional(),
  os: text,
  arch: text,
  libc: text.optional(),
  uid: count.optional(),
  user: text.optional(),
  home: text.optional(),
  cwd: text,
  host: text,
  env: z.record(text, text),
  bash: z.object({ path: text, version: text.optional() }).optional(),
  bashError: text.optional(),
  capabilities: z.object({
    platform: text,
    session: z.enum(["persistent", "per-command"]),
    supervisor: z.boolean(),
    pty: z.boolean(),
    clone: z.boolean(),
    sandbox: z.array(text),
    readOnly: z.object({ available: z.boolean(), reason: text.optional(), degraded: z.array(text) }),
  }),
  /** The instance's folder, where spills lie. */
  folder: text,
  freeBytes: z.number().optional(),
  /** Names of bash drivers that fit the far bash, as the driver's package has them. */
  drivers: z.array(text).optional(),
});
export type FarHello = z.infer<typeof FarHello>;

/** The last frame of a link. */
export const Bye = z.object({ reason: text, detail: text.optional() });
export type Bye = z.infer<typeof Bye>;

/** Why an operation could not be done. */
const Failure = z.object({ code: text, message: text, reason: text.optional() });
export type Failure = z.infer<typeof Failure>;

/** What came of a request. */
export const Answer = z.union([z.object({ error: Failure }), z.object({ ok: z.record(text, z.unknown()) })]);
export type Answer = z.infer<typeof Answer>;

/** The newest tail of an output. */
export const Update = z.object({ tail: text, totalBytes: count, totalLines: count });
export type Update = z.infer<typeof Update>;

const Summary = z.object({
  text,
  truncated: z.boolean(),
  totalBytes: count,
  totalLines: count,
  outputBytes: count,
  outputLines: count,
  spilled: z.boolean(),
  spillError: text.optional(),
  startLine: count,
  endLine: count,
  lateOutputBytes: count,
  masked: z.object({ count, names: z.array(text) }).optional(),
});

const SandboxFacts = z.object({
  mode: z.enum(["read-only", "workspace-write"]),
  backend: z.enum(["bubblewrap", "landlock", "seatbelt"]),
  network: z.boolean(),
  networkRules: z.array(text).optional(),
  refused: z.array(z.object({ target: text, reason: text, rule: text.optional() })).optional(),
  degraded: z.array(text),
  planted: z
    .array(z.object({ path: text, kind: z.enum(["git-repository", "git-rebase", "tool-configuration"]) }))
    .optional(),
  partlySearched: z.literal(true).optional(),
});

const RunOutcome = z.object({
  exitCode: z.number().int().min(0).max(255).optional(),
  signalNumber: z.number().int().optional(),
  cancelled: z.boolean(),
  timedOut: z.boolean(),
  workingDir: text.optional(),
  sessionReset: z.boolean(),
  lostWithShell: z.array(z.enum(["jobs", "descriptors"])).optional(),
  survivors: z.array(z.object({ pid: count, command: text, startedAtMs: z.number() })),
  wallTimeMs: z.number().nonnegative(),
  output: Summary.optional(),
  sandbox: SandboxFacts.optional(),
  limitsMet: z.array(z.enum(["memory", "processes", "cpu-time", "file-size"])).optional(),
  readOnly: z.object({ degraded: z.array(text), stateDropped: z.boolean() }).optional(),
});

/**
 * How a run ended. `leftOutBytes`: text that was not sent, because the run was being ended and nothing could wait. `endedBy`: the
 * reason, as `Bye` has it, for which the place itself ended it.
 */
export const RunEnd = z.union([
  z.object({ error: Failure, leftOutBytes: count.optional(), endedBy: text.optional() }),
  z.object({ ok: RunOutcome, leftOutBytes: count.optional(), endedBy: text.optional() }),
]);
export type RunEnd = z.infer<typeof RunEnd>;

/** What `stat` found. */
export const StatAnswer = z.object({
  kind: z.enum(["file", "directory", "other", "missing", "denied"]),
  realPath: text.optional(),
});

/** A value of a schema. Throws `FrameError` that names what is wrong and nothing of the value. */
export function checked<T>(schema: z.ZodType<T>, name: string, value: unknown): T {
  const found = schema.safeParse(withoutNulls(value));
  if (found.success) return found.data;
  const where = found.error.issues[0]?.path.map(String).join(".") ?? "";
  throw new FrameError(`its \`${name}\` is not what the protocol says${where === "" ? "" : `, at \`${where}\``}`);
}

/** JSON writers that have no way to leave a member out write `null` for it. Only members of the first three levels matter. */
function withoutNulls(value: unknown, depth = 3): unknown {
  if (depth === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, withoutNulls(member, depth - 1)]),
  );
}
