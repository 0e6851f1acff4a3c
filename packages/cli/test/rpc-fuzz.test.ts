/** `pi-bash rpc` with lines that no well-behaved client sends, among some that it does, by seeds. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { client, until } from "./rpc-client.ts";

describe("a client that sends at random", () => {
  const marker = (seed: number) => `${86_400 + seed}.5`;

  function lineOf(random: () => number, seed: number): Buffer {
    const id = Math.floor(random() * 6);
    const bytes = Buffer.from(Array.from({ length: 1 + Math.floor(random() * 60) }, () => Math.floor(random() * 256)));
    const request = (message: object) => Buffer.from(JSON.stringify(message));
    const lines = [
      () => Buffer.from(bytes.filter((byte) => byte !== 10)),
      () => request({ id, type: "bash", command: `sleep ${marker(seed)}` }),
      () => request({ id, type: "bash", command: "head -c 300000 /dev/zero | tr '\\0' '\\1'" }),
      () => request({ id, type: "bash", command: "exit 3", env: { "": "1" } }),
      () => request({ id, type: "bash", command: `sleep ${marker(seed)} & kill -9 $$` }),
      () => request({ id, type: "tool", tool: "bash", params: { command: `sleep ${marker(seed)}; echo`, env: 5 } }),
      () => request({ id, type: "tool", tool: "bash", params: { command: "seq 9" } }),
      () => request({ id, type: "tool", tool: "__proto__" }),
      () => request({ id, type: "abort", target: Math.floor(random() * 8) }),
      () => request({ id, type: "abort_bash" }),
      () => request({ id, type: "approval", requestId: id, allow: true }),
      () => request({ id: { id }, type: "bash" }),
      () => request({ id, type: "list_tools", __proto__: null, constructor: 1 }),
      () => Buffer.concat([request({ id, type: "bash", command: "echo " }), Buffer.from([0xff])]),
      () => request({ id, type: "bash", command: "echo x" }).subarray(0, 4 + Math.floor(random() * 20)),
      () => Buffer.from("[".repeat(5_000)),
    ];
    return (lines[Math.floor(random() * lines.length)] ?? (() => Buffer.from("{}")))();
  }

  it.each([1, 2, 3])("has one answer for each line, whatever it is (seed %i)", async (seed) => {
    const random = seededRandom(seed);
    const { child, messages, ended } = client();
    let sent = 0;
    for (let line = 0; line < 150; line += 1) {
      const bytes = lineOf(random, seed);
      if (bytes.toString().trim() !== "") sent += 1;
      const cut = Math.floor(random() * bytes.length);
      child.stdin.write(bytes.subarray(0, cut));
      if (random() < 0.1) await new Promise((resolve) => setImmediate(resolve));
      child.stdin.write(Buffer.concat([bytes.subarray(cut), Buffer.from("\n")]));
      if (random() < 0.1) child.stdout.pause();
      if (random() < 0.2) child.stdout.resume();
    }
    if (seed === 1) {
      child.stdin.write(`${"x".repeat(17 * 1024 * 1024)}\n`);
      sent += 1;
    }
    child.stdout.resume();
    // Calls and commands that sleep wait for each other: each abort lets the next ones begin.
    const aborts = setInterval(() => {
      for (let target = 0; target < 6; target += 1) child.stdin.write(`{"type":"abort","target":${target}}\n`);
      sent += 6;
    }, 100);
    const answers = () => messages.filter(({ type }) => type === "response");
    await until(
      () =>
        answers().length >= sent - 6 &&
        answers()
          .slice(-6)
          .every(({ success }) => success === false),
    );
    clearInterval(aborts);
    child.stdin.end();

    expect(await ended).toBe(0);
    expect(answers()).toHaveLength(sent);
    expect(commandLines().filter((line) => line.includes(marker(seed)))).toEqual([]);
  });

  it.each([4, 5, 6, 7])("and goes away at any moment leaves nothing (seed %i)", async (seed) => {
    const random = seededRandom(seed);
    const { child, ended } = client();
    for (let line = 0; line < 40; line += 1) {
      child.stdin.write(Buffer.concat([lineOf(random, seed), Buffer.from("\n")]));
      if (random() < 0.05) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 300)));
    child.stdout.destroy();
    if (random() < 0.5) child.stdin.destroy();
    else child.stdin.write("{}\n".repeat(10));
    const giveUp = setTimeout(() => child.kill("SIGTERM"), 5_000);

    await ended;
    clearTimeout(giveUp);
    await until(() => !commandLines().some((line) => line.includes(marker(seed))));
  });
});

/** The command lines of all processes. Where there is no /proc: none. */
function commandLines(): string[] {
  if (!existsSync("/proc/self/cmdline")) return [];
  return readdirSync("/proc").flatMap((name) => {
    try {
      return /^\d+$/.test(name) ? [readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ")] : [];
    } catch {
      return [];
    }
  });
}
