/** A report of a quiet terminal, for which nothing waits, beside a chunk that is waited for. */
import { expect, it } from "vitest";
import { CallbackGate } from "../src/callback-gate.ts";

it("a callback that is only notified does not take the place of a wait", async () => {
  const gate = new CallbackGate();
  let finish: () => void = () => undefined;
  const waited = gate.call(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve;
      }),
  );
  let isNotified = false;
  gate.notify(async () => {
    isNotified = true;
  });
  finish();
  await waited;
  expect(isNotified).toBe(true);
});

it("what a notified callback throws or rejects with stays in its run", () => {
  const gate = new CallbackGate();
  expect(() => {
    gate.notify(() => {
      throw new Error("thrown");
    });
    gate.notify(() => Promise.reject(new Error("rejected")));
  }).not.toThrow();
});
