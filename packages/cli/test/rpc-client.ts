/** A program that talks to `pi-bash rpc`, as the built package has it. For tests. */
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readFileSync } from "node:fs";
import { startProgram } from "./built-program.ts";

export interface Message {
  id?: string | number;
  type: string;
  command?: string;
  success?: boolean;
  data?: Record<string, unknown> & { output?: string; exitCode?: number; cancelled?: boolean };
  error?: string;
  code?: string;
  text?: string;
  [more: string]: unknown;
}

export interface Client {
  readonly child: ChildProcessWithoutNullStreams;
  readonly folder: string;
  readonly messages: Message[];
  readonly ended: Promise<number | null>;
  send(message: object | string): void;
  /** The first message, come or to come, that fits. */
  find(fits: (message: Message) => boolean): Promise<Message>;
  response(id: string | number): Promise<Message>;
}

/** A client of `pi-bash rpc` with these words, in a new folder. Nothing is asked by default. Its process ends with the test. */
export function client(words: readonly string[] = ["--mode", "yolo"]): Client {
  const { child, folder, ended } = startProgram(["rpc", ...words]);
  const messages: Message[] = [];
  const waiting = new Set<() => void>();
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    // The last line of a program that was ended may be cut: it is none.
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    messages.push(...lines.map((line) => JSON.parse(line) as Message));
    for (const look of waiting) look();
  });
  const find = (fits: (message: Message) => boolean) =>
    new Promise<Message>((resolve, reject) => {
      const look = () => {
        const found = messages.find(fits);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
      void ended.then((status) =>
        reject(new Error(`the program ended with ${status}, after ${JSON.stringify(messages.slice(-10))}`)),
      );
    });
  return {
    child,
    folder,
    messages,
    ended,
    find,
    send: (message) => void child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`),
    response: (id) => find((message) => message.type === "response" && message.id === id),
  };
}

/** Polls until it holds. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error("it did not come to that");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether there is such a process, and it has not ended. */
export function isAlive(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.[0] !== "Z";
  } catch {
    return false;
  }
}
