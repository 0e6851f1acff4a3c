/**
 * What a `task_send` sends: checked, judged, and written in its order.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Settings, TaskSendParams, TaskSignal } from "@pi-bash/contract";
import { waitWithin } from "@pi-bash/contract/internal/wait";
import type { TaskTerminal } from "@pi-bash/executor";
import { ToolAbortError, ToolError } from "../tool-error.ts";
import type { TaskSession } from "./task-session.ts";
import { type Key, parseKey } from "./tty-keys.ts";
import type { Typed } from "./typed-line.ts";
import { judgeTyping } from "./typing-judge.ts";

/** What follows an Escape alone within this time is taken for its key's second half, in milliseconds. */
const ESCAPE_MS = 50;

/** Time for the program to become known that will read what is typed, in milliseconds. */
const READER_MS = 1_000;

/** Time for a program to answer a signal or a new size, before it counts as unmoved, in milliseconds. */
const REACTION_MS = 500;

/** Longest line that the kernel takes where it edits the line, in bytes: N_TTY_BUF_SIZE with its end. */
const MAX_CANONICAL_BYTES = 4_095;

/** Controls that are not text: all but the tab and the ends of lines. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u;

/** Half of a character of two units. */
const HALF = /\p{Cs}/u;

/** What is sent, in its order. */
export interface Sending {
  readonly size: { readonly cols: number; readonly rows: number } | undefined;
  readonly signal: TaskSignal | undefined;
  /** Undefined: none. */
  readonly text: string | undefined;
  readonly enter: boolean;
  readonly keys: readonly Key[];
}

/** Checks the parameters. Throws `ToolError`. */
export function sendingOf({ text, enter, keys = [], signal, size }: TaskSendParams): Sending {
  if (text === undefined && keys.length === 0 && signal === undefined && size === undefined) {
    throw new ToolError(
      'Nothing to send: give `text`, `keys`, `signal` or `size`, e.g. {"text":"y"} or {"keys":["Enter"]}. To look, use task_await.',
    );
  }
  if (text === undefined && enter === true) {
    throw new ToolError('`enter` goes with `text`; for Enter alone use {"keys":["Enter"]}.');
  }
  checkText(text ?? "");
  return { size, signal, text, enter: text !== undefined && (enter ?? true), keys: keys.map(parseKey) };
}

