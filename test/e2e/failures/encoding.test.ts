/**
 * Theme E of the failure cases: bytes that arrive in pieces, bytes that are no text, and control sequences.
 *
 * Every expectation also holds when a slow machine joins two pieces into one.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { executeShell, type SinkOptions } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { within } from "../../support/patience.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { one } from "../../support/session.ts";

/** What a run whose output came in pieces left. */
interface Pieces {
  readonly chunks: string[];
  readonly updates: string[];
  readonly text: string;
  readonly raw: Buffer;
}

/** Writes `pieces` (formats of `printf`) one after another, and reads each as it comes. `raw` is empty without overflow. */
async function inPieces(pieces: readonly string[], sink: SinkOptions = {}): Promise<Pieces> {
  const folder = scratchFolder();
  const spillPath = join(folder, "raw");
  const chunks: string[] = [];
  const updates: string[] = [];
  // What holds no whole character is not delivered, so there is no event to wait for: the pause lets the reader run.
  const command = pieces.map((piece) => `printf '${piece}'`).join("; sleep 0.2; ");
  const result = await within(
    command,
    executeShell(
      {
        command,
        sink: { maxBytes: 1, ...sink, spillPath, throttleMs: 1, onUpdate: (tail) => updates.push(tail) },
      },
      (_error, chunk) => void chunks.push(chunk),
    ),
  );
  const whole = await one(command, { sink: { ...sink } });
  expect(result.exitCode).toBe(0);
  return { chunks, updates, text: whole.text, raw: existsSync(spillPath) ? readFileSync(spillPath) : Buffer.alloc(0) };
}

describe("a character", () => {
  it("EN-01 that arrives in two pieces is one", async () => {
    const { chunks, text } = await inPieces(["cleanup \\xe2", "\\x80\\x94 end"]);

    expect(chunks.join("")).toBe("cleanup — end");
    expect(text).toBe("cleanup — end");
  });

  it("EN-02 that the other stream cuts in two is lost, and the raw bytes are kept", async () => {
    // One pipe keeps the order of the streams and not the characters that they cut.
    const { text, raw } = await inPieces(["\\xf0", "stderr\\n", "\\x9f\\x99\\x82"]);

    expect(text).toContain("stderr\n");
    expect(text).not.toMatch(/\p{Surrogate}/u);
    expect(raw).toEqual(Buffer.from("f07374646572720a9f9982", "hex"));
  });

  it.each([
    ["a\\xff\\xfeb", "a\uFFFD\uFFFDb", "61fffe62"],
    ["abc\\xe2\\x82", "abc\uFFFD", "616263e282"],
    ["\\xed\\xa0\\x80\\xc0\\xaf", "\uFFFD".repeat(5), "eda080c0af"],
  ])("EN-03 that is none becomes U+FFFD as in a browser: %s", async (bytes, expected, hex) => {
    const { chunks, text, raw } = await inPieces([bytes]);

    expect(text).toBe(expected);
    expect(chunks.join("")).toBe(expected);
    expect(text).not.toMatch(/\p{Surrogate}/u);
    expect(raw.toString("hex")).toBe(hex);
  });

  it.each([0, 1, 2, 3])("EN-05 is never cut by the window, with %i letters before", async (letters) => {
    const file = join(scratchFolder(), "text");
    writeFileSync(file, "a".repeat(letters) + "é€🙂".repeat(20_000));

    const result = await executeShell({ command: `cat ${file}`, sink: {} });

    expect(result.output?.truncated).toBe(true);
    expect(result.output?.outputBytes).toBeLessThanOrEqual(51_200);
    expect(result.output?.text).not.toContain("\uFFFD");
    expect(result.output?.text).toMatch(/🙂$/u);
    expect(Buffer.byteLength(result.output?.text ?? "")).toBeGreaterThan(51_000);
  });

  it("EN-12 needs no locale of the host", async () => {
    const { LANG: _lang, LC_ALL: _all, ...rest } = process.env;
    const baseEnv = Object.fromEntries(Object.entries(rest).flatMap(([name, value]) => (value ? [[name, value]] : [])));

    const result = await one("printf 'é' | wc -m; printf 'é\\n'", { baseEnv });
    const own = await one("printf 'é' | wc -m", { baseEnv: { ...baseEnv, LC_ALL: "C" } });

    expect(result.text).toMatch(/^\s*[12]\né\n$/);
    expect(own.text.trim()).toBe("2");
  });

  it("EN-13 U+FEFF is a character like others, wherever it stands", async () => {
    const { text, raw, chunks } = await inPieces(["\\xef\\xbb\\xbfhi", "\\xef\\xbb\\xbfthere"], { plainText: false });

    expect(chunks.join("")).toBe("\uFEFFhi\uFEFFthere");
    expect(text).toBe("\uFEFFhi\uFEFFthere");
    expect(raw).toEqual(Buffer.from("\uFEFFhi\uFEFFthere"));
  });
});

describe("plain text", () => {
  it("EN-06 shows of a progress line its last state, and the raw bytes are kept", async () => {
    const spillPath = join(scratchFolder(), "raw");
    const command = "for i in $(seq 0 100); do printf '\\r%3d%%' $i; sleep 0.005; done; echo";
    let updates = 0;
    const started = performance.now();
    const result = await executeShell({
      command,
      sink: {
        maxBytes: 64,
        spillPath,
        onUpdate: () => {
          updates += 1;
        },
      },
    });
    const elapsedMs = performance.now() - started;

    expect(result.output?.text).toBe("100%\n");
    expect(readFileSync(spillPath, "utf8")).toBe(
      `${Array.from({ length: 101 }, (_, index) => `\r${String(index).padStart(3)}%`).join("")}\n`,
    );
    // The first update comes at once, and one more may be on its way when the run ends.
    expect(updates).toBeLessThanOrEqual(elapsedMs / 50 + 2);
  });

  it("EN-07 takes a carriage return and a line feed in two pieces for one line end", async () => {
    const { text } = await inPieces(["a\\r", "\\nb\\n"]);

    expect(text).toBe("a\nb\n");
  });

  it("EN-08 removes a colour that arrives in two pieces, in every update", async () => {
    const { text, updates } = await inPieces(["\\033[3", "1mred\\033[0m\\n"], { maxBytes: 1_000 });

    expect(text).toBe("red\n");
    for (const update of updates) expect(["", "red", "red\n"]).toContain(update);
  });

  it("EN-10 gets over a control string without an end, in linear time", async () => {
    const before = process.memoryUsage.rss();

    const result = await executeShell({
      command: "printf '\\033]52;c;'; head -c 20000000 /dev/zero | tr '\\0' A; echo; echo AFTER",
      sink: {},
    });

    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.output?.text).toMatch(/AFTER\n$/);
    expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 2 ** 20);
  });
});
