/** Where a model reads a command back, or what a command printed, nothing hides in it. */
import { sep } from "node:path";
import { describe, expect, it } from "vitest";
import { fenced, oneLine } from "../src/tasks/report.ts";
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

describe("output that a model reads", () => {
  const print = (text: string) =>
    `printf '%b' '${[...Buffer.from(text)].map((byte) => `\\0${byte.toString(8)}`).join("")}'`;

  it("has what hides or reorders it written out", async () => {
    const { bash } = scene();

    const text = textOf(await bash({ command: print(`safe${HIDDEN}gnp.exe`) }));

    expectShown(text);
    expect(text).toMatch(/^safe\\u\{202e\}/);
  });

  it("keeps what scripts and emoji need, and blanks", async () => {
    const { bash } = scene();
    const honest = "✔️ 👩‍👩‍👧 क्‍ष می‌خواهم 1️⃣ a\u00a0b";

    expect(textOf(await bash({ command: print(honest) }))).toContain(honest);
  });

  it("stays within its bound, however much of it is hidden", async () => {
    const { bash } = scene();

    const text = textOf(
      await bash({ command: `${print("\u200ba")} > f; for i in {1..14}; do cat f f > g; mv g f; done; cat f; false` }),
    );

    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    expect(text).toMatch(/\nCommand exited with code 1$/);
  });

  it("is written out in the results of jobs and tasks as well", async () => {
    expectShown(fenced(`x${HIDDEN}`));

    const { bash, job } = scene({ "async.enabled": true }, { asyncJobManager: await jobs() });
    await bash({ command: print(`late${HIDDEN}`), async: true });
    expectShown(textOf(await job({ poll: ["bg_1"] })));
  });
});
