/** What never runs unasked, by the part of a line that decides, and what looks like it. Nothing is run. */
import { describe, expect, it } from "vitest";
import { findUnasked } from "../src/unasked/find-unasked.ts";
import { RUNS_DOWNLOAD, RUNS_SOMETHING_ELSE } from "./cases/unasked-downloads.ts";
import { WRITES_ELSEWHERE, WRITES_SYSTEM } from "./cases/unasked-writes.ts";

const PLACE = { cwd: "/home/u/p", home: "/home/u", workspace: "/home/u/p" };

const kindsOf = (command: string) => findUnasked({ ...PLACE, command }).map(({ code }) => code);

const linesOf = (cases: Readonly<Record<string, readonly string[]>>) =>
  Object.entries(cases).flatMap(([name, lines]) => lines.map((line) => [name, line] as const));

describe("a download that runs", () => {
  it.each(linesOf(RUNS_DOWNLOAD))("is found with %s: %s", (_, line) => {
    expect(kindsOf(line)).toEqual(["download-to-shell"]);
  });

  it.each(linesOf(RUNS_SOMETHING_ELSE))("is not found with %s: %s", (_, line) => {
    expect(kindsOf(line)).toEqual([]);
  });
});

describe("a write below `/etc`", () => {
  it.each(linesOf(WRITES_SYSTEM))("is found with %s: %s", (_, line) => {
    expect(kindsOf(line)).toEqual(["system-write"]);
  });

  it.each(linesOf(WRITES_ELSEWHERE))("is not found with %s: %s", (_, line) => {
    expect(kindsOf(line)).toEqual([]);
  });
});
