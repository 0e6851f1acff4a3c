/** What can hold a call that only reads: the kernel, the strict half of the tables, or nothing. */
import { Settings } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { holdOf } from "../../src/read-only/call-reading.ts";
import type { BashToolSession } from "../../src/session.ts";

describe("what can hold a call", () => {
  const CALL = { isAsync: false, wantsPty: false };
  const NO_KERNEL = { available: false, reason: "an old kernel" } as const;

  interface Ports {
    confinement?: { available: true } | typeof NO_KERNEL;
    sandbox?: object;
    path?: string;
    more?: Partial<BashToolSession>;
  }

  /** A session of which only what is asked for here is there. */
  function sessionOf({ confinement = { available: true }, sandbox, path = "/usr/bin", more = {} }: Ports) {
    const executor = {
      confinement: async () => confinement,
      environment: () => ({ env: path === "" ? {} : { PATH: path } }),
      sandbox,
    };
    return { cwd: "/w", executor, ...more } as unknown as BashToolSession;
  }

  const hold = (call: Parameters<typeof holdOf>[0], ports: Ports = {}, enforce = "available", grade = "tables") =>
    holdOf(call, grade as Parameters<typeof holdOf>[1], {
      session: sessionOf(ports),
      settings: Settings.parse({ "readOnly.enforce": enforce }),
    });

  const client = {
    getClientBridge: () => ({ capabilities: { terminal: true }, createTerminal: () => Promise.reject(new Error("x")) }),
  };
  const pty = { pty: { run: () => Promise.reject(new Error("not used")) } };

  it("is the kernel, which then confines it", async () => {
    const found = await hold(CALL);
    expect(found.hold).toBe("kernel");
    expect(found.readingOf("confined")).toStrictEqual({ kind: "confined" });
    expect(found.readingOf("unheld")).toBeUndefined();
    expect(found.readingOf("session")).toBeUndefined();
    expect(found.readingOf(undefined)).toBeUndefined();
  });

  it("is nothing on a terminal, and the tables where nothing is enforced", async () => {
    const typed = await hold({ ...CALL, isTerminal: true });
    expect([typed.hold, typed.readingOf("confined")]).toEqual(["none", undefined]);
    expect((await hold({ ...CALL, isTerminal: true }, {}, "off")).hold).toBe("none");
    const off = await hold(CALL, {}, "off");
    expect([off.hold, off.readingOf("confined")]).toEqual(["tables", undefined]);
  });

  it("is not looked for where a line needs none", async () => {
    const ports = { confinement: NO_KERNEL };
    for (const grade of ["session", undefined])
      expect(
        (await holdOf(CALL, grade as "session", { session: sessionOf(ports), settings: Settings.parse({}) })).hold,
      ).toBe("kernel");
  });

  it("is the strict half of the tables where nothing can confine it, and says why", async () => {
    const found = await hold(CALL, { confinement: NO_KERNEL });
    expect(found.hold).toBe("strict");
    expect(found.readingOf("unheld")).toStrictEqual({ kind: "unheld", reason: "an old kernel" });
    expect(found.readingOf("confined")).toBeUndefined();
    expect((await hold(CALL, { confinement: NO_KERNEL, path: "" })).hold).toBe("strict");
  });

  it("is nothing there where it is required, or the search path leads into the workspace", async () => {
    const ports = { confinement: NO_KERNEL };
    expect((await hold(CALL, ports, "required")).hold).toBe("none");
    expect((await hold(CALL, { ...ports, path: "/w/bin:/usr/bin" })).hold).toBe("none");
    expect((await hold(CALL, {}, "required")).hold).toBe("kernel");
  });

  it.each<[string, Parameters<typeof holdOf>[0], Ports, string | undefined]>([
    ["a console", { ...CALL, wantsPty: true }, { more: pty }, "a console runs it"],
    ["no console", { ...CALL, wantsPty: true }, {}, undefined],
    ["a console in a job", { isAsync: true, wantsPty: true }, { more: pty }, undefined],
    ["a console beside a sandbox", { ...CALL, wantsPty: true }, { more: pty, sandbox: {} }, undefined],
    ["the client's terminal", CALL, { more: client }, "the client's terminal runs it"],
    ["the client's terminal in a job", { ...CALL, isAsync: true }, { more: client }, undefined],
    ["the client's terminal beside a sandbox", CALL, { more: client, sandbox: {} }, undefined],
    ["a client for a call that wants a console", { ...CALL, wantsPty: true }, { more: client }, undefined],
    ["a client without terminals", CALL, { more: { getClientBridge: () => ({ capabilities: {} }) } }, undefined],
    [
      "a client that cannot make one",
      CALL,
      { more: { getClientBridge: () => ({ capabilities: { terminal: true } }) } },
      undefined,
    ],
  ])("is the kernel unless another program runs it: %s", async (_, call, ports, reason) => {
    const found = await hold(call, ports);
    expect(found.hold).toBe(reason === undefined ? "kernel" : "strict");
    expect(found.readingOf("unheld")).toEqual(reason === undefined ? undefined : { kind: "unheld", reason });
  });
});
