/**
 * Reading artifacts: parts of files that may be large, hostile patterns, lines as long as a file.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { saved, storeIn } from "./support/artifacts.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`).join("\n");

describe("reading artifacts", () => {
  it("gives a small one whole", async () => {
    const { store, id } = await saved("a\nb");

    expect(await store.read(`artifact://${id}`)).toEqual({
      id,
      kind: "bash",
      text: "a\nb",
      totalBytes: 3,
      truncated: false,
    });
  });

  it("gives lines by number, the last one without a newline too", async () => {
    const { store, id } = await saved(numbered(1_000));

    expect(await store.read(`artifact://${id}:3-5`)).toMatchObject({
      text: "line 3\nline 4\nline 5\n",
      startLine: 3,
      endLine: 5,
    });
    expect((await store.read(`artifact://${id}:999-`)).text).toBe("line 999\nline 1000\n");
    expect((await store.read(`artifact://${id}:1000`)).text).toBe("line 1000\n");
    expect(await store.read(`artifact://${id}:5000-6000`)).toMatchObject({ text: "", truncated: false });
  });

  it("gives the last lines, whether or not the file ends with a newline", async () => {
    for (const end of ["", "\n"]) {
      const { store, id } = await saved(`${numbered(30_000)}${end}`);

      expect((await store.read(`artifact://${id}?tail=2`)).text).toBe(`line 29999\nline 30000${end}`);
      const many = await store.read(`artifact://${id}?tail=20000`);
      expect(many.text.startsWith("line 10001\n")).toBe(true);
      expect(many.truncated).toBe(false);
      expect((await store.read(`artifact://${id}?tail=99999`)).text.startsWith("line 1\n")).toBe(true);
    }
  });

  it("gives matching lines with their numbers and the count of all", async () => {
    const { store, id } = await saved(numbered(20_000));

    const found = await store.read(`artifact://${id}?grep=line%201999[0-9]$`);

    expect(found.matches).toBe(10);
    expect(found.text.startsWith("19990:line 19990\n")).toBe(true);
    expect((await store.read(`artifact://${id}?grep=line&tail=1`)).text).toBe("20000:line 20000\n");
    expect((await store.read(`artifact://${id}:1-100?grep=line%201`)).matches).toBe(12);
  });

  it("finds a plain word that the expression engine need not look for", async () => {
    const { store, id } = await saved("ok\nERROR here\nok");

    expect((await store.read(`artifact://${id}?grep=ERROR`)).text).toBe("2:ERROR here\n");
  });

  it("JB-07: matches a hostile pattern in linear time", async () => {
    const { store, id } = await saved(`${"a".repeat(40)}!\n${"a".repeat(60_000)}!\n`);
    const started = performance.now();

    const found = await store.read(`artifact://${id}?grep=(a%2B)%2B$`);

    expect(found.matches).toBe(0);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("refuses a pattern that is none, or that needs backtracking, naming it", async () => {
    const { store, id } = await saved("x");

    for (const pattern of ["(", "(?=a)b", "(a)\\1"]) {
      await expect(store.read(`artifact://${id}?grep=${encodeURIComponent(pattern)}`)).rejects.toMatchObject({
        code: "PI_ARTIFACT_PATTERN",
      });
    }
  });

  it("refuses to give a large one whole, and says how to ask", async () => {
    const { store, id } = await saved("x".repeat(2_000));

    await expect(store.read(id, { maxBytes: 1_000 })).rejects.toThrow(`artifact://${id}?tail=200`);
  });

  it.each([
    ["?grep=line&tail=3", "18:line 18\n19:line 19\n20:line 20\n", false],
    ["?lines=5-9&tail=2", "line 8\nline 9\n", false],
    ["?lines=5-9&tail=99", "line 5\nline 6\nline 7\nline 8\nline 9\n", false],
    ["?grep=line&tail=20", "16:line 16\n17:line 17\n18:line 18\n19:line 19\n20:line 20\n", true],
  ])("gives the last of the selected lines for %s, as many as are wanted and fit", async (query, text, truncated) => {
    const { store, id } = await saved(numbered(20));

    expect(await store.read(`artifact://${id}${query}`, { maxBytes: 55 })).toMatchObject({ text, truncated });
  });

  it("bounds what it gives, and says that there is more", async () => {
    const { store, id } = await saved(numbered(10_000));

    const first = await store.read(`artifact://${id}:1-9000`, { maxBytes: 100 });
    const last = await store.read(`artifact://${id}?tail=9000`, { maxBytes: 100 });

    expect(first).toMatchObject({ truncated: true, startLine: 1 });
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(100);
    expect(last.truncated).toBe(true);
    expect(last.text.endsWith("line 10000")).toBe(true);
    expect(Buffer.byteLength(last.text)).toBeLessThanOrEqual(100);
  });

  it("cuts a line that is as long as a file, and counts what is left out", async () => {
    const { store, id } = await saved(`short\n${"é".repeat(200_000)}needle\nend\n`);

    expect((await store.read(`artifact://${id}:3`)).text).toBe("end\n");
    const found = await store.read(`artifact://${id}?grep=é`);
    expect(found.matches).toBe(1);
    expect(found.text).toMatch(/… \(\d+ more bytes\)\n$/);
    expect(found.text).not.toContain("\uFFFD");
  });

  it("counts lines over block borders exactly", async () => {
    const text = Array.from({ length: 5_000 }, (_, index) => "x".repeat(index % 97)).join("\n");
    const { store, id } = await saved(text);
    const lines = text.split("\n");

    for (const line of [1, 2, 1_357, 2_714, 4_999, 5_000]) {
      expect((await store.read(`artifact://${id}:${line}`)).text, String(line)).toBe(`${lines[line - 1]}\n`);
    }
  });

  it("shows what a run has written so far", async () => {
    const { store } = storeIn();
    const { id, path } = await store.allocate("bash");
    await expect(store.read(id)).rejects.toMatchObject({ code: "PI_ARTIFACT_UNREADABLE" });
    writeFileSync(path, "first\n");
    appendFileSync(path, "second\n");

    expect((await store.read(`artifact://${id}?tail=1`)).text).toBe("second\n");
    expect(readFileSync(path, "utf8")).toBe("first\nsecond\n");
  });

  it("ends a long search when it is asked to", async () => {
    const { store, id } = await saved(numbered(10_000));

    await expect(store.read(`artifact://${id}?grep=zzz`, { signal: AbortSignal.abort() })).rejects.toThrow();
  });
});
