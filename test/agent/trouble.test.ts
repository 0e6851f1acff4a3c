/**
 * Tasks of an agent where something goes wrong: what it is reported, and that the next call works.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../support/patience.ts";
import { isAlive } from "../support/process.ts";
import { bash, createAgent, type Script } from "./support/agent.ts";
import { place } from "./support/place.ts";

describe("an agent and its folder", () => {
  it("hears that the folder of a call is missing, and makes it", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("touch x", { cwd: "packages/app" });
      yield bash("mkdir -p packages/app");
      yield bash("touch x && pwd", { cwd: "packages/app" });
      yield bash("cd packages/app/x && true");
      return "made";
    });

    expect(readings[0]).toMatchObject({ isError: true, thrown: "ToolError" });
    expect(readings[0]?.text).toBe(`Working directory does not exist: ${cwd}/packages/app`);
    expect(readings[2]?.text).toMatch(new RegExp(`^${cwd}/packages/app\n`));
    expect(readings[3]?.text).toBe(`Working directory is not a directory: ${cwd}/packages/app/x`);
  });

  it("loses the folder it works in, and goes on elsewhere", async () => {
    const cwd = place();
    mkdirSync(join(cwd, "work"));
    const agent = await createAgent({ cwd: join(cwd, "work") });

    const { readings } = await agent.run(function* () {
      yield bash("export KEPT=1; echo inside");
      rmSync(join(cwd, "work"), { recursive: true });
      yield bash("echo unreachable");
      yield bash('echo "kept $KEPT" && pwd', { cwd });
      return "elsewhere";
    });

    expect(readings[1]?.text).toBe(`Working directory does not exist: ${cwd}/work`);
    expect(readings[2]?.text).toMatch(new RegExp(`^kept 1\n${cwd}\n`));
  });

  it("removes the folder under its own feet", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash("mkdir gone && cd gone && rm -rf ../gone; echo removed");
      yield bash("pwd");
      return "back";
    });

    expect(readings[0]?.text).toMatch(/^removed\n/);
    expect(readings[1]?.text).toMatch(new RegExp(`^${cwd}\n`));
  });
});

describe("an agent and its shell", () => {
  it("keeps what it set through calls that fail, time out and cannot be parsed", async () => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash('greet() { echo "hello $1"; }; export NAME=ada; shopt -s nullglob');
      yield bash("false");
      yield bash("sleep 300", { timeout: 1 });
      yield bash("if true; then");
      yield bash('greet "$NAME"; echo *.nothing; shopt nullglob');
      return "kept";
    });

    expect(readings.map(({ isError }) => isError)).toEqual([false, true, true, true, false]);
    expect(readings[2]?.text).toMatch(/^\[Command timed out after 1 second\]\n/);
    expect(readings[3]?.text).toMatch(/syntax error/);
    expect(readings[3]?.details.exitCode).toBe(2);
    expect(readings[4]?.text).toMatch(/^hello ada\n\nnullglob\s+on\n/);
  });

  it.each([
    ["exit 7", 7],
    ["exec sh -c 'exit 7'", 7],
    ["kill -KILL $$", 137],
    ["set -e; false; echo never", 1],
  ])("goes on after a command that ends it: %s", async (command, code) => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash("export KEPT=yes");
      yield bash(command);
      yield bash("echo alive");
      return "alive";
    });

    expect(readings[1]).toMatchObject({ isError: true, details: { exitCode: code } });
    expect(readings[1]?.text).not.toContain("never");
    expect(readings[1]?.text).toMatch(new RegExp(`\nCommand exited with code ${code}$`));
    expect(readings[2]?.text).toMatch(/^alive\n/);
  });

  it("reads plain words about what cannot be run", async () => {
    const agent = await createAgent({ cwd: place({ "notes.txt": "text" }) });

    const { readings } = await agent.run(function* () {
      yield bash("no-such-program --help");
      yield bash("./notes.txt");
      yield bash("LANG=C ls /no/such/place");
      return "read";
    });

    expect(readings.map(({ details }) => details.exitCode)).toEqual([127, 126, 2]);
    expect(readings[0]?.text).toMatch(/no-such-program: command not found/);
    expect(readings[1]?.text).toMatch(/ermission denied/);
  });

  it("runs two calls of one turn one after the other, each with its own output", async () => {
    const agent = await createAgent({ cwd: place() });
    const talk = (word: string) => bash(`for i in $(seq 40); do echo ${word}; sleep 0.005; done`);

    const { readings } = await agent.run(function* () {
      yield [talk("one"), talk("two")];
      return "talked";
    });

    const bodies = readings.map(({ text }) => text.split("\n\n")[0]);
    expect(bodies).toEqual(["one", "two"].map((word) => Array(40).fill(word).join("\n")));
  });

  it("has no more room for a file than it was given, and hears so", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd });

    const { readings } = await agent.run(function* () {
      yield bash('(ulimit -f 4; head -c 100000 /dev/zero > big; echo "status $?")');
      yield bash("head -c 100000 /dev/zero > big && stat -c %s big");
      return "seen";
    });

    expect(readings[0]?.text).toMatch(/status 153/);
    expect(readings[1]?.text).toMatch(/^100000\n/);
  });
});

describe("an agent and its tools", () => {
  it("is sent to a better tool, with the command quoted, and nothing has run", async () => {
    const cwd = place({ "notes.txt": "text" });
    const agent = await createAgent({
      cwd,
      settings: { "bashInterceptor.enabled": true },
      session: { toolNames: ["bash", "read", "write"] },
    });

    const { readings } = await agent.run(function* () {
      yield bash("cat notes.txt");
      yield bash("echo new > notes.txt");
      yield bash("grep -c text notes.txt");
      yield bash("wc -l < notes.txt | cat");
      return "sent";
    });

    expect(readings[0]).toMatchObject({ isError: true, thrown: "ToolError", details: { suggestedTool: "read" } });
    expect(readings[0]?.text).toMatch(/^Blocked: Use the `read` tool(.|\n)*\n\nOriginal command: cat notes\.txt$/);
    expect(readings[1]?.details).toEqual({ suggestedTool: "write" });
    // There is no `search` tool in this session, and a stage that reads a pipe is no reader of files.
    expect(readings.slice(2).map(({ isError }) => isError)).toEqual([false, false]);
    expect(readFileSync(join(cwd, "notes.txt"), "utf8")).toBe("text");
  });

  it("uses files of skills and local files by their addresses", async () => {
    const skill = place({ "SKILL.md": "# Deploy\n", "run me.sh": "echo deployed $1\n" });
    const local = place();
    const internalUrls = {
      skills: [{ name: "deploy", filePath: join(skill, "SKILL.md"), baseDir: skill }],
      localRoot: local,
    };
    const agent = await createAgent({ cwd: place(), session: { internalUrls } });

    const { readings } = await agent.run(function* () {
      yield bash("cat skill://deploy && bash skill://deploy/run%20me.sh now > local://logs/out.txt");
      yield bash("cat local://logs/out.txt; echo 'see skill://deploy for more'");
      yield bash("cat skill://deplyo");
      yield bash("cat skill://deploy/../../etc/passwd");
      return "used";
    });

    expect(readings[0]?.text).toMatch(/^# Deploy\n/);
    expect(readings[1]?.text).toMatch(/^deployed now\nsee skill:\/\/deploy for more\n/);
    expect(readFileSync(join(local, "logs/out.txt"), "utf8")).toBe("deployed now\n");
    expect(readings[2]?.text).toBe("Unknown skill: deplyo. Available: deploy");
    expect(readings[3]?.text).toBe("Path traversal is not allowed in skill:// URLs");
  });

  it("hears which parameter is wrong, and corrects it", async () => {
    const agent = await createAgent({ cwd: place() });

    const { readings } = await agent.run(function* () {
      yield bash("true", { env: { "NOT-A-NAME": "x" } });
      yield bash("true", { env: { LD_PRELOAD: "/evil.so" } });
      yield bash("echo right", { timeout: 100_000 });
      return "right";
    });

    expect(readings[0]?.text).toBe("Invalid bash env name: NOT-A-NAME");
    expect(readings[1]?.text).toContain("`LD_PRELOAD`");
    expect(readings[2]?.text).toMatch(/Timeout clamped to 3600s \(requested 100000s; allowed range 1-3600s\)\.$/);
  });

  it("is stopped by its person in mid-command, and nothing of it goes on", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd });
    const controller = new AbortController();
    const stopped = agent.run(function* (): Script {
      yield bash("sleep 300 & echo $! > begun.new; mv begun.new begun; wait; touch never");
      return "not reached";
    }, controller.signal);
    const ending = stopped.then(
      () => "answered",
      (error: unknown) => (error instanceof Error ? error.name : "odd"),
    );
    await until("the command runs", () => existsSync(join(cwd, "begun")));

    controller.abort();

    expect(await ending).toBe("AbortError");
    const pid = Number(readFileSync(join(cwd, "begun"), "utf8"));
    await until("its program is gone", () => !isAlive(pid));
    const after = await agent.run(function* () {
      yield bash("ls");
      return "";
    });
    expect(after.readings[0]?.text).toMatch(/^begun\n/);
  });
});
