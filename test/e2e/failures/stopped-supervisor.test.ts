/**
 * A command can stop the process that supervises it: its parent. No one may wait for that one, and it must end with its
 * host.
 */
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { startHost } from "../../support/host.ts";
import { until, within } from "../../support/patience.ts";
import { openSession } from "../../support/session.ts";
import { isZombie, processState } from "../../support/tag.ts";

/** From a command's deadline to its result, at most: design.md's grace of a stop. */
const GRACE_MS = 5_000;

describe("a supervisor that a command stopped", () => {
  it.each([
    ["at the end of the shell", "kill -STOP $PPID; exit 3", 3],
    ["in a command that goes on", "kill -STOP $PPID; echo on; (exit 4)", 4],
    ["with a background child", "sleep 300 & kill -STOP $PPID; exit 5", 5],
    ["behind another shell", "bash -c 'kill -STOP $(ps -o ppid= $PPID)'; exit 6", 6],
  ])("tells of it %s, and the session goes on", async (_when, command, exitCode) => {
    const { shell, run } = openSession();
    await run("V=kept");

    expect(await run(command, { timeoutMs: 10_000 })).toMatchObject({ exitCode, sessionReset: false });
    expect(await run("echo one $V")).toMatchObject({ text: "one kept\n" });
    expect(await run("echo two $V")).toMatchObject({ text: "two kept\n" });
    await within("the end of the session", shell.close(), GRACE_MS);
  });

  it("does not outlast a deadline when it is stopped again and again", async () => {
    const { shell, run } = openSession();

    const result = await run("while :; do kill -STOP $PPID; done & sleep 300", { timeoutMs: 500 });

    expect(result).toMatchObject({ timedOut: true, survivors: [] });
    expect(result.wallTimeMs).toBeLessThan(500 + GRACE_MS);
    expect(await run("echo on")).toMatchObject({ text: "on\n" });
    await within("the end of the session", shell.close(), GRACE_MS);
  });

  it.for([
    [undefined, "T"],
    // There it is the first process of a namespace, which no signal from inside stops.
    ["bubblewrap", "S"],
    ["landlock", "T"],
  ] as const)("ends with its host, sandbox: %s", async ([backend, state], { skip }) => {
    if (backend !== undefined && !capabilities().sandbox.includes(backend)) skip(`this machine has no ${backend}`);
    // What is in a sandbox may not be readable: it is found by its words, which no one else has.
    const seconds = `300.${randomInt(1e9, 1e10)}`;
    const host = startHost("stop-supervisor", { args: [seconds, ...(backend === undefined ? [] : [backend])] });
    await host.printed("ready");
    const named = () => processesNamed(`sleep\0${seconds}\0`);
    await until("both have begun", () => named().length === 2);
    const left = named();
    const supervisors = [...new Set(left.map(supervisorOf))];
    expect(supervisors).toHaveLength(1);
    // It may be at work at the moment of a look.
    await until(`its state is ${state}`, () => supervisors.map(processState).every((now) => now === state));

    process.kill(host.pid, "SIGKILL");
    await host.ended();

    await until("nothing is left", () => [...left, ...supervisors].every(isZombie));
  });
});

/** The process that the two programs have above them, which does not end as their shell may. */
function supervisorOf(pid: number): number {
  const parentOf = (child: number) => Number(/\) \w (\d+)/.exec(readFileSync(`/proc/${child}/stat`, "latin1"))?.[1]);
  const isSupervisor = (one: number) => readFileSync(`/proc/${one}/cmdline`, "latin1").includes("pi-supervisor");
  let above = parentOf(pid);
  while (above > 1 && !isSupervisor(above)) above = parentOf(above);
  return above;
}

function processesNamed(words: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "latin1") === words;
      } catch {
        return false; // It went away between the listing and the look.
      }
    });
}
