/**
 * Tasks of an agent in projects: install, build, test, mend. Nothing needs a network.
 */
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, createAgent } from "./support/agent.ts";
import { place } from "./support/place.ts";

/** The node of this test, first in the path of its commands. */
const PATH = `${dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/bin:/bin"}`;
/** Where rustup and cargo have their tools, for a home that is not the user's. */
const RUST = {
  RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup"),
  CARGO_HOME: process.env["CARGO_HOME"] ?? join(homedir(), ".cargo"),
};
/** npm and cargo take their time on a busy machine. */
const PATIENT = { timeout: 240_000 };

const TEST_OF_SUM = `import test from "node:test";
import assert from "node:assert/strict";
import { sum } from "./sum.mjs";
test("adds", () => assert.equal(sum(2, 3), 5));
test("adds nothing", () => assert.equal(sum(), 0));
`;

describe("an agent in a JavaScript project", () => {
  it("installs from a folder, sees a test fail, mends the code and sees it pass", PATIENT, async () => {
    const cwd = place({
      "package.json": JSON.stringify({
        name: "app",
        version: "1.0.0",
        type: "module",
        scripts: { test: "node --test" },
        dependencies: { dep: "file:dep" },
      }),
      "dep/package.json": JSON.stringify({ name: "dep", version: "1.0.0", type: "module", main: "main.mjs" }),
      "dep/main.mjs": "export const start = 0;\n",
      "sum.mjs": 'import { start } from "dep";\nexport const sum = (...all) => all.reduce((a, b) => a - b, start);\n',
      "sum.test.mjs": TEST_OF_SUM,
    });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });

    const { readings } = await agent.run(function* () {
      yield bash("npm install --offline", { timeout: 120 });
      const [red] = yield bash("npm test", { timeout: 120 });
      expect(red?.text).toMatch(/-5/);
      yield bash("sed -i 's/a - b/a + b/' sum.mjs && npm test", { timeout: 120 });
      return "mended";
    });

    expect(readings.map(({ isError }) => isError)).toEqual([false, true, false]);
    expect(readings[0]?.text).toMatch(/added 1 package/);
    expect(readings[0]?.text).not.toMatch(/npm notice|funding/);
    expect(readings[1]?.text).toMatch(/\nCommand exited with code 1$/);
    expect(readings[1]?.details.exitCode).toBe(1);
    expect(existsSync(join(cwd, "node_modules/dep/main.mjs"))).toBe(true);
    expect(readFileSync(join(cwd, "sum.mjs"), "utf8")).toContain("a + b");
  });

  it("hears that a script is missing, and looks for the right one", PATIENT, async () => {
    const cwd = place({
      "package.json": JSON.stringify({ name: "app", scripts: { check: "node check.js" } }),
      "check.js": "console.log('checked')",
    });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });

    const { readings } = await agent.run(function* () {
      yield bash("npm run lint", { timeout: 120 });
      yield bash("npm run check", { timeout: 120 });
      return "found";
    });

    expect(readings[0]).toMatchObject({ isError: true });
    expect(readings[0]?.text).toMatch(/Missing script: "?lint"?/);
    expect(readings[1]?.text).toMatch(/checked\n\nWall time/);
  });

  it("ends a test run that hangs, reads how far it came, and runs the one test alone", async () => {
    const cwd = place({
      "run.mjs":
        "console.log('ok 1 - starts'); if (process.argv[2] !== '--only=starts') setInterval(() => {}, 1000);\n",
    });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });

    const { readings } = await agent.run(function* () {
      yield bash("node run.mjs", { timeout: 10 });
      yield bash("node run.mjs --only=starts");
      return "seen";
    });

    expect(readings[0]).toMatchObject({ isError: true, thrown: "ToolError", details: { timeoutSeconds: 10 } });
    expect(readings[0]?.text).toMatch(/^\[Command timed out after 10 seconds\]\nok 1 - starts\n/);
    expect(readings[1]?.text).toMatch(/^ok 1 - starts\n\nWall time/);
  });

  it("is not asked: a program that prompts gets the end of its input", async () => {
    const cwd = place({
      "ask.mjs": `import { createInterface } from "node:readline/promises";
const asker = createInterface({ input: process.stdin, output: process.stdout });
asker.on("close", () => { console.log("\\nno answer"); process.exit(4); });
await asker.question("Overwrite? (y/n) ");
`,
    });
    const agent = await createAgent({ cwd, hostEnv: { PATH } });

    const { readings } = await agent.run(function* () {
      yield bash("node ask.mjs", { timeout: 60 });
      yield bash('touch file && rm -i file; read -r answer; echo "rc=$? answer=[$answer]"', { timeout: 60 });
      yield bash("test -t 0 || test -t 1 || echo 'no terminal'");
      return "refused";
    });

    expect(readings[0]).toMatchObject({ isError: true, details: { exitCode: 4 } });
    expect(readings[0]?.text).toMatch(/^Overwrite\? \(y\/n\) \nno answer\n/);
    expect(readings[1]?.text).toContain("rc=1 answer=[]");
    expect(existsSync(join(cwd, "file"))).toBe(true);
    expect(readings[2]?.text).toMatch(/^no terminal\n/);
  });

  it("writes files by heredocs and checks them, quotes and all", async () => {
    const cwd = place();
    const agent = await createAgent({ cwd, hostEnv: { PATH } });
    const source = 'const it\'s = `\\${not} expanded "here"`; // $HOME';

    const { readings } = await agent.run(function* () {
      yield bash(`cat > notes.md <<'EOF'\n${source}\nsecond line\nEOF\nwc -l < notes.md`);
      yield bash('printf %s "$TEXT" > by-env.md && cat by-env.md', { env: { TEXT: source } });
      yield bash("cmp <(head -1 notes.md) <(cat by-env.md; echo) && echo same");
      return "written";
    });

    expect(readings[0]?.text).toMatch(/^2\n/);
    expect(readFileSync(join(cwd, "notes.md"), "utf8")).toBe(`${source}\nsecond line\n`);
    expect(readings[1]?.text.startsWith(`${source}\n`)).toBe(true);
    expect(readings[2]?.text).toMatch(/^same\n/);
  });
});

describe("an agent in a Rust project", () => {
  it("reads a compiler error, mends it, and sees the tests pass", PATIENT, async () => {
    const cwd = place({
      "Cargo.toml": '[package]\nname = "area"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n',
      "src/lib.rs":
        "pub fn area(width: u32, height: u32) -> u32 {\n    width * heigth\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn of_a_square() {\n        assert_eq!(super::area(3, 3), 9);\n    }\n}\n",
    });
    const agent = await createAgent({ cwd, hostEnv: RUST });

    const { readings } = await agent.run(function* () {
      const [red] = yield bash("cargo test --offline", { timeout: 200 });
      expect(red?.text).toMatch(/src\/lib\.rs:2:13/);
      yield bash("sed -i s/heigth/height/ src/lib.rs && cargo test --offline", { timeout: 200 });
      return "mended";
    });

    expect(readings[0]).toMatchObject({ isError: true, details: { exitCode: 101 } });
    expect(readings[0]?.text).toMatch(/cannot find value `heigth`/);
    expect(readings[0]?.text).toMatch(/\nCommand exited with code 101$/);
    expect(readings[1]?.isError).toBe(false);
    expect(readings[1]?.text).toMatch(/1 passed/);
  });
});
