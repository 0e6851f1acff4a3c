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
  text: "with --on: keep commands running this long after the connection drops, and reconnect to them; without it a cut ends everything",
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
    text: "run only commands that the rules in FILE allow, and read-only ones (docs/policy.md)",
  },
  mode: {
    type: "string",
    value: "MODE",
    completion: POLICY_MODES,
    text: `what to do with commands that no rule covers: ${POLICY_MODES.join(", ")}`,
  },
  "allow-unasked": {
    type: "string",
    ...several,
    value: "KIND",
    completion: UnaskedKind.options,
    text: `run these without approval: ${UnaskedKind.options.join(", ")}; ${SEVERAL}`,
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
    text: "where full outputs are kept; a later call with the same folder finds them by artifact://ID",
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
    text: "end the command after this time, with exit status 124; without it there is no deadline",
  },
  ...POLICY_OPTIONS,
  pty: {
    type: "boolean",
    default: false,
    text: "run it on a terminal of its own, with your keys and the size of yours: for editors, pagers and the like",
  },
  session: { type: "boolean", default: false, text: "run each argument as a command in one session" },
  json: { type: "boolean", default: false, text: "print one JSON object for each command instead of its output" },
  raw: {
    type: "boolean",
    default: false,
    text: "on a terminal, also pass the command's titles, clipboard writes and queries",
  },
} as const satisfies Options;

const CALL_OPTIONS = {
  cwd: CWD,
  env: ENV,
  timeout: {
    type: "string",
    value: "SECONDS",
    text: "end the command after this time; without it the setting `defaultTimeout` decides",
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
    text: "do not start if commands have no session, because the native addon is missing",
  },
} as const satisfies Options;

/** Of what can work in a session of a host. */
const KEPT = {
  host: {
    type: "boolean",
    default: false,
    text: "use a session that `pi-bash host` keeps after this program ends (docs/host.md)",
  },
  session: {
    type: "string",
    value: "NAME",
    text: "name of that session; default: the folder's name",
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
    text: "start it in the background and return when it answers; if one already runs, use it",
  },
  status: { type: "boolean", default: false, text: "say whether one is running, and what it keeps" },
  stop: { type: "boolean", default: false, text: "end the running one, with everything that it keeps" },
  "idle-timeout": {
    type: "string",
    value: "SECONDS",
    text: "end a session that has had no client and no work for this long; without it sessions stay",
  },
} as const satisfies Options;

export const ATTACH_OPTIONS = {
  "read-only": { type: "boolean", default: false, text: "only watch: the agent keeps the terminal" },
} as const satisfies Options;

export const REPLAY_OPTIONS = {
  speed: { type: "string", value: "N", text: "recorded seconds per second; default 1" },
  "idle-limit": { type: "string", value: "SECONDS", text: "shorten longer pauses to this" },
  "at-once": { type: "boolean", default: false, text: "print the last screen; the default without a terminal" },
  artifacts: {
    type: "string",
    value: "FOLDER",
    completion: "folder",
    text: "the record is an artifact in this folder",
  },
} as const satisfies Options;

export const SESSIONS_OPTIONS = {
  json: { type: "boolean", default: false, text: "print them as a JSON list" },
} as const satisfies Options;

export const MINIMIZE_OPTIONS = {
  command: {
    type: "string",
    value: "COMMAND",
    text: "the command that wrote the output; without it only the text is used",
  },
  exit: { type: "string", value: "N", text: "its exit status; default 0" },
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
    text: "run the inline tests of the built-in rules and of the given files",
  },
} as const satisfies Options;

export const DOCTOR_OPTIONS = {
  on: { ...ON, text: "look at that place instead of this machine: ssh:DEST, podman:NAME, … (docs/places.md)" },
  json: { type: "boolean", default: false, text: "print the findings as a JSON list" },
} as const satisfies Options;

export const SETTINGS_OPTIONS = {
  json: { type: "boolean", default: false, text: "print their JSON Schema" },
} as const satisfies Options;
