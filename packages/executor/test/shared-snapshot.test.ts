/** Snapshots that a process shares: one for each shell and home, until they are disposed of. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { disposeSharedExecutor } from "../src/execute-bash.ts";
import { disposeSnapshots, getOrCreateSnapshot } from "../src/snapshot/shared-snapshot.ts";
import { ended, FakeNatives } from "./support/fake-natives.ts";

afterEach(() => disposeSnapshots());

/** A runtime whose shells write a record of one function; `reads` counts them. */
function reader() {
  const natives = new FakeNatives();
  let reads = 0;
  natives.behaviour = async ({ options: { command } }) => {
    const script = /'([^']+capture-[^']+)'/.exec(command)?.[1];
    if (script === undefined) return ended({ text: "verified\n" });
    reads += 1;
    const record = /__pi_record='([^']+)'/.exec(readFileSync(script, "utf8"))?.[1] ?? "";
    writeFileSync(record, ["version", "5.2", "function", "f", "f () { :; }", "end", ""].join("\0"));
    return ended();
  };
  return { natives, reads: () => reads };
}
function homeWithRc(): string {
  const home = scratchFolder();
  writeFileSync(join(home, ".bashrc"), "f() { :; }");
  return home;
}

describe("a shared snapshot", () => {
  it("is made once for a shell and a home, and is another one for another of either", async () => {
    const { natives, reads } = reader();
    const [home, other] = [homeWithRc(), homeWithRc()];
    const of = (shell: string, HOME: string, more: Record<string, string> = {}) =>
      getOrCreateSnapshot({ natives, shell, env: { HOME, ...more } });
    const first = await of("/bin/bash", home);
    expect(first).toEqual({ kind: "ready", path: expect.any(String) });
    expect([await of("/bin/bash", home, { A: "1" }), reads()]).toEqual([first, 1]);
    expect([await of("/x/bash", home), await of("/bin/bash", other), reads()]).not.toContainEqual(first);
    expect(reads()).toBe(3);
  });

  it("is written again where it is gone, and removed and made once more where all were disposed of", async () => {
    const { natives, reads } = reader();
    const options = { natives, shell: "/bin/bash", env: { HOME: homeWithRc() } };
    const path = async (): Promise<string> => {
      const outcome = await getOrCreateSnapshot(options);
      return outcome.kind === "ready" ? outcome.path : outcome.kind;
    };
    const first = await path();
    rmSync(first);
    expect([await path(), existsSync(first), reads()]).toEqual([first, true, 1]);
    await disposeSnapshots();
    expect(existsSync(first)).toBe(false);
    const second = await path();
    expect([second === first, existsSync(second), reads()]).toEqual([false, true, 2]);
  });

  it("is none without a home, whichever shell it is", async () => {
    const { natives } = reader();
    expect(await getOrCreateSnapshot({ natives, shell: "/bin/bash", env: {} })).toEqual({ kind: "none" });
    expect(natives.runs).toEqual([]);
  });
});

it("an executor of the process that was never used is disposed of without a word", async () => {
  await disposeSharedExecutor();
  await expect(disposeSharedExecutor()).resolves.toBeUndefined();
});
