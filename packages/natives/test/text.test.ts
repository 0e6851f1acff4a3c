/** Text arrives as it was written, whatever its alphabet and wherever it is cut. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { executeShell, Shell } from "../src/index.ts";

/** With the `u` flag a whole pair is one character, and no surrogate. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const ALPHABETS: [title: string, line: string][] = [
  ["ASCII", "plain text of eighty columns, as most programs write it ------------------------\n"],
  ["Latin", "déjà vu, naïve façade, größte Übung\n"],
  ["Chinese and Japanese", "日本語のテキスト 和 中文文本\n"],
  ["emoji beyond the basic plane", "🚀🧪👩‍👩‍👧‍👦 done ✓\n"],
  ["ASCII with a rare sign", `${"x".repeat(5_000)}→\n`],
  ["colours", "\u001b[32m✓\u001b[0m passes (12 ms)\n"],
];

describe("text", () => {
  it.each(ALPHABETS)("EN-01 in %s arrives whole, in pieces of bounded size", async (_, line) => {
    const text = line.repeat(Math.ceil(1_500_000 / line.length));
    const path = join(scratchFolder(), "text");
    writeFileSync(path, text);
    const hash = createHash("sha256");
    let longest = 0;
    let splitPairs = 0;

    const result = await executeShell({ command: `cat '${path}'` }, (_error, chunk) => {
      hash.update(chunk, "utf16le");
      longest = Math.max(longest, chunk.length);
      if (LONE_SURROGATE.test(chunk)) splitPairs += 1;
    });

    expect(result.exitCode).toBe(0);
    expect(hash.digest("hex")).toBe(createHash("sha256").update(text, "utf16le").digest("hex"));
    expect(longest).toBeLessThanOrEqual(65_536);
    expect(splitPairs).toBe(0);
  });

  it("arrives whole where megabytes of ASCII and of signs take turns, and the reader is slow now and then", async () => {
    const plain = Array.from({ length: 200_000 }, (_, at) => `${at} plain\n`).join("");
    const signs = Array.from({ length: 20_000 }, (_, at) => `${at} größer 漢字 😀\n`).join("");
    const text = `${plain}→${plain}${signs}${plain}\n`;
    const path = join(scratchFolder(), "text");
    writeFileSync(path, text);
    const expected = createHash("sha256").update(text.repeat(3), "utf16le").digest("hex");
    await using shell = new Shell();
    for (const _ of [1, 2]) {
      const hash = createHash("sha256");
      let pieces = 0;

      const result = await shell.run({ command: `cat '${path}' '${path}' '${path}'` }, async (_error, chunk) => {
        hash.update(chunk, "utf16le");
        pieces += 1;
        if (pieces % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      });

      expect(result.exitCode).toBe(0);
      expect(hash.digest("hex")).toBe(expected);
    }
  });

  it("keeps a NUL, and shows a byte that is no UTF-8 as the replacement character", async () => {
    let text = "";

    await executeShell({ command: String.raw`printf 'a\0b\xffc'` }, (_error, chunk) => {
      text += chunk;
    });

    expect(text).toBe("a\0b\ufffdc");
  });

  it("calls back with null for the error, always", async () => {
    const errors = new Set<unknown>();

    await executeShell({ command: "seq 1 2000" }, (error) => errors.add(error));

    expect([...errors]).toEqual([null]);
  });

  it("gives stdout and stderr in the order they were written", async () => {
    let text = "";

    await executeShell({ command: "for i in 1 2 3; do echo out$i; echo err$i >&2; done" }, (_error, chunk) => {
      text += chunk;
    });

    expect(text).toBe("out1\nerr1\nout2\nerr2\nout3\nerr3\n");
  });

  it("gives the first piece while the command still runs", async () => {
    const folder = scratchFolder();
    let seen = "";

    // The command waits for what the callback does: without the piece it would run into its deadline.
    const result = await executeShell(
      { command: `echo first; until [ -e '${folder}/go' ]; do sleep 0.02; done; echo last`, timeoutMs: 30_000 },
      (_error, chunk) => {
        seen += chunk;
        writeFileSync(join(folder, "go"), "");
      },
    );

    expect(result.timedOut).toBe(false);
    expect(seen).toBe("first\nlast\n");
  });

  it("gives a word behind a flood while the command still runs", async () => {
    const folder = scratchFolder();
    let length = 0;
    let end = "";

    // As above: the word must not wait for company that never comes.
    const result = await executeShell(
      {
        command: `head -c 20000000 /dev/zero; printf word; until [ -e '${folder}/go' ]; do sleep 0.02; done`,
        timeoutMs: 60_000,
      },
      (_error, chunk) => {
        length += chunk.length;
        end = (end + chunk).slice(-4);
        if (end === "word") writeFileSync(join(folder, "go"), "");
      },
    );

    expect(result.timedOut).toBe(false);
    expect(length).toBe(20_000_004);
  });
});
