/** Sessions without a bash that is kept, end to end: the host's environment asks for them. */
import { expect, it } from "vitest";
import type { Report } from "../programs/run-commands.ts";
import { startHost } from "../support/host.ts";
import { newTag } from "../support/tag.ts";

/** Runs commands in one session of a host whose sessions have a bash for each command. */
async function inHost(...runs: readonly object[]): Promise<Report[]> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const host = startHost("run-commands", {
    args: ["session", JSON.stringify(runs)],
    env: { ...env, PI_BASH_SESSION: "per-command" },
  });
  expect(await host.ended()).toEqual({ code: 0, signal: null });
  return JSON.parse(host.stdout().trim().split("\n").at(-1) ?? "[]") as Report[];
}

const sink = { maxBytes: 10_000 };

it("keeps the state of a session from bash to bash, also past a deadline", async () => {
  const tag = newTag();

  const reports = await inHost(
    { command: "cd /usr; export A=1; f() { echo F$A; }; echo $$", sink },
    { command: "A=2; sleep 300; echo never", sink, timeoutMs: 1_000, env: tag.env },
    { command: "f; pwd; echo $$", sink },
  );

  const [first, second, third] = reports.map((report) => ("output" in report ? report.output?.text : report));
  expect(second).toBe("");
  expect(reports[1]).toMatchObject({ timedOut: true, sessionReset: false });
  expect(third).toMatch(/^F2\n\/usr\n\d+\n$/);
  expect(third).not.toContain(first);
  await tag.gone();
});
