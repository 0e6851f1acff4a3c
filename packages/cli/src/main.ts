/**
 * `pi-bash`: picks the command, runs it, and turns what it throws into a line that says what to do.
 *
 * The only place that knows all commands. Each is loaded when it is asked for, so that help and a wrong command line
 * are answered where the native addon is missing, too.
 */
import { USAGE, USAGE_STATUS, UsageError } from "./usage.ts";
import { ownVersion } from "./version.ts";

/** Exit status of a command that could not be started; as `env` and `timeout` have it. */
const NOT_STARTED_STATUS = 125;

const HELP_WORDS: ReadonlySet<string> = new Set(["--help", "-h"]);

/** Commands that only print: the others have an end of their own for a reader that went away. */
const PRINTING: ReadonlySet<string | undefined> = new Set([
  "help",
  "--help",
  "-h",
  "doctor",
  "minimize",
  "tool",
  "tour",
]);

/** `pi-bash doctor | head -3`: what nobody reads is dropped. Without a listener Node would throw. */
function onOutputError(error: Error): void {
  if (!("code" in error) || error.code !== "EPIPE") throw error;
}

/** Runs one command line, without the program's name, and resolves with the exit status. */
export async function main(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  // Whoever asks a command for help is shown all there is: it is one page.
  const name = HELP_WORDS.has(rest[0] ?? "") ? "help" : first;
  if (PRINTING.has(name)) process.stdout.on("error", onOutputError);
  try {
    switch (name) {
      case "run":
        return await (await import("./commands/run.ts")).run(rest);
      case "tool":
        return await (await import("./commands/tool.ts")).tool(rest);
      case "tasks":
        return await (await import("./commands/tasks.ts")).tasks(rest);
      case "mcp":
        return await (await import("./commands/mcp.ts")).mcp(rest);
      case "minimize":
        return await (await import("./commands/minimize.ts")).minimize(rest);
      case "rpc":
        return await (await import("./commands/rpc.ts")).rpc(rest);
      case "console":
        return await (await import("./commands/console.ts")).console(rest);
      case "doctor":
        return await (await import("./commands/doctor.ts")).doctor(rest);
      case "tour":
        return await (await import("./commands/tour.ts")).tour(rest);
      case "help":
      case "--help":
      case "-h":
        process.stdout.write(USAGE);
        return 0;
      case "version":
      case "--version":
      case "-V":
      case "-v":
        process.stdout.write(`${ownVersion()}\n`);
        return 0;
      case undefined:
        throw new UsageError("no command given");
      default:
        if (name.startsWith("-")) throw new UsageError(`options come after a command, not \`${name}\` before it`);
        throw new UsageError(`unknown command \`${name}\``);
    }
  } catch (error) {
    if (error instanceof UsageError) {
      process.stderr.write(`pi-bash: ${error.message}; \`pi-bash --help\` shows what there is\n`);
      return USAGE_STATUS;
    }
    // A rejection means that the command never ran: what ran has a result. Anything else is a defect to be seen whole.
    if (error instanceof Error && "code" in error) {
      process.stderr.write(`pi-bash: ${error.message}\n`);
      return NOT_STARTED_STATUS;
    }
    throw error;
  }
}
