/**
 * Every option of the program, each written once: how it is read, what help says of it, and what completes its value.
 *
 * Which command has which is in `commands.ts`; what a value may be beyond its kind is the command's to check.
 */
import { UnaskedKind } from "@pi-bash/contract";
import { POLICY_MODES } from "@pi-bash/policy";

/** Shells that completions are printed for. */
export const SHELLS = ["bash", "zsh", "fish"] as const;

/** What stands after an option or a command, as far as a shell can complete it; a list has all words there are. */
export type Completion = "file" | "folder" | "program" | "setting" | "command" | readonly string[];

/** One option; `type`, `multiple` and `default` are those of `node:util`'s `parseArgs`. */
export interface Option {
  readonly type: "string" | "boolean";
  readonly multiple?: boolean;
  readonly default?: boolean | string[];
  /** What help calls the value; of a `string` only. */
  readonly value?: string;
  readonly completion?: Completion;
  /** What it does, in a line or two. */
  readonly text: string;
}

/** Options by their names without dashes. */
export type Options = Readonly<Record<string, Option>>;

const several = { multiple: true, default: [] as string[] } as const;
const SEVERAL = "may be given several times";

const CWD = {
  type: "string",
  value: "FOLDER",
  completion: "folder",
  text: "where the command starts",
} as const satisfies Option;

const ON = {
  type: "string",
  value: "PLACE",
  text: "where commands run: ssh:DEST, podman:NAME, docker:NAME, kubectl:[NS/]POD[/CONTAINER], slurm[:PARTITION], 'command:WORDS' (docs/places.md)",
} as const satisfies Option;

const KEEP = {
  type: "string",
  value: "SECONDS",
  text: "with --on: what runs there goes on for so long when the connection is cut, and is come back to; without it a cut ends everything",
} as const satisfies Option;

const ENV = {
  type: "string",
  ...several,
  value: "NAME=VALUE",
  text: `a variable for the command; ${SEVERAL}`,
} as const satisfies Option;

/** What may run; of every command that runs something. */
const POLICY_OPTIONS = {
  policy: {
    type: "string",
    value: "FILE",
    completion: "file",
    text: "run only what the rules of FILE allow, and what only reads (docs/policy.md)",
  },
  mode: {
    type: "string",
    value: "MODE",
    completion: POLICY_MODES,
    text: `what becomes of what no rule decides: ${POLICY_MODES.join(", ")}`,
  },
  "allow-unasked": {
    type: "string",
    ...several,
    value: "KIND",
    completion: UnaskedKind.options,
    text: `what may run unasked: ${UnaskedKind.options.join(", ")}; ${SEVERAL}`,
  },
} as const satisfies Options;

/** How the tools behave; of every command that has them. */
const TOOL_SETTINGS = {
  on: ON,
  keep: KEEP,
  setting: {
    type: "string",
    ...several,
    value: "NAME=VALUE",
    completion: "setting",
    text: `a setting, as JSON or a word; \`pi-bash settings\` lists them; ${SEVERAL}`,
  },
  artifacts: {
    type: "string",
    value: "FOLDER",
    completion: "folder",
    text: "where whole outputs are kept; a later call with the same folder finds them by artifact://ID",
  },
} as const satisfies Options;

export const RUN_OPTIONS = {
  on: ON,
  keep: KEEP,
  cwd: CWD,
  env: ENV,
  timeout: {
    type: "string",
    value: "SECONDS",
    text: "end the command when it takes longer, with exit status 124; without it there is no deadline",
  },
  ...POLICY_OPTIONS,
  pty: {
    type: "boolean",
    default: false,
    text: "run it on a terminal of its own, of the size of ours, with our keys: for editors, pagers and the like",
  },
  session: { type: "boolean", default: false, text: "each argument is a command of one session" },
  json: { type: "boolean", default: false, text: "print one JSON object for each command instead of its output" },
  raw: {
    type: "boolean",
    default: false,
    text: "on a terminal, pass titles, clipboard writes and queries of the command as well",
  },
} as const satisfies Options;

