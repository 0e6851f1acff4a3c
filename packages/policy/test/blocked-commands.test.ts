/** The owner's list of commands that never run: what an entry is found in, and what only may be one. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import { findBlockedCommand, findDoubtfulCommand } from "../src/blocked-commands.ts";

/** The part of a line that an entry is found in. */
function found(line: string, ...blocked: string[]): string | undefined {
  const span = findBlockedCommand(analyzeCommand(line), line, blocked)?.span;
  return span === undefined ? undefined : line.slice(span.start, span.end);
}
const doubt = (line: string, ...blocked: string[]): string | undefined =>
  /`(.*)`/.exec(findDoubtfulCommand(analyzeCommand(line), blocked)?.message ?? "")?.[1];

describe("a blocked command", () => {
  it.each([
    ["x y", "x y", "x y"],
    ["a; x y z", "x y", "x y z"],
    ["/usr/bin/x y", "x y", "/usr/bin/x y"],
    ["/opt/x y", "x y", "/opt/x y"],
    ["/opt/x y", "/opt/x y", "/opt/x y"],
    ["sudo x y", "x y", "x y"],
    ["sudo x y", "sudo x", "sudo x y"],
    ["bash -c 'x y'", "x y", "'x y'"],
    ["echo $(x y)", "x y", "x y"],
    ["x $y", "x $y", "x $y"],
    ["a | b", "a | b", "a"],
    ["c; b; a d", "a | b", "a d"],
    // What was not understood is searched as text.
    ["a 'x y", "x y", "x y"],
    ["x '", "'", "'"],
  ])("in %s by %s is: %s", (line, entry, part) => {
    expect(found(line, entry)).toBe(part);
  });

  it.each([
    ["x", "x y"],
    ["x z y", "x y"],
    ["x -f y", "x y"],
    ["xx y", "x y"],
    ["x yy", "x y"],
    ["z x y", "x y"],
    ["x y", "/opt/x y"],
    ["echo 'x y'", "x y"],
    ['x "$y"', "x $y"],
    ["a", "a | b"],
    ["x", ""],
    ["x", "  "],
    ["x", "X=1"],
    ["x", "'"],
    ["a 'x", "y"],
  ])("is not in %s by %j", (line, entry) => {
    expect(found(line, entry)).toBeUndefined();
  });

  it("is the first of the list that is there", () => {
    const line = "a; b";

    expect(findBlockedCommand(analyzeCommand(line), line, ["c", "b", "a"])).toEqual({
      code: "blocked-command",
      severity: "block",
      message: "Command contains blocked pattern: b",
      span: { start: 3, end: 4 },
    });
    expect(found(line)).toBeUndefined();
  });
});

describe("a command that may be blocked", () => {
  it.each([
    ["$x y", "x y"],
    ["x $y", "x y"],
    ["x a$y", "x ab"],
    ["$x", "a | b"],
    ["$x; b", "a | b"],
    ["sudo $x", "x y"],
    ["ls; x $y", "x y"],
  ])("%s, by %s", (line, entry) => {
    expect(doubt(line, entry)).toBe(entry);
  });

  it.each([
    ["x", "x y"],
    ["ls $y", "x y"],
    ["c $x", "a | b"],
    ["a $x", "a | b"],
    ["x '", "x"],
    ["$x", ""],
    ["$x", "'"],
    ["$x", "X=1"],
  ])("is not %s, by %j", (line, entry) => {
    expect(doubt(line, entry)).toBeUndefined();
  });

  it("comes with what would make it plain", () => {
    expect(findDoubtfulCommand(analyzeCommand("x $y"), ["x y"])).toEqual({
      code: "blocked-command-doubt",
      severity: "unknown",
      message: "the command may run `x y`, which is blocked: what runs is known only when it runs",
      hint: "write the program and its arguments literally",
      span: { start: 0, end: 0 },
    });
    expect(doubt("$x")).toBeUndefined();
  });
});
