/**
 * What control frames say, checked: the far side can be any program, and what it sends reaches results.
 *
 * Unknown members are dropped, as the protocol has it. Shapes are those of the native surface.
 */
import { ResourceUsage } from "@pi-bash/contract";
import * as z from "zod";
import { FrameError } from "./frames.ts";
import { few, line, path, plainLine } from "./plain.ts";

const count = z.number().int().nonnegative();
const text = z.string();

/** The far side's first frame. */
export const FarHello = z.object({
  /** The version of the protocol that both speak from now on. */
  protocol: z.number().int(),
  /** What was built: its version, and the SHA-256 of the running file where it could be read. */
  build: z.object({ version: line, digest: line.optional() }),
  /** The process that serves; another one after a restart. */
  instance: text,
  /** Asked for when a link comes back. */
  token: text.optional(),
  pid: count,
  /** Another one after the machine was started again. */
  bootId: text.optional(),
  /** Milliseconds since the Unix epoch, by the far clock. */
  clockMs: z.number().optional(),
  os: line,
  arch: line,
  libc: line.optional(),
  uid: count.optional(),
  user: line.optional(),
  home: path.optional(),
  cwd: path,
  host: line,
  env: z.record(text, text),
  bash: z.object({ path, version: line.optional() }).optional(),
  bashError: line.optional(),
  capabilities: z.object({
    platform: line,
    session: z.enum(["persistent", "per-command"]),
    supervisor: z.boolean(),
    pty: z.boolean(),
    clone: z.boolean(),
    sandbox: few(line),
    readOnly: z.object({ available: z.boolean(), reason: line.optional(), degraded: few(line) }),
  }),
  /** The instance's folder, where spills lie. */
  folder: path,
  freeBytes: z.number().optional(),
  /** Names of bash drivers that fit the far bash, as the driver's package has them. */
  drivers: few(line).optional(),
});
export type FarHello = z.infer<typeof FarHello>;

/** The last frame of a link. */
export const Bye = z.object({ reason: line, detail: line.optional() });
export type Bye = z.infer<typeof Bye>;

/** What became of a run that `Attach` named. */
const AttachedRun = z.object({ channel: count, id: text, state: z.enum(["running", "ended", "unknown"]) });
export type AttachedRun = z.infer<typeof AttachedRun>;

/** What a far side that was kept still has. */
export const Attached = z.object({ runs: z.array(AttachedRun) });

/** Sessions that are open over there. */
export const ListAnswer = z.object({ sessions: z.array(count) });

/** Why an operation could not be done. */
const Failure = z.object({ code: line, message: line, reason: line.optional() });
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
  spillError: line.optional(),
  startLine: count,
  endLine: count,
  lateOutputBytes: count,
  masked: z.object({ count, names: few(line) }).optional(),
});

const SandboxFacts = z.object({
  mode: z.enum(["read-only", "workspace-write"]),
  backend: z.enum(["bubblewrap", "landlock", "seatbelt"]),
  network: z.boolean(),
  networkRules: few(line).optional(),
  refused: few(z.object({ target: text, reason: line, rule: line.optional() })).optional(),
  degraded: few(line),
  planted: few(
    z.object({ path: text, kind: z.enum(["git-repository", "git-rebase", "tool-configuration"]) }),
  ).optional(),
  partlySearched: z.literal(true).optional(),
});

/** A folder may be called anything; tools show it as they show one of this machine. */
const absolute = text.regex(/^\/[^\0]*$/);

const RunOutcome = z.object({
  exitCode: z.number().int().min(0).max(255).optional(),
  signalNumber: z.number().int().optional(),
  cancelled: z.boolean(),
  timedOut: z.boolean(),
  workingDir: absolute.optional(),
  sessionReset: z.boolean(),
  lostWithShell: z.array(z.enum(["jobs", "descriptors"])).optional(),
  survivors: few(z.object({ pid: count, command: text, startedAtMs: z.number() })),
  wallTimeMs: z.number().nonnegative(),
  output: Summary.optional(),
  sandbox: SandboxFacts.optional(),
  limitsMet: z.array(z.enum(["memory", "processes", "cpu-time", "file-size"])).optional(),
  readOnly: z.object({ degraded: few(line), stateDropped: z.boolean() }).optional(),
  inputWanted: z.object({ pid: count, program: line, ended: z.boolean() }).optional(),
  usage: ResourceUsage.optional(),
});

/** How a run ended, as `run-end.ts` has it. */
export const EndOfRun = z.union([
  z.object({ error: Failure, leftOutBytes: count.optional(), endedBy: line.optional() }),
  z.object({ ok: RunOutcome, leftOutBytes: count.optional(), endedBy: line.optional() }),
]);

/** A terminal's program runs. */
export const TerminalStarted = z.object({ pid: count });

const TerminalProgram = z.object({ pid: count, name: line });

/** Who reads a terminal that is quiet. */
export const Quiet = z.object({
  quietMs: z.number().nonnegative(),
  typedBytes: z.number().nonnegative(),
  heldMs: z.number().nonnegative(),
  idleMs: z.number().nonnegative(),
  modes: z.object({ echo: z.boolean(), canonical: z.boolean() }).optional(),
  readers: few(
    TerminalProgram.extend({
      isRead: z.boolean(),
      isTimed: z.boolean(),
      timerMs: z.number().nonnegative().optional(),
      isRelay: z.boolean(),
      isAlone: z.boolean(),
    }),
  ),
  denied: few(TerminalProgram),
  stopped: few(TerminalProgram),
  isBusy: z.boolean(),
  listens: z.boolean(),
});

/** What came of a terminal. */
export const TerminalEnd = z.union([z.object({ error: Failure }), z.object({ ok: z.object({ outcome: RunOutcome }) })]);
export type TerminalEnd = z.infer<typeof TerminalEnd>;

/** A pipe is there. */
export const PipeStarted = z.object({ path });

/** Which ports programs listen on, and the time there, in milliseconds since the Unix epoch. */
export const PortsAnswer = z.object({
  clockMs: z.number().nonnegative(),
  ports: few(
    z.object({
      port: z.number().int().min(1).max(65_535),
      address: line,
      pid: count.optional(),
      program: line.optional(),
      startedAtMs: z.number().nonnegative(),
      isInside: z.boolean(),
    }),
  ),
});

/** What `stat` found. */
export const StatAnswer = z.object({
  kind: z.enum(["file", "directory", "other", "missing", "denied"]),
  realPath: text.optional(),
});

/** A value of a schema. Throws `FrameError` that names what is wrong and nothing of the value. */
export function checked<T>(schema: z.ZodType<T>, name: string, value: unknown): T {
  const found = schema.safeParse(withoutNulls(value));
  if (found.success) return found.data;
  const where = plainLine(found.error.issues[0]?.path.map(String).join(".") ?? "");
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
