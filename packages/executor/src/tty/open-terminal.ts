/**
 * Starts a program on a task's terminal, where the sessions of its agent are: their place, sandbox, environment and rc.
 *
 * The environment is a person's own, without the variables that keep programs from asking (`PAGER=cat`, `CI`): what runs here
 * is meant to ask, and has who answers.
 */
import type { ArtifactAllocation, QuietTerminal, Settings } from "@pi-bash/contract";
import { DEFAULT_PTY_COLUMNS, DEFAULT_PTY_ROWS } from "@pi-bash/contract/internal";
import { tailBytes } from "@pi-bash/contract/internal/text";
import type { ArtifactStore } from "../artifacts/store.ts";
import { type CommandResult, countLines, settledResult } from "../command-result.ts";
import type { PtyDevice, PtyEnd } from "../console/console-port.ts";
import { ptyEnvironment } from "../environment/child-environment.ts";
import type { OutputMask, RunOutput } from "../natives-port.ts";
import { type PortLook, portLook } from "../ports.ts";
import type { UpdateListener } from "../run-sink.ts";
import { watchRun } from "../run-watch.ts";
import { maskResult } from "../secrets.ts";
import type { SessionBase } from "../session-base.ts";
import { prefixedCommand } from "../shell-config.ts";
import { quote } from "../snapshot/quote.ts";
import type { TaskTerminal } from "./terminal-port.ts";
import { TerminalRecord } from "./terminal-record.ts";
import { TerminalRun } from "./terminal-run.ts";

/** Lines kept above the screen; the artifact has all. */
const SCROLLBACK_LINES = 2_000;

/** One program for a task's terminal. */
export interface OpenTerminalOptions {
  /** Absolute path. */
  readonly cwd: string;
  /** Variables on top of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds from the start to the deadline. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** File for the raw output. Absent: nowhere. */
  readonly artifact?: ArtifactAllocation | undefined;
  /** File for the record in the form asciicast v2. Absent: none is kept. */
  readonly record?: ArtifactAllocation | undefined;
  /** The session at whose place it runs. Default: this machine, or the executor's place. */
  readonly placeKey?: string | undefined;
  /** Most bytes of text in the result. */
  readonly maxBytes: number;
  /** Takes the newest tail and totals, at most every 50 ms. */
  readonly onUpdate: UpdateListener;
  /** Takes the terminal before the program is started. */
  readonly onOpen: (terminal: TaskTerminal) => void;
  /** Takes a look at the ports that its processes listen on. Not called where that cannot be known, as on a place. */
  readonly onPorts?: (look: PortLook) => void;
  /** Called when the program runs, before anything that it wrote is taken. */
  readonly onStart?: () => void;
}

/** What a terminal needs of its executor. */
export interface TerminalHost {
  readonly base: SessionBase;
  readonly settings: Settings;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly artifacts: ArtifactStore;
  /** Secrets are masked in artifacts. */
  readonly masksArtifacts: boolean;
  /** The session's rc, to be read first. */
  readonly snapshotPath: string | undefined;
  /** Masks the sink's text; of this machine's addon. */
  readonly mask: OutputMask | undefined;
}

/** A task that cannot have a terminal. Nothing was started. */
export class TerminalUnavailableError extends Error {
  readonly code = "PI_TERMINAL_UNAVAILABLE";

  constructor(why: string) {
    super(`No terminal for this task: ${why}. Run it without \`tty\`.`);
    this.name = "TerminalUnavailableError";
  }
}

/** Runs a command to its end. Rejects only when it was never started. */
export async function runOnTerminal(
  command: string,
  options: OpenTerminalOptions,
  host: TerminalHost,
): Promise<CommandResult> {
  const { base, settings } = host;
  const device = deviceOf(base, settings);
  const natives = await import("@pi-bash/natives");
  const { terminalState, VirtualTerminal } = await import("@pi-bash/terminal");
  const { castEvent, castHeader } = await import("@pi-bash/terminal/internal");
  const startedAt = performance.now();
  const { artifact } = options;
  const sink = new natives.OutputSink({
    maxBytes: options.maxBytes,
    onUpdate: options.onUpdate,
    ...(artifact === undefined
      ? {}
      : { spillPath: artifact.path, spillMaxBytes: host.artifacts.maxBytes, spillFromStart: true }),
    ...maskOf(natives, host),
  });
  // The program may have ended, or may not read: an answer that it asked for is dropped then.
  const terminal = new VirtualTerminal({ scrollback: SCROLLBACK_LINES, onReply: (reply) => void device.write(reply) });
  const record =
    options.record === undefined
      ? undefined
      : new TerminalRecord({
          path: options.record.path,
          maxBytes: host.artifacts.maxBytes,
          cols: DEFAULT_PTY_COLUMNS,
          rows: DEFAULT_PTY_ROWS,
          command: base.mask?.text(command).text ?? command,
          mask: base.mask,
          form: { castEvent, castHeader },
        });
  const run = new TerminalRun({
    device,
    record,
    terminal,
    judge: terminalState,
    mask: (text) => base.mask?.text(text).text ?? text,
  });
  options.onOpen(run);
  try {
    const { usage, ...end } = await settle(device, {
      command,
      options,
      host,
      run,
      take: (chunk) => sink.push(chunk),
    });
    const rest = run.needles.finish();
    sink.push(rest);
    await record?.output(rest);
    await terminal.settled();
    await record?.end();
    const text = run.mask(terminal.text());
    const result = resultOf(end, text, { raw: sink.dump(), options, startedAt });
    const used = usage === undefined ? {} : { usage };
    return maskResult(base.mask, { ...result, ...used, ...recordFacts(options.record, record) });
  } finally {
    run.end();
    sink.close();
    await record?.end();
  }
}

