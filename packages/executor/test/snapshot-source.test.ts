/** A snapshot's making and keeping, on files and a shell of the test's own: which tries, which time, which failures. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RunResult } from "../src/natives-port.ts";
import { farSnapshotFiles } from "../src/places/far-snapshot-files.ts";
import type { PlaceFiles } from "../src/places/place.ts";
import { type SnapshotOptions, SnapshotSource, snapshotNotice } from "../src/snapshot/snapshot.ts";
import type { SnapshotFiles } from "../src/snapshot/snapshot-files.ts";
import { ended, FakeNatives, never } from "./support/fake-natives.ts";

const RECORD = [
  "version",
  "5.2",
  "function",
  "greet",
  "greet () { :; }\n",
  "export",
  "PATH",
  "/new",
  "after",
  "end",
  "",
].join("\0");

/** A source; `answers` are what the shell does with each command. */
function sourceOf(options: Partial<SnapshotOptions> & { record?: string; verify?: RunResult; hasRc?: boolean } = {}) {
  const { record = RECORD, verify = ended({ text: "verified\n" }), hasRc = true, ...more } = options;
  const natives = new FakeNatives();
  const asked: { command: string; timeoutMs: number }[] = [];
  natives.behaviour = async ({ options: run }) => {
    asked.push({ command: run.command, timeoutMs: run.timeoutMs ?? 0 });
    return run.command.includes("--norc") ? ended() : verify;
  };
  const written = new Map<string, string>();
  const removed: string[] = [];
  const disposed = vi.fn(async () => undefined);
  const files: SnapshotFiles = {
    has: async (path) => hasRc && path === "/home/me/.bashrc",
    write: async (name, text) => {
      written.set(`/s/${name}`, text);
      return `/s/${name}`;
    },
    target: async (name) => `/s/${name}`,
    read: async () => record,
    keep: async (path) => path,
    remove: async (path) => void removed.push(path),
    dispose: disposed,
  };
  const source = new SnapshotSource({
    natives,
    shell: "/bin/bash",
    env: { HOME: "/home/me", PATH: "/bin" },
    platform: "linux",
    files,
    ...more,
  });
  return { source, natives, asked, written, removed, files, disposed };
}

describe("a snapshot", () => {
  it("is made by an interactive shell, tried out, and kept; its scripts are removed", async () => {
    const { source, asked, written, removed } = sourceOf();
    expect(source.known).toBeUndefined();
    const outcome = await source.getOrCreate();

    expect(outcome).toEqual({ kind: "ready", path: expect.stringMatching(/^\/s\/snapshot-bash-[0-9a-f]{32}\.sh$/) });
    expect(source.known).toBe(outcome);
    expect(await source.getOrCreate()).toBe(outcome);
    expect(asked).toHaveLength(2);
    expect(asked[0]?.command).toMatch(
      /^'\/bin\/bash' --noprofile --norc -i -c '\. "\$0"' '\/s\/capture-[0-9a-f]+\.sh'$/,
    );
    const path = outcome.kind === "ready" ? outcome.path : "";
    expect(asked[1]?.command).toBe(
      `. '${path}' && builtin declare -F -- 'greet' >/dev/null && [[ $PATH == '/new' ]] && builtin echo verified`,
    );
    expect(removed.map((each) => each.replace(/-[0-9a-f]+/, "")).sort()).toEqual(["/s/capture.sh", "/s/record"]);
    expect([...written.keys()].some((each) => each === path)).toBe(true);
  });

  it("of an rc that changes nothing is tried out with the path of the environment, if there is one", async () => {
    const record = ["version", "5.2", "end", ""].join("\0");
    const { source, asked } = sourceOf({ record });
    await source.getOrCreate();
    expect(asked[1]?.command).toMatch(
      /^\. '\/s\/snapshot-bash-[0-9a-f]+\.sh' && \[\[ \$PATH == '\/bin' \]\] && builtin echo verified$/,
    );
    const without = sourceOf({ record, env: { HOME: "/home/me" } });
    await without.source.getOrCreate();
    expect(without.asked[1]?.command).toMatch(/^\. '[^']+' && builtin echo verified$/);
  });

  it("is tried without an interactive shell where that one came to no end", async () => {
    const { source, asked } = sourceOf({ record: "version\0" });

    expect(await source.getOrCreate()).toEqual({
      kind: "failed",
      reason: "`/home/me/.bashrc` did not end in time, or ended the shell",
    });
    expect(asked.map(({ command }) => /--norc (\S+)/.exec(command)?.[1])).toEqual(["-i", "+i"]);
  });

  it.each<[string, Partial<SnapshotOptions> & { hasRc?: boolean }]>([
    ["the shell is not bash", { shell: "/bin/zsh" }],
    ["it is Windows", { platform: "win32" }],
    ["there is no home", { env: {} }],
    ["the home is empty", { env: { HOME: "" } }],
    ["there is no rc", { hasRc: false }],
  ])("is none where %s", async (_, options) => {
    const { source, asked } = sourceOf(options);
    expect([await source.getOrCreate(), asked]).toEqual([{ kind: "none" }, []]);
    expect(await source.restore()).toEqual({ kind: "none" });
  });

  it.each([
    ["says something", ended({ text: "verified\nextra\n" }), "bash says `verified\nextra`"],
    ["fails", ended({ text: "verified\n" }, { exitCode: 1 }), "bash says `verified`"],
    ["says nothing", ended(), "bash says ``"],
    ["says much", ended({ text: `${"x".repeat(300)}\n` }), `bash says \`${"x".repeat(200)}\``],
    ["takes too long", ended({ text: "a" }, { exitCode: undefined, timedOut: true }), "it takes too long"],
  ])("that cannot be loaded again is a failure, and removed: it %s", async (_, verify, why) => {
    const { source, removed } = sourceOf({ verify });
    expect(await source.getOrCreate()).toEqual({
      kind: "failed",
      reason: `what \`/home/me/.bashrc\` defines cannot be loaded again: ${why}`,
    });
    expect(removed.filter((path) => path.includes("snapshot-bash"))).toHaveLength(1);
  });

  it("of more than 4 MiB is a failure", async () => {
    const of = (size: number) =>
      sourceOf({
        record: ["version", "5.2", "function", "f", "x".repeat(size), "end", ""].join("\0"),
      }).source.getOrCreate();
    expect(await of(4 * 1024 * 1024)).toEqual({ kind: "failed", reason: "`/home/me/.bashrc` defines too much" });
    expect((await of(4 * 1024 * 1024 - 1_000)).kind).toBe("ready");
  });

  it("that could not be made says why, also where what was thrown is not an error", async () => {
    for (const [error, reason] of [[new Error("disk"), "disk"] as const, ["odd", "odd"] as const]) {
      const made = sourceOf();
      made.files.write = () => Promise.reject(error);
      expect(await made.source.getOrCreate()).toEqual({ kind: "failed", reason });
      expect(made.source.known).toEqual({ kind: "failed", reason });
    }
  });

  it("is written again where it was lost, and a failure from then on where that cannot be", async () => {
    const { source, files } = sourceOf();
    const made = await source.getOrCreate();
    const keep = vi.fn(async (path: string) => `${path}.new`);
    files.keep = keep;
    const path = made.kind === "ready" ? made.path : "";
    expect(await source.restore()).toEqual({ kind: "ready", path: `${path}.new` });
    expect(keep.mock.calls[0]).toEqual([path, expect.stringContaining("greet () { :; }")]);
    files.keep = () => Promise.reject(new Error("no"));
    const lost = { kind: "failed", reason: `\`${path}\` is gone and cannot be written again` };

    expect([await source.restore(), source.known, await source.getOrCreate()]).toEqual([lost, lost, lost]);
    expect(snapshotNotice("why")).toBe("Functions and aliases of the user's shell are not loaded: why");
  });

  it("is disposed of with its files, when it was made", async () => {
    const { source, disposed } = sourceOf();
    await source.dispose();
    expect(disposed).toHaveBeenCalledTimes(1);
  });
});

