/**
 * May this be typed? What a model types into a shell is a command, and is judged as one when Enter runs it.
 *
 * By the program that reads: a shell's line goes through the same checks as a call of the bash tool; a text for an interpreter,
 * or for a program with a way to a shell, is asked about, which a person may answer for the rest of the task; for all others the
 * approval of the task covers it. What is not known is asked about. Sessions without a policy have what never runs looked for
 * in the lines of shells, as in commands. See docs/interactive.md.
 */
import { readFile, readlink } from "node:fs/promises";
import { basename } from "node:path";
import type { Settings, TaskWaiting } from "@pi-bash/contract";
import type { TaskTerminal, TerminalReaderFacts } from "@pi-bash/executor";
import type { Approve, Finding } from "@pi-bash/policy";
import { type TypedKind, typedKind } from "@pi-bash/policy/internal";
import { approveCall } from "../approvals.ts";
import { ToolError } from "../tool-error.ts";
import type { TaskSession } from "./task-session.ts";
import type { Submitted, Typed } from "./typed-line.ts";
import { TypedLine } from "./typed-line.ts";

/** The answer that counts for the rest of a task, as it is offered in place of a rule. */
const FOR_THIS_TASK = "for this task";

/** Keys that move, scroll or stop, and run nothing by themselves. */
const FREE_KEY =
  /^(?:(?:Ctrl-|Alt-|Shift-)*(?:Up|Down|Left|Right|Home|End|PageUp|PageDown)|Escape|Ctrl-[CDLZSQ\\]|F\d+|Tab|Shift-Tab)$/u;

/** What is known of a task's typing. */
interface Typing {
  readonly line: TypedLine;
  /** Programs to which the rest of the task may type without a question. */
  readonly granted: Set<string>;
}

const TYPING = new WeakMap<TaskTerminal, Typing>();

/** What is to be typed, and where. */
export interface TypingRequest {
  readonly taskId: string;
  readonly terminal: TaskTerminal;
  readonly typed: readonly Typed[];
  /** Folder of the task, absolute. */
  readonly cwd: string;
  readonly settings: Settings;
  readonly signal: AbortSignal | undefined;
}

/**
 * Resolves when it may be typed, to what notes that it was. Throws `ToolError` where it may not; nothing was typed then, and
 * nothing is noted.
 */
export async function judgeTyping(session: TaskSession, request: TypingRequest): Promise<() => void> {
  const { terminal, typed } = request;
  const typing = TYPING.get(terminal) ?? { line: new TypedLine(), granted: new Set<string>() };
  TYPING.set(terminal, typing);
  const { waiting, reader } = terminal;
  const note = (): void => void typing.line.take(typed);
  if (waiting?.kind === "secret" && typed.some(hasCharacters)) {
    await judgeSecret(session, request, waiting);
    return note;
  }
  const kind = await kindOf(session, reader);
  const submitted = typing.line.look(typed);
  if (kind === "shell") await judgeLine(session, request, submitted, reader);
  else if (kind !== "data" && typed.some(mayRun)) await judgeOther(session, request, { kind, reader, typing });
  if (reader !== undefined && terminal.reader !== undefined && terminal.reader.pid !== reader.pid) {
    throw new ToolError(
      `Another program came to the foreground of ${request.taskId} while this was judged; nothing was typed. Look at it with task_await and send again.`,
    );
  }
  return note;
}

/** Whether something is typed that stands for characters. */
function hasCharacters(typed: Typed): boolean {
  return "text" in typed ? typed.text !== "" : typed.key.name === "Space" || /^Alt-.$/u.test(typed.key.name);
}

/** Whether it may make a program of the kind `commands` run something. */
function mayRun(typed: Typed): boolean {
  return "text" in typed ? typed.text !== "" : !FREE_KEY.test(typed.key.name);
}

type Kind = TypedKind | "denied" | "unknown";

/** What the reader makes of a text. */
async function kindOf({ place }: TaskSession, reader: TerminalReaderFacts | undefined): Promise<Kind> {
  if (reader === undefined) return "unknown";
  const { pid, name, isDenied } = reader;
  // A set-uid program is known by its name alone; whether it passes on what is typed, nothing says.
  if (isDenied) return "denied";
  // Of another machine, only the name is known.
  if (place !== undefined || process.platform !== "linux") return typedKind({ names: [name] });
  const executable = await readlink(`/proc/${pid}/exe`).catch(() => undefined);
  const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => undefined);
  const argv = line === undefined || line === "" ? undefined : line.replace(/\0+$/u, "").split("\0");
  return typedKind({ names: executable === undefined ? [name] : [name, basename(executable)], argv });
}

