/** The command line of `pi-bash run`: what it understands, and how it refuses the rest. */
import { describe, expect, it } from "vitest";
import { parseRunArguments } from "../src/run/run-arguments.ts";
import { UsageError } from "../src/usage.ts";

describe("arguments of run", () => {
  it("are a command and nothing else where nothing else is given", () => {
    expect(parseRunArguments(["ls -l"])).toEqual({
      commands: ["ls -l"],
      session: false,
      pty: false,
      json: false,
      raw: false,
      env: {},
      allowUnasked: [],
    });
  });

  it("carry folder, variables and timeout", () => {
    const words = [
      "--cwd",
      "/tmp",
      "--env",
      "A=1",
      "--env",
      "B=x=y",
      "--env",
      "C=",
      "--timeout",
      "1.5",
      "--json",
      "--raw",
      "--allow-unasked",
      "system-write",
      "ls",
    ];

    expect(parseRunArguments(words)).toEqual({
      commands: ["ls"],
      session: false,
      pty: false,
      json: true,
      raw: true,
      allowUnasked: ["system-write"],
      cwd: "/tmp",
      env: { A: "1", B: "x=y", C: "" },
      timeoutMs: 1500,
    });
  });

  it("take several commands only in a session", () => {
    expect(parseRunArguments(["--session", "cd /", "pwd"]).commands).toEqual(["cd /", "pwd"]);
    expect(() => parseRunArguments(["cd /", "pwd"])).toThrow(UsageError);
  });

  it("leave words after `--` alone, so that a command may begin with a dash", () => {
    expect(parseRunArguments(["--", "--version"]).commands).toEqual(["--version"]);
  });

  it.each([
    [["--timeout", "soon", "ls"], "`--timeout` takes a number of seconds above 0, not `soon`"],
    [["--timeout", "0", "ls"], "`--timeout` takes a number of seconds above 0, not `0`"],
    [["--timeout", "Infinity", "ls"], "`--timeout` takes a number of seconds above 0, not `Infinity`"],
    [["--env", "A", "ls"], "`--env` takes NAME=VALUE, not `A`"],
    [["--env", "=1", "ls"], "`--env` takes NAME=VALUE, not `=1`"],
    [
      ["--allow-unasked", "all", "ls"],
      "`--allow-unasked` takes one of download-to-shell, system-write, open-modes, not `all`",
    ],
    [[], "`run` needs a command"],
    [["--colour", "ls"], "--colour"],
  ])("%j are refused with the argument's name", (words, message) => {
    expect(() => parseRunArguments(words)).toThrow(message);
  });
});
