/** Tasks that only read: they are held and reported as calls of the bash tool, and ask with the same word. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities } from "@pi-bash/natives";
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { textOf } from "../support/session.ts";
import { taskScene } from "../support/tasks.ts";

// The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
const { available } = capabilities().readOnly;

const WRITES = "node -e 'fs.appendFileSync(`made`, `x`)'";

describe.runIf(available)("a task that only reads", () => {
  it("runs confined, and its answer says what it was refused", async () => {
    const { run, session } = await taskScene({}, { policy: createPolicy() });

    const refused = await run(WRITES);

    expect(textOf(refused)).toMatch(/This ran read-only, .*Probably refused: writing \(`made`\)/);
    expect(existsSync(join(session.cwd, "made"))).toBe(false);
  });

  it("with `unconfined` is asked about, and writes where it is approved", async () => {
    const asked: string[] = [];
    const { run, session } = await taskScene(
      {},
      {
        policy: createPolicy(),
        approve: async (_, { reasons }) => {
          asked.push(reasons[0]?.code ?? "");
          return { behavior: "allow" };
        },
      },
    );

    await run(WRITES, { unconfined: true });

    expect(asked).toEqual(["asks-to-write"]);
    expect(readFileSync(join(session.cwd, "made"), "utf8")).toBe("x");
  });

  it("with `readOnly.onRefusal` set to `ask` is asked about after its refusal, and runs once more", async () => {
    const asked: string[] = [];
    const { run, session } = await taskScene(
      { "readOnly.onRefusal": "ask" },
      {
        policy: createPolicy(),
        approve: async (_, { reasons }) => {
          asked.push(reasons[0]?.code ?? "");
          return { behavior: "allow" };
        },
      },
    );

    const answer = await run(WRITES);

    expect(asked).toEqual(["refused-read-only"]);
    expect(readFileSync(join(session.cwd, "made"), "utf8")).toBe("x");
    expect(textOf(answer)).toContain("It was approved, and ran again where it can write.");
  });
});
