/** Expressions and conditions of workflow files, as `npm run rehearse` evaluates them. */
import { describe, expect, it } from "vitest";
import { evaluate, interpolate, isWanted } from "../../scripts/rehearse/expression.mjs";

const scope = (status: "success" | "failure" = "success") => ({
  status,
  contexts: {
    github: { ref: "refs/heads/main" },
    runner: { os: "Linux" },
    matrix: { node: 24, os: "ubuntu-24.04" },
    steps: { changesets: { outputs: { hasChangesets: "false" } } },
  },
});

describe("an expression", () => {
  it.each([
    ["runner.os == 'Linux'", true],
    ["runner.os == 'linux'", true],
    ["runner.os != 'Linux'", false],
    ["matrix.node == '24'", true],
    ["matrix['node'] == 24", true],
    ["!(runner.os == 'Linux') || matrix.node == 24", true],
    ["runner.os == 'Linux' && matrix.node == 20", false],
    ["steps.changesets.outputs.hasChangesets == 'false'", true],
    ["steps.changesets.outputs.other == 'false'", false],
    ["startsWith(matrix.os, 'ubuntu-') && !endsWith(matrix.os, '-arm')", true],
    ["contains(github.ref, 'main')", true],
    ["'it''s'", "it's"],
    ["null == ''", true],
    ["runner.os && 'yes' || 'no'", "yes"],
  ])("%s is %j", (text, value) => {
    expect(evaluate(text, scope())).toBe(value);
  });

  it.each([
    "runner.color == 'red'",
    "steps.other.outputs.x",
    "inputs.x",
    "hashFiles('a')",
    "runner.os = 'Linux'",
    "runner.os ==",
    "(runner.os",
    "runner.os 'x'",
    "matrix.node > 20",
  ])("that is not known, %s, is an error and not false", (text) => {
    expect(() => evaluate(text, scope())).toThrow();
  });

  it("in a text is replaced, and one alone keeps its kind", () => {
    expect(interpolate("node ${{ matrix.node }} on ${{ matrix.os }}", scope())).toBe("node 24 on ubuntu-24.04");
    expect(interpolate("${{ matrix.node }}", scope())).toBe(24);
    expect(interpolate("'${PWD}'", scope())).toBe("'${PWD}'");
    expect(() => interpolate("${{ matrix.node", scope())).toThrow("without its end");
  });
});

describe("a condition", () => {
  it.each([
    [undefined, true, false],
    ["runner.os == 'Linux'", true, false],
    ["runner.os == 'Windows'", false, false],
    ["always()", true, true],
    ["failure()", false, true],
    ["success() || failure()", true, true],
    ["${{ !cancelled() && runner.os == 'Linux' }}", true, true],
  ])("%j: after success %j, after a failure %j", (condition, afterSuccess, afterFailure) => {
    expect(isWanted(condition, scope("success"))).toBe(afterSuccess);
    expect(isWanted(condition, scope("failure"))).toBe(afterFailure);
  });
});
