/**
 * What is asked of a host that keeps sessions (`pi-bash host`): the first line of a connection, as JSON.
 *
 * What follows that line is in the command line's `host/`. A host takes a line as hostile until it has passed here.
 */
import * as z from "zod";
import { checkedValue } from "./checked-value.ts";
import { TaskWaitingKind } from "./terminal-task.ts";

/** Version of what client and host say to each other; both must have the same. */
export const HOST_PROTOCOL = 2;

/** Longest id in an answer or a question, in UTF-16 units. */
const MAX_ID_CHARS = 128;
/** Ids in one request to end something. */
const MAX_IDS = 1_000;

/** Name of a kept session: what can be typed in any shell without quotes. */
export const HostSessionName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "is not 1 to 64 letters, digits, `.`, `_` and `-`");

/** Of `piBashHost` a host says itself when it is another one: with both versions of the program. */
const head = { piBashHost: z.number(), version: z.string().max(64) };
const id = z.string().min(1).max(MAX_ID_CHARS);

/** Size that a person's window leaves to a program, in cells; what terminals do not have is clamped. */
export const HostWindow = z.strictObject({ cols: z.number().int(), rows: z.number().int() });
export type HostWindow = z.infer<typeof HostWindow>;

/** A client's own part of a connection, and what its session is made of where there is none of that name. */
export const HostSeat = z.strictObject({
  name: HostSessionName,
  /** False: the name was made of the folder, so a session of another folder is another one. */
  isNameGiven: z.boolean(),
  /** Where the session begins. */
  cwd: z.string().min(1),
  isCwdGiven: z.boolean(),
  /** The place, as `--on` has it. */
  on: z.string().min(1).optional(),
  /** The value of `--keep`: seconds for which the place goes on without a connection. */
  keep: z.string().min(1).optional(),
  /** Folder of the artifacts. */
  artifacts: z.string().min(1).optional(),
  settings: z.record(z.string(), z.unknown()),
  /** Names of the settings that the client named. */
  givenSettings: z.array(z.string()),
  /** The rules of the client's policy, and where they were read. */
  rules: z.strictObject({ path: z.string(), text: z.string() }).optional(),
  mode: z.string().optional(),
  requireSessions: z.boolean(),
  /** Environment of a session that is made for this client. */
  env: z.record(z.string(), z.string()),
});
export type HostSeat = z.infer<typeof HostSeat>;

/** The first line of a connection. */
export const HostRequest = z.discriminatedUnion("ask", [
  /** Serves a protocol over a session; the session is made where there is none. */
  z.strictObject({ ...head, ask: z.literal("serve"), protocol: z.enum(["mcp", "rpc"]), seat: HostSeat }),
  /** One call of the bash tool, beside the session's client. */
  z.strictObject({ ...head, ask: z.literal("call"), seat: HostSeat, params: z.unknown() }),
  /** What the host is. */
  z.strictObject({ ...head, ask: z.literal("status") }),
  /** Everything that it keeps. */
  z.strictObject({ ...head, ask: z.literal("list") }),
  /** Ends sessions, jobs and commands. */
  z.strictObject({ ...head, ask: z.literal("end"), ids: z.array(id).min(1).max(MAX_IDS) }),
  /** Shows one of them. */
  z.strictObject({
    ...head,
    ask: z.literal("attach"),
    id,
    columns: z.number().int().min(1).max(10_000),
    hasColour: z.boolean(),
    /** The person's window, in cells, to take a task's terminal and type. Absent: to look only. */
    window: HostWindow.optional(),
  }),
  /** Where the record of a task's terminal is. */
  z.strictObject({ ...head, ask: z.literal("record"), id }),
  /** Ends the host with everything that it keeps. */
  z.strictObject({ ...head, ask: z.literal("stop") }),
]);
export type HostRequest = z.infer<typeof HostRequest>;

/** A request, or what is wrong with it in one line. */
export function parseHostRequest(value: unknown): { request: HostRequest } | { problem: string } {
  const checked = checkedValue(HostRequest, value, { whole: "a request" });
  return "value" in checked ? { request: checked.value } : { problem: checked.problem };
}

/** What a host lists: a session, a job of one, or the command that a call waits for. */
export const KeptEntry = z.object({
  /** `web`, `web/bg_3`, `web/fg_1`. */
  id: z.string(),
  kind: z.enum(["session", "job", "command"]),
  /** Name of the session that it belongs to. */
  session: z.string(),
  /** Absent: this machine. */
  place: z.string().optional(),
  /** `idle` and `running` of a session; of a job that of its record. */
  state: z.enum(["idle", "running", "completed", "failed", "cancelled"]),
  /** When it began, in milliseconds since the Unix epoch. */
  sinceMs: z.number(),
  /** Exit status of an ended job. */
  exitCode: z.number().optional(),
  /** What its terminal waits for. Absent: for nothing, as far as is known, or it has no terminal. */
  waiting: TaskWaitingKind.optional(),
  /** A person has its terminal. */
  holder: z.literal("person").optional(),
  /** Absent: of a session. */
  command: z.string().optional(),
  /** Where the session's commands run. */
  folder: z.string(),
  /** Whether a client is there. */
  hasClient: z.boolean(),
});
export type KeptEntry = z.infer<typeof KeptEntry>;

/** The first line that a host answers. */
export const HostAnswer = z.discriminatedUnion("ok", [
  z.object({
    ok: z.literal(true),
    /** Of `list`. */
    entries: z.array(KeptEntry).optional(),
    /** Of `attach`, where the person has the terminal of a task now: its command. */
    command: z.string().optional(),
    /** Of `record`: the file, which this user can read. */
    record: z.string().optional(),
    /** Of `end`: a line for each thing that was ended. */
    ended: z.array(z.string()).optional(),
    /** Of `status`. */
    host: z
      .object({
        pid: z.number(),
        version: z.string(),
        sinceMs: z.number(),
        sessions: z.number(),
        clients: z.number(),
      })
      .optional(),
  }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);
export type HostAnswer = z.infer<typeof HostAnswer>;

/** An answer, or what is wrong with it in one line. */
export function parseHostAnswer(value: unknown): { answer: HostAnswer } | { problem: string } {
  const checked = checkedValue(HostAnswer, value, { whole: "an answer" });
  return "value" in checked ? { answer: checked.value } : { problem: checked.problem };
}
