/**
 * The bash tool: what an agent registers, and which of its backends runs a call.
 *
 * The steps before a command runs are in `prepared-call.ts`, what an answer says is in `describe-result.ts`. Here is
 * the order in which backends are asked: explicit background, the client's terminal, the console, a job that may go to
 * the background, the executor. Calls of one session are exclusive: the host runs them one after another.
 */
import type { BashParamsSchema, BashToolResult, Settings } from "@pi-bash/contract";
import { BashParamsWithAsync, outputWindow } from "@pi-bash/contract/internal";
import { nonInteractiveEnv, shellConfig, withinLines } from "@pi-bash/executor/internal";
import { classify } from "@pi-bash/policy";
import { shownParams } from "./call-params.ts";
import { settingsReader } from "./call-settings.ts";
import { checkSignal } from "./call-signal.ts";
import { CallTurns } from "./call-turns.ts";
import type { ClientTerminal, CreateTerminalRequest } from "./client-bridge.ts";
import { runInClientTerminal } from "./client-terminal.ts";
import { type CallScene, runOnExecutor, runOnPty } from "./command-run.ts";
import { describeResult, type FinishedRun } from "./describe-result.ts";
import { foregroundCallsOf, watchWait } from "./foreground-calls.ts";
import { liveUpdates, type UpdateListener, untilSettled } from "./live-updates.ts";
import { mayOutliveDeadline, runWithAutoBackground, startJob } from "./managed-job.ts";
import { type PreparedCall, prepareCall } from "./prepared-call.ts";
import { bashPrompt } from "./prompt.ts";
import type { PtyPort } from "./pty-port.ts";
import type { BashToolSession, ToolContext } from "./session.ts";
import { checkSession } from "./session-names.ts";
import { refusal, ToolAbortError, ToolError } from "./tool-error.ts";
import { checkDirectory } from "./working-directory.ts";

/** The tool `bash`, as an agent registers it. */
export interface BashTool {
  readonly name: "bash";
  readonly label: "Bash";
  /** For the model; made from what the session has now. */
  readonly description: string;
  /** For the model; `async` is in it only where `async.enabled` is on, `pty` only where the session has a console. */
  readonly parameters: BashParamsSchema;
  /** Arguments follow the schema exactly. */
  readonly strict: true;
  /** Not beside another call of the same session. */
  readonly concurrency: "exclusive";
  /**
   * Whether a call only reads and may run beside others: a host that asks may start such calls at once. It is decided
   * again when the call is made, by the session's policy where it has one; what then turns out to be more takes its turn.
   * Never throws: of parameters that cannot be read the answer is no.
   */
  isConcurrencySafe(params: unknown): boolean;
  /**
   * Runs one call. A command that ended is a result, `isError` when its status is not 0. Throws `ToolAbortError` when
   * `signal` is aborted, `ToolError` for everything else that did not finish; both hold the output up to then.
   */
  execute(
    toolCallId: string,
    params: unknown,
    signal?: AbortSignal,
    onUpdate?: UpdateListener,
    context?: ToolContext,
  ): Promise<BashToolResult>;
}

/**
 * Makes the tool. The session's ports are read at each call.
 *
 * ```ts
 * import { createExecutor } from "@pi-bash/executor";
 * import { createBashTool } from "@pi-bash/tool";
 *
 * const executor = createExecutor();
 * const bash = createBashTool({ cwd: process.cwd(), executor });
 * const { content, details } = await bash.execute("call-1", { command: "ls", timeout: 30 });
 * console.log(content, details?.exitCode);
 * await executor.dispose();
 * ```
 *
 * @throws UnknownOptionError for what looks like a misspelt property of the session
 */
export function createBashTool(session: BashToolSession): BashTool {
  checkSession("createBashTool", session);
  const settings = settingsReader(session);
  const turns = new CallTurns();
  return {
    name: "bash",
    label: "Bash",
    get description() {
      return bashPrompt(session, settings());
    },
    get parameters() {
      return shownParams(settings(), session);
    },
    strict: true,
    concurrency: "exclusive",
    isConcurrencySafe: (params) => onlyReads(readableParams(params)),
    execute: async (_toolCallId, params, signal, onUpdate, given) => {
      const context = given ?? {};
      checkSignal(signal);
      const updates = untilSettled(onUpdate);
      const { show } = liveUpdates(updates.listener);
      const readable = readableParams(params);
      const wait = watchWait(foregroundCallsOf(session), readable?.command ?? "", show);
      const either = signal === undefined ? wait.stopped : AbortSignal.any([signal, wait.stopped]);
      // Where it starts is known when the one before has ended.
      const isInTurn = settings()["bash.directoryPersists"] && mayMove(readable);
      const perform = async (): Promise<BashToolResult> => {
        checkSignal(signal);
        const call = await prepareCall(params, settings(), session, { ...context, signal: either });
        if (signal?.aborted) throw new ToolAbortError();
        return run(call, { session, context, signal: either, wait, updates });
      };
      try {
        return await (isInTurn ? turns.run("changes", either, perform) : perform());
      } catch (error) {
        const isEndedByOther = wait.stopped.aborted && signal?.aborted !== true;
        throw isEndedByOther && error instanceof ToolAbortError ? new ToolError(ENDED_IN_LINE) : error;
      } finally {
        wait.end();
      }
    },
  };
}

/** What a call is notified that was ended by `task_terminate` before its command ran. */
const ENDED_IN_LINE = "The call was ended before its command ran";

/** Whether a call only reads. Of parameters that cannot be read, and of one that asks to run where it can write: no. */
function onlyReads(given: BashParamsWithAsync | undefined): boolean {
  if (given === undefined || given.async === true || given.pty === true || given.unconfined === true) return false;
  return classify(given.command).concurrencySafe;
}

