/** What a host hands in, as far as it can be trusted: listeners, windows, folders; and where sessions stand. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import type { ConsoleView } from "../src/console/console-port.ts";
import { SafeView } from "../src/console/safe-view.ts";
import { guardListener, warnAboutListener } from "../src/host-listener.ts";
import type { PathKind } from "../src/places/place.ts";
import { SessionFolders } from "../src/session-folders.ts";
import { checkFarDirectory, checkWorkingDirectory } from "../src/working-directory.ts";

let warning = vi.spyOn(process, "emitWarning");
beforeEach(() => {
  warning = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An object with a `then`, as other libraries' promises are. */
// biome-ignore lint/suspicious/noThenProperty: it is what is tested
const thenable = (then: unknown) => Object.fromEntries([["then", then]]);

describe("a listener", () => {
  it("is called with everything, until it throws for the first time", () => {
    const failed = vi.fn();
    const listener = vi.fn((value: number, more: string) => {
      if (value === 2) throw new Error(more);
    });
    const guarded = guardListener(listener, failed);
    for (const value of [1, 2, 3]) expect(guarded(value, "x")).toBeUndefined();

    expect(listener.mock.calls).toEqual([
      [1, "x"],
      [2, "x"],
    ]);
    expect(failed.mock.calls).toEqual([[new Error("x")]]);
  });

  it("that returns a promise is waited for, and called no more when that rejects; one failure is one", async () => {
    const failed = vi.fn();
    const listener = vi.fn((isBad: boolean) => (isBad ? Promise.reject(new Error("no")) : Promise.resolve(7)));
    const guarded = guardListener(listener, failed);
    expect(await guarded(false)).toBeUndefined();
    const both = [guarded(true), guarded(true)];
    expect(both.every((each) => each instanceof Promise)).toBe(true);
    await Promise.all(both);
    expect(guarded(false)).toBeUndefined();

    expect([listener.mock.calls.length, failed.mock.calls.length]).toEqual([3, 1]);
  });

  it.each([
    ["nothing", undefined],
    ["null", null],
    ["a text", "then"],
    ["an object", thenable(7)],
    ["another object", {}],
  ])("that returns %s is not waited for", (_, value) => {
    expect(
      guardListener(
        () => value,
        () => undefined,
      )(),
    ).toBeUndefined();
  });

  it("that returns what can be waited for like a promise is waited for", async () => {
    const returned = guardListener(
      () => thenable((done: () => void) => done()),
      () => undefined,
    )();
    expect(returned).toBeInstanceOf(Promise);
    await returned;
  });

  it("that is not a function is never called, and a failure is a warning with its reason", () => {
    expect(guardListener(undefined, () => undefined)()).toBeUndefined();
    warnAboutListener("updates")(new Error("why"));
    warnAboutListener("updates")("odd");
    expect(warning.mock.calls).toEqual([
      ["a listener of updates failed and is called no more: why", { code: "PI_LISTENER_FAILED" }],
      ["a listener of updates failed and is called no more: odd", { code: "PI_LISTENER_FAILED" }],
    ]);
  });
});

describe("a console's window", () => {
  const end = { exitCode: 0, cancelled: false, timedOut: false };
  it("is shown everything and the end, and says its size and whether it answers", async () => {
    const [onData, onEnd] = [vi.fn(), vi.fn()];
    const view = new SafeView({ cols: 90, rows: 30, answersQueries: true, onData, onEnd }, 100);
    await view.show("a");
    view.end(end);
    expect([onData.mock.calls, onEnd.mock.calls]).toEqual([[["a"]], [[end]]]);
    expect([view.size, view.answersQueries]).toEqual([{ cols: 90, rows: 30 }, true]);

    const none = new SafeView(undefined, 100);
    await none.show("a");
    none.end(end);
    expect([none.size, none.answersQueries]).toEqual([{ cols: undefined, rows: undefined }, false]);
    const plain = new SafeView({}, 100);
    await plain.show("a");
    plain.end(end);
    expect([plain.answersQueries, warning.mock.calls]).toEqual([false, []]);
  });

  it.each<[string, ConsoleView["onData"], string]>([
    [
      "throws",
      () => {
        throw new Error("window");
      },
      "window",
    ],
    ["rejects", () => Promise.reject(new Error("later")), "later"],
    ["rejects with no error", () => Promise.reject("odd"), "odd"],
  ])("that %s is shown no more, which is a warning", async (_, onData, reason) => {
    const calls = vi.fn(onData as () => unknown);
    const onEnd = vi.fn();
    const view = new SafeView({ onData: calls, onEnd }, 1_000);
    await view.show("a");
    await view.show("b");
    view.end(end);

    expect([calls.mock.calls.length, onEnd.mock.calls.length]).toEqual([1, 0]);
    expect(warning.mock.calls).toEqual([
      [`a console window failed and is shown no more: ${reason}`, { code: "PI_LISTENER_FAILED" }],
    ]);
  });

  it("that does not take its output in time is shown no more, and one that takes just so long is", async () => {
    vi.useFakeTimers();
    const onData = vi.fn(
      (chunk: string) => new Promise((resolve) => setTimeout(resolve, chunk === "fast" ? 99 : 5_000)),
    );
    const view = new SafeView({ onData }, 100);
    for (const chunk of ["fast", "slow", "never"]) {
      const showing = view.show(chunk);
      await vi.advanceTimersByTimeAsync(100);
      await showing;
    }

    expect(onData.mock.calls).toEqual([["fast"], ["slow"]]);
    expect(warning.mock.calls[0]?.[0]).toContain("it did not take its output in time");
  });

  it("that throws at the end is a warning", () => {
    const view = new SafeView(
      {
        onEnd: () => {
          throw new Error("window");
        },
      },
      100,
    );
    view.end(end);
    view.end(end);
    expect(warning).toHaveBeenCalledTimes(1);
  });
});

