/** `bash.directoryPersists`: which calls move the folder that lasts, and what is judged by it. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import type { BashToolSession } from "../src/session.ts";
import { createTaskTools } from "../src/tasks/task-tools.ts";
import { jobs, type Scene, scene, textOf, thrown } from "./support/session.ts";

const ON = { "bash.directoryPersists": true } as const;

/** A session whose `cd` lasts, with the folders `a/b` and `c`. */
function lasting(settings: object = {}, ports: Partial<BashToolSession> = {}) {
  const made = scene({ ...ON, ...settings }, ports);
  mkdirSync(join(made.folder, "a/b"), { recursive: true });
  mkdirSync(join(made.folder, "c"));
  return made;
}

async function place({ bash, folder }: Pick<Scene, "bash" | "folder">): Promise<string> {
  const [first = ""] = textOf(await bash({ command: "pwd" })).split("\n");
  return first === folder ? "." : first.slice(folder.length + 1);
}

describe("a `cd` that lasts", () => {
  it("is where the next call starts, and is reported once", async () => {
    const at = lasting();

    const moved = await at.bash({ command: "cd a && ls" });
    const there = await at.bash({ command: "pwd" });
    const on = await at.bash({ command: "cd b; true" });

    expect(textOf(moved)).toContain(`\nNow in ${at.folder}/a.\n`);
    expect(textOf(there)).toMatch(new RegExp(`^${at.folder}/a\n`));
    expect(textOf(there)).not.toContain("Now in");
    expect(textOf(on)).toContain(`\nNow in ${at.folder}/a/b.\n`);
    expect(await place(at)).toBe("a/b");
  });

  it("lasts also where its command failed, and not where the settings say nothing", async () => {
    const at = lasting();
    const plain = scene();
    mkdirSync(join(plain.folder, "a"));

    await at.bash({ command: "cd a; false" });
    const left = await plain.bash({ command: "cd a; true" });

    expect(await place(at)).toBe("a");
    expect(await place(plain)).toBe(".");
    expect(textOf(left)).toContain(`The command ended in ${plain.folder}/a; pass \`cwd\``);
  });

  it("is not that of a call with a folder of its own, which is relative to the workspace", async () => {
    const at = lasting();
    await at.bash({ command: "cd a; true" });

    const own = await at.bash({ command: "pwd; cd /; true", cwd: "c" });

    expect(textOf(own)).toMatch(new RegExp(`^${at.folder}/c\n`));
    expect(textOf(own)).toContain("The command ended in /;");
    expect(await place(at)).toBe("a");
  });

  it("is not that of a background job, which starts there", async () => {
    const manager = await jobs();
    const at = lasting({ "async.enabled": true }, { asyncJobManager: manager });
    await at.bash({ command: "cd a; true" });

    const { details } = await at.bash({ command: "pwd; cd b; true", async: true });
    const { content } = await at.job({ poll: [details?.async?.jobId] });

    expect(textOf({ content })).toContain(`${at.folder}/a\n`);
    expect(await place(at)).toBe("a");
  });

  it("lasts where its command was ended by its deadline and the shell lives", async () => {
    const at = lasting();

    const error = await thrown(at.bash({ command: "cd a; sleep 300", timeout: 1 }));

    expect(error.message).toContain("timed out after 1 second");
    expect(await place(at)).toBe(error.details?.sessionReset === true ? "." : "a");
  });

  it("stays where the shell was replaced", async () => {
    const at = lasting();
    await at.bash({ command: "cd a; true" });

    const killed = await at.bash({ command: "cd b; kill -KILL $$" });

    expect(killed.details?.sessionReset).toBe(true);
    expect(await place(at)).toBe("a");
  });

  it("is taken in turn by calls that come at once", async () => {
    const at = lasting();

    const [, second] = await Promise.all([at.bash({ command: "cd a; true" }), at.bash({ command: "cd b && pwd" })]);

    expect(textOf(second)).toMatch(new RegExp(`^${at.folder}/a/b\n`));
  });

  it("releases a call that is aborted while it waits for its turn", async () => {
    const at = lasting();
    const [first, second] = [new AbortController(), new AbortController()];
    const running = thrown(at.bash({ command: "sleep 300" }, { signal: first.signal }));
    const waiting = thrown(at.bash({ command: "cd a; true" }, { signal: second.signal }));

    second.abort();
    expect((await waiting).message).toBe("Command aborted");
    first.abort();
    await running;

    expect(await place(at)).toBe(".");
  });

  it("whose folder is gone is an error once, and calls start in the workspace again", async () => {
    const at = lasting();
    await at.bash({ command: "cd a/b; true" });
    rmSync(join(at.folder, "a"), { recursive: true });

    const own = await at.bash({ command: "pwd", cwd: "c" });
    const error = await thrown(at.bash({ command: "touch made" }));

    expect(textOf(own)).toContain(`${at.folder}/c`);
    expect(error.message).toBe(
      `The folder of the last \`cd\` is gone: ${at.folder}/a/b. The command did not run; the next one starts in ${at.folder}.`,
    );
    expect(await place(at)).toBe(".");
  });

  it("is forgotten with the session's shell", async () => {
    const at = lasting();
    await at.bash({ command: "cd a; true" });

    await at.session.executor.closeSession("agent-1");

    expect(await place(at)).toBe(".");
  });

  it("is that of a task in the foreground, and a task's is that of the calls", async () => {
    const manager = await jobs();
    const at = lasting({}, { asyncJobManager: manager });
    const { task } = createTaskTools(at.session);
    const params = { kind: "bash", timeout_secs: 60, display_name: "x" };
    await at.bash({ command: "cd a; true" });

    const { content } = await task.execute("t", { ...params, script: "pwd; cd b; true" });

    expect(textOf({ content })).toMatch(new RegExp(`^${at.folder}/a\n`));
    expect(textOf({ content })).toContain(`Now in ${at.folder}/a/b.`);
    expect(await place(at)).toBe("a/b");
  });
});

describe("the policy", () => {
  it("judges a call by the lasting folder: a relative name is the file there", async () => {
    const at = lasting();
    const policy = createPolicy({ allow: ["Bash"], deny: [`Write(${at.folder}/a/kept)`] });
    Object.assign(at.session, { policy });
    await at.bash({ command: "cd c" });

    const elsewhere = await at.bash({ command: "echo x > kept" });
    await at.bash({ command: "cd ../a" });
    const error = await thrown(at.bash({ command: "echo x > kept" }));

    expect(elsewhere.isError).toBeUndefined();
    expect(error.details?.refusal?.by).toBe("policy");
    expect(existsSync(join(at.folder, "a/kept"))).toBe(false);
  });

  it("takes the workspace for the root: what is allowed in it is not allowed behind a `cd` out of it", async () => {
    const outside = scene().folder;
    const at = lasting({}, { policy: createPolicy({ allow: ["Bash(touch **)"] }) });

    await at.bash({ command: "cd a" });
    const inside = await at.bash({ command: "touch made" });
    await at.bash({ command: `cd ${outside}` });
    const error = await thrown(at.bash({ command: "touch made" }));

    expect(inside.isError).toBeUndefined();
    expect(error.details?.refusal?.by).toBe("policy");
    expect(existsSync(join(outside, "made"))).toBe(false);
  });
});
