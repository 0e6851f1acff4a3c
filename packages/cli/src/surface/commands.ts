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
const UNTIL_INPUT_ENDS = [
  ["0", "the input ended, and everything that it asked for has, too"],
  SIGNALLED,
  WRONG_LINE,
] as const;

/** All commands by their names, in the order of the list. */
export const COMMANDS = {
  run: {
    summary: "run a command; its exit status is the exit status",
    usage: ["run [options] 'COMMAND'", "run --session [options] 'COMMAND' 'COMMAND' ..."],
    options: RUN_OPTIONS,
    operands: "program",
    remarks:
      "The command reads the standard input of this program, where that is not a terminal. Its standard error is this program's, where that is another file than the output.",
    statuses: [
      ["0-255", "the command's own"],
      ["128+n", "signal n ended it"],
      ["124", "it timed out"],
      ["125", "it was refused or could not be started"],
      ["130", "Ctrl-C ended it; the second Ctrl-C ends this program at once"],
      WRONG_LINE,
    ],
    examples: [
      ["run --timeout 60 'npm test'", "live output, and the tests' exit status"],
      ["run 'wc -l' <log", "what comes in is the command's input"],
      ["run --pty 'git add -p'", "a program that wants a person, with your keys"],
      ["run --session 'cd /usr' 'ls | wc -l'", "two commands in one bash"],
      ["run --on ssh:build7 'make -j8'", "the same on another machine"],
      ["run --on ssh:build7 --pty 'vim notes'", "on a terminal over there, with our keys"],
    ],
    page: CLI_PAGE,
  },
  tool: {
    summary: "one call of the bash tool, as a model makes it",
    usage: ["tool [options] 'COMMAND'", "tool [options] <CALL.json"],
    options: TOOL_OPTIONS,
    operands: "program",
    remarks: "Without a command the parameters of the call are read as JSON from standard input.",
    statuses: [
      ["0-255", "the command's own"],
      ["124", "it timed out"],
      ["125", "the call was refused or could not be started"],
      WRONG_LINE,
    ],
    examples: [
      ["tool 'ls /nowhere'", "what a model would read"],
      ["tool --json --setting bash.outputHeadBytes=2000 'seq 100000'", "the same with another window, as JSON"],
    ],
    page: "docs/tool.md",
  },
  tasks: {
    summary: "calls of the task tools, a JSON object a line",
    usage: ["tasks [options] <CALLS.jsonl"],
    options: SESSION_OPTIONS,
    statuses: UNTIL_INPUT_ENDS,
    examples: [[`tasks <<<'{"tool": "task_list"}'`, "the answer to one call"]],
    page: "docs/tasks.md",
  },
  rpc: {
    summary: "a session for another program, by JSON lines",
    usage: ["rpc [options]"],
    options: KEPT_OPTIONS,
    remarks: "There is a policy in mode `default` without being asked; its questions go to the client.",
    statuses: UNTIL_INPUT_ENDS,
    examples: [[`rpc <<<'{"id": "1", "type": "bash", "command": "ls"}'`, "one command and its result"]],
    page: "docs/rpc.md",
  },
  mcp: {
    summary: "the tools as an MCP server on its standard streams",
    usage: ["mcp [options]"],
    options: KEPT_OPTIONS,
    remarks: "There is a policy in mode `default` without being asked; its questions go to the client.",
    statuses: UNTIL_INPUT_ENDS,
    examples: [["mcp --cwd /path/to/project", "what a client's configuration names"]],
    page: "docs/adapters.md",
  },
  console: {
    summary: "a session at the terminal, to try the tools by hand",
    usage: ["console [options]"],
    options: SESSION_OPTIONS,
    statuses: [["0", "it was left"], SIGNALLED, WRONG_LINE],
    examples: [["console --mode default", "with questions about what does more than read"]],
    page: "docs/console.md",
  },
  host: {
    summary: "keeps sessions and jobs while agents come and go",
    usage: ["host [--detach] [--idle-timeout SECONDS]", "host --status", "host --stop"],
    options: HOST_OPTIONS,
    remarks:
      "One for each user. `mcp --host` and `rpc --host` work in its sessions. When it ends, everything that it keeps ends.",
    statuses: [
      ["0", "it was asked to end; with an option, it is as asked"],
      ["1", "`--status`: none runs"],
      ["125", "it cannot start, or another one runs"],
      SIGNALLED,
      WRONG_LINE,
    ],
    examples: [
      ["host --detach", "a host in the background"],
      ["host --stop", "the end of it, and of all its sessions"],
    ],
    page: HOST_PAGE,
  },
  sessions: {
    summary: "what the host keeps: sessions, their jobs and commands",
    usage: ["sessions [--json]"],
    options: SESSIONS_OPTIONS,
    statuses: [["0", "done"], ["125", "no host runs"], WRONG_LINE],
    examples: [["sessions", "a line for each, with its id"]],
    page: HOST_PAGE,
  },
  attach: {
    summary: "see what the host keeps, and type into a task",
    usage: ["attach [--read-only] ID"],
    options: ATTACH_OPTIONS,
    remarks:
      "At a task with a terminal you type, and the agent waits: ctrl+] hands it back. Elsewhere Ctrl-C leaves. Neither ends anything. Of a session each call is shown when it has ended.",
    statuses: [
      ["0-255", "of a job: its command's own"],
      ["128+n", "signal n ended its command; 130: you left"],
      ["125", "there is nothing of that id, or the job was ended before its command did"],
      WRONG_LINE,
    ],
    examples: [
      ["attach web/bg_3", "the newest output of a job, and what follows; the terminal of a task"],
      ["attach --read-only web/bg_3", "what a task with a terminal writes, without taking it from the agent"],
    ],
    page: HOST_PAGE,
  },
  end: {
    summary: "end sessions or jobs of the host",
    usage: ["end ID ..."],
    options: {},
    statuses: [["0", "all of them were ended"], ["1", "one was not there"], ["125", "no host runs"], WRONG_LINE],
    examples: [["end web/bg_3 old", "a job, and a session with everything in it"]],
    page: HOST_PAGE,
  },
  replay: {
    summary: "play the record of a task's terminal",
    usage: ["replay [options] FILE", "replay [options] ID"],
    options: REPLAY_OPTIONS,
    operands: "file",
    remarks: "ID: a task of the host, or with --artifacts an artifact. Space pauses, q leaves.",
    statuses: [
      ["0", "it was played, or you left"],
      ["1", "it cannot be read"],
      ["125", "no host runs, or it has no record"],
      WRONG_LINE,
    ],
    examples: [
      ["replay --idle-limit 1 web/bg_3", "what a task of the host did, without its pauses"],
      ["replay --at-once session.cast", "its last screen, as text"],
    ],
    page: "docs/interactive.md",
  },
  minimize: {
    summary: "what a model would read of an output",
    usage: ["minimize [options] <OUTPUT", "minimize --verify [--json] [FILE ...]"],
    options: MINIMIZE_OPTIONS,
    operands: "file",
    statuses: [["0", "done"], ["1", "a rule file is wrong"], WRONG_LINE],
    examples: [
      ["minimize --explain --command 'npm test' <log", "what each stage of the minimizer did"],
      ["minimize --verify rules.toml", "whether rules keep what their tests promise"],
    ],
    page: "docs/minimizer.md",
  },
  settings: {
    summary: "every setting of the tools, with default and range",
    usage: ["settings [WORD]", "settings --json"],
    options: SETTINGS_OPTIONS,
    remarks: "WORD: only settings with this in their name.",
    statuses: [["0", "done"], WRONG_LINE],
    examples: [["settings bash.output", "what `--setting bash.outputHeadBytes=N` does"]],
    page: CLI_PAGE,
  },
  doctor: {
    summary: "what works here, what is missing and how to get it",
    usage: ["doctor [--json] [--on PLACE]"],
    options: DOCTOR_OPTIONS,
    statuses: [["0", "everything that is needed is there"], ["1", "something that is needed is missing"], WRONG_LINE],
    examples: [
      ["doctor", "a line for each thing that was tried"],
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
    summary: "a script that has a shell complete all this",
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
    summary: "this list, or what there is to know of one command",
    usage: ["help [COMMAND]"],
    options: {},
    operands: "command",
    statuses: [["0", "done"], WRONG_LINE],
    examples: [["help run", "the same as `pi-bash run --help`"]],
    page: CLI_PAGE,
  },
  version: {
    summary: "which pi-bash this is; --version and -V say so too",
    usage: ["version"],
    options: {},
    statuses: [["0", "done"], WRONG_LINE],
    examples: [["version", "the version, a line"]],
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