function checkText(text: string): void {
  if (HALF.test(text))
    throw new ToolError("`text` has half of a character (an unpaired surrogate); send valid Unicode.");
  const control = CONTROL.exec(text);
  if (control === null) return;
  const code = (control[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new ToolError(
    `\`text\` has the control character U+${code} at position ${control.index + 1}; use \`keys\`, e.g. ["Ctrl-C"] or ["Escape"].`,
  );
}

/** What a send is about. */
export interface SendRequest {
  readonly taskId: string;
  readonly terminal: TaskTerminal;
  readonly sending: Sending;
  readonly settings: Settings;
  readonly signal: AbortSignal | undefined;
}

/** The end of the last send to each terminal: sends take turns. */
const TURNS = new WeakMap<TaskTerminal, Promise<unknown>>();

/** When an Escape was sent alone, in milliseconds of the monotonic clock. */
const ESCAPED = new WeakMap<TaskTerminal, number>();

/** Judges and sends, after the sends before it. Resolves to what is to be said besides; nothing was sent where it rejects. */
export async function sendInTurn(session: TaskSession, request: SendRequest): Promise<string[]> {
  const { terminal } = request;
  const before = TURNS.get(terminal) ?? Promise.resolve();
  const turn = before.then(() => sendNow(session, request));
  TURNS.set(
    terminal,
    turn.catch(() => undefined),
  );
  // An owner who types looks at what comes of it.
  const unattend = terminal.attend();
  return turn.finally(unattend);
}

async function sendNow(session: TaskSession, request: SendRequest): Promise<string[]> {
  const { taskId, terminal, sending, settings, signal } = request;
  if (signal?.aborted) throw new ToolAbortError();
  const typed = typedOf(terminal, sending);
  let note = (): void => undefined;
  if (typed.length > 0) {
    // Who reads decides what may be typed: a program that was started a moment ago gets the time to read.
    if (terminal.reader === undefined) {
      await terminal.until({ timeoutMs: READER_MS, ...(signal === undefined ? {} : { stop: signal }) });
    }
    checkLength(taskId, terminal, typed);
    note = await judgeTyping(session, { taskId, terminal, typed, cwd: session.cwd, settings, signal });
  }
  if (signal?.aborted) throw new ToolAbortError();
  if (terminal.isOver) throw new ToolError(`${taskId} has ended; nothing was typed.`);
  checkHolder(taskId, terminal);
  const notes = applySize(terminal, sending);
  if (sending.signal !== undefined) terminal.signal(sending.signal);
  note();
  for (const each of typed) await write(taskId, terminal, each);
  if (typed.length === 0) await reaction(terminal);
  return notes;
}

/** Throws where a person has the terminal. */
export function checkHolder(taskId: string, terminal: TaskTerminal): void {
  if (terminal.holder === "person") throw new ToolError(heldText(taskId));
}

/** Why a person's terminal takes nothing from a model. */
export function heldText(taskId: string): string {
  return `A person has the terminal of ${taskId}; you are notified when it is handed back.`;
}

/** What is typed, in its order. */
function typedOf(terminal: TaskTerminal, { text, enter, keys }: Sending): Typed[] {
  const typed: Typed[] = [];
  if (text !== undefined && text !== "") {
    const hasLines = /[\r\n]/u.test(text);
    typed.push({ text, isPasted: hasLines && terminal.encodePaste("").length > 0 });
  }
  if (enter) typed.push({ key: parseKey("Enter") });
  for (const key of keys) typed.push({ key });
  return typed;
}

/** Where the kernel edits the line it drops what is too long, and says nothing. */
function checkLength(taskId: string, { waiting }: TaskTerminal, typed: readonly Typed[]): void {
  if (waiting?.kind !== "line" && waiting?.kind !== "secret") return;
  const lines = typed.flatMap((each) => ("text" in each ? each.text.split(/\r\n|\r|\n/u) : []));
  const longest = Math.max(0, ...lines.map((line) => Buffer.byteLength(line)));
  if (longest <= MAX_CANONICAL_BYTES) return;
  throw new ToolError(
    `A line of ${longest} bytes cannot be typed to \`${waiting.program}\` of ${taskId}: its terminal takes at most ${MAX_CANONICAL_BYTES}. Put it into a file.`,
  );
}

function applySize(terminal: TaskTerminal, { size }: Sending): string[] {
  if (size === undefined) return [];
  const { cols, rows } = terminal.resize(size.cols, size.rows);
  if (cols === size.cols && rows === size.rows) return [];
  return [`Size clamped to ${cols}x${rows} (requested ${size.cols}x${size.rows}).`];
}

async function write(taskId: string, terminal: TaskTerminal, typed: Typed): Promise<void> {
  const waitMs = (ESCAPED.get(terminal) ?? Number.NEGATIVE_INFINITY) + ESCAPE_MS - performance.now();
  if (waitMs > 0) await pause(waitMs);
  if (terminal.isOver) return;
  checkHolder(taskId, terminal);
  if ("text" in typed) {
    const { text, isPasted } = typed;
    terminal.write(isPasted ? terminal.encodePaste(text) : text.replaceAll(/\r\n|\n/gu, "\r"));
    return;
  }
  const { name, bytes, applicationBytes } = typed.key;
  terminal.write(terminal.isApplicationCursor ? (applicationBytes ?? bytes) : bytes);
  if (name === "Escape") ESCAPED.set(terminal, performance.now());
}

/** Waits until a program has answered a signal or a new size, or does not. */
async function reaction(terminal: TaskTerminal): Promise<void> {
  let off = (): void => undefined;
  const changed = new Promise<void>((resolve) => {
    off = terminal.onChange(resolve);
  });
  await waitWithin(changed, { timeoutMs: REACTION_MS });
  off();
}
