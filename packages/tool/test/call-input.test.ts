/**
 * What a call of the bash tool takes: environment, directory, deadline, abort (seeds 000 section 3, 001 "Inputs").
 */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { scene, textOf, thrown, until } from "./support/session.ts";

const WALL = String.raw`Wall time: \d+\.\d\d seconds`;

describe("the environment of a call", () => {
  it("holds its values as they are, never as shell text", async () => {
    const result = await scene().bash({ command: 'printf %s "$A"', env: { A: "$(echo x) `id` 'q'" } });

    expect(textOf(result)).toMatch(/^\$\(echo x\) `id` 'q'\n\n/);
  });

  it.each(["1A", "A-B", "", "A B", "Ä"])("refuses the name %j", async (name) => {
    const error = await thrown(scene().bash({ command: "true", env: { [name]: "x" } }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toBe(`Invalid bash env name: ${name}`);
  });

  it("refuses names that steer the shell or the loader, all of them in one error (SC-10)", async () => {
    const error = await thrown(scene().bash({ command: "true", env: { LD_PRELOAD: "x.so", BASH_ENV: "y", OK: "z" } }));

    expect(error.message).toContain("`LD_PRELOAD`, `BASH_ENV`");
    expect(error.message).not.toContain("`OK`");
  });
});

describe("the directory of a call", () => {
  it("is the session's, and a relative one is taken from there", async () => {
    const { bash, folder } = scene();
    mkdirSync(join(folder, "sub"));

    expect(textOf(await bash({ command: "pwd" }))).toMatch(new RegExp(`^${folder}\n\n`));
    expect(textOf(await bash({ command: "pwd", cwd: "sub" }))).toMatch(new RegExp(`^${folder}/sub\n\n`));
    expect(textOf(await bash({ command: "pwd" }))).toMatch(new RegExp(`^${folder}\n\n`));
  });

  it.each(["link", "link/", "./x/../link"])("keeps the name of a link: %s", async (cwd) => {
    const { bash, folder } = scene();
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));

    expect(textOf(await bash({ command: "pwd", cwd }))).toMatch(new RegExp(`^${folder}/link\n\n${WALL}$`));
    expect(textOf(await bash({ command: "pwd", cwd: `${folder}/${cwd}` }))).toMatch(
      new RegExp(`^${folder}/link\n\n${WALL}$`),
    );
  });

  it("may begin with `~`", async () => {
    const { bash, folder } = scene();

    expect(textOf(await bash({ command: "pwd", cwd: "~" }))).toMatch(new RegExp(`^${folder}/home\n\n`));
  });

  it("is refused where it is missing or no directory", async () => {
    const { bash, folder } = scene();
    writeFileSync(join(folder, "file"), "");

    expect((await thrown(bash({ command: "true", cwd: "gone" }))).message).toBe(
      `Working directory does not exist: ${folder}/gone`,
    );
    expect((await thrown(bash({ command: "true", cwd: "file" }))).message).toBe(
      `Working directory is not a directory: ${folder}/file`,
    );
    expect((await thrown(bash({ command: "true", cwd: "a\0b" }))).message).toMatch(/^Working directory cannot be used/);
  });

  it("is taken from a leading `cd`, unless one was given", async () => {
    const { bash, folder } = scene();
    mkdirSync(join(folder, "a b"));

    const taken = await bash({ command: "cd 'a b' && pwd" });
    expect(textOf(taken)).toMatch(new RegExp(`^${folder}/a b\n\n`));
    expect(taken.details?.applied).toEqual(["leading `cd a b` became the working directory"]);
    const given = await bash({ command: "cd 'a b' && pwd", cwd: folder });
    expect(textOf(given)).toMatch(new RegExp(`^${folder}/a b\n`));
    expect(given.details).not.toHaveProperty("applied");
    expect((await thrown(bash({ command: "cd nope && pwd" }))).message).toBe(
      `Working directory does not exist: ${folder}/nope`,
    );
  });

  it("stays in the command where taking the `cd` out could be noticed (MN-03)", async () => {
    const { bash } = scene();

    expect(textOf(await bash({ command: "cd nope 2>/dev/null && x; echo rc=$?" }))).toMatch(/^rc=1\n/);
    expect(textOf(await bash({ command: 'cd "$(echo /)" && pwd' }))).toMatch(/^\/\n/);
    expect(textOf(await bash({ command: "cd / && pwd" }))).toMatch(/^\/\n/);
  });

  it("knows where the command has left it", async () => {
    const { bash, folder } = scene();
    mkdirSync(join(folder, "sub"));

    const result = await bash({ command: "cd sub; true" });

    expect(result.details?.workingDir).toBe(`${folder}/sub`);
    expect(textOf(result)).toContain(`The command ended in ${folder}/sub; pass \`cwd\` to run the next one there.`);
  });
});

describe("the deadline of a call", () => {
  it("is clamped, with a notice and both numbers in the details", async () => {
    const long = await scene().bash({ command: "echo x", timeout: 9_999 });

    expect(textOf(long)).toMatch(
      new RegExp(`\n${WALL}\nTimeout clamped to 3600s \\(requested 9999s; allowed range 1-3600s\\)\\.$`),
    );
    expect(long.details).toMatchObject({ timeoutSeconds: 3_600, requestedTimeoutSeconds: 9_999 });
    const short = await scene().bash({ command: "echo x", timeout: 0 });
    expect(short.details).toMatchObject({ timeoutSeconds: 1, requestedTimeoutSeconds: 0 });
  });

  it("throws with the output up to then, and the session stays", async () => {
    const { bash } = scene();
    await bash({ command: "export KEPT=1" });

    const error = await thrown(bash({ command: "echo before; sleep 300", timeout: 2 }));

    expect(error).toBeInstanceOf(ToolError);
    expect(error.message).toMatch(/^\[Command timed out after 2 seconds\]\nbefore\n\n/);
    expect(error.details).toMatchObject({ timeoutSeconds: 2 });
    expect(textOf(await bash({ command: "echo $KEPT" }))).toMatch(/^1\n/);
  });
});

describe("an abort", () => {
  it("before the call runs nothing", async () => {
    const { bash, folder } = scene();

    const error = await thrown(bash({ command: "touch ran" }, { signal: AbortSignal.abort() }));

    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error).toMatchObject({ details: { stopped: "cancelled" } });
    expect(error.message).toBe("Command aborted");
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  it("throws an abort error with the output up to then", async () => {
    const { bash, folder } = scene();
    const controller = new AbortController();
    const call = thrown(bash({ command: "echo before; touch ran; sleep 300" }, { signal: controller.signal }));
    await until(() => existsSync(join(folder, "ran")), "the command runs");

    controller.abort();

    const error = await call;
    expect(error).toBeInstanceOf(ToolAbortError);
    expect(error.message).toMatch(/^\[Command cancelled\]\nbefore\n/);
  });

  it("by someone else than the caller is a failure", async () => {
    const { bash, folder, session } = scene();
    const call = thrown(bash({ command: "touch ran; sleep 300" }));
    await until(() => existsSync(join(folder, "ran")), "the command runs");

    await session.executor.dispose();

    expect(await call).toBeInstanceOf(ToolError);
  });
});
