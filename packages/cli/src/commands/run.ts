/**
 * `pi-bash run`: one command, or several in one session, with live output and their own exit status.
 *
 * Here they are run one after another, and what became of each is reported. What a command reads, and where its standard error
 * goes, is in `../run/command-streams.ts`.
 */
import { StringDecoder } from "node:string_decoder";
import { displayLine } from "@pi-bash/contract/internal";
import { unlessAborted } from "@pi-bash/contract/internal/wait";
import type { ShellRunOptions, ShellRunResult } from "@pi-bash/natives";
import * as natives from "@pi-bash/natives";
import type { OpenedPlace, RemoteNatives } from "@pi-bash/places";
import { TerminalFilter } from "@pi-bash/renderer/internal";
import { TIMED_OUT_STATUS } from "../call-outcome.ts";
import { type Interrupt, listenForInterrupt } from "../interrupt.ts";
import { policyOf } from "../policy-option.ts";
import {
  type CommandStreams,
  hasInput,
  hasOwnErrors,
  openFarStreams,
  openStreams,
  type WantedStreams,
} from "../run/command-streams.ts";
import { runOnTerminal, type Terminal } from "../run/on-terminal.ts";
import { type Permit, Permits } from "../run/permits.ts";
import { parseRunArguments, type RunArguments } from "../run/run-arguments.ts";

/** Exit status of a command that the policy refused: it was not started. */
const REFUSED_STATUS = 125;
/** Exit status of a program whose reader went away: 128 + SIGPIPE. */
const BROKEN_PIPE_STATUS = 141;

function statusOf(result: Ended, interrupt: Interrupt): number {
  if (result.timedOut) return TIMED_OUT_STATUS;
  if (result.inputWanted?.ended === true) return 1;
  if (result.cancelled) return interrupt.status ?? BROKEN_PIPE_STATUS;
  return result.exitCode ?? 1;
}

/** Without a policy a command runs as it is. */
const UNJUDGED: Permit = { env: {}, isConfined: false };

/** How a command ended, on a terminal or not; on one nothing is left of it. */
type Ended = Omit<ShellRunResult, "survivors" | "sessionReset" | "wallTimeMs"> &
  Partial<Pick<ShellRunResult, "survivors" | "sessionReset">> & { readonly placeNotice?: string };

function inputWantedLine({ program, pid, ended }: NonNullable<Ended["inputWanted"]>): string {
  const end = ended ? ", and the command was ended" : "";
  return `\`${displayLine(program)}\` (process ${pid}) waits for input and has no terminal${end}`;
}

/** What a person should know beside the output. */
function notices(result: Ended, { session, timeoutMs }: RunArguments, isLast: boolean): string[] {
  const lines: string[] = [];
  if (result.timedOut) lines.push(`the command took longer than ${(timeoutMs ?? 0) / 1000} s and was ended`);
  if (result.placeNotice !== undefined) lines.push(result.placeNotice);
  if (result.inputWanted !== undefined) lines.push(inputWantedLine(result.inputWanted));
  if (result.signal !== undefined) lines.push(`the command was ended by ${result.signal}`);
  // A shell of one command has no state that anyone could miss.
  if (session && result.sessionReset)
    lines.push("the command ended the session's shell; another one stands in its place");
  if (result.readOnly !== undefined && (result.exitCode ?? 0) !== 0)
    lines.push("the command ran read-only, because the policy allows it only as one that reads");
  for (const { pid, command } of result.survivors ?? []) {
    lines.push(`still running${isLast ? ", ends now" : ""}: ${displayLine(command)} (process ${pid})`);
  }
  return lines;
}

/** Runs the words after `run` and resolves with the exit status. */
export async function run(words: readonly string[]): Promise<number> {
  const asked = parseRunArguments(words);
  const policy = await policyOf(asked);
  const interrupt = listenForInterrupt((name) => {
    if (name === "SIGINT") process.stderr.write("pi-bash: ending the command; Ctrl-C again leaves at once\n");
  });
  try {
    const opened = asked.on === undefined ? undefined : await unlessAborted(asked.on.open(), interrupt.signal);
    // Nothing ran; `close` gives the connection up.
    if (opened === "aborted") return interrupt.status ?? BROKEN_PIPE_STATUS;
    return await runAll(asked, policy, interrupt, opened);
  } finally {
    await asked.on?.close();
    interrupt.release();
  }
}

