/**
 * What the tools do with the ports of a host: signals, settings, listeners, routers and a workspace that is not ready.
 */
import { join } from "node:path";
import { TaskListParams } from "@pi-bash/contract";
import { describe, expect, it } from "vitest";
import { createBashTool } from "../src/bash-tool.ts";
import { settingsReader } from "../src/call-settings.ts";
import { checkSignal } from "../src/call-signal.ts";
import { expandCwd, expandEnvValue, expandInternalUrls } from "../src/internal-urls.ts";
import { liveUpdates, untilSettled } from "../src/live-updates.ts";
import { resolveSkillPath } from "../src/skill-url.ts";
import { defineTool } from "../src/tasks/define-tool.ts";
import { untilReady } from "../src/tasks/task-session.ts";
import { ToolAbortError, ToolError } from "../src/tool-error.ts";
import { folderRefusal, resolveToCwd } from "../src/working-directory.ts";
import { scene, thrown } from "./support/session.ts";
import { taskScene } from "./support/tasks.ts";

describe("a signal", () => {
  it("may be absent or null, and is looked at once", () => {
    expect(() => checkSignal(undefined)).not.toThrow();
    expect(() => checkSignal(null as never)).not.toThrow();
    expect(() => checkSignal(new AbortController().signal)).not.toThrow();
    expect(() => checkSignal(AbortSignal.abort())).toThrow(ToolAbortError);
  });

  it("that is none, or takes no listener, is refused with its reason", () => {
    expect(() => checkSignal({ aborted: false } as never)).toThrow("The call's signal is not an AbortSignal");
    const cause = new Error("no");
    const deaf = {
      aborted: false,
      addEventListener: () => {
        throw cause;
      },
      removeEventListener: () => undefined,
    };
    expect(() => checkSignal(deaf as never)).toThrow(
      expect.objectContaining({ message: expect.stringContaining("does not accept listeners"), cause }),
    );
  });
});

describe("settings", () => {
  it("are parsed when the session has others, and only then", () => {
    const { session } = scene({ defaultTimeout: 5_000 });
    const read = settingsReader(session);
    const first = read();
    expect(first.defaultTimeout).toBe(5_000);
    expect(read()).toBe(first);
    Object.assign(session, { settings: { defaultTimeout: 6_000 } });
    expect(read().defaultTimeout).toBe(6_000);
    Object.assign(session, { settings: undefined });
    expect(read().defaultTimeout).toBe(300_000);
    expect(read()).toBe(read());
  });

  it("that are wrong are an error each time", () => {
    const { session } = scene();
    Object.assign(session, { settings: { defaultTimeout: "soon" } });
    const read = settingsReader(session);
    expect(read).toThrow(/^Wrong settings: .*defaultTimeout/);
    expect(read).toThrow(ToolError);
  });
});

describe("a listener of updates", () => {
  it("gets each text with its details, and none where there is nothing to show yet", () => {
    const got: unknown[] = [];
    const { show } = liveUpdates((update) => got.push(update));
    show("a");
    show(undefined, { terminalId: "t" });
    expect(got).toStrictEqual([
      { content: [{ type: "text", text: "a" }], details: {} },
      { content: [], details: { terminalId: "t" } },
    ]);
    expect(() => liveUpdates(undefined).show("a")).not.toThrow();
  });

  it("gets nothing after its call has settled", () => {
    const got: unknown[] = [];
    const { listener, end } = untilSettled((update) => got.push(update));
    listener?.({ content: [], details: {} });
    end();
    listener?.({ content: [], details: {} });
    expect(got).toHaveLength(1);
    const none = untilSettled(undefined);
    expect(none.listener).toBeUndefined();
    expect(() => none.end()).not.toThrow();
  });
});

