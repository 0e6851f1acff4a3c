/**
 * Trailing `| head` and `| tail`: what they hide is kept, what they answer stays the same.
 */
import { readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { keepTrailingStreams } from "../src/kept-stream.ts";
import { scene, textOf } from "./support/session.ts";

const kept = (text: string): string => /artifact:\/\/([a-z0-9]+)/.exec(text)?.[1] ?? "none";

describe("a trailing pipe", () => {
  it("shows what it would, and the whole stream is kept and named", async () => {
    const { bash, session } = scene();

    const result = await bash({ command: "seq 1 5000 2>&1 | tail -3" });

    const text = textOf(result);
    expect(text).toMatch(/^4998\n4999\n5000\n\n`\| tail -3` read 5000 lines \(23\.3KB\), kept in artifact:\/\//);
    const { text: whole } = await session.executor.artifacts.read(kept(text));
    expect(whole.split("\n").length).toBe(5_001);
  });

  it("keeps its exit status and ends a producer that never would", async () => {
    const { bash } = scene();

    const result = await bash({ command: "set -o pipefail; yes | head -5", timeout: 30 });

    expect(textOf(result)).toMatch(/^y\ny\ny\ny\ny\n/);
    expect(result.details?.exitCode).toBe(141);
  });

  it("that hid nothing says nothing and leaves no file", async () => {
    const { bash, session } = scene();
    const before = await session.executor.artifacts.allocate("bash");

    const result = await bash({ command: "seq 1 3 | head -n 5" });

    expect(textOf(result)).toMatch(/^1\n2\n3\n\nWall time/);
    expect((await session.executor.artifacts.list()).map(({ id }) => id)).toEqual([before.id]);
    expect(readdirSync(dirname(before.path))).toEqual([]);
  });

  it("is kept also when the command is ended", async () => {
    const { bash, session } = scene();

    await bash({ command: "true" });
    const error = await bash({ command: "(seq 1 50; sleep 300) | tail -2", timeout: 3 }).catch((each: Error) => each);

    const text = error instanceof Error ? error.message : "";
    expect(text).toContain("`| tail -2` read 50 lines");
    expect((await session.executor.artifacts.read(kept(text))).text).toMatch(/^1\n2\n/);
  });

  it("is taken out in mode `strip`, and the answer says so", async () => {
    const { bash } = scene({ "bash.stripTrailingHeadTailMode": "strip" });

    const result = await bash({ command: "seq 1 5 2>&1 | tail -2" });

    expect(textOf(result)).toMatch(
      /^1\n2\n3\n4\n5\n\nStripped trailing `\| tail -2` — bash output is truncated automatically/,
    );
    expect(result.details?.applied).toEqual(["stripped trailing `| tail -2`", "stripped trailing `2>&1`"]);
    expect(textOf(result)).not.toContain("2>&1");
  });

  it("stays as it is when the setting is off", async () => {
    const { bash } = scene({ "bash.stripTrailingHeadTail": false });

    expect(textOf(await bash({ command: "seq 1 5000 | tail -1" }))).toMatch(/^5000\n\nWall time/);
  });
});

describe("a kept stream", () => {
  it("that grows over the bound is not kept, and its disk space is free", async () => {
    const { session } = scene();
    const { artifacts } = session.executor;
    const settle = artifacts.settle.bind(artifacts);
    let sizeAtEnd = -1;
    let path = "";
    const stream = await keepTrailingStreams("seq 1 100000 | tail -1", {
      maxBytes: 1_000,
      allocate: async (kind) => {
        const made = await artifacts.allocate(kind);
        path = made.path;
        return made;
      },
      settle: async (id, verdict) => {
        sizeAtEnd = statSync(path).size;
        await settle(id, verdict);
      },
    });
    const result = await session.executor.executeBash(stream?.command ?? "false");

    expect(result.output).toBe("100000\n");
    expect(await stream?.finish()).toBe("What `| tail -1` read is not kept: it is over 1000B");
    expect(sizeAtEnd).toBe(0);
  });

  it("that a full disk cut short is not kept, and the command is none the worse", async () => {
    const { session } = scene();
    const { artifacts } = session.executor;
    const stream = await keepTrailingStreams("seq 1 100000 | tail -1", {
      maxBytes: artifacts.maxBytes,
      // The path of the copy leads to a device that is always full.
      allocate: async (kind) => {
        const made = await artifacts.allocate(kind);
        return { ...made, path: `${made.path}.copy` };
      },
      settle: (id, verdict) => artifacts.settle(id, verdict),
    });
    const path = /tee -a -- '([^']+)'/.exec(stream?.command ?? "")?.[1] ?? "none";
    rmSync(path);
    symlinkSync("/dev/full", path);
    const result = await session.executor.executeBash(stream?.command ?? "false");

    expect(result).toMatchObject({ output: "100000\n", exitCode: 0 });
    expect(await stream?.finish()).toBe("What `| tail -1` read is not kept: No space left on device");
    expect(await artifacts.list()).toEqual([]);
    expect(readdirSync(dirname(path))).toEqual([path.slice(path.lastIndexOf("/") + 1)]);
  });
});