describe("the folder of a command", () => {
  it("is a directory, and the error says what it is instead", async () => {
    const folder = scratchFolder();
    const file = join(folder, "file");
    writeFileSync(file, "");
    await expect(checkWorkingDirectory(folder)).resolves.toBeUndefined();
    await expect(checkWorkingDirectory(file)).rejects.toMatchObject({
      code: "PI_CWD_NOT_A_DIRECTORY",
      name: "WorkingDirectoryError",
      message: `Working directory is not a directory: ${file}`,
    });
    for (const path of [join(folder, "missing"), join(file, "below")]) {
      await expect(checkWorkingDirectory(path)).rejects.toMatchObject({
        code: "PI_MISSING_CWD",
        message: `Working directory does not exist: ${path}`,
        cause: expect.any(Error),
      });
    }
  });

  it("that cannot be looked at says so with the system's code", async () => {
    const path = `/${"x".repeat(5_000)}`;
    await expect(checkWorkingDirectory(path)).rejects.toMatchObject({
      code: "PI_CWD_DENIED",
      message: `Working directory cannot be used: ${path} (ENAMETOOLONG)`,
    });
    const odd = "/a\0b";
    await expect(checkWorkingDirectory(odd)).rejects.toMatchObject({ code: "PI_CWD_DENIED" });
    const closed = join(scratchFolder(), "closed");
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    await expect(checkWorkingDirectory(closed)).resolves.toBeUndefined();
  });

  it.each<[PathKind, string | undefined, string]>([
    ["directory", undefined, ""],
    ["missing", "PI_MISSING_CWD", "Working directory does not exist on far: /x"],
    ["denied", "PI_CWD_DENIED", "Working directory cannot be used on far: /x"],
    ["file", "PI_CWD_NOT_A_DIRECTORY", "Working directory is not a directory on far: /x"],
    ["other", "PI_CWD_NOT_A_DIRECTORY", "Working directory is not a directory on far: /x"],
  ])("on a place, where it is %s", async (kind, code, message) => {
    const checking = checkFarDirectory("far", { stat: async () => ({ kind }) }, "/x");
    if (code === undefined) await expect(checking).resolves.toBeUndefined();
    else await expect(checking).rejects.toMatchObject({ code, message });
  });
});

describe("the folders of sessions", () => {
  it("are remembered until they are forgotten", () => {
    const folders = new SessionFolders();
    folders.set("a", "/1");
    folders.set("a", "/2");
    expect([folders.get("a"), folders.get("b")]).toEqual(["/2", undefined]);
    folders.delete("a");
    expect(folders.get("a")).toBeUndefined();
  });

  it("are 4,096 at most; the one that moved longest ago goes", () => {
    const folders = new SessionFolders();
    for (let at = 0; at < 4_096; at += 1) folders.set(`k${at}`, "/");
    folders.set("k0", "/moved");
    expect([folders.get("k0"), folders.get("k1")]).toEqual(["/moved", "/"]);
    folders.set("new", "/");

    expect([folders.get("k0"), folders.get("k1"), folders.get("k2"), folders.get("new")]).toEqual([
      "/moved",
      undefined,
      "/",
      "/",
    ]);
  });
});
