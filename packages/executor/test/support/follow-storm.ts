/**
 * Readers that come, leave and filter at random while a command writes at random: each must have got every line once.
 */
import { expect } from "vitest";
import { seededRandom } from "../../../../test/support/random.ts";
import { followScene, LONG_MS } from "./follow.ts";

/** A command that writes numbered lines in pieces and pauses, and what it writes. */
function writer(next: () => number): { command: string; text: string } {
  const statements: string[] = [];
  let text = "";
  const write = (piece: string): void => {
    text += piece;
    statements.push(`printf '%b' '${piece.replaceAll("\n", "\\n")}'`);
  };
  for (let line = 1; line <= 60; line += 1) {
    const kind = next() < 0.3 ? "error" : "note";
    const whole = `${kind} ${line} ${"漢x".repeat(Math.floor(next() * 20))}\n`;
    const cut = Math.floor(next() * whole.length);
    write(whole.slice(0, cut));
    if (next() < 0.3) statements.push(`sleep 0.0${Math.floor(next() * 9)}`);
    write(whole.slice(cut));
    if (next() < 0.1) write("\n");
  }
  if (next() < 0.5) write("no newline at the end");
  return { command: statements.filter((one) => one !== "printf '%b' ''").join("\n"), text };
}

/** Runs one storm. Fails when a reader has a line twice, late or never. */
export async function followStorm(seed: number): Promise<void> {
  const next = seededRandom(seed);
  const { manager, start } = await followScene();
  const { command, text } = writer(next);
  const id = start(command);
  const readers = [
    { reader: "all" },
    { reader: "errors", filter: "^error" },
    { reader: "errors", filter: "^error", filterExclude: true },
    { reader: "two at once" },
    { reader: "two at once" },
  ];

  const parts = await Promise.all(readers.map((options) => readAll(manager, id, options, next)));

  const lines = text.split(/(?<=\n)/);
  const [all, errors, others, one, two] = parts.map((got) => got.join(""));
  expect(all, `seed ${seed}: all`).toBe(text);
  expect(errors?.trimEnd(), `seed ${seed}: errors`).toBe(
    lines
      .filter((line) => line.startsWith("error"))
      .join("")
      .trimEnd(),
  );
  expect(others?.trimEnd(), `seed ${seed}: others`).toBe(
    lines
      .filter((line) => !line.startsWith("error"))
      .join("")
      .trimEnd(),
  );
  const shared = [...(one ?? ""), ...(two ?? "")].sort().join("");
  expect(shared, `seed ${seed}: two at once`).toBe([...text].sort().join(""));
}

/** Reads until the end, giving some of it back and leaving some waits early. */
async function readAll(
  manager: Awaited<ReturnType<typeof followScene>>["manager"],
  id: string,
  options: { reader: string; filter?: string; filterExclude?: boolean },
  next: () => number,
): Promise<string[]> {
  const got: string[] = [];
  for (;;) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), next() * 100);
    const report = await manager.follow(id, {
      ...options,
      timeoutMs: next() < 0.2 ? 0 : LONG_MS,
      stop: stop.signal,
      wakesOnOutput: next() < 0.9,
      maxBytes: 51_200,
    });
    clearTimeout(timer);
    if (report === undefined) throw new Error(`there is no job ${id}`);
    if (next() < 0.3) {
      report.release();
      continue;
    }
    report.commit();
    got.push(report.output.text);
    if (report.job.endedAtMs !== undefined) return got;
  }
}
