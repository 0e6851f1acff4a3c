/**
 * Picks the command, runs it, and turns what it throws into a line that says what to do.
 *
 * The only place that starts commands. Each is loaded when it is asked for, so that help and a wrong command line are
 * answered where the native addon is missing, too. What commands say of themselves is in `surface/commands.ts`.
 */
import { nearestNames } from "@pi-bash/contract/internal";
import { COMMAND_NAMES, type CommandName, commandEntry, isCommandName } from "./surface/commands.ts";
import { asksForHelp, commandText, listText } from "./surface/help.ts";
import { USAGE_STATUS, UsageError } from "./usage.ts";

/** Exit status of a command that could not be started; as `env` and `timeout` have it. */
const NOT_STARTED_STATUS = 125;

/** Options that stand in place of a command. */
const STAND_INS: Readonly<Record<string, CommandName>> = {
  "--help": "help",
  "-h": "help",
  "--version": "version",
  "-V": "version",
  "-v": "version",
};

/** Runs the words after a command's name and resolves with the exit status. */
type Start = (words: readonly string[]) => Promise<number>;

const STARTS: Readonly<Record<CommandName, Start>> = {
  run: async (words) => (await import("./commands/run.ts")).run(words),
  tool: async (words) => (await import("./commands/tool.ts")).tool(words),
  tasks: async (words) => (await import("./commands/tasks.ts")).tasks(words),
  rpc: async (words) => (await import("./commands/rpc.ts")).rpc(words),
  mcp: async (words) => (await import("./commands/mcp.ts")).mcp(words),
  console: async (words) => (await import("./commands/console.ts")).console(words),
  host: async (words) => (await import("./commands/host.ts")).host(words),
  sessions: async (words) => (await import("./commands/sessions.ts")).sessions(words),
  replay: async (words) => (await import("./commands/replay.ts")).replay(words),
  attach: async (words) => (await import("./commands/attach.ts")).attach(words),
  end: async (words) => (await import("./commands/end.ts")).end(words),
  minimize: async (words) => (await import("./commands/minimize.ts")).minimize(words),
  settings: async (words) => (await import("./commands/settings.ts")).settings(words),
  doctor: async (words) => (await import("./commands/doctor.ts")).doctor(words),
  tour: async (words) => (await import("./commands/tour.ts")).tour(words),
  completions: async (words) => (await import("./commands/completions.ts")).completions(words),
  help,
  // Alone it is answered in `main.ts`.
  version: refuseWords,
};

/** Runs one command line, without the program's name, and resolves with the exit status. */
export async function dispatch(words: readonly string[]): Promise<number> {
  const [first = "", ...rest] = words;
  const name = Object.hasOwn(STAND_INS, first) ? (STAND_INS[first] ?? first) : first;
  try {
    if (words.length === 0) throw new UsageError("no command given");
    if (!isCommandName(name)) throw new UsageError(unknownCommand(name));
    const start = asksForHelp(rest, commandEntry(name).options) ? () => help([name]) : STARTS[name];
    return await start(rest);
  } catch (error) {
    return refusalStatus(error, isCommandName(first) && first !== "help" ? `${first} --help` : "--help");
  }
}

/** Says why nothing ran; what is no refusal is thrown again. `help` are the words that ask for the page to read. */
function refusalStatus(error: unknown, help: string): number {
  if (error instanceof UsageError) {
    process.stderr.write(`pi-bash: ${error.message}; \`pi-bash ${help}\` shows what there is\n`);
    return USAGE_STATUS;
  }
  // A rejection means that the command never ran: what ran has a result. Anything else is a defect to be seen whole.
  if (!(error instanceof Error && "code" in error)) throw error;
  const isFolderGone = "syscall" in error && error.syscall === "uv_cwd";
  const problem = isFolderGone ? "the folder it was started in is gone; start it in one that exists" : error.message;
  process.stderr.write(`pi-bash: ${problem}\n`);
  return NOT_STARTED_STATUS;
}

async function help(words: readonly string[]): Promise<number> {
  const [name, ...more] = words;
  if (more.length > 0) throw new UsageError("`help` takes one command");
  if (name !== undefined && !isCommandName(name)) throw new UsageError(unknownCommand(name));
  process.stdout.write(name === undefined ? listText() : commandText(name));
  return 0;
}

async function refuseWords(words: readonly string[]): Promise<number> {
  throw new UsageError(`\`version\` takes no arguments, not \`${words[0]}\``);
}

function unknownCommand(name: string): string {
  if (name.startsWith("-")) return `options come after a command, not \`${name}\` before it`;
  const nearest = nearestNames(name, COMMAND_NAMES).map((each) => `\`${each}\``);
  return `unknown command \`${name}\`${nearest.length === 0 ? "" : `; the nearest is ${nearest.join(", then ")}`}`;
}
