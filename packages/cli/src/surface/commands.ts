/**
 * Every command of the program: what help says of it, which options it has, how it ends.
 *
 * Help, completions and the refusal of an unknown command are made from this table; what runs a command is in `main.ts`.
 */
import {
  ATTACH_OPTIONS,
  type Completion,
  DOCTOR_OPTIONS,
  HOST_OPTIONS,
  KEPT_OPTIONS,
  MINIMIZE_OPTIONS,
  type Options,
  REPLAY_OPTIONS,
  RUN_OPTIONS,
  SESSION_OPTIONS,
  SESSIONS_OPTIONS,
  SETTINGS_OPTIONS,
  SHELLS,
  TOOL_OPTIONS,
} from "./options.ts";

/** What a command has to say about itself. */
export interface CommandEntry {
  /** What it is for; one line of the list. */
  readonly summary: string;
  /** The ways to call it, without the program's name. */
  readonly usage: readonly string[];
  readonly options: Options;
  /** What its words that are no options can be. */
  readonly operands?: Completion;
  /** What should be known and belongs to no single option. */
  readonly remarks?: string;
  /** Exit statuses, each with what it means. */
  readonly statuses: readonly (readonly [status: string, meaning: string])[];
  /** Command lines without the program's name, each with what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** The page of the documents that tells the whole. */
  readonly page: string;
}

const WRONG_LINE = ["2", "the command line is wrong"] as const;
const SIGNALLED = ["128+n", "signal n ended it: 130 for Ctrl-C"] as const;
const CLI_PAGE = "docs/cli.md";
const HOST_PAGE = "docs/host.md";
/** Of what takes its calls from standard input. */
const UNTIL_INPUT_ENDS = [["0", "input ended and all requested work is finished"], SIGNALLED, WRONG_LINE] as const;

