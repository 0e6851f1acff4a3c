/**
 * A host that has a program in a sandbox make the attempts of `support/network-attempts.ts`, or makes them itself against
 * a naive proxy.
 *
 *   network-attempts <backend, or `none`> <workspace>
 *
 * Prints `{ reached, connections, answers, network, refusals }` on a line: which attempts reached the forbidden server, how
 * many connections that had, what the proxy answered, and what results say; or `{ unavailable }` where this user has no
 * such sandbox.
 */
import { spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SandboxBackend, SandboxRefusal } from "@pi-bash/contract";
import { createExecutor } from "@pi-bash/executor";
import { type Attempt, attempts, naiveProxy, PROGRAM, written } from "../support/network-attempts.ts";

/** What became of the attempts. */
export interface Attempted {
  reached: string[];
  connections: number;
  answers: Record<string, string>;
  network?: unknown;
  refusals: SandboxRefusal[];
}

const [, , backend = "", workspace = ""] = process.argv;
const node = process.execPath;

/** Attempts of one command. */
const BATCH = 15;

async function listen(server: Server, host?: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

/** The names of this machine that stand for an address of its own or of a network around it. */
async function ownNames(): Promise<string[]> {
  const candidates = ["ip6-localhost", hostname()];
  const found = await Promise.all(candidates.map((name) => lookup(name).catch(() => undefined)));
  const isInner = (address: string) => /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd])/.test(address);
  return candidates.filter((name, at) => /^[\w.-]*[a-z][\w.-]*$/i.test(name) && isInner(found[at]?.address ?? ""));
}

const found: Attempted = { reached: [], connections: 0, answers: {}, refusals: [] };
const forbidden = createServer((request, answer) => {
  const name = all[Number(/\/(\d+)$/.exec(request.url ?? "")?.[1])]?.name;
  if (name !== undefined) found.reached.push(name);
  answer.end("forbidden");
}).on("connection", () => {
  found.connections += 1;
});
const allowed = createServer((_, answer) => answer.end("allowed"));
const naive = naiveProxy();
const targets = {
  allowed: await listen(allowed, "127.0.0.1"),
  forbidden: await listen(forbidden),
  names: await ownNames(),
};
const rules = [`127.0.0.1:${targets.allowed}`, ...targets.names.map((name) => `${name}:${targets.forbidden}`)];
const all = attempts(targets);

/** Makes some attempts at a time: a result names no more than 20 refusals. */
async function makeAll(made: readonly Attempt[], run: (file: string) => Promise<string>): Promise<void> {
  const file = join(workspace, "attempts.json");
  for (let at = 0; at < made.length; at += BATCH) {
    writeFileSync(file, written(made.slice(at, at + BATCH)));
    Object.assign(found.answers, JSON.parse(await run(file)));
  }
}

function runOutside(port: number): (file: string) => Promise<string> {
  return (file) =>
    new Promise((resolve, reject) => {
      let printed = "";
      const child = spawn(node, ["-e", PROGRAM, file, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
      child.stdout.on("data", (bytes: Buffer) => {
        printed += bytes.toString();
      });
      child.on("error", reject).on("close", () => resolve(printed));
    });
}

if (backend === "none") {
  const port = await listen(naive, "127.0.0.1");
  await makeAll(all, runOutside(port));
} else {
  const executor = createExecutor(
    {
      sandboxMode: "workspace-write",
      "sandbox.backend": backend as SandboxBackend,
      "sandbox.network": { allow: rules },
    },
    { cwd: workspace, usesSnapshot: false },
  );
  writeFileSync(join(workspace, "attempt.cjs"), PROGRAM.replace("process.argv.slice(1)", "process.argv.slice(2)"));
  const run = async (file: string) => {
    const result = await executor.executeBash(`'${node}' attempt.cjs '${file}' 3128`, { timeoutMs: 30_000 });
    found.network = result.sandbox?.network;
    found.refusals.push(...(result.sandbox?.refusals ?? []));
    return result.output;
  };
  try {
    const control = {
      name: "the allowed server",
      parts: [Buffer.from(`GET http://127.0.0.1:${targets.allowed}/ HTTP/1.0\r\n\r\n`)],
    };
    await makeAll([control, ...all], run);
  } catch (error) {
    if ((error as { code?: string }).code !== "PI_SANDBOX_UNAVAILABLE") throw error;
    Object.assign(found, { unavailable: (error as Error).message });
  } finally {
    await executor.dispose();
  }
}
process.stdout.write(`${JSON.stringify(found)}\n`);
process.exit(0);
