/**
 * A connection to the host of this user, and the first answer on it.
 */
import { connect, type Socket } from "node:net";
import { HOST_PROTOCOL, type HostAnswer, type HostRequest, parseHostAnswer } from "@pi-bash/contract/internal";
import { ownVersion } from "../version.ts";
import { readFirstLine, writeFirstLine } from "./first-line.ts";
import { HostError } from "./host-error.ts";
import { type HostFolder, hasHostFolder, hostFolder } from "./host-folder.ts";

/** Longest answer, in bytes: a list of all sessions and jobs. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Most time to an answer, in milliseconds: a session on a place is connected first, and one that ends is waited for. */
const ANSWER_MS = 120_000;
/** Tries to reach a host whose queue is full, and the time between two, in milliseconds. */
const BUSY_TRIES = 100;
const BUSY_PAUSE_MS = 50;
/** Nothing listens there. */
const ABSENT: ReadonlySet<string> = new Set(["ENOENT", "ECONNREFUSED", "ENOTSOCK"]);

/** A request without what every request has. */
export type HostQuestion = HostRequest extends infer Request
  ? Request extends HostRequest
    ? Omit<Request, "piBashHost" | "version">
    : never
  : never;
type Granted = Extract<HostAnswer, { ok: true }>;

/** A connection on which the host has agreed. The socket is paused. */
export interface HostConnection {
  readonly socket: Socket;
  readonly answer: Granted;
}

/**
 * Asks the host, and keeps the connection.
 *
 * @throws HostError `PI_NO_HOST` where none runs, `PI_HOST_FOLDER` where its folder cannot be trusted, and what it refuses
 */
export async function askHost(question: HostQuestion, folder = hostFolder(process.env)): Promise<HostConnection> {
  const socket = await reach(folder);
  try {
    writeFirstLine(socket, { piBashHost: HOST_PROTOCOL, version: ownVersion(), ...question });
    const line = await readFirstLine(socket, { bytes: MAX_ANSWER_BYTES, ms: ANSWER_MS });
    if ("problem" in line) throw new HostError("PI_HOST_PROTOCOL", `the host did not answer: ${line.problem}`);
    const parsed = parseHostAnswer(line.value);
    if ("problem" in parsed) throw new HostError("PI_HOST_PROTOCOL", `the host's answer is wrong: ${parsed.problem}`);
    if (!parsed.answer.ok) throw HostError.ofAnswer(parsed.answer);
    return { socket, answer: parsed.answer };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Asks, and ends the connection. */
export async function askOnce(question: HostQuestion, folder?: HostFolder): Promise<Granted> {
  const { socket, answer } = await askHost(question, folder);
  socket.destroy();
  return answer;
}

async function reach(folder: HostFolder): Promise<Socket> {
  if (!hasHostFolder(folder)) throw noHost(folder);
  for (let tries = 1; ; tries += 1) {
    try {
      return await connected(folder.socket);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? String(error.code) : "";
      if (ABSENT.has(code)) throw noHost(folder, error);
      // Its queue is full: many clients come at once.
      if (code !== "EAGAIN" || tries === BUSY_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE_MS));
    }
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", reject);
    socket.once("connect", () => {
      socket.off("error", reject);
      // Its `close` follows.
      socket.on("error", () => undefined);
      resolve(socket);
    });
  });
}

function noHost({ socket }: HostFolder, cause?: unknown): HostError {
  return new HostError(
    "PI_NO_HOST",
    `no host runs for this user (\`${socket}\`); \`pi-bash host --detach\` starts one`,
    cause === undefined ? {} : { cause },
  );
}