const CALL_OPTIONS = {
  cwd: CWD,
  env: ENV,
  timeout: {
    type: "string",
    value: "SECONDS",
    text: "end the command when it takes longer; without it the setting `defaultTimeout` decides",
  },
  ...POLICY_OPTIONS,
  ...TOOL_SETTINGS,
  json: { type: "boolean", default: false, text: "print the answer as one JSON object" },
} as const satisfies Options;

/** Of `tasks`, `rpc`, `mcp` and `console`, which take their calls from elsewhere. */
export const SESSION_OPTIONS = {
  cwd: { ...CWD, text: "where the session begins" },
  ...POLICY_OPTIONS,
  ...TOOL_SETTINGS,
  "require-sessions": {
    type: "boolean",
    default: false,
    text: "do not start where commands have no session, for want of the native addon",
  },
} as const satisfies Options;

/** Of what can work in a session of a host. */
const KEPT = {
  host: {
    type: "boolean",
    default: false,
    text: "in a session that `pi-bash host` keeps when this program ends (docs/host.md)",
  },
  session: {
    type: "string",
    value: "NAME",
    text: "which one; without it the folder's name",
  },
} as const satisfies Options;

/** Of `tool`, whose session is that of one call otherwise. */
export const TOOL_OPTIONS = { ...CALL_OPTIONS, ...KEPT } as const satisfies Options;

/** Of `rpc` and `mcp`. */
export const KEPT_OPTIONS = { ...SESSION_OPTIONS, ...KEPT } as const satisfies Options;

export const HOST_OPTIONS = {
  detach: {
    type: "boolean",
    default: false,
    text: "start it in the background, and return when it answers; one that runs already is fine",
  },
  status: { type: "boolean", default: false, text: "say whether one runs, and what it keeps" },
  stop: { type: "boolean", default: false, text: "end the one that runs, with everything that it keeps" },
  "idle-timeout": {
    type: "string",
    value: "SECONDS",
    text: "end a session that for so long has no client and runs nothing; without it sessions stay",
  },
} as const satisfies Options;

export const ATTACH_OPTIONS = {
  "read-only": { type: "boolean", default: false, text: "look only: the agent keeps the terminal of its task" },
} as const satisfies Options;

export const REPLAY_OPTIONS = {
  speed: { type: "string", value: "N", text: "recorded seconds in one second; 1 when not given" },
  "idle-limit": { type: "string", value: "SECONDS", text: "no pause is longer than that" },
  "at-once": { type: "boolean", default: false, text: "print the last screen; so it does where there is no terminal" },
  artifacts: {
    type: "string",
    value: "FOLDER",
    completion: "folder",
    text: "the record is an artifact of this folder",
  },
} as const satisfies Options;

export const SESSIONS_OPTIONS = {
  json: { type: "boolean", default: false, text: "print them as a JSON list" },
} as const satisfies Options;

export const MINIMIZE_OPTIONS = {
  command: {
    type: "string",
    value: "COMMAND",
    text: "the command that wrote the output; without it the text alone decides",
  },
  exit: { type: "string", value: "N", text: "its exit status; 0 when not given" },
  explain: { type: "boolean", default: false, text: "show what each stage did before the text" },
  rules: {
    type: "string",
    ...several,
    value: "FILE",
    completion: "file",
    text: `rules of one's own; ${SEVERAL}`,
  },
  json: { type: "boolean", default: false, text: "print one JSON object" },
  verify: {
    type: "boolean",
    default: false,
    text: "run the inline tests of the built-in rules and of the files that are named",
  },
} as const satisfies Options;

export const DOCTOR_OPTIONS = {
  on: { ...ON, text: "look at that place instead of this machine: ssh:DEST, podman:NAME, … (docs/places.md)" },
  json: { type: "boolean", default: false, text: "print the findings as a JSON list" },
} as const satisfies Options;

export const SETTINGS_OPTIONS = {
  json: { type: "boolean", default: false, text: "print their JSON Schema" },
} as const satisfies Options;
