/**
 * A watch on matches that come faster than they may start turns: 20 a second for a minute, in real time or on a clock that the test
 * moves. What its agent was given is counted line by line.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { JobDelivery } from "@pi-bash/executor";
import { expect } from "vitest";
import { until } from "./session.ts";
import { type TaskScene, taskScene } from "./tasks.ts";

const LINES_PER_SECOND = 20;
const LINE_MS = 1_000 / LINES_PER_SECOND;
const TOTAL = 60 * LINES_PER_SECOND;
/** Turns that a minute may start: ten at once and one each two seconds. */
const MOST_TURNS = 40;
const FILTER = "ERROR [0-9]";

/** Plays the minute on a clock that goes on when a line has been read: nothing of it depends on how busy the machine is. */
export async function floodOnSteppedClock(): Promise<void> {
  let clockMs = 1_000_000;
  const scene = await taskScene({}, {}, { now: () => clockMs });
  const got = scene.delivered("agent-1");
  const path = join(scene.folder, "log");
  writeFileSync(path, "", { mode: 0o600 });
  let bytes = 0;
  let isRead = (): void => undefined;
  const openLog = async () => {
    const file = await open(path);
    const { size } = await file.stat();
    const close = async (): Promise<void> => {
      await file.close();
      // What was read is gathered before the next turn of the event loop.
      if (size === bytes) setImmediate(() => isRead());
    };
    return { size, file: { read: file.read.bind(file), close } };
  };
  let add = (_line: number): void => undefined;
  let end = (): void => undefined;
  const { id } = scene.manager.start({
    command: "a log",
    owner: "agent-1",
    work: (context) => {
      context.setArtifact("log", path, undefined, openLog);
      add = (line) => {
        const text = `ERROR ${line}\n`;
        appendFileSync(path, text);
        bytes += text.length;
        context.update(text, { bytes, lines: line });
      };
      return new Promise((resolve) => {
        end = () => resolve({ text: "", totals: { bytes, lines: TOTAL } });
      });
    },
  });
  await watch(scene, `bash:${id}`);

  for (let line = 1; line <= TOTAL; line += 1) {
    await new Promise<void>((resolve) => {
      isRead = resolve;
      add(line);
    });
    clockMs += LINE_MS;
  }
  const turns = got.length;
  end();
  await check(got, turns);
}

/** Plays the minute in real time, with a task that follows a file. */
export async function floodInRealTime(): Promise<void> {
  const scene = await taskScene();
  const got = scene.delivered("agent-1");
  const path = join(scene.folder, "log");
  writeFileSync(path, "");
  const script = "tail -n +1 -f log & until [ -e over ]; do sleep 0.02; done; kill $!; wait";
  const taskId = await scene.start(script, { timeout_secs: 600 });
  await watch(scene, taskId);

  const begunMs = performance.now();
  for (let written = 0; written < TOTAL; ) {
    const due = Math.min(TOTAL, Math.floor((performance.now() - begunMs) / LINE_MS));
    for (; written < due; written += 1) appendFileSync(path, `ERROR ${written + 1}\n`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await scene.written(taskId, `ERROR ${TOTAL}`);
  const turns = got.length;
  scene.touch("over");
  await check(got, turns);
}

async function watch(scene: TaskScene, taskId: string): Promise<void> {
  await scene.tools.task_await.execute("call", { task_ids: [taskId], filter: FILTER, notify: "wake" });
}

/** Looks at what was delivered, `turns` of it before the task's end. */
async function check(got: readonly JobDelivery[], turns: number): Promise<void> {
  await until(() => got.some(({ text }) => text.startsWith("Background job")), "the result");
  const events = got.filter(({ text }) => text.startsWith("### Watch of")).map(({ text }) => text);
  expect(turns).toBeGreaterThan(10);
  expect(turns).toBeLessThanOrEqual(MOST_TURNS);
  expect(events.filter((text) => text.includes("From here on this watch is quiet"))).toHaveLength(1);
  expect(events.reduce((sum, text) => sum + Number(/: (\d+) lines? match/.exec(text)?.[1] ?? 0), 0)).toBe(TOTAL);
  const named = new Set(events.flatMap(linesNamed));
  expect([...named].sort((one, other) => one - other)).toEqual(Array.from({ length: TOTAL }, (_, at) => at + 1));
  expect(got.at(-1)?.text).toMatch(/^Background job/);
}

/** Numbers of the lines that an event shows or counts. */
function linesNamed(text: string): number[] {
  const shown = [...text.matchAll(/^(\d+): ERROR/gm)].map(([, number]) => Number(number));
  const range = /more match(?:es)?, lines? (\d+)(?:-(\d+))?/.exec(text);
  if (range === null) return shown;
  const first = Number(range[1]);
  const last = Number(range[2] ?? first);
  return [...shown, ...Array.from({ length: last - first + 1 }, (_, at) => first + at)];
}