async function runAll(
  asked: RunArguments,
  policy: Awaited<ReturnType<typeof policyOf>>,
  interrupt: Interrupt,
  opened: OpenedPlace | undefined,
): Promise<number> {
  const readerGone = new AbortController();
  // `pi-bash run yes | head`: the reader has seen enough. Without a listener Node would throw.
  const onOutputError = () => readerGone.abort();
  process.stdout.on("error", onOutputError);
  process.stderr.on("error", onOutputError);
  let shell: Sessions["shell"];
  let streams: CommandStreams | undefined;
  try {
    const engine = opened?.natives ?? natives;
    shell = asked.session ? new engine.Shell(asked.cwd === undefined ? {} : { cwd: asked.cwd }) : undefined;
    streams = await streamsOf(asked, opened);
    let status = 0;
    const permits = policy === undefined ? undefined : new Permits(policy, asked, streams.isOwn, opened?.facts);
    for (const [index, command] of asked.commands.entries()) {
      const isFirst = index === 0;
      const text = streams.around(command, isFirst ? 0 : status);
      const signal = AbortSignal.any([interrupt.signal, readerGone.signal]);
      const once = (permit: Permit) => runOne(text, asked, { shell, engine }, { isFirst, permit }, signal);
      const result = permits === undefined ? await once(UNJUDGED) : await permits.run(command, isFirst, once);
      if (result === undefined) return REFUSED_STATUS;
      await streams.flush();
      status = statusOf(result, interrupt);
      report(command, result, asked, index === asked.commands.length - 1);
      if (result.cancelled) break;
    }
    return status;
  } finally {
    await shell?.close();
    streams?.close();
    process.stdout.off("error", onOutputError);
    process.stderr.off("error", onOutputError);
  }
}

/** What runs commands: on this machine, or on a place. */
interface Sessions {
  readonly engine: Pick<RemoteNatives, "executeShell"> & { readonly PtySession?: new () => Terminal };
  /** The one of `--session`. */
  readonly shell: Pick<InstanceType<RemoteNatives["Shell"]>, "run" | "close"> | undefined;
}

/** Throws where the place has none, as the constructor does on this machine. */
function terminalOf({ PtySession }: Sessions["engine"], { on }: RunArguments): Terminal {
  if (PtySession !== undefined) return new PtySession();
  const where = on?.name ?? "this system";
  throw new natives.ShellError("PI_PTY_OPEN", `there are no pseudoterminals on ${where}; leave \`--pty\` out`);
}

async function runOne(
  command: string,
  asked: RunArguments,
  { shell, engine }: Sessions,
  { isFirst, permit }: { isFirst: boolean; permit: Permit },
  signal: AbortSignal,
): Promise<Ended> {
  const common = {
    command,
    signal,
    env: { ...asked.env, ...permit.env },
    ...(asked.timeoutMs === undefined ? {} : { timeoutMs: asked.timeoutMs }),
    // In a session only the beginning is given: where the commands go from there is theirs.
    ...(asked.cwd === undefined || !isFirst ? {} : { cwd: asked.cwd }),
  };
  if (asked.pty) return runOnTerminal(terminalOf(engine, asked), common, (text) => void process.stdout.write(text));
  const readOnly = permit.isConfined ? { readOnly: true } : {};
  const options: ShellRunOptions = { ...common, ...readOnly, ...(asked.json ? { sink: {} } : {}) };
  const filter = isShielded(asked) ? new TerminalFilter() : undefined;
  const onChunk = (error: Error | null, chunk: string) => {
    if (error === null) process.stdout.write(filter?.push(chunk) ?? chunk);
  };
  const listener = asked.json ? undefined : onChunk;
  return shell ? shell.run(options, listener) : engine.executeShell(options, listener);
}

function streamsOf(asked: RunArguments, opened: OpenedPlace | undefined): Promise<CommandStreams> {
  const wanted = wantedStreams(asked);
  return opened === undefined ? openStreams(wanted) : openFarStreams(wanted, opened.pipes);
}

/** With `--json` both streams stand in one text, in the order in which they were written. */
function wantedStreams({ json, pty, raw }: RunArguments): WantedStreams {
  // A terminal is both.
  if (pty) return { input: false };
  const wanted = { input: hasInput() };
  if (json || !hasOwnErrors()) return wanted;
  if (raw || !process.stderr.isTTY) return { ...wanted, errors: (bytes) => void process.stderr.write(bytes) };
  const [decoder, filter] = [new StringDecoder("utf8"), new TerminalFilter()];
  return { ...wanted, errors: (bytes) => void process.stderr.write(filter.push(decoder.write(bytes))) };
}

function unicodeEscape(character: string): string {
  return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
}

/** A terminal obeys what a command writes; a file and a pipe take it as it is. */
function isShielded({ raw }: RunArguments): boolean {
  return process.stdout.isTTY && !raw;
}

function report(command: string, result: Ended, asked: RunArguments, isLast: boolean): void {
  if (asked.json) {
    const place = asked.on === undefined ? {} : { place: asked.on.name };
    const text = JSON.stringify({ command, ...place, ...result });
    // JSON leaves these controls as they are.
    const shown = isShielded(asked) ? text.replaceAll(/[\x7f-\x9f]/g, unicodeEscape) : text;
    process.stdout.write(`${shown}\n`);
    return;
  }
  for (const line of notices(result, asked, isLast)) process.stderr.write(`pi-bash: ${line}\n`);
}
