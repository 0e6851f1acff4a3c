/** Trailing `| head`, `| tail` and `2>&1`: the rule matrix, and bash as the judge of mode `tee`. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the braces are shell text
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/analyze.ts";
import { applyBashFixups, singleQuoted, teeTrailingPipes } from "../src/fixups.ts";
import { bash, scratchFolder } from "./judge.ts";

const folder = scratchFolder();

describe("mode strip", () => {
  it.each([
    ["just build | head", "just build", ["| head"]],
    ["x | tail", "x", ["| tail"]],
    ["x | head -5", "x", ["| head -5"]],
    ["x | head -n 5", "x", ["| head -n 5"]],
    ["x | head -n5", "x", ["| head -n5"]],
    ["x | head -n=5", "x", ["| head -n=5"]],
    ["x | tail -c 100", "x", ["| tail -c 100"]],
    ["x | tail -c1k", "x", ["| tail -c1k"]],
    ["x | head --lines=5", "x", ["| head --lines=5"]],
    ["x | head --lines 5", "x", ["| head --lines 5"]],
    ["x | tail --bytes=5", "x", ["| tail --bytes=5"]],
    ["x | head -q -v --quiet --verbose -3", "x", ["| head -q -v --quiet --verbose -3"]],
    ["x |& tail -3", "x", ["|& tail -3"]],
    ["x|head", "x", ["|head"]],
    ["just build 2>&1 | tail -3", "just build", ["| tail -3", "2>&1"]],
    ["x 2>&1", "x", ["2>&1"]],
    ["a | b 2>&1", "a | b", ["2>&1"]],
    ["a | head -1 && b | tail -1; c 2>&1 || d", "a && b; c || d", ["| head -1", "| tail -1", "2>&1"]],
    ["a | b | head", "a | b", ["| head"]],
    ["x 2>&1 |& tail", "x 2>&1", ["|& tail"]],
    ["! x | head", "! x", ["| head"]],
  ])("takes out of %s", (line, command, stripped) => {
    const fixed = applyBashFixups(line, "strip");

    expect(fixed.command).toBe(command);
    expect(fixed.stripped.toSorted()).toEqual(stripped.toSorted());
  });

  it.each([
    "x | head -f",
    "x | tail -f",
    "x | tail -F",
    "x | tail -n +2",
    "x | tail -n+2",
    "x | tail +2",
    "x | head file",
    "x | head -n 5 file",
    "x | head -5 > f",
    "x | head -5 2>&1",
    "x | head < f",
    "x | head -n $n",
    "x | head | wc -l",
    "echo 'x | head'",
    "(x | head)",
    "echo $(x | head)",
    "{ x | head; }",
    "head -5 f",
    "x | A=1 head",
    "x | /usr/bin/head",
    "x | 'head'",
    "x | head &",
    "x 2>&1 | grep y",
    "x >f 2>&1",
    "x 2>&1 >f",
    "x >&2",
    "x 1>&2",
    "2>&1",
    "A=1 2>&1",
    "(x) 2>&1",
    "cat <<E | head\nx\nE",
    "x |\nhead",
    "a\nb | head",
    "x | head 'unterminated",
    "exec 2>err; x 2>&1",
    "if a; then b | head; fi",
  ])("leaves alone: %s", (line) => {
    expect(applyBashFixups(line, "strip")).toEqual({ command: line, stripped: [], pipes: [] });
  });
});

describe("mode tee", () => {
  it("is the default, keeps the command and names the pipes", () => {
    const line = "a 2>&1 | b 2>&1 | tail -n 3";
    const fixed = applyBashFixups(line);
    const cut = (span: { start: number; end: number }) => line.slice(span.start, span.end);

    expect(fixed.command).toBe(line);
    expect(fixed.stripped).toEqual([]);
    expect(fixed.pipes.map((pipe) => [cut(pipe.producer), pipe.operator, cut(pipe.consumer), pipe.text])).toEqual([
      ["a 2>&1 | b 2>&1", "|", "tail -n 3", "| tail -n 3"],
    ]);
    expect(analyzeCommand(line).trailingPipe).toEqual(fixed.pipes[0]);
  });

  it.each([
    "seq 1 100 | tail -2 2>&1",
    "seq 9 2>&1 | head -n 1 2>&1",
    "ls; seq 9 | head 2>&1",
    "true && seq 9 |& tail -1 2>&1",
  ])("keeps what a stage with a 2>&1 of its own hides: %s", (line) => {
    const fixups = applyBashFixups(line);

    expect(fixups).toMatchObject({ command: line, stripped: [], pipes: [{ text: expect.stringMatching(/2>&1$/) }] });
  });

  it("drops a redundant 2>&1 at the end, and its spans fit the command that is left", () => {
    const fixed = applyBashFixups("make 2>&1; seq 9 | head -2");

    expect(fixed.command).toBe("make; seq 9 | head -2");
    expect(fixed.stripped).toEqual(["2>&1"]);
    expect(fixed.pipes.map((pipe) => fixed.command.slice(pipe.consumer.start, pipe.consumer.end))).toEqual(["head -2"]);
  });

  it.each([
    "seq 1 5 | head -n2",
    "seq 1 100 | tail -3",
    "seq 1 100 | tail -2 2>&1",
    "(seq 3; ls /nowhere) 2>&1 | head -n 9 2>&1; echo $?",
    "seq 1 200000 | head -3",
    "seq 1 200000 | tail -1",
    "yes | head -5",
    "printf 'a\\nb' | tail -1",
    "head -c 200000 /dev/zero | tail -c 5 | od -c; seq 3 | head -1",
    "false | head -1; echo $?",
    "! true | head -1; echo $?",
    "seq 3 | head -n 99999999999999999999999; echo $?",
    "set -o pipefail; (echo x; exit 3) | head -5; echo $?",
    "set -o pipefail; yes | head -1; echo $?",
    "(echo x; exit 3) | tail -5; echo ${PIPESTATUS[@]}",
    "yes | head -1; echo ${PIPESTATUS[@]}",
    "set -e; (echo x; exit 3) | head -1; echo on",
    "seq 5 | head -1 && seq 6 | tail -1 || echo no",
    "(echo out; echo err >&2) |& tail -2 | cat; (echo e >&2) |& tail -2",
    "set -u; seq 3 | head -1; echo ${1-unset}",
    "shopt -s lastpipe; seq 3 | head -1; echo $#",
    "cd / && pwd | head -1",
    "f() { seq 4; }; f | tail -1",
    "time -p true | head -1 2>/dev/null; true | head",
    "set -C; seq 3 | head -2",
    "trap '' TERM PIPE; seq 2 | head -1",
    "head() { echo mine; }; seq 3 | head -1",
    "sleep 300 & seq 3 | head -1; kill -0 $! && echo alive; kill $!",
    "set -eu; seq 3 | head -1; echo on",
    "set -euo pipefail; seq 3 | tail -1; echo on",
    "for i in 1 2; do echo $i; done | tail -1",
  ])("changes neither what is seen nor the status of: %s", (line) => {
    const file = join(folder, "kept");
    rmSync(file, { force: true });
    const fixed = applyBashFixups(line);
    const withoutTimes = (output: string) => output.replaceAll(/\d+\.\d+/g, "0.00");

    const [plain, teed] = [bash(line), bash(teeTrailingPipes(fixed, file))];

    expect(fixed.pipes.length).toBeGreaterThan(0);
    expect({ ...teed, output: withoutTimes(teed.output) }).toEqual({ ...plain, output: withoutTimes(plain.output) });
  });

  it.each([
    ["seq 1 5 | head -n2", "1\n2\n3\n4\n5\n"],
    ["seq 1 20 | tail -1", `${Array.from({ length: 20 }, (_, index) => index + 1).join("\n")}\n`],
    ["echo a | head -1; echo b | tail -1", "a\nb\n"],
    ["(echo out; echo err >&2) |& tail -1", "out\nerr\n"],
  ])("keeps all that the producer of %s wrote", (line, expected) => {
    const file = join(folder, "it's kept");
    rmSync(file, { force: true });

    bash(teeTrailingPipes(applyBashFixups(line), file));

    expect(readFileSync(file, "utf8")).toBe(expected);
  });

  it("stops a producer at its first write after head has ended, as without tee", () => {
    // The producer cannot see when `head` has ended, so a crowded machine gets longer pauses; without the stop the
    // second write succeeds after any pause.
    const reached = [0.3, 2, 8].every((pause) => {
      const at = mkdtempSync(join(folder, "stop-"));
      const line = `(echo first; sleep ${pause}; echo second; echo late > reached) | head -1`;
      const teed = bash(`${teeTrailingPipes(applyBashFixups(line), join(at, "kept"))}; ls`, at);
      expect(teed.output).toContain("first");
      return teed.output.includes("reached");
    });

    expect(reached).toBe(false);
  });

  it("shows the output also when the file cannot be written", () => {
    const line = "seq 3 | tail -2";

    expect(bash(teeTrailingPipes(applyBashFixups(line), "/nonexistent/folder/file"))).toEqual(bash(line));
  });

  it("says in a file of its own that the copy could not be written, and leaves that file alone otherwise", () => {
    const complaints = join(folder, "com'plaints");
    const line = "seq 3 | tail -2";
    const fixed = applyBashFixups(line);

    writeFileSync(complaints, " ".repeat(200));
    expect(bash(teeTrailingPipes(fixed, join(folder, "copy"), complaints))).toEqual(bash(line));
    expect(readFileSync(complaints, "utf8")).toBe(" ".repeat(200));
    // A device that is always full.
    expect(bash(teeTrailingPipes(fixed, "/dev/full", complaints))).toEqual(bash(line));
    expect(readFileSync(complaints, "utf8")).toMatch(/^tee: .*No space left on device\n +$/);
    rmSync(complaints);
    expect(bash(teeTrailingPipes(fixed, join(folder, "copy"), complaints))).toEqual(bash(line));
    expect(existsSync(complaints)).toBe(false);
  });

  it("adds nothing to a trace", () => {
    const line = "set -x; seq 3 | tail -1";
    const trace = (text: string) => bash(text).output.split("\n").toSorted();

    expect(trace(teeTrailingPipes(applyBashFixups(line), join(folder, "traced")))).toEqual(trace(line));
  });
});

describe("quoting for a shell", () => {
  it.each(["", "a b", "it's", "'", '$(x) `y` \\ " *', "a\nb"])("makes one literal word of %j", (text) => {
    expect(bash(`printf %s ${singleQuoted(text)}`).output).toBe(text);
  });
});
