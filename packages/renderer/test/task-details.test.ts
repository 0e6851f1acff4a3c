/** Answers of the task tools that no one expects: of other versions, and made to break the screen. */
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../test/support/random.ts";
import { TaskCallComponent } from "../src/call-component.ts";
import { renderTaskCall, type TaskAnswer, taskCallState } from "../src/tasks/task-call.ts";
import { isTaskToolName, type TaskToolName } from "../src/tasks/task-details.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { hostileText } from "./hostile-text.ts";
import { expectFitting } from "./rows-fit.ts";

function answer(details: unknown, text = ""): TaskAnswer {
  return { content: [{ type: "text", text }], details };
}

describe("any answer of a task tool", () => {
  const names: TaskToolName[] = ["task", "task_await", "task_list", "task_terminate", "bash_output"];

  it("whose details are not understood is shown as the model reads it", () => {
    for (const details of [undefined, null, 7, { results: [{ status: "new" }] }, { tasks: "no" }, []]) {
      for (const tool of names) {
        expect(
          renderTaskCall({ tool, args: {} }, answer(details, "what\nit says"), { width: 80, theme: PLAIN_THEME }).slice(
            -2,
          ),
        ).toEqual(["  │ what", "  │ it says"]);
      }
    }
    expect(taskCallState({ tool: "task", args: {} }, answer({ status: "queued", taskId: "a" }))).toBe("backgrounded");
    expect([isTaskToolName("task_list"), isTaskToolName("bash"), isTaskToolName("toString")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("fits any width from 1 to 200, and no control character is in it", () => {
    const random = seededRandom(7);
    const text = () => hostileText(random, 6);
    for (let round = 0; round < 300; round += 1) {
      const width = 1 + Math.floor(random() * 200);
      const args = {
        kind: random() < 0.5 ? "bash" : text(),
        script: text(),
        display_name: text(),
        title: text(),
        prompt: text(),
        task_ids: [text(), text()],
        filter: text(),
        statuses: [text()],
        subagent_type: text(),
      };
      const detailed: [TaskToolName, unknown][] = [
        ["task", { status: "running", taskId: text(), output: hostileText(random), note: text() }],
        [
          "task",
          { status: "completed", title: text(), reportMarkdown: hostileText(random), note: text(), exitCode: 2 },
        ],
        [
          "task_await",
          {
            results: [
              {
                status: "completed",
                taskId: text(),
                title: text(),
                output: hostileText(random),
                reportMarkdown: text(),
                note: text(),
              },
              { status: "error", taskId: text(), error: text() },
              { status: "not_found", taskId: text(), activeTaskIds: [text()] },
            ],
          },
        ],
        [
          "task_list",
          {
            tasks: [
              {
                taskId: text(),
                status: "running",
                kind: "bash",
                display_name: text(),
                script: hostileText(random),
                uptime_ms: 3,
                depth: 9,
              },
            ],
          },
        ],
        [
          "task_terminate",
          { results: [{ status: "terminated", taskId: text(), terminatedTaskIds: [text()], note: text() }] },
        ],
      ];
      for (const [tool, details] of detailed) {
        const rows = renderTaskCall({ tool, args }, answer(details, text()), { width, expanded: random() < 0.5 });
        expectFitting(rows, width, `round ${round}`);
      }
    }
  });

  it("is drawn once for as long as nothing changes", () => {
    const component = new TaskCallComponent({ tool: "task_list", args: {} }, { theme: PLAIN_THEME });
    component.setAnswer(answer({ tasks: [] }, "No tasks."));

    const first = component.render(80);
    expect(component.render(80)).toBe(first);
    component.setOptions({ expanded: true });
    expect(component.render(80)).not.toBe(first);
  });
});
