/**
 * `task_await` with `notify`: lines that match come to the agent by themselves, in batches, bounded, each once.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { TaskAwaitParams } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { ToolError } from "../../src/tool-error.ts";
import { floodOnSteppedClock } from "../support/monitor-flood.ts";
import { textOf, thrown, until } from "../support/session.ts";
import { type TaskScene, taskScene } from "../support/tasks.ts";

/** Longest turn of the event loop that a watch may take, in milliseconds. */
const LONGEST_TURN_MS = 20;
const MOST_TRIES = 8;

/** Measures from now on. What it returns ends that: the longest turn, in milliseconds of this thread's processor time. */
function longestTurn(): () => number {
  let longest = 0;
  let before = processorMs();
  const timer = setInterval(() => {
    const now = processorMs();
    longest = Math.max(longest, now - before);
    before = now;
  }, 1);
  return () => {
    clearInterval(timer);
    return longest;
  };
}

/** Processor time of this thread: others use this machine, too. Where the system does not say, the clock. proc(5), schedstat. */
function processorMs(): number {
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "utf8").split(" ")[0]) / 1_000_000;
  } catch {
    return performance.now();
  }
}

/** A task that writes what is added to a file. */
async function writer(scene: TaskScene): Promise<{ taskId: string; write: (text: string) => void }> {
  const path = join(scene.folder, "log");
  writeFileSync(path, "");
  const taskId = await scene.start("echo begun; exec tail -n +1 -f log", { timeout_secs: 600 });
  await scene.written(taskId, "begun");
  return { taskId, write: (text) => appendFileSync(path, text) };
}

function watch({ tools }: TaskScene, taskId: string, filter: string, notify = "wake") {
  return tools.task_await.execute("call", { task_ids: [taskId], filter, notify });
}

