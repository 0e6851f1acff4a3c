/**
 * Answers the lines of `pi-bash rpc`. It knows requests and answers; who the session is, and where lines come from and go
 * to, is `../commands/rpc.ts`.
 *
 * # Theory of operation
 * Every request starts at once and is answered when it is done, so answers overtake each other and an abort overtakes
 * everything. Tool calls that do not merely read wait for each other, because a tool call is exclusive in its session.
 * Each request has one answer, whatever becomes of it.
 *
 * A client that does not read holds up nothing but its own commands: chunks wait for their reader and the command waits
 * for its chunks, tool updates replace each other, and no request is taken while too many answers wait. Deadlines, aborts
 * and the end of the process never wait for a reader.
 */
import { type BashToolResult, jsonSchemaOf, type RpcRequest } from "@pi-bash/contract";
import { parseRpcRequest } from "@pi-bash/contract/internal";
import type { JobDelivery, TaskTerminal, UserShell } from "@pi-bash/executor";
import { type AnyTool, fromBashTaskId, ToolAbortError, ToolError } from "@pi-bash/tool";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { InputLine } from "./line-input.ts";
import type { LineOutput } from "./line-output.ts";

/** Commands and calls under way at once: more is a client that has lost count. */
const MAX_RUNNING = 1_000;
/** Beyond this many bytes that wait for the client to read, none of its requests is taken. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** What is done at once: it is taken however much is under way, so that a client can always end things. */
const IMMEDIATE: ReadonlySet<RpcRequest["type"]> = new Set(["abort", "abort_bash", "approval"]);

type Id = string | number | undefined;
type Of<Type extends RpcRequest["type"]> = Extract<RpcRequest, { type: Type }>;

/** What the server is made of. */
export interface RpcParts {
  readonly output: LineOutput;
  readonly shell: UserShell;
  readonly tools: () => ReadonlyMap<string, AnyTool>;
  readonly approvals: ApprovalDesk;
  /** The terminal of a job; undefined: it has none. */
  readonly terminal: (jobId: string) => TaskTerminal | undefined;
}

/** A request that was understood and cannot be followed. */
class RpcFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export class RpcServer {
  readonly #parts: RpcParts;
  readonly #running = new Map<symbol, { id: Id; controller: AbortController; done: Promise<void> }>();
  #exclusive: Promise<unknown> = Promise.resolve();

  constructor(parts: RpcParts) {
    this.#parts = parts;
  }

