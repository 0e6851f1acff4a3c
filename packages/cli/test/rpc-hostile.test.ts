/** `pi-bash rpc` with clients that send nonsense, do not read, or go away. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { client, isAlive, until } from "./rpc-client.ts";

describe("a client that", () => {
  it("sends what is no request gets an error for each line, and may go on", async () => {
    const { send, response, messages, find } = client();
    const lines = [
      "nonsense",
      "[]",
      "null",
      "7",
      '{"type":"bash"}',
      '{"id":{},"type":"bash","command":"x"}',
      '{"id":5,"type":"nope"}',
      '{"id":6,"type":"bash","command":"x","more":1}',
      '{"type":"bash","command":"\\ud800"',
      "{}",
    ];

    for (const line of lines) send(line);
    send("");
    send({ id: "last", type: "bash", command: "echo fine" });

    expect((await response("last")).data?.output).toBe("fine\n");
    await find(() => messages.filter(({ success }) => success === false).length === lines.length);
    const failures = messages.filter(({ success }) => success === false);
    expect(failures.every(({ code }) => code === "PI_RPC_MALFORMED")).toBe(true);
    expect(failures.find(({ id }) => id === 6)).toBeDefined();
  });

  it("names requests that are not there is answered so", async () => {
    const { send, response } = client();

    send({ id: 1, type: "abort", target: "none" });
    send({ id: 2, type: "approval", requestId: 12, allow: true });
    send({ id: 3, type: "abort_bash" });

    expect(await response(1)).toMatchObject({ success: false, code: "PI_RPC_UNKNOWN_ID" });
    expect(await response(2)).toMatchObject({ success: false, code: "PI_RPC_UNKNOWN_ID" });
    expect(await response(3)).toMatchObject({ success: true });
  });

  it("aborts in any order, and twice, gets one answer for each request", async () => {
    const { send, response, messages, child, ended } = client();
    for (let id = 0; id < 30; id += 1) {
      send({ id: `b${id}`, type: "bash", command: "sleep 300", stream: false });
      if (id % 3 === 0) send({ id: `a${id}`, type: "abort", target: `b${id}` });
      if (id % 7 === 0) send({ id: `all${id}`, type: "abort_bash" });
    }
    send({ id: "end", type: "abort_bash" });
    await response("end");
    send({ id: "end2", type: "abort_bash" });
    child.stdin.end();

    expect(await ended).toBe(0);
    const answers = messages.filter(({ type }) => type === "response").map(({ id }) => String(id));
    expect(new Set(answers).size).toBe(answers.length);
    expect(answers.filter((id) => id.startsWith("b"))).toHaveLength(30);
  });

  it("ends its input is waited for, until everything has its answer", async () => {
    const { child, ended, messages } = client();

    child.stdin.end('{"id":1,"type":"bash","command":"sleep 0.5; echo late","stream":false}');

    expect(await ended).toBe(0);
    expect(messages.at(-1)).toMatchObject({ id: 1, data: { output: "late\n" } });
  });

  it("goes away in the middle leaves no process", async () => {
    const { send, child, ended, folder } = client();
    send({ id: 1, type: "bash", command: "echo $$ > pid; while :; do echo more; sleep 0.05; done" });
    await until(() => existsSync(join(folder, "pid")) && readFileSync(join(folder, "pid"), "utf8") !== "");
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));

    child.stdout.destroy();
    child.stdin.destroy();

    await ended;
    await until(() => !isAlive(pid));
  });
});

describe("a client that does not read", () => {
  const WRITER = "for ((i = 0; i < 40; i++)); do head -c 1000000 /dev/zero | tr '\\0' x; echo; echo $i > count; done";

  it("for a while slows its command down, and nothing is lost", async () => {
    const { child, send, folder, messages, response } = client();
    child.stdout.pause();
    send({ id: 1, type: "bash", command: WRITER });
    await until(() => existsSync(join(folder, "count")));
    let before = -1;
    await until(() => {
      const now = Number(readFileSync(join(folder, "count"), "utf8"));
      const isStill = now === before;
      before = now;
      return isStill;
    });
    expect(before).toBeLessThan(39);

    child.stdout.resume();
    await response(1);
    const chunks = messages.filter(({ type }) => type === "bash_chunk");
    expect(chunks.reduce((sum, { text }) => sum + (text?.length ?? 0), 0)).toBe(40_000_040);
    expect(chunks.every((chunk) => chunk["leftOutBytes"] === undefined)).toBe(true);
  });

  it.skipIf(process.platform !== "linux")("has its deadlines and aborts, and costs no memory", async () => {
    // Memory of a process is read from /proc, which only Linux has.
    const { child, send, folder, response } = client();
    const peakKb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "latin1"))?.[1]);
    send({ id: "warm", type: "bash", command: "echo warm" });
    await response("warm");
    const before = peakKb();
    child.stdout.pause();

    send({ id: "late", type: "bash", command: "echo $$ > late.pid; yes", timeoutMs: 1_000 });
    send({ id: "abort", type: "bash", command: "echo $$ > abort.pid; trap '' TERM INT; echo 2 > two; yes" });
    await until(() => existsSync(join(folder, "two")));
    send({ type: "abort", target: "abort" });
    send({ id: "last", type: "bash", command: "echo 3 > three", stream: false });
    await until(() => existsSync(join(folder, "three")));
    expect(peakKb() - before).toBeLessThan(64 * 1024);

    child.stdout.resume();
    expect((await response("late")).data).toMatchObject({ timedOut: true });
    expect((await response("abort")).data).toMatchObject({ cancelled: true });
  });

  it("has its approval questions aborted, too", async () => {
    const { child, send, folder, response } = client(["--mode", "default"]);
    child.stdout.pause();
    for (let id = 0; id < 400; id += 1) send({ id, type: "nonsense", filler: "x".repeat(200) });

    send({ id: "call", type: "tool", tool: "bash", params: { command: "touch made" } });
    send({ type: "abort", target: "call" });
    send({ id: "after", type: "bash", command: "touch after" });
    await until(() => existsSync(join(folder, "after")));

    child.stdout.resume();
    expect(await response("call")).toMatchObject({ data: { isError: true } });
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it("is ended by a signal, with everything that runs", async () => {
    const { child, send, folder, ended } = client();
    child.stdout.pause();
    send({ id: 1, type: "bash", command: "echo $$ > pid; yes" });
    await until(() => existsSync(join(folder, "pid")) && readFileSync(join(folder, "pid"), "utf8") !== "");
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    const status = new Promise<number | null>((resolve) => child.once("exit", resolve));

    child.kill("SIGTERM");

    expect(await status).toBe(143);
    await until(() => !isAlive(pid));
    child.stdout.resume();
    await ended;
  });
});
