/** A registry of npm on loopback with one real package, as its tarball is published. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { scratchFolder } from "./scratch.ts";

/** Name of the package; requiring it gives "real". */
export const PACKAGE = "pi-bash-real";
const VERSION = "1.2.3";

/** A registry that runs. */
export interface Registry {
  readonly port: number;
  /** Its address, as npm takes it. */
  readonly url: string;
  /** Paths that it was asked for. */
  readonly asked: readonly string[];
}

/** Starts one, which ends with the test. */
export async function startRegistry(): Promise<Registry> {
  const tarball = pack();
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(request.url ?? "");
    if (request.url?.endsWith(".tgz")) answer.end(tarball);
    else if (request.url !== `/${PACKAGE}`) answer.writeHead(404).end("{}");
    else answer.setHeader("content-type", "application/json").end(JSON.stringify(document(url, tarball)));
  });
  const port = await listenOnLoopback(server);
  const url = `http://127.0.0.1:${port}/`;
  return { port, url, asked };
}

/** Has a server listen until the test is over; returns its port. */
export async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

function pack(): Buffer {
  const folder = scratchFolder();
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), JSON.stringify({ name: PACKAGE, version: VERSION }));
  writeFileSync(join(folder, "package/index.js"), 'module.exports = "real";\n');
  const packed = spawnSync("tar", ["-czf", "real.tgz", "package"], { cwd: folder });
  if (packed.status !== 0) throw new Error(packed.stderr.toString());
  return readFileSync(join(folder, "real.tgz"));
}

function document(url: string, tarball: Buffer): unknown {
  const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
  const dist = { tarball: `${url}${PACKAGE}/-/${PACKAGE}-${VERSION}.tgz`, integrity };
  const version = { name: PACKAGE, version: VERSION, dist };
  return { name: PACKAGE, "dist-tags": { latest: VERSION }, versions: { [VERSION]: version } };
}
