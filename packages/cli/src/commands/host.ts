/**
 * `pi-bash host`: keeps sessions and jobs of this user while agents come and go; and what there is to ask of it.
 */
import { askOnce } from "../host/host-client.ts";
import { HostError } from "../host/host-error.ts";
import { hostFolder } from "../host/host-folder.ts";
import { runHost, startHost } from "../host/host-process.ts";
import { parseOptionWords, parseSeconds } from "../option-words.ts";
import { HOST_OPTIONS } from "../surface/options.ts";
import { UsageError } from "../usage.ts";

/** Exit status of `--status` where no host runs. */
const NONE_RUNS_STATUS = 1;
/** Most time until a host that was asked to end is gone, in milliseconds; it has a shorter bound of its own. */
const STOP_BOUND_MS = 40_000;
/** Time between two looks, in milliseconds. */
const LOOK_MS = 50;

/** Runs the words after `host` and resolves with the exit status. */
export async function host(words: readonly string[]): Promise<number> {
  const { values } = parseOptionWords({ args: [...words], options: HOST_OPTIONS });
  const { detach, status, stop, "idle-timeout": idle } = values;
  if ([detach, status, stop].filter(Boolean).length > 1) {
    throw new UsageError("`host` takes one of `--detach`, `--status` and `--stop`");
  }
  if (idle !== undefined && (status || stop)) throw new UsageError("`--idle-timeout` is for a host that is started");
  const idleMs = idle === undefined ? undefined : parseSeconds(idle, "--idle-timeout") * 1_000;
  if (status) return tellStatus();
  if (stop) return stopHost();
  const folder = hostFolder(process.env);
  if (!detach) return runHost(folder, idleMs === undefined ? {} : { idleMs });
  const isNew = await startHost(folder, idle === undefined ? [] : ["--idle-timeout", idle]);
  process.stdout.write(isNew ? `A host runs at ${folder.socket}.\n` : `A host ran already at ${folder.socket}.\n`);
  return 0;
}

async function tellStatus(): Promise<number> {
  try {
    const { host: facts } = await askOnce({ ask: "status" });
    if (facts === undefined) throw new HostError("PI_HOST_PROTOCOL", "the host's answer has no facts");
    const { pid, version, sinceMs, sessions, clients } = facts;
    const since = new Date(sinceMs).toISOString();
    process.stdout.write(
      `process ${pid}, pi-bash ${version}, since ${since}: ${counted(sessions, "session")}, ${counted(clients, "client")}\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof HostError) || error.code !== "PI_NO_HOST") throw error;
    process.stdout.write("no host runs\n");
    return NONE_RUNS_STATUS;
  }
}

/** Asks it to end, and waits until it has. */
async function stopHost(): Promise<number> {
  const { host: facts } = await askOnce({ ask: "stop" });
  const giveUp = performance.now() + STOP_BOUND_MS;
  while (facts !== undefined && isThere(facts.pid)) {
    if (performance.now() > giveUp) {
      throw new HostError(
        "PI_HOST_RUNS",
        `the host (process ${facts.pid}) does not end; \`kill ${facts.pid}\` ends it`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  process.stdout.write(`ended the host and its ${counted(facts?.sessions ?? 0, "session")}\n`);
  return 0;
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
