/**
 * What a person means by a line: a command of their own, a call of a tool, or something about jobs.
 */
import type { TaskToolName } from "@pi-bash/renderer";
import { isTaskToolName } from "@pi-bash/renderer/internal";

/** What the console offers, for `/help` and for what it does not know. */
export const HELP = [
  "command            a call of the bash tool, as a model makes it; /tool command is the same",
  '{"command": "…"}   a call with all its parameters, as JSON',
  '{"tool": "task", "params": {…}}',
  "                   a call of another tool: task, task_await, task_list, task_send,",
  "                   task_terminate, job",
  "!command           your own command, in the same shell; !!command is kept from the model",
  "/pty command       a program on a terminal of its own, on the whole screen; ctrl+] ends it",
  "/bg command        a call that goes to the background at once",
  "/jobs              the background jobs; /attach ID shows the output of one or takes its terminal, /kill ID ends one",
  "/quit              leave, and end everything; ctrl+d does the same",
  "ctrl+o             show all of the last output, or its end again",
  "esc, ctrl+c        end what runs",
].join("\n");

/** A tool beside `bash`. */
export type OtherTool = TaskToolName | "job";

/** A line, understood. */
export type Entered =
  | { readonly kind: "nothing" }
  | { readonly kind: "user"; readonly command: string; readonly isExcluded: boolean }
  | { readonly kind: "tool"; readonly params: Readonly<Record<string, unknown>>; readonly tool?: OtherTool }
  | { readonly kind: "jobs" | "help" | "quit" }
  | { readonly kind: "kill" | "attach"; readonly id: string }
  | { readonly kind: "problem"; readonly message: string };

/** Most seconds that a call may take: a person at a program ends it themselves. */
const PTY_TIMEOUT_S = 3_600;

const SLASH = /^\/([a-z]+)(?:\s+(.*))?$/s;

/** Reads a line. What is no word of the console is a command. */
export function readLine(line: string): Entered {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  const bang = /^(!!?)(.*)$/s.exec(text);
  if (bang) return userCommand((bang[2] ?? "").trim(), bang[1] === "!!");
  const slash = SLASH.exec(text);
  if (slash) return slashCommand(slash[1] ?? "", (slash[2] ?? "").trim());
  const params = text.startsWith("{") ? objectOf(text) : undefined;
  return params === undefined ? { kind: "tool", params: { command: text } } : jsonCall(params);
}

/** Parameters of the bash tool, or another tool's name with its own. */
function jsonCall(call: Readonly<Record<string, unknown>>): Entered {
  const { tool, params = {} } = call;
  if (tool === undefined) return { kind: "tool", params: call };
  if (typeof tool !== "string" || !(tool === "job" || isTaskToolName(tool)))
    return {
      kind: "problem",
      message: "`tool` is one of `task`, `task_await`, `task_list`, `task_send`, `task_terminate`, `job`",
    };
  if (!isObject(params)) return { kind: "problem", message: "`params` is an object in JSON" };
  return { kind: "tool", tool, params };
}

function userCommand(command: string, isExcluded: boolean): Entered {
  if (command === "") return { kind: "problem", message: "there is no command after the `!`" };
  return { kind: "user", command, isExcluded };
}

function slashCommand(name: string, rest: string): Entered {
  switch (name) {
    case "jobs":
    case "help":
    case "quit":
      return { kind: name };
    case "kill":
    case "attach":
      return rest === "" ? needs(name, "the id of a job") : { kind: name, id: rest };
    case "tool":
      return rest === "" ? needs(name, "a command") : { kind: "tool", params: objectOf(rest) ?? { command: rest } };
    case "pty":
      if (rest === "") return needs(name, "a command");
      return { kind: "tool", params: { command: rest, pty: true, timeout: PTY_TIMEOUT_S } };
    case "bg":
      return rest === "" ? needs(name, "a command") : { kind: "tool", params: { command: rest, async: true } };
    default:
      return { kind: "problem", message: `there is no \`/${name}\`; \`/help\` shows what there is` };
  }
}

function needs(name: string, what: string): Entered {
  return { kind: "problem", message: `\`/${name}\` needs ${what}` };
}

/** `{ echo a; }` is a command as well: only an object in JSON is one. */
function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
