/** What becomes of the file with a run's output: here or on a place, whole, in part or not at all. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CommandResult } from "../src/command-result.ts";
import type { RunOutput } from "../src/natives-port.ts";
import { PULLED_BYTES } from "../src/places/far-spill.ts";
import type { RunSinkSource } from "../src/run-sink.ts";
import { sinkOf as openSink, SURVIVOR } from "./support/run-sink.ts";

/** A sink whose text is cut, on a place whose file has `content` where that is given. */
async function sinkOf({ content, ...more }: { content?: string } & Partial<RunSinkSource> = {}) {
  const made = await openSink({ ...more, ...(content === undefined ? {} : { far: { text: content } }) });
  const finish = (output: Partial<RunOutput>, survivors: CommandResult["survivors"] = []) =>
    made.finish({ truncated: true, ...output }, { survivors });
  return { ...made, finish };
}

describe("the file of a run on this machine", () => {
  it.each([
    ["has a beginning", "beginning", true],
    ["is empty", "", false],
    ["is missing", undefined, false],
  ])("that could not be written and %s is named only for what is in it", async (_, content, isNamed) => {
    const { store, path, finish } = await sinkOf();
    if (content !== undefined) writeFileSync(path, content);

    const { artifactId, artifactError } = await finish({ spillError: "the disk is full" });

    expect(artifactId).toBeUndefined();
    expect(artifactError).toMatch(
      isNamed ? /^the disk is full; the beginning is in artifact:\/\/\w+$/ : /^the disk is full$/,
    );
    expect((await store.list()).map((artifact) => artifact.path)).toEqual(isNamed ? [path] : []);
  });

  it("that failed goes unreported where the text has everything", async () => {
    const { finish } = await sinkOf();

    const result = await finish({ truncated: false, spillError: "the disk is full" });

    expect(result).not.toHaveProperty("artifactError");
    expect(result).not.toHaveProperty("artifactId");
  });
});

describe("the file of a run on a place", () => {
  it("is brought here when the run has ended, and removed there", async () => {
    const { store, path, removed, closing, finish } = await sinkOf({ content: "all of it\n" });

    const { artifactId = "" } = await finish({ spilled: true });

    expect(readFileSync(path, "utf8")).toBe("all of it\n");
    expect((await store.read(artifactId)).text).toBe("all of it\n");
    expect({ removed: removed.length, closing: closing.length }).toEqual({ removed: 1, closing: 0 });
  });

  it("stays there while what the command left running may write to it, and is brought here after", async () => {
    const { store, path, removed, closing, finish } = await sinkOf({ content: "all of it\n" });

    const { artifactId = "" } = await finish({ spilled: true }, [SURVIVOR]);

    expect({ here: existsSync(path), removed }).toEqual({ here: false, removed: [] });
    expect((await store.read(artifactId)).text).toBe("all of it\n");
    expect(closing.length).toBe(1);
    await closing[0]?.();
    expect(readFileSync(path, "utf8")).toBe("all of it\n");
    expect(removed.length).toBe(1);
    expect((await store.read(artifactId)).text).toBe("all of it\n");
  });

  it("stays there where it is large, and is read there", async () => {
    const { store, path, removed, closing, finish } = await sinkOf({ content: "as it says\n" });

    const { artifactId = "" } = await finish({ spilled: true, totalBytes: PULLED_BYTES + 1 });

    expect({ here: existsSync(path), removed, closing }).toEqual({ here: false, removed: [], closing: [] });
    expect((await store.read(artifactId)).text).toBe("as it says\n");
  });

  it("is not asked for where the run wrote none", async () => {
    const { path, removed, finish } = await sinkOf({ content: "another's\n" });

    const result = await finish({ truncated: false });

    expect(result).not.toHaveProperty("artifactId");
    expect({ here: existsSync(path), removed }).toEqual({ here: false, removed: [] });
  });
});