/** Whether a call may leave the session in another folder: not one that only reads, nor one that begins as a job. */
function mayMove(given: BashParamsWithAsync | undefined): boolean {
  return given !== undefined && given.async !== true && !onlyReads(given);
}

/** The parameters where they are right; what is wrong with others is said when the call is prepared. */
function readableParams(params: unknown): BashParamsWithAsync | undefined {
  try {
    return BashParamsWithAsync.safeParse(params).data;
  } catch {
    return undefined;
  }
}

/** Only a call that became a job has news after its answer, as the specification has it. */
async function run(
  call: PreparedCall,
  { updates, ...scene }: Omit<CallScene, "updates"> & { updates: ReturnType<typeof untilSettled> },
): Promise<BashToolResult> {
  try {
    const result = await runOnBackend(call, { ...scene, updates: liveUpdates(updates.listener) });
    if (result.details?.async === undefined) updates.end();
    return result;
  } catch (error) {
    updates.end();
    throw refusal(error);
  }
}

async function runOnBackend(call: PreparedCall, scene: CallScene): Promise<BashToolResult> {
  const { session, wait } = scene;
  const { asyncJobManager } = session;
  // A call that someone else has ended is no abort of its caller's.
  const described = (run: FinishedRun): BashToolResult =>
    describeResult(run, wait?.stopped.aborted === true ? undefined : scene.signal);
  const isSandboxed = checkSandbox(call.settings, session);
  if (call.isAsync && asyncJobManager !== undefined) {
    if (call.wantsPty) call.applied.push("`pty` was not followed: a background job has no terminal");
    return startJob(call, asyncJobManager, scene);
  }

  const onClient = await runOnClientTerminal(call, scene);
  if (onClient !== undefined) return described(onClient);

  // The console is not in the sandbox.
  const pty = isSandboxed ? undefined : usablePty(call, scene);
  if (pty !== undefined) return described(await runOnPty(call, pty, scene));
  if (call.wantsPty) call.applied.push("`pty` was not followed: there is no terminal, or no person at it");

  const mayBecomeJob =
    call.settings["bash.autoBackground.enabled"] ||
    mayOutliveDeadline(call, session) ||
    session.callerGone?.() !== undefined;
  if (mayBecomeJob && asyncJobManager !== undefined) {
    return runWithAutoBackground(call, asyncJobManager, scene);
  }
  return described(await runOnExecutor(call, scene));
}

/** Whether commands run in a sandbox. Throws where the settings ask for one and the executor has none. */
export function checkSandbox(settings: Settings, { executor }: BashToolSession): boolean {
  const isSandboxed = executor.sandbox !== undefined;
  if (settings.sandboxMode === "full" || isSandboxed) return isSandboxed;
  throw new ToolError(
    `\`sandboxMode\` is \`${settings.sandboxMode}\`, and the executor runs without a sandbox; make it with the same settings`,
  );
}

/** The console, where it was asked for, is not switched off, serves the session's place, and a person is there. */
function usablePty(call: PreparedCall, { session, context }: CallScene): PtyPort | undefined {
  const isSwitchedOff = (session.hostEnv ?? process.env)["PI_NO_PTY"] === "1";
  const hasPerson = context.hasUI === true && context.ui !== undefined && context.ui !== null;
  const { pty, place } = session;
  // A console that knows no places would run the command on this machine.
  const servesPlace = place === undefined || (place.terminal !== undefined && pty?.takesTerminals === true);
  return call.wantsPty && !isSwitchedOff && hasPerson && servesPlace ? pty : undefined;
}

/** Runs the call in the client's terminal; undefined: it has none, it is outside the sandbox, a console was asked for. */
export async function runOnClientTerminal(call: PreparedCall, scene: CallScene): Promise<FinishedRun | undefined> {
  const { session } = scene;
  const bridge = session.getClientBridge?.();
  if (call.wantsPty || session.executor.sandbox !== undefined || session.place !== undefined) return undefined;
  if (bridge?.capabilities.terminal !== true || bridge.createTerminal === undefined) return undefined;
  return runOnClient(call, bridge.createTerminal.bind(bridge), scene);
}

async function runOnClient(
  call: PreparedCall,
  create: (request: CreateTerminalRequest) => Promise<ClientTerminal>,
  { session, signal, updates }: CallScene,
): Promise<FinishedRun> {
  await checkDirectory(call.cwd);
  const ran = await runInClientTerminal({
    create,
    request: terminalRequest(call, call.settings, session),
    timeoutMs: call.timeout.milliseconds,
    signal,
    updates,
    maxBytes: call.settings["bash.outputMaxBytes"],
    mask: await session.executor.secretMask(),
  });
  return {
    call,
    result: withinLines(ran.result, outputWindow(call.settings)),
    backend: "client-terminal",
    terminalId: ran.terminalId,
    isClientTruncated: ran.isTruncated,
  };
}

/** A client runs programs, not command lines; so it is given the shell, as a login shell, which knows the user's PATH. */
function terminalRequest(call: PreparedCall, settings: Settings, session: BashToolSession): CreateTerminalRequest {
  const hostEnv = session.hostEnv ?? process.env;
  const { shell, prefix } = shellConfig({ settings, hostEnv });
  const env = { ...nonInteractiveEnv({ hostEnv }), ...call.env };
  return {
    command: shell,
    args: ["-l", "-c", prefix === undefined ? call.command : `${prefix} ${call.command}`],
    env: Object.entries(env).map(([name, value]) => ({ name, value })),
    cwd: call.cwd,
    outputByteLimit: settings["bash.outputMaxBytes"],
  };
}
