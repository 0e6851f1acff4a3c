/** Answers of the job tool that no one expects: of other versions, and made to break the screen. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { type JobAnswer, renderJobCall } from "../src/jobs/job-call.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { withoutGutter } from "./gutter.ts";
import { hostileText } from "./hostile-text.ts";
import { expectFitting } from "./rows-fit.ts";

/** More than any machine of ours needs to draw a megabyte; a pattern that goes back and forth takes minutes. */
const PATIENCE_MS = 20_000;

function answer(jobs: unknown, missingIds?: readonly string[]): JobAnswer {
  return { content: [{ type: "text", text: "what\nit says" }], details: { jobs, missingIds } };
}

function job(fields: object): object {
  return { id: "bg_1", type: "bash", state: "running", label: "x", startedAtMs: 0, elapsedMs: 1, ...fields };
}

describe("any answer of the job tool", () => {
  it.each([
    [undefined],
    [{ jobs: "no" }],
    [{ jobs: [{ id: "bg_1" }] }],
    [{ jobs: [job({ state: "new" })] }],
    [{ jobs: [], missingIds: [7] }],
  ])("whose details are not understood is shown as the model reads it: %j", (details) => {
    const rows = withoutGutter(
      renderJobCall({ args: {} }, { ...answer([]), details }, { width: 80, theme: PLAIN_THEME }),
    );

    expect(rows).toEqual(["✓ job list", "what", "it says"]);
  });

  it("fits any width from 1 to 200, and no control character is in it", () => {
    const random = seededRandom(13);
    const text = () => hostileText(random, 6);
    for (let round = 0; round < 300; round += 1) {
      const width = 1 + Math.floor(random() * 200);
      const job = (state: string, more: object = {}) => ({
        id: text(),
        type: "bash",
        state,
        label: text(),
        title: text(),
        startedAtMs: 0,
        elapsedMs: random() * 1e8,
        output: hostileText(random),
        artifactId: text(),
        note: text(),
        survivors: [{ pid: 1, command: text(), startedAtMs: 0 }],
        ...more,
      });
      const jobs = [job("running"), job("completed", { endedAtMs: 1 }), job("failed", { signal: text() })];
      const args = { poll: [text(), text()], cancel: [text()], list: true };
      const call = random() < 0.5 ? { args } : { argsText: JSON.stringify(args).slice(0, 40) };
      const options = { width, expanded: random() < 0.5 };
      const rows = renderJobCall(call, { ...answer(jobs, [text()]), isPartial: random() < 0.5 }, options);
      expectFitting(rows, width, `round ${round}`);
    }
  });

  it("cannot have a command, a name or an output that looks like something else", () => {
    const jobs = [
      job({ label: "echo safe\rrm -rf x", title: "a\x1b[2Jb\u202ec", output: "one\rtwo\x1b]52;c;aGk=\x07\n" }),
    ];
    const options = { width: 80, theme: PLAIN_THEME, expanded: true };

    expect(withoutGutter(renderJobCall({ args: {} }, answer(jobs), options)).slice(1)).toEqual([
      "▸ bg_1 ab\\u{202e}c · running · 0.00s $ echo safe\\u{d}rm -rf x",
      "│ two",
    ]);
  });

  it.each([
    ["one line", "x".repeat(1 << 20)],
    ["one line of wide characters", "漢".repeat(1 << 20)],
    ["lines", "a b\n".repeat(1 << 18)],
    ["escape sequences", "\x1b[31mab\x1b[0m\u202e".repeat(1 << 16)],
  ])("with a megabyte in each of its texts is a few rows: %s", (_, text) => {
    const hostile = { id: text, label: text, title: text, output: text, note: text, signal: text, state: "failed" };
    const started = performance.now();

    const rows = renderJobCall(
      { args: { poll: [text] } },
      { ...answer([job(hostile), job({ label: text, output: text })], [text]), isPartial: true },
      { width: 80, theme: PLAIN_THEME },
    );

    expect(rows.length).toBeLessThan(40);
    expect(performance.now() - started).toBeLessThan(PATIENCE_MS);
  });
});
