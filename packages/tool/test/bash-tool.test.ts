/**
 * What a call of the bash tool answers on real bash, in the words of the specification (seeds 000, 001).
 *
 * What it takes (environment, directory, deadline, abort) is in `call-input.test.ts`.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_MAX_BYTES } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { ToolError } from "../src/tool-error.ts";
import { scene, textOf, thrown, until } from "./support/session.ts";

const WALL = String.raw`Wall time: \d+\.\d\d seconds`;

describe("an answer", () => {
  it("is the output, a blank line, and the wall time", async () => {
    const { bash } = scene();

    const result = await bash({ command: "echo one; echo two >&2" });

    expect(textOf(result)).toMatch(new RegExp(`^one\ntwo\n\n${WALL}$`));
    expect(result.isError).toBeUndefined();
    expect(result.details).toMatchObject({ timeoutSeconds: 300 });
    expect(result.details?.wallTimeMs).toBeGreaterThanOrEqual(0);
    expect(result.details).not.toHaveProperty("exitCode");
    expect(result.details).not.toHaveProperty("requestedTimeoutSeconds");
  });

  it("says `(no output)` where there is none", async () => {
    expect(textOf(await scene().bash({ command: "true" }))).toMatch(new RegExp(`^\\(no output\\)\n\n${WALL}$`));
  });

  it("is marked as an error and ends in the exit line where the status is not 0; nothing is thrown", async () => {
    const result = await scene().bash({ command: "echo bad; (exit 3)" });

    expect(result.isError).toBe(true);
    expect(result.details?.exitCode).toBe(3);
    expect(textOf(result)).toMatch(new RegExp(`^bad\n\n${WALL}\nCommand exited with code 3$`));
  });

  it("counts a signal as 128 and its number", async () => {
    const result = await scene().bash({ command: "sh -c 'kill -KILL $$'" });

    expect(result.details?.exitCode).toBe(137);
    expect(textOf(result)).toMatch(/\nCommand exited with code 137$/);
  });

  it("shows the end of long output, with the lines, and the artifact that has all of it", async () => {
    const { bash, session } = scene();

    const result = await bash({ command: "seq 1 20000; exit 4" });

    const text = textOf(result);
    const { truncation } = result.details?.meta ?? {};
    expect(truncation).toMatchObject({ direction: "tail", truncatedBy: "bytes", totalLines: 20_000 });
    const { startLine = 0, endLine } = truncation?.shownRange ?? {};
    expect(text).toContain(`[Showing lines ${startLine}-${endLine} of 20000 (50.0KB limit). Full: artifact://`);
    expect(text).toMatch(/\nCommand exited with code 4$/);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES);
    const whole = await session.executor.artifacts.read(`artifact://${truncation?.artifactId}`);
    expect(whole.text).toBe(Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join(""));
  });

  it("names both ends where the beginning is kept, too", async () => {
    const result = await scene({ "bash.outputHeadBytes": 10_000 }).bash({ command: "seq 1 20000" });

    const { truncation } = result.details?.meta ?? {};
    expect(truncation?.direction).toBe("middle");
    expect(truncation?.headRange?.startLine).toBe(1);
    expect(textOf(result)).toMatch(/^1\n2\n/);
    expect(textOf(result)).toMatch(/\[Showing lines 1-\d+ and \d+-20000 of 20000 \(50\.0KB limit\)/);
  });

  it("is as long as settings say, in bytes and in lines, notices and status within their own room", async () => {
    const narrow = await scene({ "bash.outputMaxBytes": 2_000 }).bash({ command: "seq 1 20000; exit 4" });
    const short = await scene({ "bash.outputMaxLines": 50 }).bash({ command: "seq 1 100; exit 4" });
    const wide = await scene({ "bash.outputMaxBytes": 200_000 })
      .bash({ command: "seq 1 20000; sleep 300", timeout: 1 })
      .catch((error: unknown) => error);

    expect(Buffer.byteLength(textOf(narrow))).toBeLessThanOrEqual(2_000 + INLINE_SLACK_BYTES);
    expect(textOf(narrow)).toMatch(/\(2\.0KB limit\)\. Full: artifact:\/\/\w+\](.|\n)*\nCommand exited with code 4$/);
    expect(textOf(short)).toMatch(
      /^51\n(.|\n)*\n100\n\n\[Showing lines 51-100 of 100 \(50 lines limit\)\. Full: artifact:\/\/\w+\]/,
    );
    expect(short.details?.meta?.truncation).toMatchObject({ truncatedBy: "lines", maxLines: 50, outputLines: 50 });
    expect((wide as Error).message).toMatch(/timed out after 1 second\]\n1\n2\n(.|\n)*\n20000\n/);
  });

  it("lists what still runs", async () => {
    const { bash } = scene();

    const result = await bash({ command: "sleep 300 >/dev/null 2>&1 & echo started" });

    expect(textOf(result)).toMatch(
      /^started\n\nStill running: \d+ `sleep 300`\. They end with the session\.(?: What they write goes to artifact:\/\/\w+\.)?\n/,
    );
    expect(result.details?.survivors?.map(({ command }) => command)).toEqual(["sleep 300"]);
  });

  it("names the artifact that takes what is written by what still runs", async () => {
    const { bash, folder, session } = scene();

    const result = await bash({
      command: "(until [ -e go ]; do sleep 0.02; done; echo late; sleep 300) & echo started",
    });

    const { artifactId } = result.details ?? {};
    expect(textOf(result)).toContain(`They end with the session. What they write goes to artifact://${artifactId}.`);
    writeFileSync(join(folder, "go"), "");
    const text = async () => (await session.executor.artifacts.read(`artifact://${artifactId}`)).text;
    await until(async () => (await text()) === "started\nlate\n", "the late output");
  });

  it("tells once which variables were kept from commands, and never their values", async () => {
    const { folder, session } = scene();
    const { createExecutor } = await import("@pi-bash/executor");
    const executor = createExecutor(
      {},
      { hostEnv: { ...session.hostEnv, OPENAI_API_KEY: "sk-secret-value" }, cwd: folder, usesSnapshot: false },
    );
    const tool = createBashTool({ ...session, executor });
    try {
      const first = await tool.execute("1", { command: 'echo "[$OPENAI_API_KEY]"' });
      const second = await tool.execute("2", { command: "true" });

      expect(textOf(first)).toMatch(
        /^\[\]\n\nNot passed to commands \(bash\.environment\.withhold\): OPENAI_API_KEY\.\n/,
      );
      expect(first.details?.withheldNames).toEqual(["OPENAI_API_KEY"]);
      expect(JSON.stringify(first)).not.toContain("sk-secret-value");
      expect(textOf(second)).not.toContain("OPENAI_API_KEY");
    } finally {
      await executor.dispose();
    }
  });
});

describe("updates", () => {
  it("show the newest output while the command runs", async () => {
    const { bash, folder } = scene();
    const updates: Parameters<typeof textOf>[0][] = [];
    const call = bash(
      { command: "echo early; until [ -e go ]; do sleep 0.02; done; echo late" },
      { updates: updates as never },
    );

    await until(() => updates.some((update) => textOf(update).includes("early")), "an update");
    expect(updates.every((update) => !textOf(update).includes("late"))).toBe(true);
    writeFileSync(join(folder, "go"), "");

    expect(textOf(await call)).toMatch(/^early\nlate\n/);
  });

  it("stop when the listener throws; the command goes on", async () => {
    const { session } = scene();
    let calls = 0;

    const result = await createBashTool(session).execute(
      "1",
      { command: "echo a; sleep 0.2; echo b" },
      undefined,
      () => {
        calls += 1;
        throw new Error("listener");
      },
    );

    expect(textOf(result)).toMatch(/^a\nb\n/);
    expect(calls).toBe(1);
  });
});

describe("parameters", () => {
  it("are refused with their place", async () => {
    expect((await thrown(scene().bash({ command: 7 }))).message).toMatch(/^Invalid bash parameters: `command` is /);
    expect((await thrown(scene().bash({ command: "true", head: 5 }))).message).toMatch(
      /^Invalid bash parameters: there is no field `head`/,
    );
  });

  it("have `async` where it is on, `pty` where there is a console, and the tool is strict and exclusive", () => {
    const off = createBashTool(scene().session);
    const person = createBashTool({ ...scene().session, pty: { run: () => Promise.reject(new Error("not used")) } });
    const on = createBashTool(scene({ "async.enabled": true }).session);

    expect(Object.keys(off.parameters.shape)).toEqual(["command", "description", "env", "timeout", "cwd"]);
    expect(Object.keys(person.parameters.shape)).toEqual([...Object.keys(off.parameters.shape), "pty"]);
    expect(Object.keys(on.parameters.shape)).toContain("async");
    expect(off).toMatchObject({ name: "bash", label: "Bash", strict: true, concurrency: "exclusive" });
  });

  it("with a command that cannot be one are refused in the words of the core", async () => {
    const error = await thrown(scene().bash({ command: "echo a\0b" }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/NUL/i);
  });
});

describe("the artifact of a session", () => {
  it("is where the session says", async () => {
    const place = scene();
    const path = join(place.folder, "mine.log");
    const tool = createBashTool({ ...place.session, allocateOutputArtifact: async () => ({ id: "mine", path }) });

    const result = await tool.execute("1", { command: "seq 1 20000" });

    expect(result.details?.meta?.truncation?.artifactId).toBe("mine");
    expect(textOf(result)).toContain("Full: artifact://mine]");
    expect(existsSync(path)).toBe(true);
  });

  it("costs nothing but itself when it cannot be had", async () => {
    const place = scene();
    const tool = createBashTool({
      ...place.session,
      allocateOutputArtifact: async () => {
        throw new Error("disk is full");
      },
    });

    const result = await tool.execute("1", { command: "seq 1 20000" });

    expect(result.isError).toBeUndefined();
    expect(result.details?.meta?.truncation).not.toHaveProperty("artifactId");
    expect(result.details?.meta?.artifactError).toBe("disk is full");
    expect(textOf(result)).toContain("Full output is not kept: disk is full]");
  });
});
