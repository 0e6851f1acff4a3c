/** The lock of a host's folder: one holder, however many want it, and none that a dead one keeps from the others. */
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { lockFolder } from "../src/host/host-lock.ts";

const GONE = JSON.stringify({ pid: process.pid, startTime: "the start of another process" });

describe("the lock of a host's folder", () => {
  it("has one holder of those that come at once, in a new folder and over a dead one's lock", async () => {
    for (const left of [undefined, GONE, "no JSON", "[]"]) {
      const folder = scratchFolder();
      if (left !== undefined) writeFileSync(join(folder, "host.lock.41"), left);

      const outcomes = await Promise.all(Array.from({ length: 20 }, () => lockFolder(folder)));

      expect(outcomes.filter(({ isHeld }) => isHeld)).toHaveLength(1);
      for (const outcome of outcomes) if (!outcome.isHeld) expect(outcome.holder).toBe(process.pid);
      expect(readdirSync(folder)).toEqual([left === undefined ? "host.lock.1" : "host.lock.42"]);
    }
  });

  it("is refused while its holder lives, and lower numbers count for nothing", async () => {
    const folder = scratchFolder();
    await lockFolder(folder);
    writeFileSync(join(folder, "host.lock.0"), GONE);

    expect(await lockFolder(folder)).toEqual({ isHeld: false, holder: process.pid });
  });

  it("takes a link, a folder and a lock of a megabyte for one that has no holder", async () => {
    const folder = scratchFolder();
    symlinkSync("/etc/passwd", join(folder, "host.lock.1"));
    expect(await lockFolder(folder)).toEqual({ isHeld: true });
    const other = scratchFolder();
    writeFileSync(join(other, "host.lock.1"), JSON.stringify({ pid: process.pid, startTime: "x".repeat(1e6) }));
    expect(await lockFolder(other)).toEqual({ isHeld: true });
  });
});
