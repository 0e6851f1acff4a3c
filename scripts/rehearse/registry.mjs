/**
 * A registry on loopback: verdaccio, with our packages in a storage that begins empty, and all others by way of the
 * registry that this machine uses, kept from run to run.
 *
 * It is installed when it is used and not with the workspace: it has 280 packages.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { runNpm } from "../package/run-step.mjs";

const VERDACCIO = "6.1.6";
/** Verdaccio asks for a tag (`node-fetch@cjs`) that not every mirror has. */
const OVERRIDES = { "node-fetch": "2.7.0" };
const START_LIMIT_MS = 60_000;

function install(cache) {
  const folder = join(cache, "verdaccio");
  const program = join(folder, "node_modules", "verdaccio", "bin", "verdaccio");
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, overrides: OVERRIDES }));
  runNpm(
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", `verdaccio@${VERDACCIO}`],
    folder,
  );
  return program;
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** What npm is configured with on this machine, on a line of its own: warnings of npm may surround it. */
const npmSetting = (name, shape, folder) => shape.exec(runNpm(["config", "get", name], folder))?.[0];

/** The folder of our packages in the storage. A path outside of it is not possible: verdaccio joins the two. */
const OURS = "pi-bash";

const config = (storage, ours, upstream) => `storage: ${storage}
auth:
  htpasswd:
    file: ${join(ours, "htpasswd")}
uplinks:
  upstream:
    url: ${upstream}
    timeout: 120s
    maxage: 60m
    max_fails: 20
packages:
  "@pi-bash/*":
    access: $all
    publish: $authenticated
    storage: ${OURS}
  "**":
    access: $all
    proxy: upstream
max_body_size: 100mb
log: { type: stdout, format: pretty, level: warn }
`;

/** A user of the registry; returns the token that a publisher shows. */
async function register(url) {
  const answer = await fetch(`${url}-/user/org.couchdb.user:rehearsal`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "rehearsal", password: "rehearsal-only", type: "user" }),
  });
  if (!answer.ok) throw new Error(`the registry on loopback gives no token: ${answer.status} ${await answer.text()}`);
  return (await answer.json()).token;
}

/**
 * @param {import("./place.mjs").Place} place
 * @returns {Promise<{ url: string, token: string, stop: () => void }>}
 */
export async function startRegistry(place) {
  const program = install(place.cache);
  const ours = join(place.run, "registry");
  const upstream = npmSetting("registry", /^https?:.*$/m, place.run);
  // Node knows its own authorities only; npm may be configured with another.
  const cafile = npmSetting("cafile", /^\/.*$/m, place.run);
  const storage = join(place.cache, "registry");
  for (const folder of [ours, join(storage, OURS)]) rmSync(folder, { recursive: true, force: true });
  mkdirSync(ours, { recursive: true });
  writeFileSync(join(ours, "config.yaml"), config(storage, ours, upstream));
  const port = await freePort();
  const log = openSync(join(place.logs, "registry.log"), "w");
  const child = spawn(
    process.execPath,
    [program, "--config", join(ours, "config.yaml"), "--listen", `127.0.0.1:${port}`],
    {
      cwd: ours,
      stdio: ["ignore", log, log],
      env: cafile === undefined ? process.env : { NODE_EXTRA_CA_CERTS: cafile, ...process.env },
    },
  );
  const url = `http://127.0.0.1:${port}/`;
  const stop = () => child.kill();
  process.once("exit", stop);
  for (const deadline = Date.now() + START_LIMIT_MS; ; ) {
    const isUp = await fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) break;
    if (child.exitCode !== null || Date.now() > deadline) throw new Error("verdaccio did not start; see registry.log");
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return { url, token: await register(url), stop };
}
