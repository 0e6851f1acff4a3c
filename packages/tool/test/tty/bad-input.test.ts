/**
 * What a model can get wrong: one clear sentence each, and nothing typed, started or lost.
 */
import { describe, expect, it } from "vitest";
import { thrown } from "../support/session.ts";
import { ttyScene } from "./support.ts";

describe.skipIf(process.platform !== "linux")("a send that is wrong (who waits is known on Linux)", () => {
  it("types nothing and says what is wrong", async () => {
    const { open, send, await: wait, terminate } = await ttyScene();
    const { taskId } = await open('read -p "Name: " n; echo "<$n>"');
    const wrong: readonly [object, string | RegExp][] = [
      [{}, "Nothing to send: give `text`, `keys`, `signal` or `size`"],
      [{ enter: true }, "Nothing to send"],
      [{ keys: ["Crtl-C"] }, 'Unknown key "Crtl-C". Keys: Enter, Tab, Escape'],
      [{ keys: ["x"] }, 'Unknown key "x"'],
      [{ text: "a\u0003b" }, "`text` has the control character U+0003 at position 2; use `keys`"],
      [{ text: "a\u001b[A" }, "U+001B"],
      [{ text: "half \ud800" }, "`text` has half of a character"],
      [{ text: "x".repeat(5_000) }, "A line of 5000 bytes cannot be typed to `bash`"],
      [{ keys: ["Enter"], enter: true }, "`enter` goes with `text`"],
      [{ signal: "KILL" }, "Invalid task_send parameters: "],
      [{ text: "x", wait_secs: 61 }, "Invalid task_send parameters: "],
      [{ text: "x".repeat(65_537) }, "Invalid task_send parameters: "],
      [{ keys: Array.from({ length: 33 }, () => "Up") }, "Invalid task_send parameters: "],
    ];
    for (const [params, message] of wrong) {
      const error = await thrown(send(taskId, params));
      expect(error.message, JSON.stringify(params).slice(0, 80)).toContain(message);
      expect(error.message.length).toBeLessThan(700);
    }
    const [entry] = await wait({ timeout_secs: 0 });
    expect(entry).toMatchObject({ status: "running", waiting: { prompt: "Name:" } });
    await terminate(taskId);
  });

  it("names a task that has ended, that has no terminal, that is not there, or that is another's", async () => {
    const scene = await ttyScene();
    const { open, send, start, touch, terminate } = scene;
    const ended = await open("exit 3");
    expect(ended.details).toMatchObject({ status: "completed", exitCode: 3 });
    expect((await thrown(send(ended.taskId, { text: "x" }))).message).toMatch(
      new RegExp(`^${ended.taskId} has ended \\(exit code 3, \\d+ s ago\\)\\.$`),
    );

    const plain = await start("until [ -e go ]; do sleep 0.02; done");
    expect((await thrown(send(plain, { text: "x" }))).message).toBe(
      `${plain} has no terminal: its input is empty. Start it with \`tty: true\`.`,
    );
    expect((await thrown(send("bash:bg_99", { text: "x" }))).message).toContain("Task not found: bash:bg_99.");
    expect((await thrown(send(" ", { text: "x" }))).message).toContain("A task id is empty");
    const other = scene.as("agent-2");
    const call = other.tools.task_send.execute("call", { task_id: plain, text: "x" });
    expect((await thrown(call)).message).toContain("belongs to a workspace that is not below this one");
    touch("go");
    await terminate(plain);
  });

  it("clamps a size and says so, and takes none that is not a number", async () => {
    const { open, send, terminate } = await ttyScene();
    const { taskId } = await open('while read -p "size? " x; do stty size; done');
    const small = await send(taskId, { size: { cols: 0, rows: 0 } });
    expect(small.text).toContain("Size clamped to 20x5 (requested 0x0).");
    expect((await send(taskId, { text: "" })).text).toContain("5 20");
    const large = await send(taskId, { size: { cols: 10_000, rows: 10_000 }, text: "" });
    expect(large.text).toContain("Size clamped to 400x200 (requested 10000x10000).");
    expect(large.text).toContain("200 400");
    expect((await thrown(send(taskId, { size: { cols: "80", rows: 24 } }))).message).toContain("Invalid task_send");
    await terminate(taskId);
  });

  it("sends signals to the foreground, and the keys that stand for them", async () => {
    const { open, send } = await ttyScene();
    const script = "trap 'echo usr1' USR1; while :; do read -p '> ' x || break; done";
    const { taskId } = await open(script);
    expect((await send(taskId, { signal: "USR1" })).text).toContain("usr1");
    const ended = await send(taskId, { keys: ["^D"] });
    expect(ended.details.status).toBe("completed");
  });

  it("has several lines of text typed one after the other, in the order of two calls at once", async () => {
    const { open, send, terminate } = await ttyScene();
    const { taskId } = await open("cat -n");
    await Promise.all([send(taskId, { text: "a\nb" }), send(taskId, { text: "c\nd" })]);
    const ended = await send(taskId, { keys: ["Ctrl-D"] });
    expect(ended.details.status).toBe("completed");
    await terminate(taskId);
    const lines = "reportMarkdown" in ended.details ? ended.details.reportMarkdown : "";
    expect(lines).toContain("status: exited");
  });
});

describe("a task on a terminal that cannot be", () => {
  it("is an error of its call and leaves no task", async () => {
    const { open, list } = await ttyScene({ limits: { processes: 50 } });
    const error = await thrown(open("cat"));
    expect(error.message).toBe(
      "No terminal for this task: the setting `limits` cannot be enforced on terminals. Run it without `tty`.",
    );
    expect(await list({ statuses: ["running", "reported"] })).toEqual([]);
  });

  it("is refused for a folder that is not there", async () => {
    const { session, list } = await ttyScene();
    const { withTerminals } = await import("./support.ts");
    const { taskScene } = await import("../support/tasks.ts");
    const away = withTerminals(await taskScene({}, { cwd: `${session.cwd}/not-there` }));
    await thrown(away.open("cat"));
    expect(await list()).toEqual([]);
  });
});
