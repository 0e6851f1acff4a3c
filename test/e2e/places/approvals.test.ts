/** What a person is asked, and for which place: through the tool, on two places of which each has commands of its own. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { createExecutor } from "@pi-bash/executor";
import { command } from "@pi-bash/places";
import { type Approval, createPolicy } from "@pi-bash/policy";
import { type BashTool, createBashTool, ToolError } from "@pi-bash/tool";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { absenceOfPlace, startPlaces, type TestPlaces } from "../../support/places.ts";
import { scratchFolder } from "../../support/scratch.ts";

const absence = absenceOfPlace("command");
const title = absence === undefined ? "" : ` (skipped: ${absence})`;

describe.skipIf(absence !== undefined)(`approvals of two places${title}`, { timeout: 60_000 }, () => {
  let places: TestPlaces;

  beforeAll(async () => {
    places = await startPlaces("command");
  });

  afterAll(() => places?.stop());

  /** A tool for each of two places, of one executor, and what a person is asked; `answer` is what they say. */
  async function open(answer: (place: string | undefined, rule: string) => Approval) {
    const asked: (string | undefined)[] = [];
    const [a, b] = ["a", "b"].map((name) => command(["env"], { ...places.common, name: `box:${name}` }));
    if (a === undefined || b === undefined) throw new Error("there are two places");
    const executor = createExecutor({}, { placement: (key) => (key === "a" ? a : b), usesSnapshot: false });
    onTestFinished(async () => {
      await executor.dispose();
      await Promise.all([a.close(), b.close()]);
    });
    const policy = createPolicy({
      approve: async ({ place }, verdict) => {
        asked.push(place);
        return answer(place, verdict.suggestedRules[0] ?? "");
      },
    });
    const toolOf = async (key: string): Promise<BashTool> => {
      const place = await executor.placeOf(key);
      return createBashTool({ cwd: "/", executor, place, policy, getSessionId: () => key });
    };
    return { asked, onA: await toolOf("a"), onB: await toolOf("b") };
  }

  it("that are remembered count on their place and on no other", async () => {
    const folder = scratchFolder();
    const { asked, onA, onB } = await open((_, remember) => ({ behavior: "allow", remember }));
    const touch = async (tool: BashTool, name: string): Promise<void> => {
      await tool.execute(name, { command: `touch ${join(folder, "made")}` });
    };
    await touch(onA, "1");
    await touch(onA, "2");
    expect(asked).toEqual(["box:a"]);
    await touch(onB, "3");
    await touch(onB, "4");
    await touch(onA, "5");
    expect(asked).toEqual(["box:a", "box:b"]);
    expect(existsSync(join(folder, "made"))).toBe(true);
  });

  it("that are refused on one place keep its commands from running, and those of the other run", async () => {
    const folder = scratchFolder();
    const { onA, onB } = await open((place) => ({ behavior: place === "box:a" ? "deny" : "allow" }));
    const make = (tool: BashTool, name: string) =>
      tool.execute(name, { command: `mkdir ${join(folder, name)}` }).catch((error: unknown) => error);
    expect(await make(onA, "of-a")).toBeInstanceOf(ToolError);
    expect(await make(onB, "of-b")).not.toBeInstanceOf(Error);
    expect([existsSync(join(folder, "of-a")), existsSync(join(folder, "of-b"))]).toEqual([false, true]);
  });
});
