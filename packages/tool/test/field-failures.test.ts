/**
 * Cases from the field that name the tool, by their ids: environment, signals, jobs, security (see docs/testing.md).
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isAlive } from "../../../test/support/process.ts";
import { ToolError } from "../src/tool-error.ts";
import { jobs, scene, textOf, thrown, until } from "./support/session.ts";

/** What is private in `/proc` can be looked at on Linux only. */
const isLinux = process.platform === "linux";

describe("the environment of a call", () => {
  it("EV-07: carries any text of any length, and runs none of it", async () => {
    const { bash, folder } = scene();
    const text = `a'b"c$(touch P)\`touch P\`\\n\\ 🙂 ${randomBytes(50_000).toString("hex")}`;

    const result = await bash({ command: 'printf %s "$X" | sha256sum', env: { X: text } });

    expect(textOf(result).slice(0, 64)).toBe(createHash("sha256").update(text).digest("hex"));
    expect(existsSync(join(folder, "P"))).toBe(false);
  });

  it("EV-04: is refused by name where it is larger than the system takes, or works; the next call is sound", async () => {
    const { bash } = scene();

    for (const env of [{ X: "x".repeat(200_000) }, manyVariables(3_000, 1_000)]) {
      const outcome = await bash({ command: "echo $(( ${#X} + 1 ))", env }).then(textOf, (error: unknown) => {
        expect(error).toBeInstanceOf(ToolError);
        return error instanceof Error ? error.message : "";
      });
      expect(outcome).toMatch(/^(?:200001|1)\n|\bX\b|environment/);
      expect(textOf(await bash({ command: "/bin/echo ok" }))).toMatch(/^ok\n/);
    }
  });

  it.each([
    { UID: "5" },
    { SHELLOPTS: "x" },
    { BASHOPTS: "x" },
    { PPID: "1" },
    { IFS: "0" },
    { PATH: "" },
    { PS4: "$(touch P)" },
    { PROMPT_COMMAND: "touch P" },
    { BASH_ENV: "/tmp/evil" },
  ])("EV-06: with %j runs, or is refused by name", async (env) => {
    const { bash, folder } = scene();

    const outcome = await bash({ command: "/bin/echo ok", env }).then(textOf, (error: unknown) => {
      expect(error).toBeInstanceOf(ToolError);
      return error instanceof Error ? error.message : "";
    });

    expect(outcome).toMatch(new RegExp(`^ok\n|\`${Object.keys(env)[0]}\``));
    expect(existsSync(join(folder, "P"))).toBe(false);
    expect(textOf(await bash({ command: "echo $UID; set -o | grep xtrace" }))).toMatch(/^\d+\nxtrace\s+off\n/);
  });
});

describe("a command", () => {
  it.runIf(isLinux)("SC-08: stands in no argument of ours, nor do its variables", async () => {
    const { bash, folder } = scene();
    const [inCommand, inEnv] = [randomBytes(8).toString("hex"), randomBytes(8).toString("hex")];
    const call = bash({
      command: `: ${inCommand}; touch begun; until [ -e go ]; do sleep 0.05; done`,
      env: { S: inEnv },
    });
    await until(() => existsSync(join(folder, "begun")), "the command runs");

    const lines = commandLines();
    writeFileSync(join(folder, "go"), "");

    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.includes(inCommand) || line.includes(inEnv))).toEqual([]);
    await call;
  });

  it.runIf(isLinux)("SC-09: cannot forge its own end through the descriptors of its shell", async () => {
    const { bash } = scene();

    const result = await bash({
      command:
        "for f in /proc/$$/fd/* /proc/self/fd/*; do case $f in */[012]) ;; *) { echo FAKE 0 >$f; } 2>/dev/null ;; esac; done; exit 3",
      timeout: 30,
    });

    expect(result.details?.exitCode).toBe(3);
    expect(textOf(await bash({ command: "echo sound" }))).toMatch(/^sound\n/);
  });

  it("PL-02: of a megabyte with here documents does not hang on them", async () => {
    const body = `${"0123456789abcde\n".repeat(62_500)}`;

    const result = await scene().bash({ command: `wc -c <<'END'\n${body}END`, timeout: 60 });

    expect(textOf(result)).toMatch(/^\s*1000000\n/);
  });

  it("SG-04: that stops its child is ended by the deadline, and the child too", async () => {
    const { bash, folder } = scene();

    const error = await thrown(bash({ command: "sleep 300 & echo $! > pid; kill -STOP $!; wait", timeout: 5 }));

    expect(error.message).toMatch(/^\[Command timed out after 5 seconds\]/);
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    await until(() => !isAlive(pid), "the stopped child is gone");
  });

  it("SG-06: that wants a terminal for a password fails at once, with its own words", async () => {
    const { bash } = scene();

    const result = await bash({
      command: "(read -r word < /dev/tty) 2>&1 || { echo 'no terminal'; exit 4; }",
      timeout: 30,
    });

    expect(result.details?.exitCode).toBe(4);
    expect(textOf(result)).toMatch(/no terminal\n/);
  });
});

describe("a job", () => {
  it("JB-02: shows a line that was written in two parts once, and the last one without a newline", async () => {
    const manager = await jobs();
    const { bash, job, folder } = scene({ "async.enabled": true }, { asyncJobManager: manager });
    await bash({ command: "printf par; until [ -e go ]; do sleep 0.02; done; printf 'tial\\nlast'", async: true });
    await until(() => manager.read("bg_1", "agent-1")?.text === "par", "the first part");

    writeFileSync(join(folder, "go"), "");

    const text = textOf(await job({ poll: ["bg_1"] }));
    expect(text.match(/partial/g)).toHaveLength(1);
    expect(text).toMatch(/\n\npartial\nlast\n\nWall time/);
  });
});

function manyVariables(count: number, length: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`V${at}`, "v".repeat(length)]));
}

/** Command lines of all processes that may be read. */
function commandLines(): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readFileSync(`/proc/${pid}/cmdline`, "latin1")];
      } catch {
        return []; // It ended while we looked.
      }
    });
}
