/** Refusals of the command line: each names what was wrong in words that a person can act on. */
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parseMinimizeArguments } from "../src/commands/minimize.ts";
import { parseRunArguments } from "../src/run/run-arguments.ts";
import { parseSessionArguments, parseToolArguments } from "../src/tool-arguments.ts";
import { UsageError } from "../src/usage.ts";

function refusalOf(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  throw new Error("it was understood");
}

describe("a wrong option", () => {
  it.each([
    [["--colour", "ls"], "there is no option `--colour`"],
    [["ls", "-l"], "there is no option `-l`; a command with options of its own needs quotes"],
    [["--json", "ls", "--all"], "there is no option `--all`; a command with options of its own needs quotes"],
    [["--timeout"], "`--timeout` needs a value"],
    [["--timeout", "-5", "ls"], "`--timeout` needs a value; one that begins with a dash is written `--timeout=-…`"],
    [["--timeout", "0x10", "ls"], "`--timeout` takes a number of seconds above 0, not `0x10`"],
    [["--timeout", "1e3", "ls"], "`--timeout` takes a number of seconds above 0, not `1e3`"],
    [["--timeout=-5", "ls"], "`--timeout` takes a number of seconds above 0, not `-5`"],
    [["--json=yes", "ls"], "`--json` takes no value"],
    [["--timeout", "1", "--timeout", "2", "ls"], "`--timeout` is given twice; give it once"],
    [["--env", "A", "ls"], "`--env` takes NAME=VALUE, not `A`"],
    [["--timeout", "2147484", "ls"], "`--timeout` takes at most 2147483 seconds, not `2147484`"],
  ])("%j of run is refused: %s", (words, message) => {
    expect(refusalOf(() => parseRunArguments(words))).toBe(message);
  });

  it("is reported alike by the other commands", () => {
    expect(refusalOf(() => parseToolArguments(["--timeout", "soon", "ls"]))).toBe(
      "`--timeout` takes a number of seconds above 0, not `soon`",
    );
    expect(refusalOf(() => parseMinimizeArguments(["--loud"]))).toBe("there is no option `--loud`");
  });

  it("names the folder of a session that is not there, and what takes no call", () => {
    expect(parseSessionArguments(["--cwd", "/"], "no calls").cwd).toBe(resolve("/"));
    expect(parseSessionArguments([], "no calls").cwd).toBe(process.cwd());
    expect(refusalOf(() => parseSessionArguments(["--cwd", "/nowhere"], "no calls"))).toBe(
      "`--cwd` takes a folder, and `/nowhere` is not one",
    );
    const takesCalls = "`mcp` takes its calls from its client";
    expect(refusalOf(() => parseSessionArguments(["ls"], takesCalls))).toBe(takesCalls);
  });

  it("is none where an option that takes several values has several", () => {
    expect(parseRunArguments(["--env", "A=1", "--env", "B==", "ls"]).env).toEqual({ A: "1", B: "=" });
  });

  it("is none where the longest deadline is asked for", () => {
    expect(parseRunArguments(["--timeout", "2147483", "ls"]).timeoutMs).toBe(2_147_483_000);
  });
});