/** The address of a record, and why it is not whole. */
function recordFacts(
  allocation: ArtifactAllocation | undefined,
  record: TerminalRecord | undefined,
): Pick<CommandResult, "recordId" | "recordError"> {
  if (allocation === undefined || record === undefined) return {};
  return { recordId: allocation.id, ...(record.problem === undefined ? {} : { recordError: record.problem }) };
}

function deviceOf({ natives, place }: SessionBase, { limits }: Settings): PtyDevice {
  const where = place === undefined ? "this system" : place.name;
  if (natives.PtySession === undefined) throw new TerminalUnavailableError(`${where} has no pseudoterminals`);
  if (limits !== undefined) throw new TerminalUnavailableError("the setting `limits` cannot be enforced on terminals");
  return new natives.PtySession();
}

/** The session's mask, where it is one of the addon that has the sink. */
function maskOf(
  { SecretMask }: typeof import("@pi-bash/natives"),
  { mask, masksArtifacts }: TerminalHost,
): { mask?: InstanceType<typeof SecretMask>; maskSpill?: boolean } {
  return mask instanceof SecretMask ? { mask, maskSpill: masksArtifacts } : {};
}

interface Start {
  readonly command: string;
  readonly options: OpenTerminalOptions;
  readonly host: TerminalHost;
  readonly run: TerminalRun;
  readonly take: (masked: string) => void;
}

/** Starts the program and waits for its end, at most until the deadline and the grace. */
async function settle(device: PtyDevice, { command, options, host, run, take }: Start): Promise<PtyEnd> {
  const { base, settings, snapshotPath } = host;
  const { cwd, env, timeoutMs, signal } = options;
  const { shell, prefix } = base.config;
  const line = prefixedCommand(command, prefix);
  const hostEnv = base.place?.facts.env ?? host.hostEnv;
  const started = device.start(
    {
      // As the session reads it: what it says reaches no one.
      command: snapshotPath === undefined ? line : `. ${quote(snapshotPath)} >/dev/null 2>&1 </dev/null\n${line}`,
      shell,
      cwd,
      baseEnv: ptyEnvironment({ hostEnv, settings, shell, ptyEnvironment: "user" }, env),
      timeoutMs,
      signal,
      cols: DEFAULT_PTY_COLUMNS,
      rows: DEFAULT_PTY_ROWS,
      ...(base.sandbox === undefined ? {} : { sandbox: base.sandbox }),
      onQuiet: (report: QuietTerminal) => void run.quiet(report),
      ...(settings["bash.usage"] ? { usage: true } : {}),
    },
    (_, chunk) => run.takeChunk(chunk, take),
    (_, pid) => {
      givePorts(base, options, pid);
      options.onStart?.();
    },
  );
  const watched = await watchRun(started, { timeoutMs, signal, graceMs: base.graceMs });
  if (watched.kind === "failed") throw watched.error;
  if (watched.kind === "settled") return watched.value;
  return { cancelled: watched.reason === "cancelled", timedOut: watched.reason === "deadline" };
}

/** The look at the ports of a program of this machine. */
function givePorts({ natives, place }: SessionBase, { onPorts }: OpenTerminalOptions, pid: number): void {
  if (place !== undefined || natives.listeningPorts === undefined) return;
  onPorts?.(portLook({ listeningPorts: async () => (await natives.listeningPorts?.([pid])) ?? [] }, undefined));
}

interface Shown {
  readonly raw: RunOutput;
  readonly options: OpenTerminalOptions;
  readonly startedAt: number;
}

/** The result: what was on the screen and above it, within its bounds. */
function resultOf(end: PtyEnd, screen: string, { raw, options, startedAt }: Shown): CommandResult {
  const text = screen === "" ? "" : `${screen}\n`;
  const shown = tailBytes(text, options.maxBytes);
  const bytes = Buffer.byteLength(text);
  const lines = countLines(text);
  const output: RunOutput = {
    ...raw,
    text: shown,
    truncated: shown.length < text.length,
    totalBytes: bytes,
    totalLines: lines,
    outputBytes: Buffer.byteLength(shown),
    outputLines: countLines(shown),
    shownRange: { startLine: lines - countLines(shown) + 1, endLine: lines },
  };
  const wallTimeMs = performance.now() - startedAt;
  const result = settledResult({ ...end, sessionReset: false, survivors: [], wallTimeMs, output }, options.timeoutMs);
  const { artifact } = options;
  return {
    ...result,
    ...(artifact !== undefined && raw.spilled ? { artifactId: artifact.id } : {}),
    ...(raw.spillError === undefined ? {} : { artifactError: raw.spillError }),
  };
}