describe("a watch", () => {
  it("says from which line on it looks", async () => {
    const scene = await taskScene();
    const { taskId } = await writer(scene);

    const { content } = await watch(scene, taskId, "ERROR");

    expect(textOf({ content })).toBe(`Watching ${taskId} for /ERROR/ from line 2.`);
  });

  it("makes one event of matches that come together (21)", async () => {
    const scene = await taskScene();
    const got = scene.delivered("agent-1");
    const { taskId, write } = await writer(scene);
    await watch(scene, taskId, "ERROR [0-9]");

    write("ERROR 1\nfine\nERROR 2\n");
    write("ERROR 3\n");

    await until(() => got.length > 0, "an event");
    expect(got).toHaveLength(1);
    expect(got[0]?.job.endedAtMs).toBeUndefined();
    expect(got[0]?.text).toBe(
      `### Watch of ${taskId} (a command) for /ERROR [0-9]/: 3 lines match\n\`\`\`\n2: ERROR 1\n4: ERROR 2\n5: ERROR 3\n\`\`\``,
    );
  });

  it("tells no line twice, nor does a later wait with the same filter, which other readers still get", async () => {
    const scene = await taskScene();
    const got = scene.delivered("agent-1");
    const { taskId, write } = await writer(scene);
    await watch(scene, taskId, "ERROR");
    write("ERROR 1\n");
    await until(() => got.length === 1, "the first event");
    write("ERROR 2\n");
    await until(() => got.length === 2, "the second event");

    expect(got[1]?.text).toContain("3: ERROR 2");
    expect(got[1]?.text).not.toContain("ERROR 1");
    expect(await scene.await({ filter: "ERROR", timeout_secs: 0 })).toMatchObject([{ status: "running", output: "" }]);
    expect(await scene.await({ timeout_secs: 0 })).toMatchObject([
      { output: expect.stringContaining("ERROR 1\nERROR 2") },
    ]);
  });

  it("brings the last lines before the result, and each once", async () => {
    const scene = await taskScene();
    const got = scene.delivered("agent-1");
    const taskId = await scene.start("until [ -e go ]; do sleep 0.02; done; echo ERROR at the end; exit 3");
    await watch(scene, taskId, "ERROR");

    scene.touch("go");

    await until(() => got.length === 2, "the event and the result");
    expect(got.map(({ text }) => text.split("\n")[0])).toEqual([
      expect.stringMatching(/^### Watch of bash:bg_1 .* 1 line matches$/),
      expect.stringMatching(/^Background job bg_1 \(a command\) failed \(exit code 3/),
    ]);
  });

  it("comes again as it was where its owner's sink fails", async () => {
    const scene = await taskScene();
    const tries: string[] = [];
    scene.manager.subscribe("agent-1", ([one]) => {
      tries.push(one?.deliveryId ?? "");
      if (tries.length === 1) throw new Error("not now");
    });
    const { taskId, write } = await writer(scene);
    await watch(scene, taskId, "ERROR");

    write("ERROR\n");

    await until(() => tries.length === 2, "a second try");
    expect(tries[1]).toBe(tries[0]);
  });

  it("that is quiet goes with the next answer and starts nothing", async () => {
    const scene = await taskScene();
    const got = scene.delivered("agent-1");
    const { taskId, write } = await writer(scene);
    expect(textOf(await watch(scene, taskId, "ERROR", "quiet"))).toMatch(/, quietly\.$/);
    write("ERROR 1\n");
    await scene.written(taskId, "ERROR 1");

    let text = "";
    await until(async () => {
      text = textOf(await scene.tools.task_list.execute("call", {}));
      return text.includes("Watch of");
    }, "an answer with the match");

    expect(text).toContain("2: ERROR 1");
    expect(got).toEqual([]);
    expect(textOf(await scene.tools.task_list.execute("call", {}))).not.toContain("Watch of");
  });

  it("ends with `off`, and is named once where it was never on", async () => {
    const scene = await taskScene();
    const got = scene.delivered("agent-1");
    const { taskId, write } = await writer(scene);
    await watch(scene, taskId, "ERROR");

    expect(textOf(await watch(scene, taskId, "ERROR", "off"))).toBe(`No longer watching ${taskId} for /ERROR/.`);
    expect(textOf(await watch(scene, taskId, "ERROR", "off"))).toBe(`${taskId} was not watched for /ERROR/.`);

    await watch(scene, taskId, "MARK");
    write("ERROR\nMARK\n");
    await until(() => got.length > 0, "the other watch's event");
    expect(got.map(({ text }) => text)).toEqual([expect.stringContaining("3: MARK")]);
  });

  it("names every match of a flood by its line, and bounds what it shows", async () => {
    const scene = await taskScene();
    const got = scene.delivered("agent-1");
    const taskId = await scene.start("until [ -e go ]; do sleep 0.02; done; seq -f 'ERROR %.0f' 1 20000");
    await watch(scene, taskId, "ERROR");

    scene.touch("go");

    await until(() => got.some(({ text }) => text.startsWith("Background job bg_1")), "the result");
    const events = got.filter(({ text }) => text.startsWith("### Watch of"));
    const count = events.reduce((sum, { text }) => sum + Number(/: (\d+) lines? match/.exec(text)?.[1]), 0);
    expect(count).toBe(20_000);
    expect(events.at(-1)?.text).toContain("20000: ERROR 20000");
    for (const { text } of events) expect(Buffer.byteLength(text)).toBeLessThan(3_200);
  });

  it(
    "tells of 20 matches a second for a minute in at most 40 events, becomes quiet once, and names every line (21)",
    floodOnSteppedClock,
  );

  it.each<[string, string, string, string]>([
    [
      "whatever the expression is and however long the lines are (22)",
      "(a+)+$",
      "for i in 1 2 3 4 5; do head -c 1048576 /dev/zero | tr '\\0' a; echo; done",
      ": 5 lines match",
    ],
    [
      "in a flood without a match, which it reads to its end",
      "ERROR [0-9]+",
      "yes 'a line of output as programs write them' | head -n 1000000; echo ERROR 7",
      "1000001: ERROR 7",
    ],
  ])("keeps every turn of the event loop short, %s", async (_, filter, script, found) => {
    const turns: number[] = [];
    // Collecting garbage makes a turn long now and then: one that is long by itself is long each time.
    while (turns.length < MOST_TRIES && !turns.some((each) => each < LONGEST_TURN_MS)) {
      const scene = await taskScene();
      const got = scene.delivered("agent-1");
      const taskId = await scene.start(`until [ -e go ]; do sleep 0.02; done; ${script}`);
      await watch(scene, taskId, filter);
      const longest = longestTurn();
      scene.touch("go");
      await until(() => got.some(({ text }) => text.startsWith("Background job")), "the result");
      turns.push(longest());
      expect(got[0]?.text).toContain(found);
    }
    expect(Math.min(...turns), `the longest turns were of ${turns.join(", ")} ms`).toBeLessThan(LONGEST_TURN_MS);
  });

  it("is refused in a sentence where it cannot be", async () => {
    const scene = await taskScene();
    const { taskId } = await writer(scene);
    const call = (params: object) => thrown(scene.tools.task_await.execute("call", { notify: "wake", ...params }));
    const refusals = [
      await call({ task_ids: [taskId] }),
      await call({ task_ids: [taskId], filter: "(" }),
      await call({ filter: "x" }),
      await call({ task_ids: [taskId], filter: "x", filter_exclude: true }),
    ];
    for (const refused of refusals) expect(refused).toBeInstanceOf(ToolError);
    expect(refusals.map(({ message }) => message.split(":")[0])).toEqual([
      "notify needs `filter`",
      "Invalid filter regex",
      "notify needs `task_ids`",
      "notify does not wait",
    ]);
    expect(TaskAwaitParams.safeParse({ notify: "loudly" }).success).toBe(false);
    const { details } = await watch(scene, "bash:bg_99", "x");
    expect(details.results).toMatchObject([{ status: "not_found" }]);

    for (let at = 0; at < 16; at += 1) await watch(scene, taskId, `filter ${at}`);
    const last = await watch(scene, taskId, "one more");
    expect(last.details.results).toMatchObject([
      { status: "error", error: expect.stringMatching(/^16 watches are on/) },
    ]);
  });
});
