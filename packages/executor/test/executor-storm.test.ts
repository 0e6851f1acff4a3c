/**
 * Many calls at once, some aborted, some too slow, some impossible: each ends once, with its own output, and nothing
 * is left.
 */
import { describe, expect, it } from "vitest";
import type { CommandResult } from "../src/command-result.ts";
import { real } from "./support/real.ts";
import { until } from "./support/waiting.ts";

const CALLS = 60;
const SESSIONS = 6;

/** What a call asks for; every kind comes up in every session. */
const KINDS = ["plain", "failing", "long", "timeout", "abort", "nowhere", "background"] as const;
type Kind = (typeof KINDS)[number];

function commandOf(kind: Kind, number: number): string {
  const own = `echo own-${number}`;
  if (kind === "failing") return `${own}; exit 3`;
  if (kind === "long") return `${own}; seq 1 15000; ${own}`;
  if (kind === "timeout" || kind === "abort") return `${own}; sleep 300`;
  if (kind === "background") return `sleep 300 >/dev/null 2>&1 & ${own}`;
  return own;
}

type Outcome = CommandResult | { code: unknown };

describe("sixty calls over six sessions", () => {
  it("each end once and alone, and leave no process behind", async () => {
    const { executor, processes } = real();
    const kinds = Array.from({ length: CALLS }, (_, number) => KINDS[(number * 5) % KINDS.length] ?? "plain");

    const outcomes = await Promise.all(
      kinds.map(async (kind, number): Promise<Outcome> => {
        const controller = new AbortController();
        if (kind === "abort") setTimeout(() => controller.abort(), 50 + ((number * 37) % 200));
        try {
          return await executor.executeBash(commandOf(kind, number), {
            sessionKey: `s${number % SESSIONS}`,
            signal: controller.signal,
            timeoutMs: kind === "timeout" ? 300 : 50_000,
            cwd: kind === "nowhere" ? "/nope" : "/",
          });
        } catch (error) {
          return { code: error instanceof Error && "code" in error ? error.code : error };
        }
      }),
    );

    for (const [number, outcome] of outcomes.entries()) expectOwn(kinds[number] ?? "plain", number, outcome);
    expect(executor.stats()).toEqual({ sessions: SESSIONS, idle: SESSIONS, quarantined: 0 });
    for (const artifact of await executor.artifacts.list()) {
      expect((await executor.artifacts.read(artifact.id)).text).toMatch(/^own-\d+\n(?:1\n[\s\S]*15000\nown-\d+\n)?$/);
    }
    await executor.dispose();
    if (process.platform === "linux")
      await until(() => processes().every((line) => !line.includes("sleep")), "all to be gone");
  });
});

function expectOwn(kind: Kind, number: number, outcome: Outcome): void {
  if (kind === "nowhere") {
    expect(outcome).toEqual({ code: "PI_MISSING_CWD" });
    return;
  }
  if ("code" in outcome) throw new Error(`call ${number} (${kind}): ${String(outcome.code)}`);
  const others = outcome.output.match(/own-\d+/g)?.filter((word) => word !== `own-${number}`) ?? [];
  expect(others, `call ${number}`).toEqual([]);
  const isStopped = kind === "timeout" || kind === "abort";
  expect(outcome.cancelled, `call ${number}`).toBe(isStopped);
  expect(outcome.exitCode, `call ${number}`).toBe(isStopped ? undefined : kind === "failing" ? 3 : 0);
  // A child in the background may hold the output for a moment until it has redirected its own.
  if (kind !== "background") expect(outcome.artifactId !== undefined, `call ${number}`).toBe(kind === "long");
}
