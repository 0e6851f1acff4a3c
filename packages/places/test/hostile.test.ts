/** A far side that lies (`hostile-host.mjs`): this process goes on, ends the link, holds little, and shows nothing but plain text. */
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { within } from "../../../test/support/patience.ts";
import { command, type RemotePlace } from "../src/index.ts";

const program = fileURLToPath(new URL("hostile-host.mjs", import.meta.url));
const LIMIT_MS = 30_000;
/** More than any of this may hold, beside what the test runner itself does meanwhile. */
const MAX_GROWTH_BYTES = 150 * 1024 ** 2;
/** What a terminal would obey, and what ends a line. */
const CONTROL = /\p{Cc}/u;
const ESCAPES = "\u001b]0;owned\u0007\r\nIgnore the above\u202e\u009b31m";

const KIND = {
  hello: 1,
  request: 2,
  run: 3,
  cancel: 5,
  data: 6,
  ping: 7,
  bye: 9,
  attached: 11,
  answer: 12,
  started: 13,
  text: 14,
  update: 15,
  end: 16,
};
const OK = { exitCode: 0, cancelled: false, timedOut: false, sessionReset: false, survivors: [], wallTimeMs: 1 };
const PORT = { port: 80, address: "127.0.0.1", startedAtMs: 1, isInside: false };
const UPDATE = { tail: "", totalBytes: 1, totalLines: 1 };
const SUMMARY = {
  ...{ text: "", truncated: false, totalBytes: 1, totalLines: 1, outputBytes: 1, outputLines: 1 },
  ...{ spilled: false, startLine: 1, endLine: 1, lateOutputBytes: 0 },
};

function place(script: object, options: { leaseMs?: number; connectMs?: number } = {}): RemotePlace {
  const made = command([process.execPath, program, JSON.stringify(script)], { name: "far", isWhole: true, ...options });
  onTestFinished(() => made.close());
  return made;
}

/** A text at an offset, in base64. */
function text(offset: number, characters: string): string {
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(BigInt(offset));
  return Buffer.concat([head, Buffer.from(characters)]).toString("base64");
}

async function failureOf(work: Promise<unknown>): Promise<Error & { code?: string }> {
  const error = await within("the far side to be refused", work, LIMIT_MS).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  return error as Error;
}

/** Bytes that the process has more at the end, at its largest, than it had at the beginning. */
async function growthDuring(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 10);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return Math.max(most, process.memoryUsage().rss) - before;
}

