/** Calls of the job tool and their answers, as a person sees them: real jobs by the real tools. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { JobCallComponent } from "../src/call-component.ts";
import { type JobAnswer, type JobCallView, jobCallState, renderJobCall } from "../src/jobs/job-call.ts";
import { DEFAULT_THEME, PLAIN_THEME } from "../src/theme.ts";
import { withoutGutter } from "./gutter.ts";
import { type RealTools, realTools } from "./real-tools.ts";

/** Goes on until the test makes the file `go`. */
const WAITS = "echo begun; until [ -e go ]; do sleep 0.02; done; echo ended";

/** Rows without what differs from run to run. */
function draw(
  args: object,
  answer?: JobAnswer,
  options: { width?: number; expanded?: boolean; rows?: number } = {},
): string[] {
  const rows = withoutGutter(
    renderJobCall({ args: { ...args } }, answer, { width: 100, theme: PLAIN_THEME, ...options }),
  );
  return rows.map((row) => row.replaceAll(/\d+\.\d\ds\b/g, "TIME").replaceAll(/artifact:\/\/\w+/g, "artifact://N"));
}

/** Starts a command in the background. */
async function start({ call }: RealTools, command: string, timeout = 60): Promise<void> {
  const { details } = await call("bash", { command, async: true, timeout });
  expect(details?.async?.state).toBe("running");
}

function job(fields: object = {}): object {
  return { id: "bg_1", type: "bash", state: "running", label: "npm test", startedAtMs: 0, elapsedMs: 1_500, ...fields };
}

function answered(jobs: readonly object[], more: object = {}): JobAnswer {
  return { content: [{ type: "text", text: "for the model" }], details: { jobs, ...more } };
}

describe("a call of the job tool", () => {
  it("says what it asks for, while its arguments are written and when they are there", () => {
    const partial = (argsText: string) => renderJobCall({ argsText }, undefined, { width: 80, theme: PLAIN_THEME });

    expect(partial("")).toEqual(["· job …"]);
    expect(partial('{"poll":["bg_1","bg_')).toEqual(["· job poll bg_1, bg_"]);
    expect(draw({})).toEqual(["▸ job list"]);
    expect(draw({ poll: ["bg_1", "bg_2"], cancel: ["bg_3"], list: true })).toEqual([
      "▸ job cancel bg_3; poll bg_1, bg_2; list",
    ]);
    expect(draw({ poll: Array.from({ length: 11 }, (_, index) => `bg_${index}`) })[0]).toMatch(/ bg_7 and 3 more$/);
    expect(draw({ poll: "bg_1", cancel: [7, {}], list: "yes" })).toEqual(["▸ job list"]);
  });

  it("that could not be followed, or was ended by the person, is distinguished", async () => {
    const { call } = await realTools();
    const refused = await call("job", { poll: "bg_1" });

    expect(draw({ poll: "bg_1" }, refused)[0]).toBe("✗ job list");
    expect(draw({ poll: "bg_1" }, refused)[1]).toMatch(/^Invalid job parameters: `poll` is /);
    const aborted = { content: refused.content, details: { stopped: "cancelled" }, isError: true };
    expect(jobCallState({ args: {} }, aborted)).toBe("cancelled");
    expect(draw({ poll: ["bg_1"] }, aborted)[0]).toBe("■ job poll bg_1");
  });
});

describe("the list of jobs", () => {
  it("has a row for each, with its state, its time and its command", async () => {
    const tools = await realTools();
    const { call } = tools;
    expect(draw({}, await call("job", {}))).toEqual(["✓ job list", "No background jobs."]);
    await start(tools, WAITS);
    await call("task", {
      kind: "bash",
      script: "sleep 60",
      timeout_secs: 90,
      run_in_background: true,
      display_name: "server",
    });

    const listed = await call("job", { list: true });

    expect(draw({ list: true }, listed)).toEqual([
      "✓ job list",
      `▸ bg_1 · running · TIME $ ${WAITS}`,
      "▸ bg_2 server · running · TIME $ sleep 60",
    ]);
    expect(draw({ list: true }, listed, { width: 40 })[1]).toMatch(/^▸ bg_1 · running · TIME \$ echo.*…$/);
  });

  it("counts the jobs that have no room", () => {
    const jobs = Array.from({ length: 13 }, (_, index) => job({ id: `bg_${index}` }));

    const rows = draw({}, answered(jobs, { missingIds: ["x"] }));

    expect(rows).toHaveLength(12);
    expect(rows.at(-1)).toBe("… 4 more jobs (ctrl+o to expand)");
    expect(draw({}, answered(jobs, { missingIds: ["x"] }), { expanded: true })).toHaveLength(15);
  });
});

