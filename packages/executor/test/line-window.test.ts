/** The bound on lines of a shown output: what stays, what is said of the rest, and where the rest is. */
import { describe, expect, it } from "vitest";
import { make } from "./support/executor.ts";
import { ended } from "./support/fake-natives.ts";
import { real } from "./support/real.ts";

const numbers = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");

describe("an output with more lines than are shown", () => {
  it("is shown by its end, and is whole in an artifact though it has few bytes", async () => {
    const { executor } = real({ settings: { "bash.outputMaxLines": 20 } });

    const result = await executor.executeBash("seq 1 100");

    expect(result).toMatchObject({ output: numbers(81, 100), truncated: true, truncatedBy: "lines", outputLines: 20 });
    expect(result.shownRange).toEqual({ startLine: 81, endLine: 100 });
    expect(result.outputBytes).toBe(Buffer.byteLength(numbers(81, 100)));
    expect((await executor.artifacts.read(`artifact://${result.artifactId}`)).text).toBe(numbers(1, 100));
  });

  it("keeps a beginning where there is one, at most half, the marker counted", async () => {
    const { executor } = real({ settings: { "bash.outputMaxLines": 20, "bash.outputHeadBytes": 1_000 } });

    const half = await executor.executeBash("seq 1 100");
    const few = await executor.executeBash("seq 1 100", { window: { headLines: 2 } });

    expect(half.output).toBe(`${numbers(1, 10)}[… 81 lines elided …]\n${numbers(92, 100)}`);
    expect(few.output).toBe(`1\n2\n[… 81 lines elided …]\n${numbers(84, 100)}`);
    expect(few.shownRange).toEqual({ startLine: 84, endLine: 100 });
  });

  it("is counted as a whole where the bytes are too many as well", async () => {
    const { executor } = real({ settings: { "bash.outputMaxLines": 20, "bash.outputHeadBytes": 1_000 } });

    const result = await executor.executeBash("seq 1 20000");

    expect(result.output).toBe(`${numbers(1, 10)}[… 19981 lines elided …]\n${numbers(19_992, 20_000)}`);
    expect((await executor.artifacts.read(`artifact://${result.artifactId}?tail=1`)).text).toBe("20000\n");
  });

  it("still says how its command was stopped", async () => {
    const { executor } = real({ settings: { "bash.outputMaxLines": 10 } });

    const { output } = await executor.executeBash("seq 1 50; sleep 300", { timeoutMs: 1_000 });

    expect(output).toBe(`[Command timed out after 1 second]\n${numbers(41, 50)}`);
  });

  it("is whole where it has just so many", async () => {
    const { executor } = real({ settings: { "bash.outputMaxLines": 20 } });

    const result = await executor.executeBash("seq 1 20");

    expect(result).toMatchObject({ output: numbers(1, 20), truncated: false });
    expect(result).not.toHaveProperty("artifactId");
    expect(result).not.toHaveProperty("truncatedBy");
  });

  it("is said not to be kept where it cannot be", async () => {
    const { natives, executor } = make({ "bash.outputMaxLines": 10 });
    natives.behaviour = async () => ended({ text: numbers(1, 30), totalLines: 30 });

    const result = await executor.executeBash("x", { artifact: { id: "mine", path: "/nowhere/at/all" } });

    expect(result).toMatchObject({ truncatedBy: "lines", artifactError: expect.stringContaining("/nowhere/at/all") });
    expect(result).not.toHaveProperty("artifactId");
  });
});
