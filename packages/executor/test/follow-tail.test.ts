/** Reading the output of a job that has no file: its newest lines, each once. */
import { describe, expect, it } from "vitest";
import type { JobContext } from "../src/jobs/job.ts";
import { open, work } from "./support/jobs.ts";
import { until } from "./support/waiting.ts";

/** A job without a file, that has written `text`. */
async function written(text: string) {
  const manager = await open();
  const { run } = work();
  let context: JobContext | undefined;
  const { id } = manager.start({
    command: "lines",
    owner: "me",
    work: (given) => {
      context = given;
      return run(given);
    },
  });
  await until(() => context !== undefined, "the work to begin");
  const write = (all: string) =>
    context?.update(all, { bytes: Buffer.byteLength(all), lines: all.split("\n").length - 1 });
  write(text);
  const next = async (
    more: { maxLines?: number; filter?: string; filterExclude?: boolean; maxBytes?: number } = {},
  ) => {
    const report = await manager.follow(id, {
      reader: "me",
      timeoutMs: 0,
      wakesOnOutput: true,
      maxBytes: 1_000,
      ...more,
    });
    report?.commit();
    return report?.output;
  };
  return { next, write };
}

describe("a job without a file", () => {
  it.each([
    ["all of its lines", {}, "a1\nb2\na3\nb4\n", false],
    ["its last two lines", { maxLines: 2 }, "a3\nb4\n", true],
    ["all where more lines are allowed than there are", { maxLines: 9 }, "a1\nb2\na3\nb4\n", false],
    ["the last line that matches", { maxLines: 1, filter: "^a" }, "a3\n", true],
    ["the lines that do not match", { filter: "^a", filterExclude: true }, "b2\nb4\n", false],
    ["the end within a bound of bytes", { maxBytes: 6 }, "a3\nb4\n", true],
  ])("gives %s", async (_, options, text, isIncomplete) => {
    const { next } = await written("a1\nb2\na3\nb4\n");

    expect(await next(options)).toMatchObject({ text, isIncomplete });
    expect((await next(options))?.text).toBe("");
  });

  it("gives what is new each time, and holds an unfinished line back", async () => {
    const { next, write } = await written("one\nhal");

    expect((await next())?.text).toBe("one\n");
    write("one\nhalf\ntwo");
    expect((await next())?.text).toBe("half\n");
    expect((await next())?.text).toBe("");
  });
});
