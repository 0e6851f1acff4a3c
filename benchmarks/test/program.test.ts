/** The program as it is run: hosts, rounds, and what is written. From `dist`, as `npm run bench` does. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { capabilities } from "@pi-bash/natives";
import { afterAll, describe, expect, it } from "vitest";
import type { Played } from "../src/play.ts";

const program = fileURLToPath(new URL("../dist/main.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "pi-bash-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Longest run, in milliseconds. */
const RUN_MS = 50_000;

function bench(...args: string[]): Promise<{ stdout: string }> {
  return promisify(execFile)(process.execPath, [program, ...args], { timeout: RUN_MS, killSignal: "SIGKILL" });
}

describe("the benchmark", () => {
  it("plays a scenario, finds nothing wrong with ours, and writes figures, a page and a chart", async () => {
    const write = join(folder, "written");
    const { stdout } = await bench("--quick", "--only", "no one", "--write", write, "pty-end");
    const { scenarios } = JSON.parse(readFileSync(join(write, "figures.json"), "utf8")) as { scenarios: Played[] };
    const [first] = scenarios[0]?.quantities[0]?.rows ?? [];

    expect(scenarios.map(({ name }) => name)).toEqual(["pty-end"]);
    expect(first).toMatchObject({ contender: "pi-bash PtySession", ratio: 1, note: "", figures: { samples: 12 } });
    expect(stdout).toContain("pi-bash PtySession");
    expect(readFileSync(join(write, "figures.md"), "utf8")).toContain("](pty-end.svg)");
    expect(existsSync(join(write, "pty-end.svg"))).toBe(true);
  });

  it("compares ours with a protection and without in the scenarios about it, and nowhere else", async () => {
    const file = join(folder, "protected.json");
    await bench("--quick", "--only", "none", "--json", file, "confined", "nothing");
    const { scenarios } = JSON.parse(readFileSync(file, "utf8")) as { scenarios: Played[] };
    const [nothing = [], confined = []] = scenarios.map(({ quantities }) => quantities[0]?.rows ?? []);

    const { available } = capabilities().readOnly;
    const names = ["pi-bash executor", ...(available ? ["pi-bash executor, read-only"] : [])];
    expect(confined.map(({ contender }) => contender)).toEqual(names);
    expect(confined.map(({ note }) => note)).toEqual(names.map(() => ""));
    expect(nothing.length).toBeGreaterThan(2);
    expect(nothing.filter(({ contender }) => contender.startsWith("pi-bash executor"))).toEqual([]);
  });

  it("names the scenarios when it is asked for one that there is not", async () => {
    await expect(bench("nope")).rejects.toThrow(/no scenario `nope`; there are builtin, .*idle/);
  });
});
