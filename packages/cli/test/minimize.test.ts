/** `pi-bash minimize`: the built program on an output, its explanation, and rule files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { STEP_RULES } from "../../../test/support/minimizer-rules.ts";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { parseMinimizeArguments } from "../src/commands/minimize.ts";
import { runProgram } from "./built-program.ts";

const PASSING = Array.from({ length: 100 }, (_, n) => `test suite::case_${n} ... ok\n`).join("");
const OUTPUT = `running 101 tests\n${PASSING}test suite::odd ... FAILED\n\nfailures:\n    suite::odd\n\ntest result: FAILED. 100 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n`;

const minimize = (words: readonly string[], input?: string, folder?: string) =>
  runProgram(["minimize", ...words], input, folder);

describe("pi-bash minimize", () => {
  it("prints what a model would read, and the output itself where nothing is to be won", async () => {
    const minimized = await minimize(["--command", "cargo test", "--exit", "101"], OUTPUT);
    const short = await minimize([], "three words here\n");

    expect(minimized.status).toBe(0);
    expect(minimized.stdout).toContain("test suite::odd ... FAILED");
    expect(minimized.stdout).toContain("100 passed; 1 failed");
    expect(minimized.stdout).toMatch(/\[-- 100 passing lines?\b.* removed\]\n$/);
    expect(short).toEqual({ status: 0, stdout: "three words here\n", stderr: "" });
  });

  it("explains each stage, as text or as JSON", async () => {
    const words = ["--command", "cd x && cargo test", "--exit", "101"];
    const explained = await minimize([...words, "--explain"], OUTPUT);
    const json = await minimize([...words, "--json"], OUTPUT);

    expect(explained.stdout.split("\n").map((line) => line.split(" ")[0])).toEqual(
      expect.arrayContaining(["gate", "lossless", "families", "check", "rust:"]),
    );
    expect(explained.stdout).toContain(`rust: ${OUTPUT.length} bytes became `);
    expect(JSON.parse(json.stdout)).toMatchObject({
      stages: [{ name: "gate", note: "admitted" }, { name: "lossless" }, { name: "families" }, { note: "passed" }],
      result: { filter: "rust", inputBytes: OUTPUT.length },
    });
    const piped = await minimize(["--command", "cargo test | tail", "--explain"], OUTPUT);
    expect(piped.stdout).toMatch(/^gate .* bytes .* lines {2}\w.*\nthe original stands\n\nrunning 101 tests\n/);
  });

  it("uses rules of one's own", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "mine.toml"), STEP_RULES);
    const steps = `${"step 1 of many, which says nothing new\n".repeat(2)}${Array.from({ length: 90 }, (_, n) => `step ${n} of many\n`).join("")}end\n`;

    const { stdout } = await minimize(["--command", "frobnicate", "--rules", "mine.toml"], steps, folder);

    expect(stdout).toMatch(/^end\n\[-- \d+ lines removed\]\n$/);
  });

  it("verifies the built-in rules and files, and names the test that does not hold", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "good.toml"), STEP_RULES);
    writeFileSync(join(folder, "bad.toml"), STEP_RULES.replace('gone = ["step"]', 'facts = ["step"]'));

    const good = await minimize(["--verify", "good.toml"], "", folder);
    const bad = await minimize(["--verify", "good.toml", "bad.toml", "absent.toml"], "", folder);

    expect(good.status).toBe(0);
    expect(good.stdout).toMatch(
      /^ok {6}built-in rules: \d+ rules, \d+ tests\nok {6}good\.toml: 1 rules, 1 tests, sha256 [0-9a-f]{64}\n$/,
    );
    expect(bad.status).toBe(1);
    expect(bad.stdout).toContain(
      "FAILED  bad.toml: option `ruleFiles` has a wrong file: test `steps go` of rule `mine`",
    );
    expect(bad.stdout).toContain("FAILED  absent.toml: ENOENT");
  });

  it("refuses words it does not understand", async () => {
    expect(() => parseMinimizeArguments(["out.txt"])).toThrow("reads the output on standard input");
    expect(() => parseMinimizeArguments(["--exit", "one"])).toThrow("`--exit` takes a whole number, not `one`");
    expect(() => parseMinimizeArguments(["--verify", "--explain"])).toThrow("nothing else");
    const { status, stderr } = await minimize(["--rules", "absent.toml"]);
    expect(status).toBe(2);
    expect(stderr).toContain("there is no rule file `absent.toml`");
  });
});
