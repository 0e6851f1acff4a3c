/**
 * What is done in one place: cutting texts, racing a promise with a timer, the longest time of a timer.
 *
 * Each was written many times once, and every copy had an error of its own: half a character, a timer left behind, a wait
 * that was over at once because it was too long.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

interface Rule {
  readonly what: string;
  readonly isBroken: (source: string) => boolean;
  /** The place, and the files that have a reason of their own. */
  readonly allowed: Readonly<Record<string, string>>;
}

const RULES: readonly Rule[] = [
  {
    what: "the longest time of a timer",
    isBroken: (source) => /\b2 ?\*\* ?31 - 1\b|\b2_?147_?483_?647\b|\b0x7f(?:ff){3}\b/i.test(source),
    allowed: {
      "packages/contract/src/abort.ts": "the place",
      "packages/natives/src/minimizer.ts": "the range of an exit status",
      "packages/natives/src/ports.ts": "the range of a process ID",
    },
  },
  {
    what: "a promise raced with a timer",
    isBroken: (source) => /\bPromise\.(?:race|any)\(/.test(source) && /\b(?:setTimeout|setInterval)\(/.test(source),
    allowed: {
      "packages/tool/src/client-terminal.ts": "its timer looks at the output again and again, and bounds nothing",
      "packages/natives/src/fallback/shell.ts": "its timers are the steps of a ladder",
    },
  },
  {
    what: "a text cut by its bytes",
    isBroken: (source) => /& 0xc0\b/i.test(source),
    allowed: {
      "packages/contract/src/text.ts": "the place",
      "packages/natives/src/fallback/tail-window.ts":
        "it cuts bytes that are not text yet, with one copy of the window",
    },
  },
  {
    what: "half a character taken off a text",
    isBroken: (source) =>
      /\[\\u\{?d800\}?-\\u\{?dbff\}?\]\+?\$|\^\[\\u\{?dc00\}?-\\u\{?dfff\}?\]|\\u\{?fffd\}?\]?\+?\$/i.test(source),
    allowed: {},
  },
];

const sources = readdirSync(join(root, "packages"))
  .map((name) => join(root, "packages", name, "src"))
  .flatMap((folder) => {
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    return names.filter((name) => /\.tsx?$/.test(name)).map((name) => join(folder, name));
  })
  .map((path) => ({ path: relative(root, path).split(sep).join("/"), source: readFileSync(path, "utf8") }));

describe.each(RULES)("$what", ({ isBroken, allowed }) => {
  it("stands in its place, and elsewhere only with a reason", () => {
    const found = sources.filter(({ source }) => isBroken(source)).map(({ path }) => path);

    expect(found.toSorted()).toEqual(Object.keys(allowed).toSorted());
  });
});

it("is found as people write it", () => {
  const broken = (source: string): string[] => RULES.filter(({ isBroken }) => isBroken(source)).map(({ what }) => what);

  expect(broken("const MAX = 2 ** 31 - 1;")).toEqual(["the longest time of a timer"]);
  expect(broken("const MAX = 2_147_483_647;")).toEqual(["the longest time of a timer"]);
  expect(broken("const MAX = 0x7fffffff;")).toEqual(["the longest time of a timer"]);
  expect(broken("timer = setTimeout(end, ms); await Promise.race([work, bound]);")).toHaveLength(1);
  expect(broken("await Promise.race([work, over]);")).toEqual([]);
  expect(broken("while (((bytes[at] ?? 0) & 0xc0) === 0x80) at += 1;")).toHaveLength(1);
  expect(broken(String.raw`text.slice(0, 9).replace(/[\uD800-\uDBFF]$/, "")`)).toHaveLength(1);
  expect(broken(String.raw`text.slice(-9).replace(/^[\uDC00-\uDFFF]/, "")`)).toHaveLength(1);
  expect(broken(String.raw`text.replace(/\u{fffd}$/u, "")`)).toHaveLength(1);
});
