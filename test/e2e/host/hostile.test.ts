/**
 * What a host makes of connections that are not its clients': one line for each, and the others go on.
 */
import { HOST_PROTOCOL } from "@pi-bash/contract/internal";
import { describe, expect, it } from "vitest";
import { keeping, LIMIT_MS, lastWords } from "../../support/kept.ts";
import { frame, request } from "./bare-client.ts";

const HEAD = { piBashHost: HOST_PROTOCOL, version: "test" };

describe("a first line", { timeout: 2 * LIMIT_MS }, () => {
  it("that is wrong is refused with what is wrong with it, and the host goes on", async () => {
    const kept = keeping();
    await kept.host();
    const seat = JSON.parse(request(kept, "web")).seat;
    const lines: [line: string, refusal: string][] = [
      ["GET / HTTP/1.1\r\n", "the first line is not JSON"],
      ["\xff\xfe\n", "the first line is not UTF-8"],
      ["{}\n", "`ask` is missing"],
      ["null\n", "a request is an object, not null"],
      [`${"[".repeat(200_000)}\n`, "the first line is not JSON"],
      [`${JSON.stringify({ ...HEAD, ask: "dance" })}\n`, "`ask` is"],
      [
        `${JSON.stringify({ ...HEAD, piBashHost: HOST_PROTOCOL + 1, ask: "list" })}\n`,
        "speaks to hosts in another way",
      ],
      [`${JSON.stringify({ ...HEAD, ask: "end", ids: [] })}\n`, "`ids`"],
      [`${JSON.stringify({ ...HEAD, ask: "end", ids: ["\u001b[2J"] })}\n`, "keeps nothing with the id"],
      [`${JSON.stringify({ ...HEAD, ask: "list", more: 1 })}\n`, "there is no field `more`"],
      [request(kept, "../web"), "1 to 64 letters"],
      [request(kept, "web", { seat: { ...seat, settings: { sandboxMode: "none" } } }), "wrong settings"],
      [request(kept, "web", { seat: { ...seat, mode: "root" } }), "`--mode` takes one of"],
      [request(kept, "web", { seat: { ...seat, on: "moon:base" } }), "`--on` takes"],
    ];
    for (const [line, refusal] of lines) {
      const connection = await kept.dial();
      const said = lastWords(connection);
      connection.write(Buffer.from(line, line.startsWith("\xff") ? "latin1" : "utf8"));
      const answer = await said;
      expect(answer, line.slice(0, 60)).toContain('"ok":false');
      expect(answer, line.slice(0, 60)).toContain(refusal);
      expect(answer).not.toContain("\u001b");
    }

    expect((await kept.pi(["sessions"])).status).toBe(0);
  });

  it("that does not end is cut at its bound, and one that does not come at its time", async () => {
    const kept = keeping();
    await kept.host();
    const long = await kept.dial();
    const slow = await kept.dial();
    const silent = await kept.dial();
    slow.write(`{"piBashHost":${HOST_PROTOCOL},`);

    const words = [long, slow, silent].map((connection) => lastWords(connection));
    for (let sent = 0; sent < 5 && !long.destroyed; sent += 1) long.write(Buffer.alloc(1024 * 1024, 0x20));

    const [longs, slows, silents] = await Promise.all(words);
    expect(longs).toContain("has more than 4194304 bytes");
    for (const said of [slows, silents]) expect(said).toContain("did not come within 5000 ms");
    expect((await kept.pi(["sessions"])).status).toBe(0);
  });
});

describe("frames", { timeout: 2 * LIMIT_MS }, () => {
  it("that are not frames end their connection, and no other", async () => {
    const kept = keeping();
    await kept.host();
    const agent = await kept.agent(["--session", "web"]);
    const tooLong = Buffer.from([0x64, 0xff, 0xff, 0xff, 0xff]);
    for (const bytes of [Buffer.from("hello, host\n"), tooLong, frame("?", "x")]) {
      const connection = await kept.dial();
      const said = lastWords(connection);
      connection.write(request(kept, "other"));
      connection.write(bytes);
      expect(await said).toContain('{"ok":true}');
    }

    expect(await agent.call("bash", { command: "echo here" })).toContain("here");
  });

  it("that are cut in the middle are a client that is gone", async () => {
    const kept = keeping();
    await kept.host();
    const connection = await kept.dial();
    connection.write(request(kept, "web"));
    connection.write(frame("d", "x".repeat(100)).subarray(0, 20));
    connection.end();

    await lastWords(connection);

    expect((await kept.pi(["sessions"])).stdout).toMatch(/^web +idle, no client/m);
  });
});