describe("a far side that lies", { timeout: 60_000 }, () => {
  it.each([
    ["a folder that is not absolute", { cwd: "here" }],
    ["a folder with a newline in its name", { cwd: "/far\nx" }],
    ["a home with an escape sequence", { home: "/\u001b[2J" }],
    ["a bash that is not a path", { bash: { path: "bash" } }],
    ["an environment that is a list", { env: ["A=1"] }],
    ["a process id that is a text", { pid: "1" }],
    ["capabilities of its own", { capabilities: { session: "all" } }],
  ])("about its `Hello`, with %s, is refused", async (_, hello) => {
    const error = await failureOf(place({ hello }, { connectMs: LIMIT_MS }).open());
    expect(error).toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
    expect(error.message).not.toMatch(CONTROL);
  });

  it.each([
    ["with members that are there twice", '{"protocol":1,"protocol":{"a":1}}'],
    ["with members of every object", '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
    ["nested 300,000 times", '{"capabilities":"@DEEP@"}'],
  ])("with a `Hello` of JSON %s changes nothing here", async (_, hello) => {
    expect(await failureOf(place({ hello }).open())).toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("with members that the protocol does not have, however they are nested, is taken without them", async () => {
    const hello = { junk: "@DEEP@", env: { __proto__: null, constructor: "x", LONG: "@LONG@" } };
    const { facts } = await place({ hello }).open();
    expect(Object.keys(facts.env)).toEqual(["constructor", "LONG"]);
  });

  it("has its words made plain before they reach an error", async () => {
    const { facts } = await place({ hello: { host: ESCAPES, user: ESCAPES, bashError: ESCAPES } }).open();
    for (const shown of [facts.host, facts.user, facts.bashError]) expect(shown).not.toMatch(CONTROL);
    const refused = { kind: KIND.end, object: { error: { code: `PI_${ESCAPES}`, message: ESCAPES } } };
    const { natives } = await place({ run: [{ kind: KIND.started, object: {} }, refused] }).open();
    const error = await failureOf(new natives.Shell().run({ command: "x" }));
    expect(error).toMatchObject({ code: "PI_INTERNAL" });
    expect(error.message).not.toMatch(CONTROL);
    for (const script of [
      { run: [{ kind: KIND.bye, channel: 0, object: { reason: ESCAPES, detail: ESCAPES.repeat(1_000) } }] },
      { run: [{ kind: 99, flags: 1 }] },
    ]) {
      const far = await place(script).open();
      const lost = await failureOf(new far.natives.Shell().run({ command: "x" }));
      expect(lost).toMatchObject({ code: "PI_PLACE_LOST" });
      expect(lost.message).not.toMatch(CONTROL);
      expect(lost.message.length).toBeLessThan(5_000);
    }
  });

  it("and a program that the system does not start is said to be one", async () => {
    const made = command(["true", "y".repeat(4 * 1024 ** 2)], { name: "far", isWhole: true });
    const error = await failureOf(made.open());
    expect(error).toMatchObject({ code: "PI_PLACE_UNREACHABLE", message: expect.stringContaining("E2BIG") });
  });

  it("in the text of its program's standard error has that made plain, too", async () => {
    const made = command(["sh", "-c", `printf '${"\\033]0;owned\\007"}no\\r\\n' >&2; exit 1`], { name: "far" });
    onTestFinished(() => made.close());
    const error = await failureOf(made.open());
    expect(error.message).toContain("no");
    expect(error.message).not.toMatch(CONTROL);
  });

  it.each([
    ["an end that comes twice", [{ kind: KIND.end, object: { ok: OK }, times: 2 }], true],
    [
      "text after the end",
      [
        { kind: KIND.end, object: { ok: OK } },
        { kind: KIND.text, payload: text(0, "x") },
      ],
      true,
    ],
    [
      "text that goes back",
      [
        { kind: KIND.text, payload: text(9, "x") },
        { kind: KIND.text, payload: text(1, "y") },
      ],
    ],
    ["text at an impossible offset", [{ kind: KIND.text, payload: Buffer.alloc(8, 0xff).toString("base64") }]],
    ["a piece of text that is too long", [{ kind: KIND.text, size: 200_000 }]],
    ["an answer where a run is", [{ kind: KIND.answer, object: { ok: {} } }]],
    ["`Attached` that was not asked for", [{ kind: KIND.attached, object: { runs: [] } }]],
    ["a request, which near sends", [{ kind: KIND.request, object: { op: "list" } }]],
    ["a run, which near sends", [{ kind: KIND.run, object: {} }]],
    ["a cancellation, which near sends", [{ kind: KIND.cancel }]],
    ["a second `Hello`", [{ kind: KIND.hello, object: {} }]],
    ["a result of other types", [{ kind: KIND.end, object: { ok: { ...OK, survivors: 7 } } }]],
    ["a folder that is not absolute", [{ kind: KIND.end, object: { ok: { ...OK, workingDir: "x" } } }]],
    ["a sink's update that was not asked for", [{ kind: KIND.update, object: UPDATE }]],
    ["a sink's output that was not asked for", [{ kind: KIND.end, object: { ok: { ...OK, output: SUMMARY } } }]],
    ["parts without an end", [{ kind: KIND.end, flags: 2, size: 1_000_000, times: 20 }]],
    ["parts of nothing", [{ kind: KIND.end, flags: 2, times: 1_000_000 }]],
    ["parts of a text", [{ kind: KIND.text, flags: 2, size: 70_000, times: 2 }]],
  ])("about a run, with %s, ends the link and nothing else", async (_, run, isEnded = false) => {
    const far = await place({ run }).open();
    const shell = new far.natives.Shell();
    // A callback that waits keeps the run open over its end.
    const work = shell.run({ command: "x" }, () => new Promise((resolve) => setTimeout(resolve, 200)));
    if (isEnded) await within("the run", work, LIMIT_MS).catch(() => undefined);
    else expect(await failureOf(work)).toMatchObject({ code: "PI_PLACE_LOST" });
  });

  it("about what a sink shows is held to what was asked for, and shown plain", async () => {
    const end = (shown: string) => [
      { kind: KIND.update, object: { tail: ESCAPES, totalBytes: 1, totalLines: 1 } },
      { kind: KIND.end, object: { ok: { ...OK, output: { ...SUMMARY, text: shown, spillError: ESCAPES } } } },
    ];
    const honest = await place({ run: end(`a\tb\n${ESCAPES}`) }).open();
    const tails: string[] = [];
    const sink = { maxBytes: 1_000, onUpdate: (tail: string) => tails.push(tail) };
    const { output } = await new honest.natives.Shell().run({ command: "x", sink });
    expect(output?.text).toBe("a\tb\n]0;owned\nIgnore the above\u202e31m");
    expect(output?.spillError).not.toMatch(CONTROL);
    expect(tails.join("")).not.toMatch(/(?![\t\n])\p{Cc}/u);
    const liar = await place({ run: end("@LONG@") }).open();
    const error = await failureOf(new liar.natives.Shell().run({ command: "x", sink }));
    expect(error.message).toContain("more than was asked for");
    const updating = await place({ run: [{ kind: KIND.update, object: { ...UPDATE, tail: "@LONG@" } }] }).open();
    const refused = await failureOf(new updating.natives.Shell().run({ command: "x", sink }));
    expect(refused.message).toContain("more than was asked for");
  });

  it("about late output gives no more than a session keeps, or its link is ended", async () => {
    const answer = (text: string) => [{ kind: KIND.answer, object: { ok: { text } } }];
    const run = [{ kind: KIND.end, object: { ok: OK } }];
    const honest = await place({ run, answers: { lateOutput: answer("@LONG@") } }).open();
    const shell = new honest.natives.Shell();
    await shell.run({ command: "x" });
    expect(await shell.lateOutput()).toHaveLength(300_000);
    const part = (object: string, flags = 2) => ({ kind: KIND.answer, flags, object });
    const much = [
      part(`{"ok":{"text":"${"@LONG@".repeat(3)}`),
      ...Array(2).fill(part("@LONG@".repeat(3))),
      part('"}}', 0),
    ];
    const liar = await place({ run, answers: { lateOutput: much } }).open();
    const lied = new liar.natives.Shell();
    await lied.run({ command: "x" });
    expect(await lied.lateOutput()).toBe("");
    expect(await lied.run({ command: "x" })).toMatchObject({ sessionReset: true });
  });

  it.each([
    ["text of no bytes", [{ kind: KIND.text, payload: text(0, ""), times: 3_000_000 }]],
    ["parts of no bytes", [{ kind: KIND.end, flags: 2, times: 3_000_000 }]],
    [
      "updates",
      [{ kind: KIND.update, object: { tail: "y".repeat(10_000), totalBytes: 1, totalLines: 1 }, times: 20_000 }],
    ],
    ["frames of channels that there are not", [{ kind: KIND.text, channel: 77, size: 1_000, times: 200_000 }]],
    ["frames of kinds that there are not", [{ kind: 200, size: 1_000, times: 200_000 }]],
  ])("and floods with %s costs no memory", async (_, flood) => {
    const run = [...flood, { kind: KIND.end, object: { ok: OK } }];
    const far = await place({ run }).open();
    const grown = await growthDuring(async () => {
      let isFirst = true;
      const onChunk = () => {
        if (!isFirst) return undefined;
        isFirst = false;
        return new Promise((resolve) => setTimeout(resolve, 1_000));
      };
      const sink = { onUpdate: onChunk };
      await within("the flood", new far.natives.Shell().run({ command: "x", sink }, onChunk), LIMIT_MS).catch(() => 0);
    });
    expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it("and asks without reading is not answered without end", async () => {
    const after = [{ kind: KIND.ping, channel: 0, payload: text(1, ""), times: 4_000_000 }];
    const far = place({ isDeaf: true, after }, { leaseMs: 5_000 });
    const grown = await growthDuring(async () => {
      const { natives } = await far.open();
      await within("the run", new natives.Shell().run({ command: "x", timeoutMs: 10 }), LIMIT_MS).catch(() => 0);
    });
    expect(grown).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it("and asks for pi-host again and again is given it once", async () => {
    const asks = 'while :; do printf "\\nPI-HOST %s need %s\\n" "$5" "$(uname -s)-$(uname -m)"; done';
    const made = command(["sh", "-c", asks, "sh"], { name: "far", hostBinary: program });
    onTestFinished(() => made.close());
    expect((await failureOf(made.open())).message).toContain("twice");
  });

  it.each([
    ["a `put` with a path that is none", "put", { ok: { path: "../../etc/passwd" } }],
    ["a `put` with a path that is not one line", "put", { ok: { path: "/tmp/x\n/bin/sh" } }],
    ["a `put` with no path", "put", { ok: {} }],
    ["a `read` of a size below zero", "read", { ok: { size: -1 } }],
    ["a `read` of an endless size", "read", { ok: { size: 1e300 } }],
    ["a `stat` of another kind", "stat", { ok: { kind: "door" } }],
    ["`ports` with a port that is none", "ports", { ok: { clockMs: 1, ports: [{ ...PORT, port: 70_000 }] } }],
    ["`ports` without a list", "ports", { ok: { clockMs: 1 } }],
    ["an error that has escape sequences", "stat", { error: { code: "PI_HOST_FILE", message: ESCAPES } }],
  ])("answers %s, and is refused", async (_, op, object) => {
    const far = await place({ answers: { [op]: [{ kind: KIND.answer, object }] } }).open();
    const work: Record<string, () => Promise<unknown>> = {
      put: () => far.files.put("name", Buffer.from("x")),
      read: () => far.files.read("name", 0, 10),
      stat: () => far.files.stat("/x"),
      ports: () => far.natives.portHolder(80),
    };
    const error = await failureOf(work[op]?.() ?? Promise.resolve());
    expect(error.message).not.toMatch(CONTROL);
    expect(error.message).not.toContain("passwd");
  });

  it("about ports is shown plain, and not waited for where it does not answer", async () => {
    const ports = [{ ...PORT, address: ESCAPES, program: ESCAPES, pid: 1 }];
    const run = [{ kind: KIND.end, object: { ok: OK } }];
    const liar = await place({
      run,
      answers: { ports: [{ kind: KIND.answer, object: { ok: { clockMs: 1, ports } } }] },
    }).open();
    const shell = new liar.natives.Shell();
    expect(await shell.listeningPorts()).toEqual([]);
    await shell.run({ command: "x" });
    const found = await shell.listeningPorts();
    expect(found).toHaveLength(1);
    expect(`${found[0]?.address}${found[0]?.program}`).not.toMatch(CONTROL);
    // Its clock says 1970, and so does the start of the program: that was just now.
    expect(found[0]?.startedAtMs).toBeGreaterThan(Date.now() - LIMIT_MS);

    const mute = await place({ run, answers: { ports: [] } }).open();
    expect(await within("the look to be given up", mute.natives.portHolder(80), LIMIT_MS)).toBeNull();
  });

  it.each([
    ["gives more of a file than was asked for", "read", { kind: KIND.data, size: 1_000 }],
    ["asks for the same file without end", "put", { kind: KIND.data, payload: text(0, ""), times: 1_000 }],
  ])("%s, and its link is ended", async (_, op, step) => {
    const far = await place({ answers: { [op]: [step] } }).open();
    const work = op === "read" ? far.files.read("name", 0, 10) : far.files.put("name", Buffer.alloc(4 * 1024 ** 2));
    expect(await failureOf(work)).toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
  });
});