/** A shell's lines, as the command that they are. */
async function judgeLine(
  session: TaskSession,
  request: TypingRequest,
  submitted: Submitted | undefined,
  reader: TerminalReaderFacts | undefined,
): Promise<void> {
  if (submitted === undefined) return;
  const { script, unknownBy } = submitted;
  if (script.trim() === "" && unknownBy === undefined) return;
  const doubts =
    unknownBy === undefined || isOpen(session)
      ? []
      : [doubt("typed-line-unknown", `the line that runs is not known after \`${unknownBy}\``, script)];
  const cwd = await folderOf(session, reader, request.cwd);
  await ask(session, request, { command: script, cwd, doubts, program: reader?.name ?? "a shell" });
}

/** Where a shell stands, as far as that is known here. */
async function folderOf(session: TaskSession, reader: TerminalReaderFacts | undefined, cwd: string): Promise<string> {
  if (session.place !== undefined || reader === undefined || process.platform !== "linux") return cwd;
  return readlink(`/proc/${reader.pid}/cwd`).catch(() => cwd);
}

interface Other {
  readonly kind: Exclude<Kind, "shell" | "data">;
  readonly reader: TerminalReaderFacts | undefined;
  readonly typing: Typing;
}

/** A text for a program that can run it, or that is not known. */
async function judgeOther(
  session: TaskSession,
  request: TypingRequest,
  { kind, reader, typing }: Other,
): Promise<void> {
  if (session.policy === undefined || isOpen(session)) return;
  const program = reader?.name ?? "an unknown program";
  // A question about one program says nothing of another one of the same name.
  const key = `${kind}:${reader?.pid ?? ""}:${program}`;
  if (typing.granted.has(key)) return;
  const why = {
    commands: `\`${program}\` can run what is typed`,
    denied: `\`${program}\` may not be looked at, and can run what is typed`,
    unknown: "which program will read what is typed is not known",
  }[kind];
  const command = shownText(request.typed);
  const doubts = [doubt(`typed-${kind}`, why, command)];
  const grant = (): void => void typing.granted.add(key);
  await ask(session, request, {
    command,
    cwd: request.cwd,
    doubts,
    program,
    ...(kind === "commands" ? { grant } : {}),
  });
}

/** A text that the program will not show: a person's matter, unless the setting says to ask. */
async function judgeSecret(session: TaskSession, request: TypingRequest, { program }: TaskWaiting): Promise<void> {
  if (request.settings["tty.modelSecrets"] === "refuse" || session.policy === undefined) {
    throw new ToolError(
      `\`${program}\` of ${request.taskId} asks for a secret: a person has to type it, text from you is refused. task_await returns when it goes on.`,
    );
  }
  const command = "(text for a prompt that does not show it)";
  const doubts = [doubt("typed-secret", `\`${program}\` does not show what is typed, as of a password`, command)];
  await ask(session, request, { command, cwd: request.cwd, doubts, program });
}

interface Question {
  readonly command: string;
  readonly cwd: string;
  readonly doubts: readonly Finding[];
  readonly program: string;
  /** The person may answer for the rest of the task. */
  readonly grant?: () => void;
}

async function ask(session: TaskSession, request: TypingRequest, question: Question): Promise<void> {
  const { command, cwd, doubts, program, grant } = question;
  const call = {
    command,
    original: command,
    description: `typed into \`${program}\` of task ${request.taskId}`,
    cwd,
    base: cwd,
    env: {},
    isAsync: true,
    wantsPty: false,
    isTerminal: true,
    unconfined: false,
    doubts,
  };
  const approve = session.approve === undefined ? undefined : forTask(session.approve.bind(session), grant);
  const { settings, signal } = request;
  await approveCall(call, session, { settings, signal, beforeWait: async () => undefined, approve });
}

/** What is allowed here is allowed for this task at most: no rule is learnt of a line that was typed. */
function forTask(approve: Approve, grant: (() => void) | undefined): Approve {
  return async (request, verdict, signal) => {
    const offered = grant === undefined ? [] : [FOR_THIS_TASK];
    const { remember, ...answer } = await approve(request, { ...verdict, suggestedRules: offered }, signal);
    if (answer.behavior === "allow" && remember === FOR_THIS_TASK) grant?.();
    return answer;
  };
}

/** Whether the session runs without questions what it does not know. */
function isOpen(session: TaskSession): boolean {
  const { mode, sandboxed } = session.policyContext?.() ?? {};
  return mode === "yolo" || (mode === "auto" && sandboxed === true);
}

function shownText(typed: readonly Typed[]): string {
  return typed.map((each) => ("text" in each ? each.text : `<${each.key.name}>`)).join("");
}

function doubt(code: string, message: string, command: string): Finding {
  return { code, severity: "exec", message, span: { start: 0, end: command.length } };
}
