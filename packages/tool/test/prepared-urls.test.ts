/** Internal URLs of a prepared call: what is judged, which folders are made and when, and what happens on a place. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { expandCwd, expandEnvValue, expandInternalUrls } from "../src/internal-urls.ts";
import type { BashToolSession } from "../src/session.ts";
import { farPlace, preparing, recordedPolicy } from "./support/preparing.ts";
import { thrown } from "./support/session.ts";

/** A session with a local folder, whose policy answers so; the folder is not there yet. */
function local(answer?: Parameters<typeof recordedPolicy>[0], ports: Partial<BashToolSession> = {}) {
  const { policy, asked } = recordedPolicy(answer);
  const made = preparing({}, { policy, ...ports });
  const localRoot = join(made.folder, "local");
  Object.assign(made.session, { internalUrls: { localRoot } });
  return { ...made, asked, localRoot };
}

describe("the folder of a local URL", () => {
  it.each([
    ["a command", { command: "touch local://a/f" }, ["a"], ["a/f"]],
    ["a variable", { command: "touch x", env: { A: "plain", F: "local://a/f", Z: "plain" } }, ["a"], ["a/f"]],
    ["a working directory", { command: "touch x", cwd: "local://a/b" }, ["a", "a/b"], []],
  ])("is made for %s, once the call was judged", async (_, params, made, missing) => {
    const { prepare, localRoot, asked } = local(() => {
      expect(existsSync(localRoot)).toBe(false);
      return {};
    });
    await prepare(params);
    expect(asked).toHaveLength(1);
    expect(made.filter((each) => !existsSync(join(localRoot, each)))).toEqual([]);
    expect(missing.filter((each) => existsSync(join(localRoot, each)))).toEqual([]);
  });

  it("is not made where the call is refused, nor where its own folder is missing", async () => {
    const denied = local(() => ({ behavior: "deny", message: "no" }));
    expect((await thrown(denied.prepare({ command: "touch local://a/f" }))).message).toBe("no");
    const lost = local();
    expect((await thrown(lost.prepare({ command: "touch local://a/f", cwd: "gone" }))).message).toBe(
      `Working directory does not exist: ${lost.folder}/gone`,
    );
    for (const { localRoot } of [denied, lost]) expect(existsSync(localRoot)).toBe(false);
  });

  it("is judged as the path that it is, with every other value as it was", async () => {
    const { prepare, localRoot, asked, folder } = local();
    const env = { A: "plain", F: "local://a/f" };
    const call = await prepare({ command: "touch local://b/f", env });
    expect(call).toMatchObject({
      original: "touch local://b/f",
      command: `touch '${localRoot}/b/f'`,
      env: { A: "plain", F: `${localRoot}/a/f` },
      applied: ["internal URLs became paths"],
    });
    expect(asked[0]?.request).toMatchObject({
      command: call.command,
      original: { command: call.original, cwd: folder },
      env: call.env,
    });
    expect((await prepare({ command: "touch x", env })).applied).toEqual([]);
  });

  it("cannot be made below a file, or beside a loop of links, and the reason is said", async () => {
    const { prepare, localRoot } = local();
    mkdirSync(localRoot);
    writeFileSync(join(localRoot, "file"), "");
    const below = await thrown(prepare({ command: "touch local://file/a/f" }));
    expect(below.message).toMatch(/^Failed to resolve local:\/\/ URL in bash command: local:\/\/file\/a\/f\n.*E/);
    expect(below.cause).toBeInstanceOf(Error);
    symlinkSync("loop", join(localRoot, "loop"));
    const loop = await thrown(prepare({ command: "touch local://loop/f" }));
    expect(loop.message).toMatch(/^Failed to resolve local:\/\/ URL in bash command: local:\/\/loop\/f\nELOOP/);
  });
});

describe("a URL that leads elsewhere once the call was judged", () => {
  /** A session whose router gives another path at each look. */
  function moving(paths: readonly string[]): ReturnType<typeof preparing> {
    let looks = 0;
    const resolve = async () => {
      looks += 1;
      return { sourcePath: paths[Math.min(looks, paths.length) - 1] };
    };
    return preparing({}, { internalUrls: { router: { canHandle: (url) => url.startsWith("memory:"), resolve } } });
  }

  it.each([
    ["a command", { command: "touch memory://x" }],
    ["a variable", { command: "touch x", env: { F: "memory://x" } }],
    ["a working directory", { command: "touch x", cwd: "memory://x" }],
  ])("does not run in %s", async (_, params) => {
    expect((await thrown(moving(["/tmp", "/"]).prepare(params))).message).toBe(
      "An internal URL leads elsewhere than when the call was checked; try again.",
    );
    await moving(["/"]).prepare(params);
  });

  it("has to be a folder where it is the working directory", async () => {
    const made = moving(["/nowhere/at/all"]);
    expect((await thrown(made.prepare({ command: "touch x", cwd: "memory://x" }))).message).toBe(
      "Working directory does not exist: /nowhere/at/all",
    );
  });
});

