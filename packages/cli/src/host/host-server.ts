/**
 * The socket of a host: takes connections, reads what each asks for, and hands it to what answers.
 *
 * Who connects is this user (see `host-folder.ts`), and is bounded all the same: in number, in the length of the first line
 * and in the time it may take. A connection that asks for something else than there is costs one line.
 */
import { chmodSync, lstatSync, unlinkSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import {
  HOST_PROTOCOL,
  type HostAnswer,
  type HostRequest,
  type HostWindow,
  parseHostRequest,
  shortLine,
} from "@pi-bash/contract/internal";
import { UsageError } from "../usage.ts";
import { ownVersion } from "../version.ts";
import { readFirstLine, writeFirstLine } from "./first-line.ts";
import { FRAME, FrameLink, type FrameListener } from "./frames.ts";
import { HostError } from "./host-error.ts";
import type { KeptSessions, Named } from "./kept-sessions.ts";
import { Person } from "./person.ts";
import { rightsOf, ServedConnection } from "./serve-client.ts";
import { showJob, showSession } from "./show.ts";
import { serveCall } from "./single-call.ts";

/** Connections at one time, those that have said nothing yet among them. */
const MAX_CONNECTIONS = 1_024;
/** Longest first line, in bytes: an environment and the rules of a policy are in it. */
const MAX_REQUEST_BYTES = 4 * 1024 * 1024;
/** Most time that a first line may take, in milliseconds. */
const REQUEST_MS = 5_000;
/** Connections that may wait for the host's attention. */
const BACKLOG = 511;

type NamedPart = Extract<Named, { kind: "part" }>;
type Of<Ask extends HostRequest["ask"]> = Extract<HostRequest, { ask: Ask }>;

/** What the server is given. */
export interface HostServerPorts {
  readonly sessions: KeptSessions;
  /** A client asked for the host's end. */
  readonly onStop: () => void;
  /** What went wrong and belongs to no client. */
  readonly onError: (error: Error) => void;
}

export class HostServer {
  readonly #ports: HostServerPorts;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #sinceMs = Date.now();
  #path: string | undefined;

  constructor(ports: HostServerPorts) {
    this.#ports = ports;
    this.#server = createServer((socket) => this.#take(socket));
  }

  /** Listens at a path that no other host can have: the folder is locked. What a host before it left there is removed. */
  async listen(path: string): Promise<void> {
    const left = lstatSync(path, { throwIfNoEntry: false });
    if (left !== undefined) unlinkSync(path);
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen({ path, backlog: BACKLOG }, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
    this.#server.on("error", this.#ports.onError);
    chmodSync(path, 0o600);
    this.#path = path;
  }

  /** Takes no more connections. The socket's file goes with it. */
  stopListening(): void {
    if (this.#path === undefined) return;
    this.#path = undefined;
    this.#server.close();
  }

  /** Resolves when no connection is left. */
  async whenEmpty(): Promise<void> {
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  }

  /** Cuts the connections that are left. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    // Its `close` follows.
    socket.on("error", () => undefined);
    if (this.#sockets.size > MAX_CONNECTIONS) {
      answerAndEnd(
        socket,
        refusal(
          new HostError("PI_HOST_BUSY", `the host has ${MAX_CONNECTIONS} connections already; close one and try again`),
        ),
      );
      return;
    }
    void this.#serve(socket).catch((error: unknown) => {
      socket.destroy();
      this.#ports.onError(error instanceof Error ? error : new Error(String(error)));
    });
  }

  async #serve(socket: Socket): Promise<void> {
    const line = await readFirstLine(socket, { bytes: MAX_REQUEST_BYTES, ms: REQUEST_MS });
    const parsed = "problem" in line ? line : requestOf(line.value);
    if ("problem" in parsed) {
      answerAndEnd(socket, refusal(new HostError("PI_HOST_PROTOCOL", parsed.problem)));
      return;
    }
    try {
      await this.#answer(socket, parsed.request);
    } catch (error) {
      if (error instanceof UsageError) {
        answerAndEnd(socket, refusal(new HostError("PI_HOST_PROTOCOL", error.message)));
        return;
      }
      // Refused with a code: a session that is another one, a place that cannot be had. Anything else is a defect.
      if (!(error instanceof Error && "code" in error)) throw error;
      answerAndEnd(socket, refusal(error));
    }
  }

  async #answer(socket: Socket, request: HostRequest): Promise<void> {
    const { sessions } = this.#ports;
    switch (request.ask) {
      case "serve":
        return this.#serveClient(socket, request);
      case "call":
        return this.#call(socket, request);
      case "attach":
        return this.#attach(socket, request);
      case "record":
        return answerAndEnd(socket, { ok: true, record: await this.#record(request.id) });
      case "list":
        return answerAndEnd(socket, { ok: true, entries: sessions.entries() });
      case "end":
        return answerAndEnd(socket, { ok: true, ended: await this.#end(request.ids) });
      case "status":
        return answerAndEnd(socket, { ok: true, host: this.#facts() });
      case "stop":
        answerAndEnd(socket, { ok: true, host: this.#facts() });
        return this.#ports.onStop();
    }
  }

  #facts() {
    const { count, clients } = this.#ports.sessions;
    return { pid: process.pid, version: ownVersion(), sinceMs: this.#sinceMs, sessions: count, clients };
  }

  /** The file of a task's record. */
  async #record(id: string): Promise<string> {
    const named = this.#ports.sessions.find(id);
    if (named?.kind !== "part") throw unknownId(id);
    const { session, part } = named;
    const recordId = session.watch(part)?.job.recordId;
    const found = recordId === undefined ? undefined : await session.seat.executor.artifacts.get(recordId);
    if (found !== undefined) return found.path;
    throw new HostError(
      "PI_HOST_NO_RECORD",
      `\`${shortLine(id)}\` has no record; tasks on terminals are recorded with \`--setting tty.record=true\``,
    );
  }

  /** All of them, or none where one is not there. */
  async #end(ids: readonly string[]): Promise<string[]> {
    const { sessions } = this.#ports;
    for (const id of ids) if (sessions.find(id) === undefined) throw unknownId(id);
    const ended: string[] = [];
    // One after the other: a job's end is said before that of its session.
    for (const id of ids) ended.push((await sessions.end(id)) ?? `\`${id}\` had ended`);
    return ended;
  }

  async #serveClient(socket: Socket, { protocol, seat }: Of<"serve">): Promise<void> {
    const rights = rightsOf(seat);
    const session = await this.#ports.sessions.of(seat);
    if (socket.destroyed) return;
    writeFirstLine(socket, { ok: true });
    const link: FrameLink = new FrameLink(socket, {
      onFrame: (kind) => void (kind === FRAME.inputEnd && connection.inputEnded()),
      onClosed: () => void connection.closed(),
    });
    const connection = new ServedConnection(link, protocol);
    await connection.serve(session, rights);
  }

  async #call(socket: Socket, { seat, params }: Of<"call">): Promise<void> {
    const rights = rightsOf(seat);
    const session = await this.#ports.sessions.of(seat);
    if (socket.destroyed) return;
    writeFirstLine(socket, { ok: true });
    await serveCall(socket, session, { rights, params });
  }

  async #attach(socket: Socket, { id, columns, hasColour, window }: Of<"attach">): Promise<void> {
    const named = this.#ports.sessions.find(id);
    if (named === undefined) throw unknownId(id);
    if (window !== undefined && named.kind === "part" && (await this.#atTerminal(socket, named, window))) return;
    writeFirstLine(socket, { ok: true });
    const left = new AbortController();
    const link = new FrameLink(socket, { onFrame: () => undefined, onClosed: () => left.abort() });
    // Nothing is read of an onlooker; a connection that is never read would not hear of the end.
    link.input.resume();
    let status: number | undefined = 0;
    if (named.kind === "session") {
      const over = AbortSignal.any([left.signal, named.session.ended]);
      await showSession(named.session, link, { columns, hasColour, left: over });
    } else {
      const watched = named.session.watch(named.part);
      if (watched !== undefined) status = await showJob(watched, link, left.signal);
    }
    link.send(FRAME.exit, JSON.stringify({ status: status ?? 0 }));
    link.finish();
  }

  /** Gives a person the terminal of a task; false where it has none that runs. */
  async #atTerminal(socket: Socket, { session, part }: NamedPart, window: HostWindow): Promise<boolean> {
    const terminal = session.jobs.terminal(part);
    const watched = session.watch(part);
    if (terminal === undefined || terminal.isOver || watched === undefined) return false;
    const person = new Person(terminal, `${session.name}/${part}`);
    writeFirstLine(socket, { ok: true, command: session.jobs.find(part)?.command ?? "" });
    let link: FrameLink | undefined;
    const linkOf = (listener: FrameListener): FrameLink => {
      link = new FrameLink(socket, listener);
      return link;
    };
    const status = await person.serve(linkOf, window, watched);
    link?.send(FRAME.exit, JSON.stringify({ status }));
    link?.finish();
    return true;
  }
}

/** A request; one of another version of the program is said as that. */
function requestOf(value: unknown): ReturnType<typeof parseHostRequest> {
  const given = typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const protocol = given["piBashHost"];
  if (typeof protocol === "number" && protocol !== HOST_PROTOCOL) {
    const version = typeof given["version"] === "string" ? shortLine(given["version"]) : "unknown";
    return {
      problem: `this host is pi-bash ${ownVersion()}, and the client is ${version}, which speaks to hosts in another way; end the host (\`pi-bash host --stop\` of its version) and start it again`,
    };
  }
  return parseHostRequest(value);
}

function unknownId(id: string): HostError {
  return new HostError(
    "PI_HOST_UNKNOWN_ID",
    `the host keeps nothing with the id \`${shortLine(id)}\`; \`pi-bash sessions\` lists what there is`,
  );
}

function refusal(error: Error): HostAnswer {
  const code = "code" in error && typeof error.code === "string" ? error.code : "PI_INTERNAL";
  return { ok: false, code, message: error.message };
}

function answerAndEnd(socket: Socket, answer: HostAnswer): void {
  writeFirstLine(socket, answer);
  socket.end();
  // A client that does not close its side is cut.
  setTimeout(() => socket.destroy(), REQUEST_MS).unref();
}
