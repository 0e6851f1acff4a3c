/**
 * A bash with the driver in it, for one test: starts `client.c`, which is the host, and asks it line by line.
 *
 * The driver and the client are built once for each test file, into a folder of their own. What the tests expect is
 * not here.
 */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { afterAll, onTestFinished } from "vitest";
import { within } from "../../../test/support/patience.ts";

/** The bash that is tried; another one by this variable. */
export const BASH = process.env["PI_BASH_DRIVER_TEST_BASH"] ?? "/bin/bash";

/** Runs the C compiler that build.mjs takes, with `input` as its standard input; returns its exit status. */
export function compilerStatus(words: readonly string[], input = ""): number | null {
  const [compiler = "cc", ...before] = (process.env["CC"]?.trim() || "cc").split(/\s+/);
  return spawnSync(compiler, [...before, ...words], { input }).status;
}

/** The driver is for Linux, and made by a C compiler. */
export const canBuild = process.platform === "linux" && compilerStatus(["--version"]) === 0;

/** How a run ended, as `protocol.h` numbers it; `gone` is the end of the shell. */
export type Ending = "complete" | "exit" | "stopped" | "syntax" | "gone";
const ENDINGS: readonly Ending[] = ["gone", "complete", "exit", "stopped", "syntax"];

export interface Answer {
  readonly ending: Ending;
  /** Of the command, or of the shell that is gone; -1 where a signal ended it. */
  readonly status: number;
  readonly output: string;
  readonly folder: string;
  readonly options: string;
  readonly madeProcess: boolean;
  /** It ran programs only. */
  readonly keptState: boolean;
}

const MADE_PROCESS = 0x2;
const KEPT_STATE = 0x8;

export interface DriverHost {
  readonly version: string;
  run(text: string, flags?: string): Promise<Answer>;
  stop(text: string, afterMicros: number): Promise<Answer>;
  /** One line that is answered by one line. */
  ask(line: string, text?: string): Promise<string>;
}

/** Builds driver and client, removed after the tests of this file. */
export function build(): string {
  const folder = mkdtempSync(join(tmpdir(), "pi-driver-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const script = fileURLToPath(new URL("../../build.mjs", import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, folder, "--client"], {
    encoding: "utf8",
    timeout: 60_000,
  });
  if (status !== 0) throw new Error(`the driver was not built: ${stderr}`);
  return folder;
}

/** Starts a bash with the driver in `cwd`; it ends with the test. */
export async function startHost(built: string, cwd: string, bash: string = BASH): Promise<DriverHost> {
  const child = spawn(join(built, "client"), [bash, join(built, "pi-driver.so")], {
    cwd,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: cwd, LC_ALL: "C.UTF-8", TERM: "dumb" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const bytes = new ByteReader(child.stdout);
  const greeting = await within("the greeting", bytes.line());
  if (!greeting.startsWith("ready 1 ")) throw new Error(`no driver: ${greeting}`);
  return {
    version: greeting.slice("ready 1 ".length),
    run(text, flags = "-") {
      send(child, `run ${flags}`, text);
      return answer(bytes);
    },
    stop(text, afterMicros) {
      send(child, `stop ${afterMicros}`, text);
      return answer(bytes);
    },
    ask(line, text) {
      send(child, line, text);
      return within(line, bytes.line(), 60_000);
    },
  };
}

function send(child: ChildProcessByStdio<Writable, Readable, null>, line: string, text?: string): void {
  const body = Buffer.from(text ?? "");
  child.stdin.write(text === undefined ? `${line}\n` : Buffer.concat([Buffer.from(`${line} ${body.length}\n`), body]));
}

async function answer(bytes: ByteReader): Promise<Answer> {
  const line = await within("an answer", bytes.line(), 30_000);
  const [kind, ...words] = line.split(" ");
  const number = (index: number) => Number(words[index]);
  if (kind === "gone") {
    const output = (await bytes.take(number(2))).toString();
    return { ending: "gone", status: number(0), output, folder: "", options: "", madeProcess: true, keptState: false };
  }
  if (kind !== "ended") throw new Error(`not an answer: ${line}`);
  const folder = (await bytes.take(number(4))).toString();
  const output = (await bytes.take(number(5))).toString();
  const ending = ENDINGS[number(1)] ?? "gone";
  const madeProcess = (number(2) & MADE_PROCESS) !== 0;
  const keptState = (number(2) & KEPT_STATE) !== 0;
  return { ending, status: number(0), output, folder, options: words[3] ?? "", madeProcess, keptState };
}

/** Lines and pieces of a stream, in turn. */
class ByteReader {
  #kept: Buffer = Buffer.alloc(0);
  readonly #pieces: AsyncIterator<Buffer>;

  constructor(stream: Readable) {
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    let end = this.#kept.indexOf(10);
    while (end < 0) {
      await this.#more();
      end = this.#kept.indexOf(10);
    }
    return (await this.take(end + 1)).toString().slice(0, -1);
  }

  async take(size: number): Promise<Buffer> {
    while (this.#kept.length < size) await this.#more();
    const taken = this.#kept.subarray(0, size);
    this.#kept = this.#kept.subarray(size);
    return taken;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#pieces.next();
    if (done === true) throw new Error("the client is gone");
    this.#kept = Buffer.concat([this.#kept, value]);
  }
}
