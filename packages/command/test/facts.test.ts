/** Internal URLs and the minimizer's invocation. */
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/analyze.ts";
import { parseInternalUrl } from "../src/internal-urls.ts";

describe("internal URLs", () => {
  it.each([
    ["cat artifact://3", ["artifact://3"]],
    ["cat 'skill://a/b.md' \"memory://x\"", ["skill://a/b.md", "memory://x"]],
    ["cat artifact://3?tail=5 artifact://4:1-20", ["artifact://3?tail=5", "artifact://4:1-20"]],
    ["x > local://out.txt < plan://p 2>&1", ["local://out.txt", "plan://p"]],
    ["cat local:/a/b", ["local://a/b"]],
    [
      "F=rule://r cmd; for x in agent://1 agent://2; do y $(cat artifact://9); done",
      ["rule://r", "agent://1", "agent://2", "artifact://9"],
    ],
    ["while read l; do :; done < artifact://5", ["artifact://5"]],
  ])("are whole words: %s", (line, expected) => {
    expect(analyzeCommand(line).urls.map((found) => found.url)).toEqual(expected);
  });

  it.each([
    'echo "see artifact://7"',
    "echo \\artifact://7",
    "echo x=artifact://7",
    "echo --file=artifact://7",
    "echo artifact://$x",
    "echo 'artifact://7'x",
    "echo https://x.y/z",
    "echo xlocal:/a",
    "cat <<E\nartifact://7\nE\n",
    "bash -c 'cat artifact://7'",
    "echo artifact:7 local:x",
    "cat skill://a/*.md",
    "# artifact://7",
  ])("are not: %s", (line) => {
    expect(analyzeCommand(line).urls).toEqual([]);
  });

  it("have spans that cover the quotes", () => {
    const line = "cat 'skill://a b' \"skill://a\"";
    const spans = analyzeCommand(line).urls.map(({ span }) => line.slice(span.start, span.end));

    expect(spans).toEqual(['"skill://a"']);
  });

  it("are read from plain values too", () => {
    expect(parseInternalUrl("local:/x")).toEqual({ url: "local://x", scheme: "local" });
    expect(parseInternalUrl("/tmp/local:/x")).toBeUndefined();
    expect(parseInternalUrl("see artifact://1")).toBeUndefined();
  });
});

describe("the invocation", () => {
  it.each([
    ["npm test", ["npm", "test"]],
    ["npm test 2>&1", ["npm", "test"]],
    ["cd app && CI=1 timeout 60 npm test -- src/*.ts", ["npm", "test", "--", "src/*.ts"]],
    ["bash -c 'cargo build'", ["cargo", "build"]],
    ["export A=1; make -j4 2>/dev/null", ["make", "-j4"]],
    ['grep -r "a b" .', ["grep", "-r", "a b", "."]],
    ['git log "v$x"', ["git", "log", "v$x"]],
  ])("of %s", (line, argv) => {
    expect(analyzeCommand(line).invocation).toEqual({ argv });
  });

  it.each([
    "npm test | tail",
    "npm test; npm run lint",
    "npm test && echo ok",
    "npm test > log",
    "npm test &> log",
    "npm test &",
    "(npm test)",
    "git $x",
    "$x test",
    "git $(x)",
    "for f in a b; do npm test; done",
    "time npm test",
    "xargs npm test",
    "bash script.sh",
    "bash -c 'a; b'",
    "cd -; npm test",
    "npm test 'x",
    "cd a",
    "",
    "npm test; cd a",
    "cat <<E\nx\nE\n",
  ])("does not exist for: %s", (line) => {
    expect(analyzeCommand(line).invocation).toBeUndefined();
  });
});
