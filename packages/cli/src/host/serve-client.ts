/**
 * Serves one client of a host over a kept session: MCP, or JSON lines.
 *
 * # Theory of operation
 * A client leaves in one of three ways: its connection ends, its input ends, or another one takes its place. In each the
 * order is the same: first what runs in the foreground becomes a job, and only then does the protocol hear of the end, since
 * it would cancel what its calls run. Rights are the connection's: its policy and its mode come with it and go with it.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { createMcpApprovals } from "@pi-bash/adapters/mcp";
import type { Settings } from "@pi-bash/contract";
import { displayLine, type HostSeat } from "@pi-bash/contract/internal";
import { type AnyTool, toBashTaskId } from "@pi-bash/tool";
import { clientPolicy, withApprovalBound } from "../client-policy.ts";
import { type PolicyArguments, parsePolicyArguments } from "../policy-option.ts";
import { ApprovalDesk } from "../rpc/approval-desk.ts";
import { LineOutput } from "../rpc/line-output.ts";
import type { Bench, Client } from "../serve/bench.ts";
import { serveMcp } from "../serve/serve-mcp.ts";
import { serveRpc } from "../serve/serve-rpc.ts";
import { FRAME, type FrameLink } from "./frames.ts";
import type { KeptSession } from "./kept-session.ts";
import { settingsOf } from "./session-terms.ts";
import { wrappedTool } from "./wrapped-tool.ts";

/** Exit status of a client that another one has displaced, or whose session was ended. */
const DISPLACED_STATUS = 1;
/** Jobs that a new client is shown. */
const MAX_NAMED_JOBS = 20;

/** What is asked of a host by `mcp` and `rpc`. */
export type Protocol = "mcp" | "rpc";

/** What decides about a client's calls: its own, and gone with it. */
export interface ClientRights extends PolicyArguments {
  readonly settings: Settings;
  readonly givenSettings: ReadonlySet<string>;
}

/**
 * The rights that a client asks for, checked again: they came over the socket.
 *
 * @throws HostError and UsageError for settings and modes that there are not
 */
export function rightsOf(seat: HostSeat): ClientRights {
  const settings = withApprovalBound(settingsOf(seat));
  return {
    ...parsePolicyArguments({ mode: seat.mode, "allow-unasked": [] }),
    ...(seat.rules === undefined ? {} : { rules: seat.rules }),
    settings,
    givenSettings: new Set(seat.givenSettings),
  };
}

/** One client, from its admission to its end. */
export class ServedConnection {
  readonly #link: FrameLink;
  readonly #protocol: Protocol;
  readonly #gone = new AbortController();
  readonly #stop = new AbortController();
  #reason: string | undefined;
  #over: Promise<void> = Promise.resolve();

  /** `link`: of the client's connection; its frames have to come to `inputEnded` and `closed`. */
  constructor(link: FrameLink, protocol: Protocol) {
    this.#link = link;
    this.#protocol = protocol;
  }

  /** Serves the client until it has left. Rejects for a defect, which the client is notified of. */
  serve(session: KeptSession, rights: ClientRights): Promise<void> {
    const served = session
      .admit({ displace: (reason) => this.#displace(reason) }, (isFirst) => this.#serve(session, rights, isFirst))
      .catch((error: unknown) => {
        this.#reason ??= "the host failed; its own output says how";
        throw error;
      })
      .finally(() => this.#finish());
    // Whoever displaces this client waits for its end, and has no use for why.
    this.#over = served.catch(() => undefined);
    return served;
  }

  /** The client has said all it had to say. */
  async inputEnded(): Promise<void> {
    // Who sends lines waits for their answers; an MCP client that closes its input has left.
    if (this.#protocol === "mcp") await this.#letGo();
    this.#link.endInput();
  }

  /** The connection has ended. */
  async closed(): Promise<void> {
    await this.#letGo();
    this.#stop.abort();
    this.#link.destroy();
  }

  async #displace(reason: string): Promise<void> {
    this.#reason ??= reason;
    await this.#letGo();
    this.#stop.abort();
    await this.#over;
  }

  /** What runs in the foreground goes on as a job from here. */
  async #letGo(): Promise<void> {
    this.#gone.abort();
    await nextTurn();
  }

  async #serve(session: KeptSession, asked: ClientRights, isFirst: boolean): Promise<void> {
    const tell = (message: string): void => this.#link.send(FRAME.message, message);
    const news = isFirst ? undefined : newsFor(session, this.#protocol);
    const bench: Bench = {
      ...session.bench,
      callerGone: this.#gone.signal,
      around: (tool) => session.seen(news === undefined ? tool : withNews(tool, news)),
    };
    const client: Client = { input: this.#link.input, output: this.#link.output, signal: this.#stop.signal, tell };
    if (this.#protocol === "mcp") {
      const approvals = createMcpApprovals();
      const policy = await clientPolicy(asked, approvals.canAsk, tell);
      await serveMcp(bench, client, { ...asked, policy, approvals });
      return;
    }
    const output = new LineOutput(this.#link.output);
    const approvals = new ApprovalDesk(output);
    const policy = await clientPolicy(asked, () => true, tell);
    await serveRpc(bench, client, { ...asked, policy, output, approvals });
  }

  #finish(): void {
    const status = this.#reason === undefined ? 0 : DISPLACED_STATUS;
    if (this.#reason !== undefined) this.#link.send(FRAME.message, this.#reason);
    this.#link.send(FRAME.exit, JSON.stringify({ status }));
    this.#link.finish();
  }
}

/** What a client's model has to know of those before it. It comes with the first answer, since that one reaches every model. */
interface News {
  text: string | undefined;
}

function newsFor(session: KeptSession, protocol: Protocol): News {
  // By lines the ends of jobs come without being asked for.
  const isNews = (endedAtMs: number | undefined): boolean => protocol === "mcp" || endedAtMs === undefined;
  const jobs = session.jobs.listAll(() => true).filter(({ job }) => isNews(job.endedAtMs));
  const folder = session.seat.executor.folders.get(session.name) ?? session.seat.cwd;
  const lines = jobs.slice(-MAX_NAMED_JOBS).map(({ job, command }) => {
    const end = job.endedAtMs === undefined ? "is running" : `has ended (${job.state})`;
    return `- \`${toBashTaskId(job.id)}\` ${end}: ${displayLine(command)}`;
  });
  const leftOut = jobs.length - lines.length;
  const head = `The session \`${session.name}\` was kept: its shell has the state of before, in ${displayLine(folder)}.`;
  const tasks = lines.length === 0 ? [] : ["Tasks (`task_await` has their output):", ...lines];
  const more = leftOut > 0 ? [`- and ${leftOut} older ones; \`task_list\` has them`] : [];
  return { text: [head, ...tasks, ...more].join("\n") };
}

/** A tool whose answer has the news, where no answer before it had. */
function withNews(tool: AnyTool, news: News): AnyTool {
  return wrappedTool(tool, async (_words, execute) => {
    const answer = await execute();
    const { text } = news;
    news.text = undefined;
    if (text === undefined) return answer;
    const [first, ...rest] = answer.content;
    const whole = first === undefined ? text : `${first.text.trimEnd()}\n\n${text}`;
    return { ...answer, content: [{ type: "text" as const, text: whole }, ...rest] };
  });
}
