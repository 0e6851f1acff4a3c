/**
 * `pi-bash run`: one command, or several in one session, with live output and their own exit status.
 */
import { executeShell, Shell, type ShellRunOptions, type ShellRunResult } from "@pi-bash/natives";
import { type Interrupt, listenForInterrupt } from "../interrupt.ts";
import { parseRunArguments, type RunArguments } from "./run-arguments.ts";

/** Exit status of a command that took too long, as `timeout` of the coreutils has it. */
const TIMED_OUT_STATUS = 124;
/** Exit status of a program whose reader went away: 128 + SIGPIPE. */
const BROKEN_PIPE_STATUS = 141;

function statusOf(result: ShellRunResult, interrupt: Interrupt): number {
  if (result.timedOut) return TIMED_OUT_STATUS;
  if (result.cancelled) return interrupt.status ?? BROKEN_PIPE_STATUS;
  return result.exitCode ?? 1;
}

/** What a person should know beside the output. */
function notices(result: ShellRunResult, { session, timeoutMs }: RunArguments, isLast: boolean): string[] {
  const lines: string[] = [];
  if (result.timedOut) lines.push(`the command took longer than ${(timeoutMs ?? 0) / 1000} s and was ended`);
  if (result.signal !== undefined) lines.push(`the command was ended by ${result.signal}`);
  // A shell of one command has no state that anybody could miss.
  if (session && result.sessionReset)
    lines.push("the command ended the session's shell; another one stands in its place");
  for (const { pid, command } of result.survivors) {
    lines.push(`still running${isLast ? ", ends now" : ""}: ${command} (process ${pid})`);
  }
  return lines;
}

/** Runs the words after `run` and resolves with the exit status. */
export async function run(words: readonly string[]): Promise<number> {
  const asked = parseRunArguments(words);
  const interrupt = listenForInterrupt((name) => {
    if (name === "SIGINT") process.stderr.write("pi-bash: ending the command; Ctrl-C again leaves at once\n");
  });
  const readerGone = new AbortController();
  // `pi-bash run yes | head`: the reader has seen enough. Without a listener Node would throw.
  const onOutputError = () => readerGone.abort();
  process.stdout.on("error", onOutputError);
  const shell = asked.session ? new Shell(asked.cwd === undefined ? {} : { cwd: asked.cwd }) : undefined;
  try {
    let status = 0;
    for (const [index, command] of asked.commands.entries()) {
      const isFirst = index === 0;
      const result = await runOne(
        command,
        asked,
        shell,
        isFirst,
        AbortSignal.any([interrupt.signal, readerGone.signal]),
      );
      status = statusOf(result, interrupt);
      report(command, result, asked, index === asked.commands.length - 1);
      if (result.cancelled) break;
    }
    return status;
  } finally {
    await shell?.close();
    process.stdout.off("error", onOutputError);
    interrupt.release();
  }
}

async function runOne(
  command: string,
  asked: RunArguments,
  shell: Shell | undefined,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<ShellRunResult> {
  const options: ShellRunOptions = {
    command,
    signal,
    env: asked.env,
    ...(asked.timeoutMs === undefined ? {} : { timeoutMs: asked.timeoutMs }),
    ...(asked.json ? { sink: {} } : {}),
    // In a session only the beginning is given: where the commands go from there is theirs.
    ...(asked.cwd === undefined || !isFirst ? {} : { cwd: asked.cwd }),
  };
  const onChunk = (error: Error | null, chunk: string) => {
    if (error === null) process.stdout.write(chunk);
  };
  const listener = asked.json ? undefined : onChunk;
  return shell ? shell.run(options, listener) : executeShell(options, listener);
}

function report(command: string, result: ShellRunResult, asked: RunArguments, isLast: boolean): void {
  if (asked.json) {
    process.stdout.write(`${JSON.stringify({ command, ...result })}\n`);
    return;
  }
  for (const line of notices(result, asked, isLast)) process.stderr.write(`pi-bash: ${line}\n`);
}
