/** Calls of the task tools and their answers, as a person sees them: real commands by the real tools. */
import { describe, expect, it } from "vitest";
import { renderTaskCall, type TaskAnswer, type TaskCallView } from "../src/tasks/task-call.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { withoutGutter } from "./gutter.ts";
import { realTools } from "./real-tools.ts";

/** Rows without what differs from run to run. */
function draw(
  call: TaskCallView,
  answer?: TaskAnswer,
  options: { width?: number; expanded?: boolean; rows?: number } = {},
): string[] {
  const rows = withoutGutter(renderTaskCall(call, answer, { width: 100, theme: PLAIN_THEME, ...options }));
  return rows.map((row) => row.replaceAll(/\d+\.\d\ds\b/g, "TIME").replaceAll(/\bbg_\w+/g, "bg_N"));
}

function answer(details: unknown, text = "", isError = false): TaskAnswer {
  return { content: [{ type: "text", text }], details, isError };
}

function idOf({ details }: TaskAnswer): string {
  return String(Reflect.get(details as object, "taskId"));
}

const background = { kind: "bash", timeout_secs: 60, run_in_background: true };

describe("a command as a task", () => {
  it("has its name, its script, its output and its exit status", async () => {
    const { call } = await realTools();
    const args = { kind: "bash", script: "echo one\necho two; (exit 3)", timeout_secs: 30, display_name: "numbers" };

    expect(draw({ tool: "task", args }, await call("task", args))).toEqual([
      "✗ task numbers $ echo one",
      "  > echo two; (exit 3)",
      "one",
      "two",
      expect.stringMatching(/^Wall time: \d+\.\d\d seconds$/),
      "exit 3",
    ]);
  });

  it("that goes on says where, with what it wrote so far", async () => {
    const { call } = await realTools();
    const args = { ...background, script: "sleep 60", display_name: "a server" };
    const started = await call("task", args);

    expect(draw({ tool: "task", args }, started)).toEqual(["↗ task a server $ sleep 60", "goes on as bash:bg_N"]);
    expect(
      draw(
        { tool: "task", args },
        answer({ status: "running", taskId: "bash:bg_1", output: "up\n", note: "It goes on." }),
      ),
    ).toEqual(["↗ task a server $ sleep 60", "up", "It goes on.", "goes on as bash:bg_N"]);
  });

  it("is drawn while it runs, and while its arguments are still being written", async () => {
    const { call } = await realTools();
    const args = { kind: "bash", script: "echo up; sleep 0.3", timeout_secs: 30, display_name: "x" };
    const updates: string[][] = [];
    await call("task", args, (update) => updates.push(draw({ tool: "task", args }, update)));

    expect(updates.at(-1)?.slice(0, 2)).toEqual(["▸ task x $ echo up; sleep 0.3", "up"]);
    expect(draw({ tool: "task", argsText: '{"kind":"bash","script":"npm ru' })).toEqual(["· task $ npm ru"]);
    expect(draw({ tool: "task", argsText: "" })).toEqual(["· task …"]);
  });

  it("that was stopped at its deadline, or that is refused, is distinguished", async () => {
    const { call } = await realTools();
    const late = { kind: "bash", script: "echo up; sleep 60", timeout_secs: 1, display_name: "late" };

    const rows = draw({ tool: "task", args: late }, await call("task", late));
    expect(rows[0]).toBe("◷ task late $ echo up; sleep 60");
    expect(rows).toContain("up");
    const refused = draw({ tool: "task", args: { kind: "bash" } }, await call("task", { kind: "bash" }));
    expect(refused[0]).toBe("✗ task $ …");
    expect(refused.join(" ")).toContain("Invalid task parameters");
  });
});

describe("an agent as a task", () => {
  const args = { subagent_type: "explore", prompt: "Find it.\nSay where.", title: "the bug" };

  it("has its kind, its title and its report; its prompt when expanded", () => {
    const done = answer({ status: "completed", reportMarkdown: "# Found\nin `a.ts`", title: "the bug" });

    expect(draw({ tool: "task", args }, done)).toEqual(["✓ task explore: the bug", "# Found", "in `a.ts`"]);
    expect(draw({ tool: "task", args }, done, { expanded: true }).slice(0, 3)).toEqual([
      "✓ task explore: the bug",
      "  > Find it.",
      "  > Say where.",
    ]);
  });

  it("that waits for its turn says so", () => {
    expect(draw({ tool: "task", args }, answer({ status: "queued", taskId: "task_1" }))).toEqual([
      "↗ task explore: the bug",
      "queued as task_1",
    ]);
  });
});

