/**
 * How `npm test` counts: the numbers it prints are the ones that libtest and vitest report, dead programs included.
 */
import { describe, expect, it } from "vitest";
import { countLibtest, failedNames, testPrograms } from "../../scripts/test-rust.mjs";
import { summary } from "../../scripts/test-vitest.mjs";

const LIBTEST = `
running 3 tests
test a_command_ends ... ok
test a_child_is_reaped ... FAILED
test needs_a_mac ... ignored

failures:

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s
`;

describe("counting of Rust tests", () => {
  it("adds up every result line, as documentation tests print several", () => {
    const second = "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s\n";

    expect(countLibtest(LIBTEST + second)).toEqual({ passed: 5, failed: 1, skipped: 1 });
  });

  it("finds nothing in the output of a program that died", () => {
    expect(countLibtest("running 3 tests\nfatal runtime error\n")).toEqual({ passed: 0, failed: 0, skipped: 0 });
  });

  it("names the tests that failed", () => {
    expect(failedNames(LIBTEST)).toBe("a_child_is_reaped");
    expect(failedNames("fatal runtime error")).toBe("no test named");
  });

  it("runs every test program that cargo built and nothing else", () => {
    const artifact = (fields: object) =>
      JSON.stringify({ reason: "compiler-artifact", manifest_path: "/p/crates/a/Cargo.toml", ...fields });
    const messages = [
      "   Compiling a v0.1.0",
      artifact({ profile: { test: true }, executable: "/t/deps/a-1", target: { src_path: "/p/crates/a/src/lib.rs" } }),
      artifact({ profile: { test: false }, executable: "/t/a", target: { src_path: "/p/crates/a/src/main.rs" } }),
      artifact({ profile: { test: true }, executable: null, target: { src_path: "/p/crates/a/src/lib.rs" } }),
      JSON.stringify({ reason: "build-finished", success: true }),
    ].join("\n");

    expect(testPrograms(messages).map(({ path, folder }) => ({ path, folder }))).toEqual([
      { path: "/t/deps/a-1", folder: "/p/crates/a" },
    ]);
  });
});

describe("counting of TypeScript tests", () => {
  it("takes passed, failed and skipped ones from the report of a file", () => {
    const tests = [
      { status: "passed", fullName: "a works" },
      { status: "failed", fullName: "b works" },
      { status: "skipped", fullName: "c works" },
      { status: "todo", fullName: "d works" },
    ];

    expect(summary({ status: "failed", assertionResults: tests })).toEqual({
      passed: 1,
      failed: ["b works"],
      skipped: 2,
    });
  });

  it("counts a file that could not be loaded as one failure", () => {
    const expected = { passed: 0, failed: ["the file itself"], skipped: 0 };

    expect(summary({ status: "failed", assertionResults: [] })).toEqual(expected);
    expect(summary({ status: "passed", assertionResults: [] })).toEqual(expected);
  });

  it("counts a test whose process died as failed, though the report calls its file passed", () => {
    const tests = [
      { status: "passed", fullName: "a works" },
      { status: "pending", fullName: "b works" },
    ];

    expect(summary({ status: "passed", assertionResults: tests })).toEqual({
      passed: 1,
      failed: ["b works did not finish"],
      skipped: 0,
    });
  });
});
