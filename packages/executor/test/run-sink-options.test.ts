/** What a run's sink is asked for, and what its result says of a file that is someone else's, cut later or far away. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { PULLED_BYTES } from "../src/places/far-spill.ts";
import { storeIn } from "./support/artifacts.ts";
import { SURVIVOR, sinkOf, WINDOW } from "./support/run-sink.ts";

const fileAt = () => ({ id: "mine", path: join(scratchFolder(), "mine.log") });

describe("a sink is asked for", () => {
  it("the window, lines of a bounded length and a file within the store's bound, and nothing else", async () => {
    const { sink, path, store } = await sinkOf();

    expect(sink.options).toEqual({
      maxBytes: 1_000,
      maxLineBytes: expect.any(Number),
      spillPath: path,
      spillMaxBytes: store.maxBytes,
      onUpdate: expect.any(Function),
    });
  });

  it("a beginning, a file from the first byte and a masked one where they are wanted", async () => {
    const { sink } = await sinkOf({ window: { ...WINDOW, headBytes: 1 }, isFollowed: true, masksFile: true });
    expect(sink.options).toMatchObject({ headBytes: 1, spillFromStart: true, maskSpill: true });
    const plain = await sinkOf({ isFollowed: false, masksFile: false });
    for (const name of ["headBytes", "spillFromStart", "maskSpill"])
      expect(plain.sink.options).not.toHaveProperty(name);
  });

  it("no file where none is wanted, the caller's where there is one", async () => {
    const none = await sinkOf({ artifact: false });
    expect(none.sink.spillPath).toBeUndefined();
    expect(none.sink.options).not.toHaveProperty("spillPath");
    expect(await none.finish({ truncated: true, spilled: true })).not.toHaveProperty("artifactId");
    const artifact = fileAt();
    expect((await sinkOf({ artifact })).sink.options.spillPath).toBe(artifact.path);
  });

  it("updates, which are remembered and passed on", async () => {
    const onUpdate = vi.fn();
    const { sink } = await sinkOf({ onUpdate });
    sink.options.onUpdate?.("tail", { bytes: 9, lines: 2 });

    expect(onUpdate.mock.calls).toEqual([["tail", { bytes: 9, lines: 2 }]]);
    expect(sink.seen).toEqual({ tail: "tail", bytes: 9, lines: 2 });
    const silent = await sinkOf();
    expect(() => silent.sink.options.onUpdate?.("x", { bytes: 1, lines: 1 })).not.toThrow();
  });
});

describe("a result", () => {
  it.each([
    ["was cut", { truncated: true }, true],
    ["is whole", { truncated: false }, false],
    ["is cut to its lines later", { truncated: false, text: "1\n2\n3\n4\n" }, true],
  ])("says why there is no file only where it %s", async (_, output, says) => {
    const { store } = storeIn();
    vi.spyOn(store, "allocate").mockRejectedValue(new Error("the store is full"));
    const { finish } = await sinkOf({ store });

    const { artifactError, artifactId } = await finish(output, { truncated: output.truncated });
    expect([artifactError, artifactId]).toEqual([says ? "the store is full" : undefined, undefined]);
  });

  it("of more lines than are shown has all of them in a file, and one of as many has none", async () => {
    const { store, finish, path } = await sinkOf();
    const { artifactId = "" } = await finish({ text: "1\n2\n3\n4\n" });
    expect((await store.read(artifactId)).text).toBe("1\n2\n3\n4\n");
    expect(readFileSync(path, "utf8")).toBe("1\n2\n3\n4\n");

    const fits = await sinkOf();
    expect(await fits.finish({ text: "1\n2\n3\n" })).not.toHaveProperty("artifactId");
    expect([existsSync(fits.path), (await fits.store.list()).length]).toEqual([false, 0]);
  });

  it("that the sink cut and has a file of names that file, whatever its lines are", async () => {
    const { finish, path } = await sinkOf();
    writeFileSync(path, "raw");
    expect(await finish({ text: "1\n2\n3\n4\n", spilled: true })).toMatchObject({ artifactId: expect.any(String) });
    expect(readFileSync(path, "utf8")).toBe("raw");
  });

  it("says why its lines could not be kept", async () => {
    const artifact = { id: "mine", path: join(scratchFolder(), "missing", "mine.log") };
    const { finish } = await sinkOf({ artifact });
    const result = await finish({ text: "1\n2\n3\n4\n" });

    expect(result.artifactError).toContain("ENOENT");
    expect(result).not.toHaveProperty("artifactId");
  });

  it("without a report of what was saved names what is there as the beginning", async () => {
    const { finish, path } = await sinkOf();
    writeFileSync(path, "begun");
    const result = await finish(undefined);
    expect(result.artifactError).toMatch(
      /^the run did not report what it saved; the beginning is in artifact:\/\/\w+$/,
    );
    const empty = await sinkOf();
    expect(await empty.finish(undefined)).not.toHaveProperty("artifactError");
    expect((await empty.finish(undefined, { truncated: true })).artifactError).toBe(
      "the run did not report what it saved",
    );
  });

  it("takes nothing but a regular file for the beginning", async () => {
    const folder = fileAt();
    mkdirSync(folder.path);
    const { finish } = await sinkOf({ artifact: folder });
    expect((await finish({ truncated: true, spillError: "no" }, { truncated: true })).artifactError).toBe("no");
    const link = fileAt();
    symlinkSync(folder.path, link.path);
    const linked = await sinkOf({ artifact: link });
    expect((await linked.finish({ spillError: "no" }, { truncated: true })).artifactError).toBe("no");
  });

  it("of a caller's own file leaves the store alone", async () => {
    const artifact = fileAt();
    const { finish, store } = await sinkOf({ artifact });
    const [settle, recheck] = [vi.spyOn(store, "settle"), vi.spyOn(store, "recheck")];
    expect(await finish({ spilled: true }, { truncated: true })).toMatchObject({ artifactId: "mine" });
    await finish({ spillError: "no" }, { truncated: true });

    expect([settle.mock.calls.length, recheck.mock.calls.length]).toEqual([0, 0]);
  });

  it("has the store look again at its disk where the file failed, and only there", async () => {
    for (const [output, times] of [[{ spillError: "full" }, 1] as const, [{ spilled: true }, 0] as const]) {
      const { finish, store } = await sinkOf();
      const recheck = vi.spyOn(store, "recheck");
      await finish(output, { truncated: true });
      expect(recheck).toHaveBeenCalledTimes(times);
    }
  });
});

describe("the file of a run on a place", () => {
  it("that is the caller's is brought at once, also a large one and one that may grow", async () => {
    const artifact = fileAt();
    const { finish, removed, closing } = await sinkOf({ artifact, far: { text: "far away\n" } });
    const result = await finish({ spilled: true, totalBytes: PULLED_BYTES + 1 }, { survivors: [SURVIVOR] });

    expect(result.artifactId).toBe("mine");
    expect(readFileSync(artifact.path, "utf8")).toBe("far away\n");
    expect([removed, closing]).toEqual([["mine.log"], []]);
  });

  it("that is the caller's and cannot be brought is not named, and the result says why where it needs it", async () => {
    const { finish } = await sinkOf({ artifact: fileAt(), far: { text: "", isGone: true } });
    const result = await finish({ spilled: true }, { truncated: true });
    expect(result).toMatchObject({ artifactError: "the place is gone" });
    expect(result).not.toHaveProperty("artifactId");

    expect(await finish({ spilled: true })).not.toHaveProperty("artifactError");
  });

  it("that cannot be brought stays there, and is named all the same", async () => {
    const far = { text: "all of it\n", isGone: true };
    const { finish, store, path } = await sinkOf({ far });
    const { artifactId = "" } = await finish({ spilled: true }, { truncated: true });
    far.isGone = false;

    expect([existsSync(path), (await store.read(artifactId)).text]).toEqual([false, "all of it\n"]);
  });

  it("that failed there is named for its beginning", async () => {
    const { finish } = await sinkOf({ far: { text: "begun" } });
    expect((await finish({ spillError: "the disk there is full" }, { truncated: true })).artifactError).toMatch(
      /^the disk there is full; the beginning is in artifact:/,
    );
    const empty = await sinkOf({ far: { text: "" } });
    expect((await empty.finish({ spillError: "full" }, { truncated: true })).artifactError).toBe("full");
  });

  it("of a run that never reported is named for its beginning, and brought when its session has closed", async () => {
    const made = await sinkOf({ far: { text: "begun" } });
    const { artifactError = "" } = await made.finish(undefined, { truncated: true });
    expect(artifactError).toMatch(/^the run did not report what it saved; the beginning is in artifact:/);
    expect((await made.store.read(/artifact:\/\/(\S+)/.exec(artifactError)?.[1] ?? "")).text).toBe("begun");
    await made.closing[0]?.();
    expect(readFileSync(made.path, "utf8")).toBe("begun");
  });

  it.each([
    ["empty", { text: "" }],
    ["gone", { text: "x", isGone: true }],
  ])("of a run that never reported is not named where it is %s", async (_, far) => {
    const made = await sinkOf({ far });
    const { artifactError } = await made.finish(undefined, { truncated: true });
    expect([artifactError, await made.store.list()]).toEqual(["the run did not report what it saved", []]);
  });

  it("of a run whose place is lost is not asked for", async () => {
    const made = await sinkOf({ far: { text: "begun" } });
    const { artifactError } = await made.finish(undefined, { truncated: true, lost: true });
    expect(artifactError).toBe("the run did not report what it saved");
    expect(made.reads).toEqual([]);
  });

  it("that grew is brought when its session has closed, unless it is large, gone or not to be had", async () => {
    const far = { text: "x", isGone: false };
    const made = await sinkOf({ far });
    await made.finish({ spilled: true }, { survivors: [SURVIVOR], truncated: true });
    far.text = "x".repeat(PULLED_BYTES + 1);
    await made.closing[0]?.();
    expect(existsSync(made.path)).toBe(false);
    far.isGone = true;
    await made.closing[0]?.();
    far.isGone = false;
    far.text = "x".repeat(PULLED_BYTES);
    await made.closing[0]?.();
    expect(readFileSync(made.path).length).toBe(PULLED_BYTES);

    const dropped = await sinkOf({ far: { text: "x" } });
    await dropped.finish({ spilled: true }, { survivors: [SURVIVOR], truncated: true });
    vi.spyOn(dropped.store, "moveTo").mockReturnValue(false);
    await dropped.closing[0]?.();
    expect(existsSync(dropped.path)).toBe(false);
  });

  it("of a whole text is not kept: the store forgets it", async () => {
    const { finish, store } = await sinkOf({ far: { text: "another's" } });
    expect(await finish({})).not.toHaveProperty("artifactId");
    expect(await store.list()).toEqual([]);
  });
});
