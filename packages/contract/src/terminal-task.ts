/**
 * Tasks on a terminal: what a model sends to one, and what it reads of it. The tasks themselves are in `task.ts`.
 */
import * as z from "zod";
import { PTY_COLUMNS_RANGE, PTY_ROWS_RANGE } from "./limits.ts";

function between({ min, max }: { min: number; max: number }): string {
  return `${min} to ${max}`;
}

/** Longest text of one `task_send`, in UTF-16 units. */
const MAX_SENT_CHARS = 64 * 1024;
/** Most keys of one `task_send`. */
const MAX_SENT_KEYS = 32;
/** Longest wait of one `task_send`, in seconds. */
const MAX_SEND_WAIT_SECONDS = 60;
/** Wait of a `task_send` that names none, in seconds. */
export const DEFAULT_SEND_WAIT_SECONDS = 10;
/** Longest prompt in a fact, in UTF-16 units. */
export const MAX_PROMPT_CHARS = 200;
/** Most bytes of a screen's text. */
export const MAX_SCREEN_BYTES = 8 * 1024;
/** Most highlighted parts of a screen that are named. */
export const MAX_HIGHLIGHTED = 5;

/**
 * What a program waits for. `line`: a line that the kernel edits; `secret`: what is typed is not shown; `prompt`: the
 * program edits the line itself; `key`: the same without a text; `screen`: it has the screen for itself.
 */
export const TaskWaitingKind = z.enum(["line", "secret", "prompt", "key", "screen"]);
export type TaskWaitingKind = z.infer<typeof TaskWaitingKind>;

/** A program of a task that waits for input. */
export const TaskWaiting = z.object({
  kind: TaskWaitingKind,
  /** Its short name. */
  program: z.string(),
  /** Milliseconds since it last wrote something or was typed to. */
  since_ms: z.number().nonnegative(),
  /** The text before the cursor, hidden characters written out. Absent: there is none. */
  prompt: z.string().optional(),
  /** False: it may wait; the system does not say so. */
  certain: z.boolean(),
});
export type TaskWaiting = z.infer<typeof TaskWaiting>;

/** The screen of a task's terminal. */
export const TaskScreen = z.object({
  cols: z.number().int(),
  rows: z.number().int(),
  /** Where the cursor stands, from 1. */
  row: z.number().int(),
  col: z.number().int(),
  /** A program has the screen for itself, as an editor does. */
  alternate: z.boolean(),
  /** Rows without the blanks at their ends and without the empty rows at the end. */
  text: z.string(),
  /** What stands in inverse video, as the chosen entry of a menu does. Absent: nothing. */
  highlighted: z.array(z.string()).optional(),
  /** The title that the program set. Absent: none. */
  title: z.string().optional(),
});
export type TaskScreen = z.infer<typeof TaskScreen>;

/** What the result of a task on a terminal has besides. */
export const terminalFacts = {
  waiting: TaskWaiting.optional(),
  screen: TaskScreen.optional(),
  /** A person has the terminal: what is sent is refused until it is handed back. */
  holder: z.literal("person").optional(),
};

/** Signals that can be sent, without `SIG`. */
export const TaskSignal = z.enum(["INT", "TERM", "HUP", "QUIT", "USR1", "USR2", "CONT", "WINCH"]);
export type TaskSignal = z.infer<typeof TaskSignal>;

/** Parameters of `task_send`: at least one of `text`, `keys`, `signal`, `size`. */
export const TaskSendParams = z.strictObject({
  task_id: z.string().min(1).describe("The task, started with `tty: true`"),
  text: z
    .string()
    .max(MAX_SENT_CHARS)
    .optional()
    .describe("Typed as it is: backslash sequences are not interpreted. Enter follows unless `enter` is false"),
  enter: z.boolean().optional().describe("Press Enter after `text`. Default true where there is `text`"),
  keys: z
    .array(z.string().min(1).max(40))
    .max(MAX_SENT_KEYS)
    .optional()
    .describe(
      'Pressed after `text`, each by its name: "Enter", "Escape", "Tab", "Up", "PageDown", "F1", "Ctrl-C", "Alt-x"',
    ),
  signal: TaskSignal.optional().describe("Sent to the program in the foreground"),
  size: z
    .strictObject({ cols: z.number(), rows: z.number() })
    .optional()
    .describe(`New size of the terminal: ${between(PTY_COLUMNS_RANGE)} columns, ${between(PTY_ROWS_RANGE)} rows`),
  wait_secs: z
    .number()
    .min(0)
    .max(MAX_SEND_WAIT_SECONDS)
    .optional()
    .describe(
      "Longest wait for the answer, in seconds. Default 10. It comes as soon as the program waits for input or has ended",
    ),
});
export type TaskSendParams = z.infer<typeof TaskSendParams>;