  /** Takes one line. Resolves when the next one may come, or `stop` is aborted; the request may go on. */
  async take(line: InputLine, stop: AbortSignal): Promise<void> {
    const { output } = this.#parts;
    const parsed = parseLine(line);
    if ("failure" in parsed) void output.send(answer(parsed.id, parsed.command, { failure: parsed.failure }));
    else if (this.#running.size < MAX_RUNNING || IMMEDIATE.has(parsed.request.type)) this.#start(parsed.request);
    else void output.send(answer(parsed.request.id, parsed.request.type, { failure: tooBusy() }));
    if (output.unreadBytes > MAX_UNREAD_BYTES) await output.flush(stop);
  }

  /** Tells the client of jobs that ended. Rejects where no one reads, so that they count as not delivered. */
  async tellJobs(batch: readonly JobDelivery[]): Promise<void> {
    for (const { deliveryId, job, text } of batch) {
      await this.#parts.output.send({ type: "job_event", deliveryId, job, text });
    }
    // What still waits for its reader is not delivered.
    await this.#parts.output.flush();
    if (this.#parts.output.gone.aborted) throw new Error("the output has no reader");
  }

  /** Ends everything under way. */
  abortAll(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  /** Resolves when every request has its answer, read or not. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #start(request: RpcRequest): void {
    const key = Symbol(request.type);
    const controller = new AbortController();
    const done = this.#follow(request, controller.signal)
      .then(
        (data) => answer(request.id, request.type, { data }),
        (error: unknown) => answer(request.id, request.type, { failure: error }),
      )
      .then((message) => {
        this.#running.delete(key);
        void this.#parts.output.send(message);
      });
    this.#running.set(key, { id: request.id, controller, done });
  }

  async #follow(request: RpcRequest, signal: AbortSignal): Promise<unknown> {
    switch (request.type) {
      case "bash":
        return this.#bash(request, signal);
      case "abort_bash":
        this.#parts.shell.abort();
        return undefined;
      case "tool":
        return this.#tool(request, signal);
      case "abort":
        return this.#abort(request);
      case "list_tools":
        return { tools: [...this.#parts.tools().values()].map(describeTool) };
      case "approval":
        return this.#approval(request);
      case "answer_secret":
        return this.#answerSecret(request);
    }
  }

  async #bash({ id, command, env, timeoutMs, stream = true }: Of<"bash">, signal: AbortSignal): Promise<unknown> {
    return this.#parts.shell.executeBash(command, {
      signal,
      ...(env === undefined ? {} : { env }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(stream ? { onChunk: (text, leftOutBytes) => this.#sendChunk(id, text, leftOutBytes) } : {}),
    });
  }

  #sendChunk(id: Id, text: string, leftOutBytes: number): Promise<void> {
    const leftOut = leftOutBytes === 0 ? {} : { leftOutBytes };
    return this.#parts.output.send({ id, type: "bash_chunk", text, ...leftOut });
  }

  async #tool(request: Of<"tool">, signal: AbortSignal): Promise<BashToolResult> {
    const tool = this.#parts.tools().get(request.tool);
    if (tool === undefined)
      throw new RpcFailure("PI_RPC_UNKNOWN_TOOL", `there is no tool \`${request.tool.slice(0, 80)}\``);
    const params = request.params ?? {};
    const call = () => this.#call(tool, request.id, params, signal);
    const isExclusive = tool.name === "bash" && !("isConcurrencySafe" in tool && tool.isConcurrencySafe(params));
    if (!isExclusive) return call();
    const turn = this.#exclusive.then(call);
    this.#exclusive = turn.catch(() => undefined);
    return turn;
  }

  async #call(tool: AnyTool, id: Id, params: unknown, signal: AbortSignal): Promise<BashToolResult> {
    let isOver = false;
    // Updates replace each other: while one is on its way, only the newest after it matters.
    const updates = newestOnly(async (update: object) => {
      if (!isOver) await this.#parts.output.send({ id, type: "tool_update", tool: tool.name, ...update });
    });
    try {
      return (await tool.execute(`rpc-${String(id ?? "")}`, params, signal, updates)) as BashToolResult;
    } catch (error) {
      if (!(error instanceof ToolError) && !(error instanceof ToolAbortError)) throw error;
      const { message, details } = error;
      return {
        content: [{ type: "text", text: message }],
        ...(details === undefined ? {} : { details }),
        isError: true,
      };
    } finally {
      isOver = true;
    }
  }

  #abort({ target }: Of<"abort">): { aborted: number } {
    const found = [...this.#running.values()].filter(({ id }) => id === target);
    if (found.length === 0)
      throw new RpcFailure("PI_RPC_UNKNOWN_ID", `no request with the id \`${target}\` is under way`);
    for (const { controller } of found) controller.abort();
    return { aborted: found.length };
  }

  async #answerSecret({ taskId, secret }: Of<"answer_secret">): Promise<{ typed: boolean }> {
    const jobId = taskId.trim() === "" ? undefined : fromBashTaskId(taskId);
    const terminal = jobId === undefined ? undefined : this.#parts.terminal(jobId);
    if (terminal === undefined || terminal.isOver)
      throw new RpcFailure("PI_RPC_UNKNOWN_ID", `no task \`${taskId.slice(0, 80)}\` with a terminal runs`);
    if (/[\r\n\0]/u.test(secret)) throw new RpcFailure("PI_RPC_MALFORMED", "`secret` is one line of text");
    return { typed: await terminal.sendSecret(secret) };
  }

  #approval({ requestId, allow, reason }: Of<"approval">): undefined {
    if (this.#parts.approvals.answer(requestId, allow, reason)) return undefined;
    throw new RpcFailure("PI_RPC_UNKNOWN_ID", `no approval request \`${requestId}\` is open`);
  }
}

function tooBusy(): RpcFailure {
  return new RpcFailure("PI_RPC_BUSY", `${MAX_RUNNING} requests are under way; wait for some of their answers`);
}

type Parsed = { request: RpcRequest } | { id: Id; command: string; failure: RpcFailure };

function parseLine(line: InputLine): Parsed {
  if (typeof line !== "string") return malformed(undefined, line.problem);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return malformed(
      undefined,
      `the line is not valid JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const parsed = parseRpcRequest(value);
  return "request" in parsed ? parsed : malformed(value, parsed.problem);
}

/** The answer names what could be read of the request, so that its sender finds it. */
function malformed(value: unknown, why: string): Parsed {
  const { id, type } = typeof value === "object" && value !== null ? (value as { id?: unknown; type?: unknown }) : {};
  return {
    id: typeof id === "string" || typeof id === "number" ? id : undefined,
    command: typeof type === "string" ? type.slice(0, 80) : "parse",
    failure: new RpcFailure("PI_RPC_MALFORMED", why),
  };
}

function answer(id: Id, command: string, outcome: { data: unknown } | { failure: unknown }): object {
  const head = { ...(id === undefined ? {} : { id }), type: "response", command };
  if ("data" in outcome)
    return { ...head, success: true, ...(outcome.data === undefined ? {} : { data: outcome.data }) };
  const { failure } = outcome;
  const code = failure instanceof Error && "code" in failure ? String(failure.code) : "PI_INTERNAL";
  return { ...head, success: false, error: failure instanceof Error ? failure.message : String(failure), code };
}

function describeTool({ name, description, parameters }: AnyTool): object {
  return { name, description, parameters: jsonSchemaOf(parameters) };
}

/** A listener that sends what it is given, one at a time, and leaves out what was replaced meanwhile. */
function newestOnly(send: (update: object) => Promise<void>): (update: object) => void {
  let next: object | undefined;
  let isSending = false;
  const pump = async () => {
    isSending = true;
    while (next !== undefined) {
      const update = next;
      next = undefined;
      await send(update);
    }
    isSending = false;
  };
  return (update) => {
    next = update;
    if (!isSending) void pump();
  };
}