describe("awaiting tasks", () => {
  it("shows each with how it stands, its new output and its end", async () => {
    const { call } = await realTools();
    const good = idOf(await call("task", { ...background, script: "printf 'a\\nb\\n'", display_name: "good" }));
    const bad = idOf(await call("task", { ...background, script: "echo c; exit 2", display_name: "bad" }));
    const args = { task_ids: [good, bad, "bash:none"], timeout_secs: 30, min_completed: 2, filter: "[a-c]" };
    await call("task_await", { task_ids: [good, bad], min_completed: 2, filter: "x" });

    const rows = draw({ tool: "task_await", args }, await call("task_await", args));

    expect(rows).toEqual([
      "✓ task_await bash:bg_N, bash:bg_N, bash:none (at most 30s, until 2 have ended, lines with /[a-c]/)",
      "✓ bash:bg_N good · done · TIME",
      "│ a",
      "│ b",
      "✗ bash:bg_N bad · exit 2 · TIME",
      "│ c",
      "⊘ bash:none · not found",
    ]);
  });

  it("shows the output of one that goes on, and the end of a result that was read before", async () => {
    const { call } = await realTools();
    const going = idOf(await call("task", { ...background, script: "echo up; sleep 60", display_name: "going" }));
    const ended = idOf(await call("task", { ...background, script: "echo done", display_name: "ended" }));
    await call("task_await", { task_ids: [ended], min_completed: 1 });

    expect(draw({ tool: "task_await", args: {} }, await call("task_await", { task_ids: [going] }))).toEqual([
      "✓ task_await all that are active",
      "▸ bash:bg_N · running · TIME",
      "│ up",
    ]);
    const again = draw({ tool: "task_await", args: {} }, await call("task_await", { task_ids: [ended] }));
    expect(again.slice(0, 3)).toEqual([
      "✓ task_await all that are active",
      "✓ bash:bg_N ended · done · TIME",
      "│ done",
    ]);
    expect(again[3]).toContain("There is no newer output");
  });

  it("shares the rows of a preview among the tasks, and shows all when expanded", () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index}`).join("\n");
    const results = Array.from({ length: 14 }, (_, index) => ({ status: "running", taskId: `bash:${index}`, output }));
    const call: TaskCallView = { tool: "task_await", args: { task_ids: results.map(({ taskId }) => taskId) } };

    const rows = draw(call, answer({ results }));
    expect(rows[0]).toMatch(/^✓ task_await bash:0, .*bash:7 and 6 more$/);
    expect(rows.slice(1, 6)).toEqual([
      "▸ bash:0 · running",
      "  … 27 earlier lines (ctrl+o to expand)",
      "│ line 27",
      "│ line 28",
      "│ line 29",
    ]);
    expect(rows).toHaveLength(1 + 10 * 5 + 1);
    expect(rows.at(-1)).toBe("… 4 more tasks (ctrl+o to expand)");
    expect(draw(call, answer({ results }), { expanded: true })).toHaveLength(1 + 14 * 31);
  });

  it.each([
    [{ status: "queued", taskId: "t" }, "· t · queued"],
    [{ status: "awaiting_report", taskId: "t", elapsed_ms: 1500 }, "▸ t · awaiting its report · TIME"],
    [{ status: "completed", taskId: "t", reportMarkdown: "" }, "✓ t · done"],
    [{ status: "completed", taskId: "t", reportMarkdown: "", note: "[Command timed out after 3s]" }, "■ t · stopped"],
    [{ status: "invalid_scope", taskId: "t" }, "⊘ t · of a workspace that is not below this one"],
    [{ status: "error", taskId: "t", error: "broken\npipe" }, "✗ t · broken pipe"],
  ])("says how a task stands: %j", (entry, row) => {
    expect(draw({ tool: "task_await", args: {} }, answer({ results: [entry] }))[1]).toBe(row);
    expect(draw({ tool: "bash_output", args: { process_id: "t" } }, answer(entry)).slice(0, 2)).toEqual([
      "✓ bash_output t",
      row,
    ]);
  });
});

describe("the list of tasks", () => {
  it("has a row for each, with its name and its script, those below further in", async () => {
    const { call } = await realTools();
    await call("task", { ...background, script: "sleep 60 # with a\nsecond line", display_name: "a server" });
    const listed = await call("task_list", {});

    expect(draw({ tool: "task_list", args: {} }, listed)).toEqual([
      "✓ task_list",
      "▸ bash:bg_N a server · running · TIME $ sleep 60 # with a",
    ]);
    expect(draw({ tool: "task_list", args: {} }, listed, { expanded: true }).at(-1)).toBe("  > second line");
    expect(draw({ tool: "task_list", args: {} }, listed, { width: 30 })[1]).toMatch(/^.{25}…$/);
    const below = { taskId: "task_2", status: "reported", agentType: "explore", depth: 3 };
    expect(draw({ tool: "task_list", args: { statuses: ["reported"] } }, answer({ tasks: [below] }))).toEqual([
      "✓ task_list reported",
      "    ✓ task_2 explore · ended",
    ]);
  });

  it("says that there is none, and how many are not shown", async () => {
    const { call } = await realTools();

    expect(draw({ tool: "task_list", args: {} }, await call("task_list", {}))).toEqual(["✓ task_list", "No tasks."]);
    const tasks = Array.from({ length: 12 }, (_, index) => ({ taskId: `t${index}`, status: "queued", depth: 1 }));
    const rows = draw({ tool: "task_list", args: {} }, answer({ tasks }));
    expect(rows).toHaveLength(12);
    expect(rows.at(-1)).toBe("… 2 more tasks (ctrl+o to expand)");
  });
});

describe("ending tasks", () => {
  it("says what is gone, and why nothing is", async () => {
    const { call } = await realTools();
    const id = idOf(await call("task", { ...background, script: "sleep 60", display_name: "a" }));
    const other = idOf(await call("task", { ...background, script: "sleep 60", display_name: "b" }));
    const args = { task_ids: [id, "bash:none"] };

    expect(draw({ tool: "task_terminate", args }, await call("task_terminate", args))).toEqual([
      "✓ task_terminate bash:bg_N, bash:none",
      "■ bash:bg_N · ended",
      "⊘ bash:none · not found",
      "Active: bash:bg_N",
    ]);
    expect(other).not.toBe(id);
    const late = { status: "terminated", taskId: "t", terminatedTaskIds: ["t", "u"], note: "cleanup continues" };
    expect(draw({ tool: "task_terminate", args: {} }, answer({ results: [late] })).slice(1)).toEqual([
      "■ t · ended, with u",
      "cleanup continues",
    ]);
  });
});

describe("the older names", () => {
  it("are drawn as the newer ones", async () => {
    const { call } = await realTools();
    const id = idOf(await call("task", { ...background, script: "echo up; sleep 60", display_name: "a" }));
    const args = { process_id: id.replace("bash:", "") };

    expect(draw({ tool: "bash_output", args }, await call("bash_output", args))).toEqual([
      "✓ bash_output bg_N",
      "▸ bash:bg_N · running · TIME",
      "│ up",
    ]);
    expect(draw({ tool: "bash_background_list", args: {} }, await call("bash_background_list", {}))[1]).toBe(
      "▸ bash:bg_N a · running · TIME $ echo up; sleep 60",
    );
    const ended = await call("bash_background_terminate", args);
    expect(draw({ tool: "bash_background_terminate", args }, ended)).toEqual([
      "✓ bash_background_terminate bg_N",
      "■ bash:bg_N · ended",
    ]);
    const missing = await call("bash_output", { process_id: "none" });
    expect(draw({ tool: "bash_output", args: { process_id: "none" } }, missing).join(" ")).toContain(
      "✗ bash_output none Process not found: none",
    );
  });
});
