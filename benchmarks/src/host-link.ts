/** The other end of a host: starts it, asks it, and never waits without a bound. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { bunProgram } from "./adapters/peer-folder.ts";
import type { Entry } from "./contenders.ts";
import type { Answer, Request } from "./host-messages.ts";
import type { Fault, Measured } from "./measured.ts";
import { processesWith, signalAll } from "./measures/processes.ts";

const program = fileURLToPath(new URL("host.js", import.meta.url));

/** Longest wait for a host to load its library, in milliseconds: one of them has 180 MB. */
const LOAD_MS = 60_000;

/** Longest wait for a host to end by itself. */
const CLOSE_MS = 5_000;

/** The variable that tells what a host started, so that all of it is found at the end. */
const MARK = "PI_BENCH_HOST";

let started = 0;

/** Kills every host of this run and what they started: for a run that is broken off. */
export function killHosts(): void {
  signalAll(processesWith(`${MARK}=${process.pid}.`), "SIGKILL");
}

/** One host. */
export class HostLink {
  readonly #child: ChildProcess;
  readonly #mark: string;

  private constructor(child: ChildProcess, mark: string) {
    this.#child = child;
    this.#mark = mark;
  }

  /** Starts a host with an empty home. Resolves to a fault where it does not come up. */
  static async start(
    entry: Entry,
    { reader, home }: { reader: string | undefined; home: string },
  ): Promise<HostLink | Fault> {
    started += 1;
    const mark = `${MARK}=${process.pid}.${started}.`;
    const [name, value = ""] = mark.split("=");
    const runtime = entry.runtime === "bun" ? (bunProgram() ?? "bun") : process.execPath;
    const child = spawn(runtime, [program, entry.id, ...(reader === undefined ? [] : [reader])], {
      env: { ...process.env, HOME: home, [name ?? MARK]: value },
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      serialization: "json",
    });
    child.on("error", () => undefined);
    const link = new HostLink(child, mark);
    const first = await link.#next(LOAD_MS);
    if (first.kind === "ready") return link;
    await link.close();
    return first.measured.faults[0] ?? { kind: "failed", amount: 1 };
  }

  /** One round. A host that does not answer in time is of no more use. */
  async ask(request: Request, patienceMs: number): Promise<Measured> {
    this.#child.send(request);
    const answer = await this.#next(patienceMs);
    return answer.kind === "measured" ? answer.measured : failure("answered out of turn");
  }

  /** Ends the host, and everything that it started. */
  async close(): Promise<void> {
    if (this.#child.connected) this.#child.send("close", () => undefined);
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const end = once(this.#child, "exit").catch(() => undefined);
      const patience = AbortSignal.timeout(CLOSE_MS);
      await Promise.race([end, once(patience, "abort")]);
      this.#child.kill("SIGKILL");
    }
    signalAll(processesWith(this.#mark), "SIGKILL");
  }

  /** The next answer; a failure when the host ends or stays silent. */
  #next(patienceMs: number): Promise<Answer> {
    return new Promise((resolve) => {
      const done = (answer: Answer) => {
        clearTimeout(timer);
        this.#child.off("message", onMessage);
        this.#child.off("exit", onExit);
        resolve(answer);
      };
      const failed = (text: string) => done({ kind: "measured", measured: failure(text) });
      const onMessage = (message: unknown) => done(message as Answer);
      const onExit = (code: number | null, signal: string | null) => failed(`its host ended with ${signal ?? code}`);
      const timer = setTimeout(() => failed(`no answer in ${patienceMs / 1000} s`), patienceMs);
      this.#child.on("message", onMessage);
      this.#child.on("exit", onExit);
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) failed("its host had ended");
    });
  }
}

function failure(text: string): Measured {
  return { samples: {}, faults: [{ kind: "failed", amount: 1, text }], isSpent: true };
}
