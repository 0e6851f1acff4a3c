/**
 * The record of a task's terminal: what is in it, what never is, and that players can read it.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { VirtualTerminal } from "@pi-bash/terminal";
import { castEvent, castHeader, readCastEvent, readCastHeader } from "@pi-bash/terminal/internal";
import { describe, expect, it } from "vitest";
import { textOf } from "../support/session.ts";
import { type TtyScene, ttyScene } from "./support.ts";

const SECRET = "correct horse 7";
const recorded = { "tty.record": true } as const;
const hasAsciinema = spawnSync("asciinema", ["--version"]).status === 0;

const terminalOf = ({ manager }: TtyScene, taskId: string) => {
  const terminal = manager.terminal(taskId.slice("bash:".length));
  if (terminal === undefined) throw new Error(`${taskId} has no terminal`);
  return terminal;
};

/** Waits for a task's end; the path of its record, which is the one artifact of its kind. */
async function recordOf(scene: TtyScene, taskId: string): Promise<{ path: string; text: string }> {
  const job = taskId.slice("bash:".length);
  await expect.poll(() => scene.manager.find(job)?.job.endedAtMs, { timeout: 20_000 }).toBeDefined();
  const ended = await scene.tools.task_await.execute("call", { task_ids: [taskId], timeout_secs: 20 });
  const records = (await scene.session.executor.artifacts.list()).filter(({ kind }) => kind === "cast");
  const [record, ...more] = records;
  if (record === undefined || more.length > 0) throw new Error(`${records.length} records`);
  expect(textOf(ended)).toContain(`record: artifact://${record.id}`);
  return { path: record.path, text: readFileSync(record.path, "utf8") };
}

/** A record's events, read as a player reads them. */
function eventsOf(text: string) {
  const [first = "", ...lines] = text.trimEnd().split("\n");
  return { header: readCastHeader(first), events: lines.map((line, at) => readCastEvent(line, at + 2)) };
}

const dataOf = (events: ReturnType<typeof eventsOf>["events"], wanted: string): string[] =>
  events.filter(({ code }) => code === wanted).map(({ data }) => data);

