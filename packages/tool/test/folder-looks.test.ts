/** When a call looks at its folder: where something takes time, or another program runs the command, and never otherwise. */
import { createHook } from "node:async_hooks";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput } from "@pi-bash/contract";
import { createPolicy, type Policy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { jobs, scene, textOf, thrown } from "./support/session.ts";

const MOVED = "The working directory changed after the call was checked; try again.";

/** Puts another folder in the place of `work`. */
function exchange(folder: string): void {
  renameSync(join(folder, "work"), join(folder, "moved"));
  mkdirSync(join(folder, "work"));
}

/** A bash that counts how often it is started. */
function countingShell(): { shell: string; starts: () => number } {
  const folder = scratchFolder();
  const log = join(folder, "starts");
  const shell = join(folder, "bash");
  writeFileSync(log, "");
  writeFileSync(shell, `#!/bin/sh\necho started >> '${log}'\nexec bash "$@"\n`, { mode: 0o755 });
  return { shell, starts: () => readFileSync(log, "utf8").split("\n").length - 1 };
}

/** Requests to the file system by promises, while `work` is under way. */
async function requestsDuring(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const hook = createHook({
    init(_id, type) {
      if (type === "FSREQPROMISE") count += 1;
    },
  }).enable();
  try {
    await work();
  } finally {
    hook.disable();
  }
  return count;
}

describe("a call", () => {
  it.each([
    ["without a policy", undefined],
    ["with a policy", createPolicy()],
  ])("asks the file system nothing where nothing takes time, %s", async (_, policy) => {
    const { bash } = scene({}, { policy });
    await bash({ command: "echo first" });

    expect(await requestsDuring(() => bash({ command: "echo second" }))).toBe(0);
  });

  it("looks at its folder before a question and after the answer", async () => {
    const approve = async () => ({ behavior: "allow" as const });
    const { bash } = scene({}, { policy: createPolicy(), approve });
    await bash({ command: "echo first" });

    expect(await requestsDuring(() => bash({ command: "x=1" }))).toBeGreaterThanOrEqual(4);
  });

  it.skipIf(process.platform === "win32")(
    "starts no shell where its folder is missing, beside another session either",
    async () => {
      const { shell, starts } = countingShell();
      const made = scene({ shellPath: shell });
      const missing = `Working directory does not exist: ${made.folder}/gone`;

      expect((await thrown(made.bash({ command: "true", cwd: "gone" }))).message).toBe(missing);
      expect(starts()).toBe(0);
      await made.bash({ command: "true" });
      expect(starts()).toBeGreaterThan(0);
      Object.assign(made.session, { getSessionId: () => "agent-2" });

      expect((await thrown(made.bash({ command: "true", cwd: "gone" }))).message).toBe(missing);
      // A shell is started for a session, and there is none beside the first one.
      expect(made.session.executor.stats().sessions).toBe(1);
    },
  );

  it.each([
    ["in the foreground", {}],
    ["that may become a job", { "bash.autoBackground.enabled": true, "bash.autoBackground.thresholdMs": 5_000 }],
  ])("%s reads the same of a folder that cannot be used once its shell stands", async (_, settings) => {
    const { bash, folder } = scene(settings, { asyncJobManager: await jobs() });
    mkdirSync(join(folder, "work"));
    writeFileSync(join(folder, "file"), "");
    await bash({ command: "cd work" });

    const texts = ["gone", "file", "file/below", "a\0b"].map(
      async (cwd) => (await thrown(bash({ command: "true", cwd }))).message,
    );

    expect(await Promise.all(texts)).toEqual([
      `Working directory does not exist: ${folder}/gone`,
      `Working directory is not a directory: ${folder}/file`,
      `Working directory does not exist: ${folder}/file/below`,
      `Working directory cannot be used: ${folder}/a\0b (ERR_INVALID_ARG_VALUE)`,
    ]);
    expect(textOf(await bash({ command: "echo on" }))).toMatch(/^on\n/);
  });

  it("is refused where the folder it ran in before is gone", async () => {
    const { bash, folder } = scene();
    mkdirSync(join(folder, "work"));
    await bash({ command: "true", cwd: "work" });
    rmSync(join(folder, "work"), { recursive: true });

    const { message } = await thrown(bash({ command: "true", cwd: "work" }));

    expect(message).toBe(`Working directory does not exist: ${folder}/work`);
  });

  it("makes no folder of an internal URL where its own folder is missing", async () => {
    const made = scene();
    const root = join(made.folder, "local");
    Object.assign(made.session, { internalUrls: { localRoot: root } });
    await made.bash({ command: "true" });

    const { message } = await thrown(made.bash({ command: "echo x > local://a/b", cwd: "gone" }));

    expect(message).toBe(`Working directory does not exist: ${made.folder}/gone`);
    expect(existsSync(join(root, "a"))).toBe(false);
  });
});

describe("a folder that is exchanged", () => {
  /** A session whose shell stands, with `work` in its folder. */
  async function standing(
    policyOf: (folder: string) => Pick<Policy, "authorize" | "observe">,
    settings: SettingsInput = {},
  ) {
    const made = scene(settings);
    mkdirSync(join(made.folder, "work"));
    await made.bash({ command: "true" });
    Object.assign(made.session, { policy: policyOf(made.folder) });
    return made;
  }

  it("while git is looked at is not run in", async () => {
    const policyOf = (folder: string): Policy =>
      createPolicy({
        inspectGit: async () => {
          exchange(folder);
          return [];
        },
      });
    // Where the kernel holds the call, git's configuration is not looked at.
    const { bash } = await standing(policyOf, { "readOnly.enforce": "off" });

    expect((await thrown(bash({ command: "git --version", cwd: "work" }))).message).toBe(MOVED);
  });

  it("while a host's own policy takes its time is not run in", async () => {
    const ours = createPolicy();
    const { bash } = await standing((folder) => ({
      observe: ours.observe,
      authorize: async (request, options) => {
        exchange(folder);
        return ours.authorize(request, options);
      },
    }));

    expect((await thrown(bash({ command: "echo x", cwd: "work" }))).message).toBe(MOVED);
  });

  it("while a copy of our policy takes its time is not run in", async () => {
    const { bash } = await standing((folder) => {
      const ours = createPolicy();
      return {
        ...ours,
        authorize: async (request) => {
          exchange(folder);
          return ours.authorize(request);
        },
      };
    });

    expect((await thrown(bash({ command: "echo x", cwd: "work" }))).message).toBe(MOVED);
  });

  it("while the policy's own way to ask takes its time is not run in", async () => {
    const { bash } = await standing((folder) =>
      createPolicy({
        approve: async () => {
          exchange(folder);
          return { behavior: "allow" };
        },
      }),
    );

    expect((await thrown(bash({ command: "touch made", cwd: "work" }))).message).toBe(MOVED);
  });
});
