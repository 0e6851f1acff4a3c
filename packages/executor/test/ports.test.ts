/** Ports that a command's processes listen on: whose they are, how often they are looked for, and what a failure costs. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ListeningPort, ShellPort } from "../src/natives-port.ts";
import { portLook, withPorts } from "../src/ports.ts";

const port = (pid: number, number: number, startedAtMs = 0) =>
  ({ pid, port: number, startedAtMs }) as unknown as ListeningPort;
const shellOf = (listeningPorts?: () => Promise<readonly ListeningPort[]>) =>
  ({ listeningPorts }) as unknown as ShellPort;

describe("a look at ports", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("finds what was started with the command or after it, and all where the shell is its own", async () => {
    const ports = [port(1, 80, 940), port(2, 81, 950), port(3, 82, 1_000)];
    const shell = shellOf(async () => ports);

    expect((await portLook(shell, 1_000)()).map(({ pid }) => pid)).toEqual([2, 3]);
    expect((await portLook(shell, undefined)()).map(({ pid }) => pid)).toEqual([1, 2, 3]);
  });

  it("is good for a second", async () => {
    const asked = vi.fn(async () => [port(1, 80)]);
    const look = portLook(shellOf(asked), undefined);
    await look();
    vi.advanceTimersByTime(999);
    await look();
    expect(asked).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(await look()).toHaveLength(1);
    expect(asked).toHaveBeenCalledTimes(2);
  });

  it.each([
    ["cannot look", undefined],
    ["fails", () => Promise.reject(new Error("no"))],
  ])("finds nothing where the shell %s", async (_, ports) => {
    expect(await portLook(shellOf(ports), undefined)()).toEqual([]);
  });
});

describe("survivors", () => {
  const survivors = [
    { pid: 1, command: "one" },
    { pid: 2, command: "two" },
  ] as unknown as Parameters<typeof withPorts>[1];

  it("have the ports that they listen on, each once", async () => {
    const shell = shellOf(async () => [port(1, 80), port(1, 80), port(1, 81), port(3, 82)]);

    expect(await withPorts(shell, survivors)).toEqual([{ ...survivors[0], ports: [80, 81] }, survivors[1]]);
  });

  it("are as they were where nothing listens, and no look is made where there are none", async () => {
    const asked = vi.fn(async () => []);

    expect(await withPorts(shellOf(asked), survivors)).toBe(survivors);
    expect(await withPorts(shellOf(asked), [])).toEqual([]);
    expect(asked).toHaveBeenCalledTimes(1);
  });
});
