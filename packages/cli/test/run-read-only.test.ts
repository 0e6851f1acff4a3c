/** `pi-bash run` and `tool` with a policy: what only reads can only read, and `doctor` says what holds it. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { inShell, runProgram } from "./built-program.ts";

// The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
const { available } = capabilities().readOnly;

/** A script that tries to write, as a word of a shell. */
const WRITES = `'node -e "fs.writeFileSync(\\"made\\", \\"\\")"'`;

describe.runIf(available)("`run` with a policy", () => {
  it("confines what only reads, and says so where it failed", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "f"), "one two\n");

    const read = await inShell(`pi run --mode default "awk '{ print \\$2 }' f" 2>&1 </dev/null; echo "$?"`, folder);
    const tried = await inShell(`pi run --mode default ${WRITES} 2>&1 </dev/null; echo "$?"`, folder);

    expect(read.stdout).toBe("two\n0\n");
    expect(tried.stdout).toContain("EACCES");
    expect(tried.stdout).toMatch(
      /pi-bash: the command ran read-only, because the policy allows it only as one that reads\n1\n$/,
    );
    expect(existsSync(join(folder, "made"))).toBe(false);
  });

  it("has it in its JSON", async () => {
    const { stdout } = await inShell("pi run --json --mode default 'ls | wc -l' 2>&1 </dev/null");

    expect(JSON.parse(stdout)).toMatchObject({ exitCode: 0, readOnly: { degraded: expect.any(Array) } });
  });

  it("confines nothing without a policy", async () => {
    const folder = scratchFolder();

    await inShell(`pi run ${WRITES} 2>&1 </dev/null`, folder);

    expect(existsSync(join(folder, "made"))).toBe(true);
  });
});

describe("`run` with a policy and streams of its own", () => {
  it("relies on the strict half of the tables, since nothing confines a command there", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "f"), "one two\n");

    const strict = await runProgram(["run", "--mode", "default", "cat f"], "input", folder);
    const other = await runProgram(["run", "--mode", "default", "awk '{ print $2 }' f"], "input", folder);

    expect(strict).toMatchObject({ status: 0, stdout: "one two\n" });
    expect(other.status).toBe(125);
    expect(other.stderr).toContain("`awk` is only known to read where it runs confined, which it cannot here");
  });
});

describe("`tool` with a policy", () => {
  it.runIf(available)("has in its details how the command was held", async () => {
    const { stdout } = await runProgram(["tool", "--json", "--mode", "default", "ls | wc -l"]);

    expect(JSON.parse(stdout)).toMatchObject({ details: { readOnly: { enforced: true, refusals: [] } } });
  });

  it("obeys `readOnly.enforce`", async () => {
    const words = ["tool", "--json", "--mode", "default", "--setting", "readOnly.enforce=off", "ls | wc -l"];

    const { details } = JSON.parse((await runProgram(words)).stdout);

    expect(details).not.toHaveProperty("readOnly");
  });
});

describe("`doctor`", () => {
  it("says whether the kernel holds read-only commands, by trying it", async () => {
    const findings = JSON.parse((await runProgram(["doctor", "--json"])).stdout);
    const found = expect.stringMatching(
      available ? /^the kernel keeps them|^held by the kernel, except/ : /^not held: /,
    );

    expect(findings).toContainEqual(expect.objectContaining({ name: "read-only commands", found }));
  });

  it.runIf(available)("says why not where commands have a bash of their own each", async () => {
    const { stdout } = await runProgram(["doctor", "--json"], "", undefined, { PI_BASH_SESSION: "per-command" });

    expect(JSON.parse(stdout)).toContainEqual({
      name: "read-only commands",
      state: "limited",
      found: expect.stringMatching(/^not held: ./),
      remedy: expect.stringContaining("more commands ask"),
    });
  });
});
