/** Whether the process or the manager behind a record still runs, also where the system says nothing of its start. */
import { spawnSync } from "node:child_process";
import { afterEach, describe, expect, it, vi } from "vitest";
import { enterHost, isHostAlive, leaveHost } from "../src/jobs/host-identity.ts";
import { isProcessAlive, ownMark } from "../src/process-mark.ts";

/** Beyond the largest number that Linux gives a process, so that no system has a start time for it. */
const NO_PROCESS = 2 ** 22 + 1;

afterEach(() => void vi.restoreAllMocks());

describe("a process", () => {
  it("runs where its number and its start are those of a process, and not where the number was used again", () => {
    expect(isProcessAlive(ownMark())).toBe(true);
    if (process.platform === "linux") {
      expect(ownMark().startTime).toMatch(/^[0-9a-f-]{36} \d+$/);
      expect(isProcessAlive({ ...ownMark(), startTime: `${ownMark().startTime}1` })).toBe(false);
    }
  });

  it("that has ended does not run", () => {
    const { pid } = spawnSync("true");
    expect(isProcessAlive({ pid, startTime: ownMark().startTime })).toBe(false);
    expect(isProcessAlive({ pid: NO_PROCESS, startTime: "" })).toBe(false);
  });

  it.each([
    ["runs where a signal would reach it", undefined, true],
    ["runs where it belongs to another user", "EPERM", true],
    ["does not run where there is none of that number", "ESRCH", false],
  ])("of which no start is known %s", (_, code, isAlive) => {
    const kill = vi.spyOn(process, "kill").mockImplementation(() => {
      if (code !== undefined) throw Object.assign(new Error(code), { code });
      return true;
    });

    expect(isProcessAlive({ pid: NO_PROCESS, startTime: "" })).toBe(isAlive);
    expect(kill.mock.calls).toEqual([[NO_PROCESS, 0]]);
  });
});

describe("a manager", () => {
  it("runs until it is left, and others of the same process run on", () => {
    const [first, second] = [enterHost(), enterHost()];
    expect(first.instance).not.toBe(second.instance);
    leaveHost(first);

    expect([isHostAlive(first), isHostAlive(second)]).toEqual([false, true]);
    leaveHost(second);
    expect(isHostAlive(second)).toBe(false);
  });

  it("of another process runs as long as that process", () => {
    vi.spyOn(process, "kill").mockImplementation(() => true);
    expect(isHostAlive({ pid: NO_PROCESS, startTime: "", instance: "theirs" })).toBe(true);
    vi.restoreAllMocks();
    expect(isHostAlive({ pid: NO_PROCESS, startTime: "", instance: "theirs" })).toBe(false);
  });
});
