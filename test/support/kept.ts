/**
 * Hosts that keep sessions (`pi-bash host`), and agents that use them: real processes in a folder of one test.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { connect as connectSocket, type Socket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { until, within } from "./patience.ts";
import { isAlive } from "./process.ts";
import { scratchFolder } from "./scratch.ts";

/** The built program: that is what is installed. */
export const PROGRAM = fileURLToPath(new URL("../../packages/cli/bin/pi-bash.mjs", import.meta.url));
/** Longest wait for one thing on a busy machine, in milliseconds. */
export const LIMIT_MS = 40_000;

/** How a program ended. */
export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An agent: an MCP client from the official SDK, and the `pi-bash mcp` that it started. */
export interface Agent {
  readonly client: Client;
  readonly pid: number;
  /** Calls a tool; the text of its answer. */
  call(tool: string, input: Record<string, unknown>): Promise<string>;
  /** Every message that the client received after the handshake, as JSON. */
  received(): string;
  /** Kills its `pi-bash mcp`, as an agent dies that has no time to say so. */
  die(): Promise<void>;
}

/** A user's runtime folder, and what runs in it. All of it ends with the test. */
export interface Keeping {
  readonly runtime: string;
  /** Where agents start. */
  readonly folder: string;
  readonly socket: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs `pi-bash` to its end. */
  pi(words: readonly string[], input?: string): Promise<Ended>;
  /** Starts a host in the foreground, and waits until it answers. */
  host(...words: string[]): Promise<ChildProcess>;
  /** Starts an agent in `folder`. */
  agent(words?: readonly string[], folder?: string): Promise<Agent>;
  /** A bare connection. */
  dial(): Promise<Socket>;
}

/** Makes the folders. `env` is added to the environment of what runs. */
export function keeping(env: Readonly<Record<string, string>> = {}): Keeping {
  const folder = scratchFolder();
  const runtime = join(folder, "run");
  mkdirSync(runtime, { mode: 0o700 });
  const socket = join(runtime, "pi-bash", "host.sock");
  const own = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: folder,
    TMPDIR: folder,
    XDG_RUNTIME_DIR: runtime,
    ...env,
  };
  const started = new Set<ChildProcess>();
  onTestFinished(async () => {
    for (const child of started) child.kill("SIGKILL");
    await Promise.all([...started].map((child) => ended(child)));
  });
  const start = (words: readonly string[]): ChildProcess => {
    const child = spawn(process.execPath, [PROGRAM, ...words], { cwd: folder, env: own, stdio: "pipe" });
    started.add(child);
    child.stdin?.on("error", () => undefined);
    return child;
  };
  const self: Keeping = {
    runtime,
    folder,
    socket,
    env: own,
    async pi(words, input = "") {
      const child = start(words);
      child.stdin?.end(input);
      const outputs = Promise.all([read(child.stdout), read(child.stderr)]);
      await within(`pi-bash ${words.join(" ")}`, ended(child), LIMIT_MS);
      const [stdout, stderr] = await outputs;
      return { status: child.exitCode, stdout, stderr };
    },
    async host(...words) {
      const child = start(["host", ...words]);
      let said = "";
      child.stderr?.on("data", (piece: Buffer) => {
        said += piece.toString();
      });
      await until(
        "the host to answer",
        () => {
          if (child.exitCode !== null) throw new Error(`the host ended: ${said}`);
          return said.includes("keeps sessions at");
        },
        LIMIT_MS,
      );
      return child;
    },
    async agent(words = [], where = folder) {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [PROGRAM, "mcp", "--host", ...words],
        cwd: where,
        env: own,
        stderr: "ignore",
      });
      const client = new Client({ name: "test", version: "1.0.0" });
      await client.connect(transport, { timeout: LIMIT_MS });
      onTestFinished(() => client.close());
      const deliver = transport.onmessage;
      const messages: string[] = [];
      transport.onmessage = (message) => {
        messages.push(JSON.stringify(message));
        deliver?.(message);
      };
      const { pid } = transport;
      if (pid === null) throw new Error("the agent's program has no process");
      return {
        client,
        pid,
        async call(tool, input) {
          const { content } = await client.callTool({ name: tool, arguments: input }, { timeout: LIMIT_MS });
          return content.map((part) => (part.type === "text" ? part.text : "")).join("");
        },
        received: () => messages.join("\n"),
        async die() {
          process.kill(pid, "SIGKILL");
          await until("the agent's program to be gone", () => !isAlive(pid), LIMIT_MS);
        },
      };
    },
    async dial() {
      const connection = connectSocket(socket);
      connection.on("error", () => undefined);
      onTestFinished(() => void connection.destroy());
      await new Promise<void>((resolve, reject) => {
        connection.once("connect", resolve);
        connection.once("error", reject);
      });
      return connection;
    },
  };
  return self;
}

/** What a connection says until it ends. */
export async function lastWords(connection: Socket): Promise<string> {
  let said = "";
  connection.on("data", (piece: Buffer) => {
    said += piece.toString("latin1");
  });
  await within("the connection to end", new Promise((resolve) => connection.once("close", resolve)), LIMIT_MS);
  return said;
}

/** The process id that a command has written to a file, once it is there whole. */
export async function pidIn(path: string): Promise<number> {
  await until(`a process id in ${path}`, () => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"), LIMIT_MS);
  return Number(readFileSync(path, "utf8"));
}

/** Resolves when a process has ended. */
export function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

function read(stream: ChildProcess["stdout"]): Promise<string> {
  return stream === null ? Promise.resolve("") : text(stream);
}
