/** The line that calls stand in: what only reads runs beside reads, what changes something runs alone. */
import { describe, expect, it } from "vitest";
import { type CallKind, CallTurns } from "../src/call-turns.ts";

/** Calls that note their begin and end, and end when they are asked to. */
function line() {
  const turns = new CallTurns();
  const seen: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, kind: CallKind, signal?: AbortSignal): Promise<void> =>
    turns.run(kind, signal, async () => {
      seen.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      seen.push(`${name} over`);
    });
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };
  return { seen, start, end, settle };
}

describe("calls in a line", () => {
  it("that read begin together, and a change waits for all of them", async () => {
    const { seen, start, end, settle } = line();
    const all = [start("a", "reads"), start("b", "reads"), start("c", "changes"), start("d", "reads")];

    await settle();
    expect(seen).toEqual(["a", "b"]);
    await end("b");
    expect(seen).toEqual(["a", "b", "b over"]);
    await end("a");
    expect(seen.slice(3)).toEqual(["a over", "c"]);
    await end("c");
    expect(seen.slice(5)).toEqual(["c over", "d"]);
    await end("d");
    await Promise.all(all);
  });

  it("that change something run one after the other, in the order they came", async () => {
    const { seen, start, end, settle } = line();
    const all = [start("a", "changes"), start("b", "changes"), start("c", "changes")];

    await settle();
    await end("a");
    expect(seen).toEqual(["a", "a over", "b"]);
    await end("b");
    await end("c");
    await Promise.all(all);
    expect(seen).toEqual(["a", "a over", "b", "b over", "c", "c over"]);
  });

  it("go on when one before them fails, and one whose caller has gone does not wait", async () => {
    const turns = new CallTurns();
    const failed = turns.run("changes", undefined, () => Promise.reject(new Error("no")));
    const next = turns.run("reads", undefined, () => Promise.resolve("next"));
    await expect(failed).rejects.toThrow("no");
    expect(await next).toBe("next");

    const { seen, start, end, settle } = line();
    const first = start("a", "changes");
    const gone = new AbortController();
    const second = start("b", "changes", gone.signal);
    gone.abort();
    await settle();
    expect(seen).toEqual(["a", "b"]);
    await end("a");
    await end("b");
    await Promise.all([first, second]);
  });
});
