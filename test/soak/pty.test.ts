/** Programs on terminals in large numbers: theme G of the failure cases, every byte before an end, and what is left. */
import { PtySession } from "@pi-bash/natives";
import { expect, it } from "vitest";
import { within } from "../support/patience.ts";
import { backAt, settledCount } from "./process-count.ts";
import { passRound } from "./round.ts";

/** Rounds of theme G. */
const ROUNDS = 50;

/** Where its cases live; they are found by their ids, which begin with `PY-`. */
const CASES = [
  "packages/natives/test/pty.test.ts",
  "packages/natives/test/pty-host.test.ts",
  "packages/natives/test/pty-races.test.ts",
  "packages/terminal/test/paste.test.ts",
  "test/e2e/pty-screen.test.ts",
];

/** Longest wait for one program, in milliseconds, and for two hundred at once. */
const ONE_MS = 30_000;
const MANY_MS = 120_000;

async function run(command: string, ms: number): Promise<{ exitCode: number | undefined; text: string }> {
  let text = "";
  const end = new PtySession().start({ command }, (_error, chunk) => {
    text += chunk;
  });
  const { exitCode } = await within(command, end, ms);
  return { exitCode, text };
}

it("200 times `seq 1 20000; exit 7` has every byte and its status", async () => {
  for (let round = 0; round < 200; round += 1) {
    const { exitCode, text } = await run("seq 1 20000; exit 7", ONE_MS);

    expect([exitCode, text.length, text.slice(-14)]).toEqual([7, 128_894, "19999\r\n20000\r\n"]);
  }
});

it("500 programs in a row leave nothing behind", async () => {
  await run("true", ONE_MS);
  const before = await settledCount();
  for (let round = 0; round < 500; round += 1) {
    expect(await run(`echo ${round}; exit ${round % 5}`, ONE_MS)).toEqual({
      exitCode: round % 5,
      text: `${round}\r\n`,
    });
  }

  await backAt(before);
});

it("200 programs at once are all answered, and leave nothing behind", async () => {
  await run("true", ONE_MS);
  const before = await settledCount();
  const runs = Array.from({ length: 200 }, (_, id) => run(`seq 1 300; echo only ${id}; exit ${id}`, MANY_MS));
  for (const [id, { exitCode, text }] of (await Promise.all(runs)).entries()) {
    expect([exitCode, text.slice(text.lastIndexOf("300"))]).toEqual([id, `300\r\nonly ${id}\r\n`]);
  }

  await backAt(before);
});

it.each(Array.from({ length: ROUNDS }, (_, index) => index + 1))("round %i of theme G passes", async () => {
  await passRound("-t", "PY-", ...CASES);
});
