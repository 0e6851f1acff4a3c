/** Where a model reads a command back, nothing hides in it. */
import { sep } from "node:path";
import { describe, expect, it } from "vitest";
import { oneLine } from "../src/tasks/report.ts";
import { jobs, scene, textOf, thrown } from "./support/session.ts";

const HIDDEN = "\u202e\u3164\u{e0041}\u200b";
const WRITTEN = "\\u{202e}\\u{3164}\\u{e0041}\\u{200b}";

/** Nothing that is not seen is left. */
function expectShown(text: string): void {
  expect(text).toContain(WRITTEN);
  expect(text).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u);
}

describe("a command that a model reads back", () => {
  it("is shown in the refusal of a better tool", async () => {
    const { bash } = scene({ "bashInterceptor.enabled": true }, { toolNames: ["bash", "read"] });

    expectShown((await thrown(bash({ command: `cat file '${HIDDEN}'` }))).message);
  });

  it("is shown in the refusal of a policy", async () => {
    const { bash } = scene();

    const { message, details } = await thrown(bash({ command: `chmod -R 777 '${HIDDEN}'; cp a '/etc/${HIDDEN}'` }));

    expectShown(message);
    expectShown(details?.refusal?.display ?? "");
  });

  it("is shown as the name of a job and of a task", async () => {
    const { bash } = scene({ "async.enabled": true }, { asyncJobManager: await jobs() });

    expectShown(textOf(await bash({ command: `true '${HIDDEN}'`, async: true })));
    expectShown(oneLine(`sleep ${HIDDEN}`));
  });

  it.skipIf(sep === "\\")("is shown as the name of a process that stayed", async () => {
    const { bash } = scene();

    expectShown(textOf(await bash({ command: `sh -c 'sleep 60; : "$0"' '${HIDDEN}' > /dev/null 2>&1 &` })));
  });
});