describe.skipIf(process.platform !== "linux")("the record of a task (who waits is known on Linux)", () => {
  it("has what was written, what the model typed, and sizes; in a private file", async () => {
    const scene = await ttyScene(recorded);
    const asked = await scene.open('read -rp "Name: " n; echo "hello $n"; stty size');
    await scene.send(asked.taskId, { size: { cols: 80, rows: 24 }, text: "ada" });

    const { path, text } = await recordOf(scene, asked.taskId);
    const { header, events } = eventsOf(text);
    expect(header).toMatchObject({ width: 120, height: 40, command: expect.stringContaining("hello $n") });
    expect(dataOf(events, "o").join("")).toContain("hello ada\r\n24 80\r\n");
    expect(dataOf(events, "i").join("")).toBe("ada\r");
    expect(dataOf(events, "r")).toEqual(["80x24"]);
    expect(dataOf(events, "m")).toEqual(["typed by the model"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const times = events.map(({ seconds }) => seconds);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it("says who typed, and of what a person types unseen neither text nor length", async () => {
    const scene = await ttyScene(recorded);
    const script =
      'read -rsp "Token: " t; echo; for ((i = 0; i < ${#t}; i++)); do printf %s "${t:i:1}"; done; read -rp " more? " x; echo "$t"';
    const asked = await scene.open(script);
    const seat = terminalOf(scene, asked.taskId).take({});
    for (const key of `${SECRET}\r`) seat.write(key);
    await terminalOf(scene, asked.taskId).until({ timeoutMs: 500 });
    await expect.poll(() => terminalOf(scene, asked.taskId).waiting?.kind, { timeout: 10_000 }).toBe("line");
    seat.write("no\r");
    seat.handBack();

    const { text } = await recordOf(scene, asked.taskId);
    expect(text).not.toContain(SECRET);
    expect(text).toContain("[secret]");
    const { events } = eventsOf(text);
    expect(dataOf(events, "m")).toEqual(["a person types what is not shown", "typed by a person"]);
    expect(dataOf(events, "i").join("")).toBe("no\r");
  });

  it("has tokens of well-known forms masked, also in pieces", async () => {
    const scene = await ttyScene(recorded);
    const token = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    const asked = await scene.open(
      `t=${token.slice(0, 20)}; printf %s "$t"; sleep 0.2; printf '%s\\n' ${token.slice(20)}; read -rp "? " x`,
    );
    await scene.send(asked.taskId, { text: token });

    const { text } = await recordOf(scene, asked.taskId);
    const { events } = eventsOf(text);
    expect(dataOf(events, "o").join("")).not.toContain(token);
    expect(dataOf(events, "i").join("")).not.toContain(token);
  });

  it("is none where it was not asked for", async () => {
    const scene = await ttyScene();
    const asked = await scene.open("echo hello");
    await scene.tools.task_await.execute("call", { task_ids: [asked.taskId], timeout_secs: 20 });

    expect((await scene.session.executor.artifacts.list()).filter(({ kind }) => kind === "cast")).toEqual([]);
  });

  // `scripts/apt-packages.sh` installs it.
  it.skipIf(!hasAsciinema)("is played by asciinema (skipped where it is not installed)", async () => {
    const scene = await ttyScene(recorded);
    const asked = await scene.open("printf 'one\\ttwo \\033[31mred\\033[0m\\n'; read -rp 'done? ' x");
    await scene.send(asked.taskId, { text: "y" });
    const { path } = await recordOf(scene, asked.taskId);

    // It reads keys from a terminal, which `script` gives it.
    const words = ["-qec", `asciinema cat ${path}`, "/dev/null"];
    const played = spawnSync("script", words, { encoding: "utf8", timeout: 30_000 });
    expect({ status: played.status, stderr: played.stderr }).toEqual({ status: 0, stderr: "" });
    expect(played.stdout.replaceAll("\r", "")).toContain("one\ttwo \u001b[31mred\u001b[0m\ndone? ");
  });
});

describe("a record of any output in any pieces", () => {
  it("draws the same screen as the output itself", async () => {
    const pieces = [
      "plain\r\n",
      "\u001b[2J\u001b[H",
      "wide 宽 e\u0301 🙂",
      "\u0000\u0007\u009b1m",
      '"quoted" \\ \u2028',
      "\ud83d",
    ];
    for (let start = 0; start < pieces.length; start += 1) {
      const rotated = [...pieces.slice(start), ...pieces.slice(0, start)];
      const direct = new VirtualTerminal({ cols: 40, rows: 10 });
      const replayed = new VirtualTerminal({ cols: 40, rows: 10 });
      const lines = [castHeader({ width: 40, height: 10 }), ...rotated.map((data, at) => castEvent(at, "o", data))];
      for (const data of rotated) await direct.write(data);
      for (const [at, line] of lines.slice(1).entries()) await replayed.write(readCastEvent(line, at + 2).data);

      expect(lines.every((line) => !line.includes("\n"))).toBe(true);
      expect(replayed.styledScreen()).toEqual(direct.styledScreen());
      direct.dispose();
      replayed.dispose();
    }
  });

  it("is refused by the number of the line where it is not one", () => {
    for (const header of ["", "[]", '{"version":1,"width":80,"height":24}', '{"version":2,"width":0,"height":24}']) {
      expect(() => readCastHeader(header)).toThrow(/^line 1: /);
    }
    for (const event of ["", "{}", '[1,"o"]', '[-1,"o",""]', '["1","o",""]', '[1,"o",2]', "[1e999]"]) {
      expect(() => readCastEvent(event, 7)).toThrow("line 7: is not an event");
    }
  });
});