describe("the time of a snapshot", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("is five seconds, three of them for the first try", async () => {
    const { source, natives, asked } = sourceOf();
    natives.behaviour = ({ options }) => {
      asked.push({ command: options.command, timeoutMs: options.timeoutMs ?? 0 });
      return never();
    };
    const making = source.getOrCreate();
    await vi.advanceTimersByTimeAsync(30_000);
    await making;

    expect(asked[0]?.timeoutMs).toBe(3_000);
  });

  it("is a second try's own where the first one took its share, and no try's when it is over", async () => {
    const { source, natives, asked } = sourceOf({ budgetMs: 10_000, record: "version\0" });
    natives.behaviour = ({ options }) =>
      new Promise((resolve) => {
        asked.push({ command: options.command, timeoutMs: options.timeoutMs ?? 0 });
        setTimeout(() => resolve(ended()), options.timeoutMs);
      });
    const making = source.getOrCreate();
    await vi.advanceTimersByTimeAsync(20_000);

    expect((await making).kind).toBe("failed");
    expect(asked.map(({ timeoutMs }) => timeoutMs)).toEqual([6_000, 4_000]);
  });
});

describe("a snapshot's files on a place", () => {
  function far(answer: RunResult) {
    const natives = new FakeNatives();
    natives.behaviour = async () => answer;
    const put = vi.fn(async (name: string) => `/far/${name}`);
    const stat = async (path: string) => ({ kind: path === "/there" ? ("file" as const) : ("missing" as const) });
    const places = { put, stat } as unknown as PlaceFiles;
    const options = { natives, files: places, shell: "/bin/bash", env: { A: "1" }, folder: "/far" };
    return { files: farSnapshotFiles(options), natives, put };
  }

  it("are read in base64 by a command, put by name, and removed by a command", async () => {
    const text = "one\0zwei é\n";
    const { files, natives, put } = far(ended({ text: Buffer.from(text).toString("base64") }));
    expect(await files.read("/far/it's")).toBe(text);
    expect(natives.runs[0]?.options).toMatchObject({
      command: "base64 < '/far/it'\\''s'",
      shell: "/bin/bash",
      cwd: "/",
    });
    expect([await files.has("/there"), await files.has("/not")]).toEqual([true, false]);
    expect([await files.write("a.sh", "x"), await files.target("r"), await files.keep("/far/b.sh", "y")]).toEqual([
      "/far/a.sh",
      "/far/r",
      "/far/b.sh",
    ]);
    expect(put.mock.calls).toEqual([
      ["a.sh", Buffer.from("x")],
      ["b.sh", Buffer.from("y")],
    ]);
    await files.remove("/far/a b");
    expect(natives.runs.at(-1)?.options.command).toBe("rm -f -- '/far/a b'");
    await files.dispose();
  });

  it.each([
    ["fails", ended({ text: "" }, { exitCode: 1 })],
    ["is cut off", ended({ text: "YQ==", truncated: true })],
    ["has no output", { ...ended(), output: undefined } as unknown as RunResult],
  ])("cannot be read where the command %s", async (_, answer) => {
    await expect(far(answer).files.read("/x")).rejects.toThrow("`/x` cannot be read");
  });

  it("are left where they cannot be removed", async () => {
    const { files, natives } = far(ended());
    natives.behaviour = () => Promise.reject(new Error("away"));
    await expect(files.remove("/x")).resolves.toBeUndefined();
  });
});
