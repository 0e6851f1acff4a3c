/** Masks of the native surface: their checks, texts, streams and sinks. */
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { executeShell, OutputSink, SecretMask, Shell, ShellError } from "../src/index.ts";

const VALUE = "zz9-Plural-Z-Alpha-42";
const mask = (): SecretMask => new SecretMask({ values: [{ name: "KEY", value: VALUE }] });

describe("a mask", () => {
  it("masks a text, counts and names", () => {
    expect(mask().text(`a ${VALUE} b ${VALUE}`)).toEqual({
      text: "a [masked: KEY] b [masked: KEY]",
      count: 2,
      names: ["KEY"],
    });
    expect(mask().text("nothing\0here é")).toEqual({ text: "nothing\0here é", count: 0, names: [] });
  });

  it("masks a stream that comes byte by byte", () => {
    const stream = mask().stream();
    const bytes = Buffer.from(`é ${VALUE} x`);
    const shown = Array.from(bytes, (byte) => stream.push(Uint8Array.of(byte)));

    expect(Buffer.concat([...shown, stream.finish()]).toString()).toBe("é [masked: KEY] x");
  });

  it("refuses options that are wrong, and no error has a value", () => {
    const wrong: [unknown, RegExp][] = [
      [{ values: [{ name: "A", value: 5 }] }, /`values\[0\]\.value` is not a string/],
      [{ values: [{ name: 5, value: VALUE }] }, /`values\[0\]\.name`/],
      [{ values: VALUE }, /`values` is not an array/],
      [{ shapes: "yes" }, /`shapes` is not a boolean/],
      [{ allow: [1] }, /`allow\[0\]`/],
      [{ value: VALUE }, /`value` does not exist/],
      [{ values: Array.from({ length: 300 }, () => ({ name: "A", value: VALUE })) }, /300 values/],
    ];
    for (const [options, message] of wrong) {
      const make = () => new SecretMask(options as never);
      expect(make).toThrow(ShellError);
      expect(make).toThrow(message);
      expect(make).not.toThrow(VALUE);
    }
    expect(() => new Shell({ mask: {} as never })).toThrow(/`mask` is not a `SecretMask`/);
  });

  it("cannot be asked for its values", () => {
    const made = mask();
    expect(inspect(made, { showHidden: true, depth: 9 })).not.toContain("Plural");
    expect(JSON.stringify(made)).toBe("{}");
  });
});

describe("a run with a mask", () => {
  it("masks its text and its chunks", async () => {
    const chunks: string[] = [];
    const [first, second] = [VALUE.slice(0, 9), VALUE.slice(9)];

    const result = await executeShell(
      { command: `printf '<${first}'; sleep 0.1; printf '${second}>'`, sink: {}, mask: mask() },
      (_, chunk) => chunks.push(chunk),
    );

    expect(result.output).toMatchObject({ text: "<[masked: KEY]>", totalBytes: VALUE.length + 2 });
    expect(result.output?.masked).toEqual({ count: 1, names: ["KEY"] });
    // What is shown before the rest comes says nothing: three letters.
    expect(chunks.join("")).toMatch(/^<(?:zz9)?\[masked: KEY\]>$/);
  });

  it("masks every chunk of a flood, and gives out all else", async () => {
    let seen = "";
    const line = `${"word ".repeat(15)}\n`;

    await executeShell(
      {
        command: `yes '${line.trim()}' | head -n 20000; echo ${VALUE}; yes '${line.trim()}' | head -n 20000`,
        mask: mask(),
      },
      (_, chunk) => {
        seen += chunk;
      },
    );

    const half = `${line.trim()}\n`.repeat(20_000);
    expect(seen === `${half}[masked: KEY]\n${half}`).toBe(true);
  });

  it("masks late output", async () => {
    const shell = new Shell({ mask: mask() });
    try {
      await shell.run({ command: `{ sleep 0.2; printf '${VALUE}'; } &` });
      await shell.run({ command: "wait; sleep 0.1" });
      await expect.poll(() => shell.lateOutput(), { timeout: 20_000 }).toBe("[masked: KEY]");
    } finally {
      await shell.close();
    }
  });
});

describe("a sink with a mask", () => {
  it("masks its text, and a replacement", () => {
    const sink = new OutputSink({ mask: mask() });
    sink.push(`a ${VALUE.slice(0, 5)}`);
    sink.push(VALUE.slice(5));
    expect(sink.dump()).toMatchObject({ text: "a [masked: KEY]", masked: { count: 1, names: ["KEY"] } });

    const replaced = new OutputSink({ mask: mask() });
    replaced.push("something");
    replaced.replace(`short: ${VALUE}`);
    expect(replaced.dump().text).toBe("short: [masked: KEY]");
  });
});
