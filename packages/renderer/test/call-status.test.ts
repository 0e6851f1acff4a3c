/** The last row of a call, which begins with how it ended, and what of the tool's text for the model is not shown for that. */
import type { BashDetails } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import type { CallAnswer } from "../src/call-state.ts";
import { PLAIN_THEME } from "../src/theme.ts";
import { type CallView, renderBashCall } from "../src/tool-call.ts";
import { withoutGutter } from "./gutter.ts";

const call: CallView = { args: { command: "make" }, sessionCwd: "/repo" };

function draw(view: CallView, given: CallAnswer): string[] {
  return withoutGutter(renderBashCall(view, given, { width: 80, theme: PLAIN_THEME }));
}

function answer(text: string, details: BashDetails = {}, isError = false): CallAnswer {
  return { content: [{ type: "text", text }], details, isError };
}

describe("the status of a call", () => {
  it("has the deadline that its call named in its last row, and one that was far away in none", () => {
    const timed = { args: { command: "make", timeout: 600 } };
    const details = { wallTimeMs: 1_000, timeoutSeconds: 600 };

    expect(draw(timed, answer("x", details)).at(-1)).toBe("1.00s · timeout 600s");
    expect(draw(call, answer("x", { ...details, timeoutSeconds: 300 })).at(-1)).toBe("1.00s");
  });

  it("says first, and in the colour of its mark, why the call ended, whatever its output says", () => {
    const last = (details: BashDetails, text = "x") =>
      renderBashCall(call, answer(text, details, true), { width: 80 }).at(-1);
    const gutter = "\x1b[2m  └ \x1b[0m";
    const rest = "\x1b[0m\x1b[2m · 1.00s\x1b[0m";
    const time = { wallTimeMs: 1_000, timeoutSeconds: 5 };

    const late = last({ ...time, stopped: "deadline" }, "[Command timed out after 5 seconds]\nx");
    expect(late).toBe(`${gutter}\x1b[33mtimed out after 5s${rest}`);
    expect(last({ ...time, stopped: "cancelled" })).toBe(`${gutter}\x1b[33mcancelled${rest}`);
    const vim = { pid: 7, program: "vim", ended: true };
    expect(last({ ...time, stopped: "cancelled", inputWanted: vim })).toBe(
      `${gutter}\x1b[33mended: it waits for input${rest}`,
    );
    expect(last({ ...time, exitCode: 2 })).toBe(`${gutter}\x1b[31mexit 2${rest}`);
  });

  it("does not have what the tool says to the model of a stop among its output", () => {
    const stopped = (text: string) =>
      draw(call, answer(text, { stopped: "deadline", timeoutSeconds: 1 }, true)).slice(1);

    expect(stopped("[Command timed out after 1 second]\none")).toEqual(["one", "timed out after 1s"]);
    expect(stopped("[Command timed out after 1 second]")).toEqual(["timed out after 1s"]);
    expect(stopped("one\n[Command cancelled]")).toEqual(["one", "[Command cancelled]", "timed out after 1s"]);
    const unanswered = "; the shell backend did not respond, so any output below may be incomplete]";
    expect(stopped(`[Command timed out after 1 second${unanswered}\none`)).toEqual([
      "one",
      "! The shell backend did not respond, so any output may be incomplete",
      "timed out after 1s",
    ]);
    const waits =
      "`vim` (pid 12) waits for a person's input and this call has no terminal, so it has no one to answer.";
    expect(stopped(`[Ended after 2.0 s: ${waits}]\none`)).toEqual([
      "one",
      "! `vim` (pid 12) waits for a person's input and this call has no terminal, so",
      "it has no one to answer.",
      "timed out after 1s",
    ]);
    // What a command wrote that ended by itself is all its own.
    expect(draw(call, answer("[Command cancelled]\none")).slice(1)).toEqual(["[Command cancelled]", "one"]);
  });

  it("is not a plain success where it left something running", () => {
    const survivors = [1, 2].map((pid) => ({ pid, command: "sleep", startedAtMs: 0 }));

    const rows = draw(call, answer("up", { wallTimeMs: 1_000, survivors }));
    expect([rows[0], rows.at(-1)]).toEqual(["↗ $ make", "2 processes left running · 1.00s"]);
    const failed = draw(call, answer("up", { exitCode: 1, survivors: survivors.slice(1) }, true));
    expect([failed[0], failed.at(-1)]).toEqual(["✗ $ make", "exit 1 · 1 process left running"]);
  });
});