describe("a router of URLs", () => {
  const router = (sourcePath: string | undefined, canHandle = true) => ({
    canHandle: () => canHandle,
    resolve: async () => ({ sourcePath }),
  });

  it("has its paths made absolute, quoted in commands and plain elsewhere", async () => {
    const sources = { router: router("/a/../it's") };
    expect(await expandInternalUrls("cat memory://x memory://y; echo z", { sources })).toBe(
      "cat '/it'\\''s' '/it'\\''s'; echo z",
    );
    expect(await expandEnvValue("memory://x", { sources })).toBe("/it's");
    expect(await expandEnvValue("see memory://x", { sources })).toBe("see memory://x");
    expect(await expandCwd("memory://x", { sources })).toBe("/it's");
    expect(await expandCwd("plain", { sources })).toBe("plain");
  });

  it.each(["", undefined])("that gives the path %j is an error", async (path) => {
    const error = await thrown(expandEnvValue("memory://x", { sources: { router: router(path) } }));
    expect(error.message).toContain("resolved without a filesystem path");
  });

  it("is asked for artifacts before the store, where it can tell", async () => {
    const artifacts = { get: async () => ({ path: "/store" }), list: async () => [] } as never;
    const of = (canHandle: boolean) =>
      expandEnvValue("artifact://abc", { sources: { router: router("/routed", canHandle) }, artifacts });
    expect(await of(true)).toBe("/routed");
    expect(await of(false)).toBe("/store");
    expect((await thrown(expandEnvValue("artifact://abc", { sources: {} }))).message).toContain(
      "router is unavailable",
    );
  });

  it("is not asked for skills and local files", async () => {
    const sources = { router: router("/routed") };
    expect((await thrown(expandEnvValue("local://x", { sources }))).message).toContain("Cannot resolve local://");
    expect((await thrown(expandEnvValue("skill://x", { sources }))).message).toBe("Unknown skill: x. Available: none");
  });

  it("names the last twenty artifacts where one is not found, and why a store failed", async () => {
    const list = async () => Array.from({ length: 25 }, (_, at) => ({ id: `a${at}` }));
    const missing = { get: async () => undefined, list } as never;
    const error = await thrown(expandEnvValue("artifact://zz", { sources: {}, artifacts: missing }));
    expect(error.message).toMatch(/Artifact zz not found\. Available: a5, a6, .*, a24$/);
    const broken = { get: () => Promise.reject(new Error("no disk")), list } as never;
    expect((await thrown(expandEnvValue("artifact://zz", { sources: {}, artifacts: broken }))).message).toMatch(
      /^Failed to resolve artifact:.*\nno disk$/,
    );
  });
});

describe("a skill", () => {
  const skills = [
    { name: "a", baseDir: "/skills/a", filePath: "/skills/a/SKILL.md" },
    { name: "a:b", baseDir: "/skills/a-b", filePath: "/skills/a-b/SKILL.md" },
  ];
  const find = (rest: string, wanted: "file" | "folder" = "file") =>
    resolveSkillPath(`skill://${rest}`, rest, skills, wanted);

  it.each([
    ["a", "/skills/a/SKILL.md"],
    ["a/", "/skills/a/SKILL.md"],
    ["a?x=y", "/skills/a/SKILL.md"],
    ["a:b", "/skills/a-b/SKILL.md"],
    ["a:c", "/skills/a/c"],
    ["a:b:c", "/skills/a-b/c"],
    ["a:c:d/e%20f", "/skills/a/c/d/e f"],
  ])("%s is %s", async (rest, path) => {
    expect(await find(rest)).toBe(path);
  });

  it("is its folder where a folder is wanted", async () => {
    expect(await find("a", "folder")).toBe("/skills/a");
    expect(await find("a/x", "folder")).toBe("/skills/a/x");
    expect((await thrown(find("b"))).message).toBe("Unknown skill: b. Available: a, a:b");
    expect((await thrown(find(""))).message).toBe("Unknown skill: . Available: a, a:b");
  });
});