describe("a call on a place", () => {
  const router = { canHandle: () => true, resolve: async () => ({ sourcePath: "/memory" }) };
  const far = () =>
    preparing({}, { cwd: "/far", place: farPlace(), internalUrls: { localRoot: "/nowhere/local", router } });

  it.each([
    { command: "cat memory://x" },
    { command: "cat local://x; cat local://y" },
    { command: ":", env: { A: "plain", F: "local://x" } },
    { command: ":", cwd: "memory://x" },
  ])("has no internal URLs: %j", async (params) => {
    expect((await thrown(far().prepare(params))).message).toBe(
      "Internal URLs are files of the agent's machine, and commands run on ssh:build7. Read the URL with the tool that reads files, and give the command what it needs of it.",
    );
  });

  it.each<[{ command: string; env?: object; cwd?: string }, string]>([
    [{ command: ":" }, "/far"],
    [{ command: ":", env: { A: "plain" } }, "/far"],
    [{ command: ":", cwd: "." }, "/far"],
    [{ command: ":", cwd: "sub" }, "/far/sub"],
    [{ command: "cd sub && :" }, "/far/sub"],
  ])("is as any other without one: %j", async (params, cwd) => {
    expect(await far().prepare(params)).toMatchObject({ command: ":", cwd, env: params.env ?? {} });
  });

  it("and on this machine, where there are no sources of URLs at all, says so", async () => {
    const { prepare } = preparing();
    expect((await thrown(prepare({ command: "cat local://x" }))).message).toMatch(/^Cannot resolve local:\/\/ URL/);
    expect((await prepare({ command: ":" })).command).toBe(":");
  });
});

describe("a working directory that looks like a URL", () => {
  const of = (cwd: string) => expandCwd(cwd, { sources: {} });

  it.each(["https://example.org/x", "a://x", "A+b-1.2://x", "x2://"])("is refused where it is one: %s", async (cwd) => {
    expect((await thrown(of(cwd))).message).toMatch(
      /^Unsupported internal URL in bash command: .*:\/\/.*\nSupported schemes: \w+(, \w+)+$/,
    );
  });

  it.each(["./https://x", "sub/a://x", "1a://x", "://x", "a:/x", "a b://x"])("is a path otherwise: %s", async (cwd) => {
    expect(await of(cwd)).toBe(cwd);
  });
});

describe("a router", () => {
  afterEach(() => void vi.useRealTimers());
  const URL = "memory://x";
  const of = (resolve: () => Promise<{ sourcePath?: string | undefined }>) =>
    expandEnvValue(URL, { sources: { router: { canHandle: () => true, resolve } } });

  it("that fails is quoted, whatever it throws, and its reason is kept", async () => {
    const cause = new Error("it was forgotten");
    const failed = await thrown(of(() => Promise.reject(cause)));
    expect(failed.message).toBe(`Failed to resolve memory:// URL in bash command: ${URL}\nit was forgotten`);
    expect(failed.cause).toBe(cause);
    expect((await thrown(of(() => Promise.reject("a text")))).message).toMatch(/\na text$/);
  });

  it("that does not answer within half a minute is not waited for", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let isOver = false;
    const waiting = thrown(of(() => new Promise(() => undefined))).finally(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect((await waiting).message).toMatch(/\nThe router did not answer in time\.$/);
  });

  it("gives paths that may have any length, without moving the URLs behind them", async () => {
    const resolve = async (url: string) => ({ sourcePath: `/${url.slice("memory://".length).repeat(9)}` });
    const sources = { router: { canHandle: () => true, resolve } };
    expect(await expandInternalUrls("cat memory://a > memory://bb && cat 'memory://c' # end", { sources })).toBe(
      "cat '/aaaaaaaaa' > '/bbbbbbbbbbbbbbbbbb' && cat '/ccccccccc' # end",
    );
  });
});

describe("an artifact", () => {
  const artifacts = { get: async () => ({ path: "/store" }), list: async () => [] } as never;
  const of = (value: string) => expandEnvValue(value, { sources: {}, artifacts });

  it("is a file as a whole, and a part of one is not", async () => {
    expect(await of("artifact://abc")).toBe("/store");
    for (const url of ["artifact://abc?tail=5", "artifact://abc:1-5"])
      expect((await thrown(of(url))).message).toBe(
        `artifact:// URL resolved without a filesystem path and cannot be used in bash: ${url}`,
      );
  });
});

describe.skipIf(process.platform === "win32")("a link below a local folder", () => {
  it("that leads out of it is refused, in those words", async () => {
    const { prepare, localRoot, folder } = local();
    mkdirSync(localRoot);
    symlinkSync(folder, join(localRoot, "out"));
    symlinkSync("nothing", join(localRoot, "lost"));
    for (const name of ["out", "out/new", "lost"])
      expect((await thrown(prepare({ command: `touch local://${name}` }))).message).toBe(
        "Path traversal is not allowed in local:// URLs: a link leads out of their folder",
      );
  });
});

describe("a session's own skills", () => {
  it("are named where one is unknown, and an encoding that is none is said to be", async () => {
    const bad = await thrown(expandEnvValue("skill://%zz", { sources: {} }));
    expect(bad.message).toBe(
      "Failed to resolve skill:// URL in bash command: skill://%zz\nIts percent-encoding is not valid.",
    );
    expect(bad.cause).toBeInstanceOf(URIError);
    const skills = [{ name: "docs", baseDir: "/s/docs", filePath: "/s/docs/SKILL.md" }];
    expect((await thrown(expandEnvValue("skill://a", { sources: { skills } }))).message).toBe(
      "Unknown skill: a. Available: docs",
    );
    expect(await expandCwd("skill://docs", { sources: { skills } })).toBe("/s/docs");
    expect(await expandEnvValue("skill://docs", { sources: { skills } })).toBe("/s/docs/SKILL.md");
  });
});
