/**
 * Large outputs of confined commands, and pipes whose reader ends early: what is kept and how the command ends is as
 * without. The session and its settings are the same for both; only the second has no policy, so that nothing is confined.
 */

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BashToolResult, SettingsInput } from "@pi-bash/contract";
import { capabilities } from "@pi-bash/natives";
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import type { BashToolSession } from "../../src/session.ts";
import { jobs, type Scene, scene, textOf } from "../support/session.ts";

// The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
const { available, reason } = capabilities().readOnly;

/** Lines of the file that commands read, and their bytes. */
const LINES = 300_000;
const BYTES = 1_988_895;

/** A folder with a large file, in a session whose pipelines end with the status of any stage that fails. */
async function place(settings: SettingsInput, ports: Partial<BashToolSession>): Promise<Scene> {
  const made = scene(settings, ports);
  writeFileSync(join(made.folder, "big"), Array.from({ length: LINES }, (_, at) => `${at + 1}\n`).join(""));
  await made.session.executor.executeBash("set -o pipefail", { sessionKey: "agent-1" });
  return made;
}

/** What a call came to, as far as both ways must agree: its status, what is shown, and all that was kept. */
async function outcome({ session }: Scene, { content, details, isError }: BashToolResult) {
  const { exitCode, artifactId, meta } = details ?? {};
  const { artifacts } = session.executor;
  const kept = artifactId === undefined ? undefined : await artifacts.read(artifactId);
  const shown = textOf({ content })
    .replaceAll(/artifact:\/\/\w+/g, "artifact://ID")
    .replaceAll(/spill file `[^`]*`/g, "spill file `PATH`")
    .replace(/Wall time: \S+ seconds/, "");
  return {
    ...{ isError, exitCode, shown },
    truncation: { ...meta?.truncation, artifactId: undefined },
    kept: kept === undefined ? undefined : createHash("sha256").update(kept.text).digest("hex"),
  };
}

/** Runs a call in both ways, and says how it was when confined. */
async function both(command: string, settings: SettingsInput = {}) {
  const held = await place({ "bash.stripTrailingHeadTail": false, ...settings }, { policy: createPolicy() });
  const free = await place({ "bash.stripTrailingHeadTail": false, ...settings }, {});
  const confined = await held.bash({ command, timeout: 40 });
  const plain = await free.bash({ command, timeout: 40 });
  expect(confined.details?.readOnly).toMatchObject({ enforced: true, refusals: [] });
  expect(plain.details).not.toHaveProperty("readOnly");
  expect(await outcome(held, confined)).toEqual(await outcome(free, plain));
  const { artifactId } = confined.details ?? {};
  const kept = artifactId === undefined ? undefined : (await held.session.executor.artifacts.read(artifactId)).text;
  return { confined, kept };
}

describe.skipIf(!available)(`a confined command${available ? "" : ` (skipped: ${reason})`}`, () => {
  it.each([
    ["one program", "cat big"],
    ["a pipeline", "cat big | grep -v x | cat"],
    ["both streams", "cat big; cat big missing"],
    ["a program of the kernel's list", `node -e 'process.stdout.write(fs.readFileSync("big"))'`],
    ["several, one after the other", "head -n 150000 big && tail -n 150000 big"],
  ])("has all of its large output in the artifact: %s", async (_, command) => {
    const { confined, kept } = await both(command);

    expect(confined.details?.meta?.truncation).toMatchObject({ direction: "tail" });
    expect(kept?.split("\n").length).toBeGreaterThan(LINES);
  });

  it("has the beginning of an output that is larger than a file may be, and says so", async () => {
    const { confined } = await both("cat big", { "artifacts.maxBytes": 1024 * 1024 });

    expect(textOf(confined)).toMatch(/Full output is not kept: spill file `[^`]*` has the first \d+ of 1988895 byte/);
  });

  it("beside another one keeps each output whole", async () => {
    const { bash, session } = await place({}, { policy: createPolicy() });

    const all = await Promise.all([1, 2, 3].map(() => bash({ command: "cat big" })));

    const kept = await Promise.all(
      all.map(({ details }) => session.executor.artifacts.read(details?.artifactId ?? "none")),
    );
    const [text] = kept.map((each) => each.text);
    expect(text?.split("\n").length).toBe(LINES + 1);
    expect(kept.every((each) => each.text === text)).toBe(true);
  });

  it("that is a background job has its output whole as well", async () => {
    const { bash, job, session } = await place(
      { "async.enabled": true },
      { policy: createPolicy(), asyncJobManager: await jobs() },
    );

    const begun = await bash({ command: "cat big", async: true });
    await job({ poll: [begun.details?.async?.jobId ?? ""] });

    const found = await session.executor.artifacts.list();
    const sizes = await Promise.all(
      found.map(async ({ id }) => (await session.executor.artifacts.read(id)).text.length),
    );
    expect(Math.max(...sizes)).toBe(BYTES);
  });
});

describe.skipIf(!available)(
  `a confined pipe whose reader ends early${available ? "" : ` (skipped: ${reason})`}`,
  () => {
    it.each([
      ["the producer has an end", "cat big | head -n 3", 141, undefined],
      ["the producer has none", "yes | head -n 5", 141, undefined],
      ["the reader is no `head`", "yes | grep -m 2 y", 141, undefined],
      ["the reader is a script", "cat big | sed 2q", 141, undefined],
      ["there are three stages", "yes | cat | head -n 1", 141, undefined],
      ["the producer is a loop", "while true; do echo y; done | head -n 2", 141, undefined],
      ["the reader reads nothing", "cat big | true", 141, undefined],
      ["the producer ignores it", "cat big | { head -n 1; cat > /dev/null; }", 0, undefined],
      ["what is read is large", "yes 12345678 | head -n 100000", 141, 100_000 * 9],
      [
        "what is read is large, and another one follows",
        "cat big | head -n 200000; cat big | tail -n 1",
        0,
        1_288_895 + `${LINES}\n`.length,
      ],
    ] as const)(
      "ends with the status it has unconfined, and the artifact is whole: %s",
      async (_, command, status, bytes) => {
        const { confined, kept } = await both(command);

        expect(confined.details?.exitCode ?? 0).toBe(status);
        expect(kept?.length).toBe(bytes);
      },
    );

    it("is not called a refusal, and its reader's words are what the model reads", async () => {
      const { confined } = await both("cat big | head -n 2");

      expect(textOf(confined)).toMatch(/^1\n2\n/);
      expect(textOf(confined)).not.toContain("Probably refused");
    });

    it("leaves no copy of what it read, which it could not write, and is as it was written", async () => {
      const { bash, session } = await place({}, { policy: createPolicy() });

      const result = await bash({ command: "cat big | head -n 2" });

      expect(result.details?.exitCode).toBe(141);
      expect(textOf(result)).toMatch(/^1\n2\n\n/);
      expect(await session.executor.artifacts.list()).toEqual([]);
    });
  },
);