describe("a folder", () => {
  it("is taken from the session's, or from the home", () => {
    const home = () => "/home/a";
    const of = (path: string) => resolveToCwd(path, "/w", home);
    expect(["~", "~/x", "~x", "x/../y", "/z/", "."].map(of)).toStrictEqual([
      "/home/a",
      "/home/a/x",
      "/w/~x",
      "/w/y",
      "/z",
      "/w",
    ]);
  });

  it("that cannot be used is refused in words of its own, whatever the core said of it", async () => {
    const error = (code: string) => Object.assign(new Error("the core's words"), { code });
    const missing = join(scene().folder, "missing");
    for (const code of ["PI_MISSING_CWD", "PI_CWD_NOT_A_DIRECTORY", "PI_CWD_DENIED", "PI_INVALID_OPTION"])
      expect(await folderRefusal(error(code), missing)).toMatchObject({
        message: `Working directory does not exist: ${missing}`,
      });
    expect(await folderRefusal(error("PI_MISSING_CWD"), "/")).toMatchObject({ message: "the core's words" });
    expect(await folderRefusal(error("PI_OTHER"), missing)).toMatchObject({ message: "the core's words" });
    expect(await folderRefusal("a text", missing)).toBe("a text");
  });
});

describe("a call that a host may start beside others", () => {
  it.each<[object | null, boolean]>([
    [{ command: "ls" }, true],
    [{ command: "touch x" }, false],
    [{ command: "ls", async: false, pty: false, unconfined: false }, true],
    [{ command: "ls", async: true }, false],
    [{ command: "ls", pty: true }, false],
    [{ command: "ls", unconfined: true }, false],
    [{ command: 7 }, false],
    [null, false],
  ])("is one that only reads: %j is %s", (params, isSafe) => {
    expect(createBashTool(scene().session).isConcurrencySafe(params)).toBe(isSafe);
  });

  it("is none of parameters that cannot be read", () => {
    const params = Object.defineProperty({}, "command", {
      enumerable: true,
      get: () => {
        throw new Error("no");
      },
    });
    expect(createBashTool(scene().session).isConcurrencySafe(params)).toBe(false);
  });
});

describe("a workspace that is not ready", () => {
  const wait = async (ready: ((signal?: AbortSignal) => Promise<void>) | undefined, signal?: AbortSignal) =>
    untilReady({ ...scene().session, ...(ready === undefined ? {} : { ready }) }, signal);

  it("is waited for, and what it fails with is the model's to read", async () => {
    await wait(undefined);
    await wait(async () => undefined);
    expect((await thrown(wait(() => Promise.reject(new Error("no image"))))).message).toBe(
      "The workspace is not ready: no image",
    );
    expect((await thrown(wait(() => Promise.reject("no image")))).message).toBe("The workspace is not ready: no image");
    const aborted = new ToolAbortError("gone");
    expect(await thrown(wait(() => Promise.reject(aborted)))).toBe(aborted);
    const never = () => new Promise<void>(() => undefined);
    expect(await thrown(wait(never, AbortSignal.abort()))).toBeInstanceOf(ToolAbortError);
  });

  it("is waited for before a task tool does anything, and only with parameters that are right", async () => {
    const seen: string[] = [];
    const { session } = await taskScene({}, { ready: async () => void seen.push("ready") });
    const tool = defineTool(session, {
      name: "x",
      label: "X",
      description: () => "x",
      parameters: () => TaskListParams,
      run: async () => {
        seen.push("run");
        throw Object.assign(new Error("refused"), { code: "PI_X" });
      },
    });
    expect((await thrown(tool.execute("call", { statuses: 7 }))).message).toMatch(/^Invalid x parameters/);
    expect(seen).toEqual([]);
    expect(await thrown(tool.execute("call", {}))).toMatchObject({ name: "ToolError", message: "refused" });
    expect(seen).toEqual(["ready", "run"]);
  });
});
