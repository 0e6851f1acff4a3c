/**
 * Reading a job's output through a filter: its matches are found, and nothing that it hides is lost (seed 004, 1.3).
 */
import { describe, expect, it } from "vitest";
import { ArtifactError } from "../src/artifacts/address.ts";
import { followScene, waitFor } from "./support/follow.ts";

describe("a filter", () => {
  it("gives the lines that match, wakes only for one, and leaves the others to be read", async () => {
    const { start, next, touch } = await followScene();
    const id = start(`seq 1 5000; echo 'an error here'; ${waitFor("a")}; echo quiet; ${waitFor("b")}; echo error 2`);

    const first = await next(id, { filter: "err.r" });
    const waiting = next(id, { filter: "err.r" });
    touch("a");
    touch("b");

    expect(first.output).toMatchObject({ text: "an error here\n", matches: 1 });
    expect((await waiting).output.text).toBe("error 2\n");
    const all = (await next(id, { wakesOnOutput: false, maxBytes: 100_000 })).output.text.split("\n");
    expect([all[0], all.at(-2), all.length]).toEqual(["1", "error 2", 5_004]);
  });

  it("the other way round gives the lines that do not match, and wakes for none that is blank", async () => {
    const { start, next, touch } = await followScene();
    const id = start(`echo noise; echo; ${waitFor("a")}; echo noise; echo news; ${waitFor("b")}`);
    const waiting = next(id, { filter: "noise", filterExclude: true });
    touch("a");

    expect((await waiting).output.text.trim()).toBe("news");
    touch("b");
  });

  it("that matches nothing waits for the end and says so with an empty text", async () => {
    const { start, next } = await followScene();
    const id = start("seq 1 20000");

    const { output, job } = await next(id, { filter: "never" });

    expect([output.text, output.matches, job.state]).toEqual(["", 0, "completed"]);
  });

  it("sees the words that colours are between", async () => {
    const { start, next } = await followScene();
    const id = start("printf 'FA\\033[31mIL\\033[0m\\n'");

    expect((await next(id, { filter: "FAIL" })).output.text).toBe("FAIL\n");
  });

  it("finds matches anywhere in megabytes, without stopping the host", async () => {
    const { start, next } = await followScene();
    const id = start("seq 1 700000; echo needle; seq 1 700000");
    const turns = watchTurns();

    const { output } = await next(id, { filter: "^ne+dle$" });

    expect([output.text, output.matches]).toEqual(["needle\n", 1]);
    expect(turns.end()).toBeGreaterThan(20);
  });

  it("is safe from expressions that explode, and refuses what is none", async () => {
    const { start, next } = await followScene();
    const id = start("printf 'a%.0s' {1..5000}; echo !");

    expect((await next(id, { filter: "^(a+)+$" })).output.text).toBe("");
    await expect(next(id, { filter: "(" })).rejects.toThrowError(ArtifactError);
    await expect(next(id, { filter: "(?=a)" })).rejects.toThrowError(ArtifactError);
  });
});

/** Counts turns of the event loop. */
function watchTurns(): { end: () => number } {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  return {
    end: () => {
      clearInterval(timer);
      return turns;
    },
  };
}