describe("waiting for jobs", () => {
  it("shows how each stands and its newest line, and how long it takes while it says nothing", async () => {
    const tools = await realTools();
    await start(tools, WAITS);
    const seen: string[][] = [];
    const times = new Set<string>();
    const args = { poll: ["bg_1"] };

    const answer = await tools.call("job", args, (update) => {
      seen.push(draw(args, update));
      times.add(renderJobCall({ args }, update, { width: 100, theme: PLAIN_THEME })[1] ?? "");
      if (times.size > 2) writeFileSync(join(tools.cwd, "go"), "");
    });

    expect(seen.at(-1)).toEqual([
      "▸ job poll bg_1",
      `▸ bg_1 · running · TIME $ ${WAITS}`,
      "│ begun",
      "… output of a job (ctrl+o to expand)",
    ]);
    expect(draw(args, answer)).toEqual([
      "✓ job poll bg_1",
      `✓ bg_1 · done · TIME $ ${WAITS}`,
      "… output of a job (ctrl+o to expand)",
    ]);
    expect(draw(args, answer, { expanded: true })).toEqual([
      "✓ job poll bg_1",
      `✓ bg_1 · done · TIME $ ${WAITS}`,
      "│ begun",
      "│ ended",
      "  Whole output: artifact://N",
    ]);
  });

  it("tells an exit status, a signal, a deadline and a job that no one knows apart", async () => {
    const tools = await realTools();
    await start(tools, "echo two; exit 2");
    await start(tools, "echo late; sleep 60", 1);
    await start(tools, "kill -KILL $$");
    const poll = ["bg_1", "bg_2", "bg_3", "bg_9"];
    for (const id of poll) await tools.call("job", { poll: [id] });

    const answer = await tools.call("job", { poll });

    const taken = "Its result was taken before.";
    expect(draw({ poll }, answer)).toEqual([
      "✓ job poll bg_1, bg_2, bg_3, bg_9",
      "✗ bg_1 · exit 2 · TIME $ echo two; exit 2",
      `  ${taken}`,
      "◷ bg_2 · timed out · TIME $ echo late; sleep 60",
      `  ${taken}`,
      "✗ bg_3 · killed by SIGKILL · TIME $ kill -KILL $$",
      `  ${taken}`,
      "⊘ bg_9 · not found, or no longer kept",
    ]);
    const unknown = await tools.call("job", { poll: ["bg_9"] });
    expect(draw({ poll: ["bg_9"] }, unknown)).toEqual(["✗ job poll bg_9", "⊘ bg_9 · not found, or no longer kept"]);
  });

  it("shows what a job left running", async () => {
    const tools = await realTools();
    await start(tools, "sleep 60 & echo started");

    const rows = draw({ poll: ["bg_1"] }, await tools.call("job", { poll: ["bg_1"] }));

    expect(rows[1]).toBe("✓ bg_1 · done · TIME $ sleep 60 & echo started");
    expect(rows[2]).toMatch(/^ {2}! Still running: \d+ /);
  });
});

describe("ending jobs", () => {
  it("says what is ended, and what had ended before", async () => {
    const tools = await realTools();
    await start(tools, "sleep 300");
    await start(tools, "true");
    await tools.call("job", { poll: ["bg_2"] });
    const args = { cancel: ["bg_1", "bg_2"] };

    const rows = draw(args, await tools.call("job", args));

    expect(rows).toEqual([
      "✓ job cancel bg_1, bg_2",
      expect.stringMatching(/^■ bg_1 · (?:being ended|cancelled) · TIME \$ sleep 300$/),
      "✓ bg_2 · done · TIME $ true",
      "  Background job bg_2 is already completed.",
    ]);
  });
});

describe("a row of a job", () => {
  it.each([
    [{ state: "cancelled", endedAtMs: 9 }, "■ bg_1 · cancelled · TIME $ npm test"],
    [{ state: "cancelled" }, "■ bg_1 · being ended · TIME $ npm test"],
    [{ state: "failed", endedAtMs: 9 }, "✗ bg_1 · failed · TIME $ npm test"],
    [{ state: "failed", endedAtMs: 9, isLost: true }, "⊘ bg_1 · lost with its host · TIME $ npm test"],
    [{ title: "unit\ntests", label: "漢字かな" }, "▸ bg_1 unit tests · running · TIME $ 漢字かな"],
    [{ elapsedMs: 125_000 }, "▸ bg_1 · running · 2m 05s $ npm test"],
  ])("says how it stands: %j", (fields, row) => {
    expect(draw({}, answered([job(fields)]))[1]).toBe(row);
  });

  it("cuts the command before anything else, and on a narrow terminal nothing of the facts", () => {
    const answer = answered([job({ label: "npm run 漢字漢字漢字漢字", exitCode: 2, state: "failed", endedAtMs: 1 })]);
    const at = (width: number) =>
      withoutGutter(renderJobCall({ args: {} }, answer, { width, theme: PLAIN_THEME })).slice(1);

    expect(at(47)).toEqual(["✗ bg_1 · exit 2 · 1.50s $ npm run 漢字漢字…"]);
    expect(at(46)).toEqual(["✗ bg_1 · exit 2 · 1.50s $ npm run 漢字漢…"]);
    expect(at(20)).toEqual(["✗ bg_1 · exit 2", "· 1.50s"]);
  });

  it("has its colours, and leaves none on", () => {
    const [, row = ""] = renderJobCall({ args: {} }, answered([job()]), { width: 80, theme: DEFAULT_THEME });

    const plain = "\x1b[0m";
    expect(row).toBe(
      `\x1b[2m    ${plain}\x1b[36m▸ ${plain}\x1b[36;1mbg_1${plain}\x1b[2m · running · 1.50s $ ${plain}\x1b[1mnpm${plain} test`,
    );
  });
});

describe("a component of a job call", () => {
  it("is drawn once for as long as nothing changes", () => {
    const view: JobCallView = { args: { poll: ["bg_1"] } };
    const component = new JobCallComponent(view, { theme: PLAIN_THEME });
    component.setAnswer({ ...answered([job()]), isPartial: true });

    const first = component.render(80);
    expect(component.render(80)).toBe(first);
    component.setAnswer(answered([job({ state: "completed", endedAtMs: 1 })]));
    expect(component.render(80)).toEqual(["✓ job poll bg_1", "    ✓ bg_1 · done · 1.50s $ npm test"]);
    expect(component.render(60)).not.toBe(component.render(80));
  });
});