/** All commands by their names, in the order of the list. */
export const COMMANDS = {
  run: {
    summary: "run a command and exit with its status",
    usage: ["run [options] 'COMMAND'", "run --session [options] 'COMMAND' 'COMMAND' ..."],
    options: RUN_OPTIONS,
    operands: "program",
    remarks:
      "The command reads this program's standard input unless that is a terminal. Its standard error is this program's if that is a different file than standard output.",
    statuses: [
      ["0-255", "the command's own status"],
      ["128+n", "signal n ended it"],
      ["124", "it timed out"],
      ["125", "it was refused or could not be started"],
      ["130", "Ctrl-C ended it; the second Ctrl-C ends this program at once"],
      WRONG_LINE,
    ],
    examples: [
      ["run --timeout 60 'npm test'", "live output and the tests' exit status"],
      ["run 'wc -l' <log", "the input is the command's"],
      ["run --pty 'git add -p'", "a program that needs a person, with your keys"],
      ["run --session 'cd /usr' 'ls | wc -l'", "two commands in one bash"],
      ["run --on ssh:build7 'make -j8'", "the same on another machine"],
      ["run --on ssh:build7 --pty 'vim notes'", "on a terminal there, with your keys"],
    ],
    page: CLI_PAGE,
  },
  tool: {
    summary: "call the bash tool once, as a model would",
    usage: ["tool [options] 'COMMAND'", "tool [options] <CALL.json"],
    options: TOOL_OPTIONS,
    operands: "program",
    remarks: "Without COMMAND, the call's parameters are read as JSON from standard input.",
    statuses: [
      ["0-255", "the command's own status"],
      ["124", "it timed out"],
      ["125", "the call was refused or could not be started"],
      WRONG_LINE,
    ],
    examples: [
      ["tool 'ls /nowhere'", "what a model would read"],
      ["tool --json --setting bash.outputHeadBytes=2000 'seq 100000'", "another output window, as JSON"],
    ],
    page: "docs/tool.md",
  },
  tasks: {
    summary: "call the task tools, one JSON object per line",
    usage: ["tasks [options] <CALLS.jsonl"],
    options: SESSION_OPTIONS,
    statuses: UNTIL_INPUT_ENDS,
    examples: [[`tasks <<<'{"tool": "task_list"}'`, "one call and its answer"]],
    page: "docs/tasks.md",
  },
  rpc: {
    summary: "serve a session to another program, as JSON lines",
    usage: ["rpc [options]"],
    options: KEPT_OPTIONS,
    remarks: "A policy in mode `default` applies unless you set another; a client that supports questions is asked.",
    statuses: UNTIL_INPUT_ENDS,
    examples: [[`rpc <<<'{"id": "1", "type": "bash", "command": "ls"}'`, "one command and its result"]],
    page: "docs/rpc.md",
  },
  mcp: {
    summary: "serve the tools over MCP on standard input and output",
    usage: ["mcp [options]"],
    options: KEPT_OPTIONS,
    remarks: "A policy in mode `default` applies unless you set another; a client that supports questions is asked.",
    statuses: UNTIL_INPUT_ENDS,
    examples: [["mcp --cwd /path/to/project", "what to put in a client's configuration"]],
    page: "docs/adapters.md",
  },
  console: {
    summary: "try the tools by hand in a terminal session",
    usage: ["console [options]"],
    options: SESSION_OPTIONS,
    statuses: [["0", "you left"], SIGNALLED, WRONG_LINE],
    examples: [["console --mode default", "asks before each command that does more than read"]],
    page: "docs/console.md",
  },
  host: {
    summary: "keep sessions and jobs while agents come and go",
    usage: ["host [--detach] [--idle-timeout SECONDS]", "host --status", "host --stop"],
    options: HOST_OPTIONS,
    remarks:
      "One per user. `mcp --host` and `rpc --host` use its sessions. When it ends, everything that it keeps ends.",
    statuses: [
      ["0", "it was asked to end, or the option was carried out"],
      ["1", "`--status`: none is running"],
      ["125", "it cannot start, or another one is running"],
      SIGNALLED,
      WRONG_LINE,
    ],
    examples: [
      ["host --detach", "start a host in the background"],
      ["host --stop", "end it and all its sessions"],
    ],
    page: HOST_PAGE,
  },
  sessions: {
    summary: "list what the host keeps: sessions, their jobs and commands",
    usage: ["sessions [--json]"],
    options: SESSIONS_OPTIONS,
    statuses: [["0", "done"], ["125", "no host is running"], WRONG_LINE],
    examples: [["sessions", "one line each, with its id"]],
    page: HOST_PAGE,
  },
  attach: {
    summary: "watch what the host keeps, or type into a task",
    usage: ["attach [--read-only] ID"],
    options: ATTACH_OPTIONS,
    remarks:
      "At a task with a terminal you type and the agent waits; Ctrl-] hands the terminal back. Elsewhere Ctrl-C leaves. Neither ends anything. For a session, each call is shown when it has ended.",
    statuses: [
      ["0-255", "for a job: its command's own status"],
      ["128+n", "signal n ended its command; 130 also if you left"],
      ["125", "nothing has that id, or the job was ended first"],
      WRONG_LINE,
    ],
    examples: [
      ["attach web/bg_3", "a job's newest output and what follows; a task's terminal"],
      ["attach --read-only web/bg_3", "watch a task's terminal without taking it from the agent"],
    ],
    page: HOST_PAGE,
  },
  end: {
    summary: "end sessions or jobs of the host",
    usage: ["end ID ..."],
    options: {},
    statuses: [["0", "all were ended"], ["1", "one does not exist"], ["125", "no host is running"], WRONG_LINE],
    examples: [["end web/bg_3 old", "a job, and a session with everything in it"]],
    page: HOST_PAGE,
  },
  replay: {
    summary: "play a recording of a task's terminal",
    usage: ["replay [options] FILE", "replay [options] ID"],
    options: REPLAY_OPTIONS,
    operands: "file",
    remarks: "ID is a task of the host, or an artifact with --artifacts. Space pauses, q quits.",
    statuses: [
      ["0", "it was played, or you quit"],
      ["1", "it cannot be read"],
      ["125", "no host is running, or it has no record"],
      WRONG_LINE,
    ],
    examples: [
      ["replay --idle-limit 1 web/bg_3", "what a host's task did, without its pauses"],
      ["replay --at-once session.cast", "its last screen, as text"],
    ],
    page: "docs/interactive.md",
  },
  minimize: {
    summary: "shorten an output as a model would read it",
    usage: ["minimize [options] <OUTPUT", "minimize --verify [--json] [FILE ...]"],
    options: MINIMIZE_OPTIONS,
    operands: "file",
    statuses: [["0", "done"], ["1", "a rule file is wrong"], WRONG_LINE],
    examples: [
      ["minimize --explain --command 'npm test' <log", "show what each stage of the minimizer did"],
      ["minimize --verify rules.toml", "check rules against their inline tests"],
    ],
    page: "docs/minimizer.md",
  },
  settings: {
    summary: "list the settings, with defaults and ranges",
    usage: ["settings [WORD]", "settings --json"],
    options: SETTINGS_OPTIONS,
    remarks: "With WORD, only settings whose names contain it.",
    statuses: [["0", "done"], WRONG_LINE],
    examples: [["settings bash.output", "settings for the output window"]],
    page: CLI_PAGE,
  },
  doctor: {
    summary: "say what works here, what is missing and how to get it",
    usage: ["doctor [--json] [--on PLACE]"],
    options: DOCTOR_OPTIONS,
    statuses: [["0", "everything needed is there"], ["1", "something needed is missing"], WRONG_LINE],
    examples: [
      ["doctor", "one line per check"],
      ["doctor --on podman:web", "what works in that container"],
    ],
    page: CLI_PAGE,
  },
  tour: {
    summary: "see the engine at work, with every claim checked",
    usage: ["tour"],
    options: {},
    statuses: [["0", "all claims held"], ["1", "one did not"], WRONG_LINE],
    examples: [["tour", "takes some seconds"]],
    page: CLI_PAGE,
  },
  completions: {
    summary: "print a completion script for your shell",
    usage: ["completions bash|zsh|fish"],
    options: {},
    operands: SHELLS,
    statuses: [["0", "done"], WRONG_LINE],
    examples: [
      ["completions bash", 'for ~/.bashrc: eval "$(pi-bash completions bash)"'],
      ["completions fish", "for ~/.config/fish/config.fish: pi-bash completions fish | source"],
    ],
    page: CLI_PAGE,
  },
  help: {
    summary: "show this list, or help for one command",
    usage: ["help [COMMAND]"],
    options: {},
    operands: "command",
    statuses: [["0", "done"], WRONG_LINE],
    examples: [["help run", "the same as `pi-bash run --help`"]],
    page: CLI_PAGE,
  },
  version: {
    summary: "print the version; also --version and -V",
    usage: ["version"],
    options: {},
    statuses: [["0", "done"], WRONG_LINE],
    examples: [["version", "print the version"]],
    page: CLI_PAGE,
  },
} as const satisfies Readonly<Record<string, CommandEntry>>;

/** Name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** All names, in the order of the list. */
export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

/** Whether there is such a command. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}

/** What the table says of a command. */
export function commandEntry(name: CommandName): CommandEntry {
  return COMMANDS[name];
}
