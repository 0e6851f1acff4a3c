/** Which ports programs listen on, and from where they can be reached. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { listeningPorts } from "../src/index.ts";
import { until } from "./waiting.ts";

const hasNamespaces = spawnSync("unshare", ["-rn", "true"]).status === 0;

const SERVER = "require('net').createServer().listen(0, '0.0.0.0', function () { console.log(this.address().port) })";

/** A server, and the port that it says. */
async function serve(...before: string[]) {
  const [application = "", ...args] = [...before, process.execPath, "-e", SERVER];
  const child = spawn(application, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(async () => {
    const end = once(child, "exit");
    child.kill("SIGKILL");
    await end;
  });
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += String(chunk);
  });
  await until("the server's port", () => said.endsWith("\n"));
  return { pid: child.pid ?? 0, port: Number(said) };
}

it.skipIf(process.platform !== "linux")("a port of this network can be reached from here (Linux)", async () => {
  const { pid, port } = await serve();

  expect(await listeningPorts([pid])).toMatchObject([{ port, address: "0.0.0.0", pid, isInside: false }]);
});

it.skipIf(!hasNamespaces)(
  "a port in a network namespace of its own is inside (skipped where `unshare -rn` is not permitted)",
  async () => {
    const { pid, port } = await serve("unshare", "-rn");

    expect(await listeningPorts([pid])).toMatchObject([{ port, address: "0.0.0.0", pid, isInside: true }]);
  },
);

it.skipIf(!hasNamespaces)(
  "ports here and inside are found in one question (skipped where `unshare -rn` is not permitted)",
  async () => {
    const here = await serve();
    const inside = await serve("unshare", "-rn");

    const found = await listeningPorts([here.pid, inside.pid]);
    const places = new Map(found.map(({ pid, isInside }) => [pid, isInside]));
    expect(places).toEqual(
      new Map([
        [here.pid, false],
        [inside.pid, true],
      ]),
    );
  },
);
