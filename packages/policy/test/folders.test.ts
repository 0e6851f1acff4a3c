/** Where the commands of a line run, read off the text, and which of them leave a folder. */
import { analyzeCommand } from "@pi-bash/command";
import { describe, expect, it } from "vitest";
import type { PathContext } from "../src/danger-paths.ts";
import { commandsOutside, effectiveFolders, folderAfter, isMove, MAX_PATH_CHARS, stepThrough } from "../src/folders.ts";

const PLACE: PathContext = { cwd: "/w/a", workspace: "/w", home: "/h" };

/** Each command of a line with its folder. */
function foldersOf(line: string, place: PathContext = PLACE): string[] {
  const analysis = analyzeCommand(line);
  const folders = effectiveFolders(analysis, place);
  return analysis.effective.map((command) => `${command.argv[0]?.text} ${folders(command).cwd}`);
}

/** The programs of a line that run, or may run, outside of a folder. */
function outside(line: string, root: string | undefined = "/w", place: PathContext = PLACE): string[] {
  return [...commandsOutside(analyzeCommand(line), place, root)].map(({ argv }) => argv[0]?.text ?? "");
}

function after(line: string, place: PathContext = { cwd: "/p/q", home: "/h" }): string | undefined {
  const [command] = analyzeCommand(line).effective;
  if (command === undefined) throw new Error("no command");
  return folderAfter(command, place);
}

describe("the folder behind a `cd`", () => {
  it.each<[string, string | undefined]>([
    ["cd", "/h"],
    ["cd ~", "/h"],
    ["cd $HOME", "/h"],
    ['cd "$HOME"', "/h"],
    ["cd x", "/p/q/x"],
    ["cd a-b+c", "/p/q/a-b+c"],
    ["cd x/y", "/p/q/x/y"],
    ["cd ..", "/p"],
    ["cd ../..", "/"],
    ["cd ../../..", "/"],
    ["cd .", "/p/q"],
    ["cd ''", "/p/q"],
    ["cd ./x/.", "/p/q/x"],
    ["cd /", "/"],
    ["cd //a//b", "/a/b"],
    ["cd /a/../b", "/b"],
    ['cd "x y"', "/p/q/x y"],
    ["pushd x", "/p/q/x"],
    ["cd -", undefined],
    ["cd -P x", undefined],
    ["cd +1", undefined],
    ["cd x y", undefined],
    ["cd ~/x", undefined],
    ["cd $x", undefined],
    ["pushd", undefined],
    ["pushd ~", undefined],
    ["pushd +1", undefined],
    ["popd", undefined],
    ["popd x", undefined],
  ])("%s is %s", (line, folder) => {
    expect(after(line)).toBe(folder);
  });

  it("is not known where a relative one begins in a folder that is not", () => {
    expect(after("cd x", { home: "/h" })).toBeUndefined();
    expect(after("cd /x", { home: "/h" })).toBe("/x");
    expect(after("cd", { cwd: "/p" })).toBeUndefined();
    expect(after("cd x", { cwd: "/p/" })).toBe("/p/x");
    expect(after("cd x", { cwd: "/" })).toBe("/x");
  });

  it("is at most as long as a path may be", () => {
    const longest = `/${"a".repeat(MAX_PATH_CHARS - 1)}`;

    expect(after(`cd ${longest}`)).toBe(longest);
    expect(after(`cd ${longest}b`)).toBeUndefined();
  });
});

describe("a step through a path", () => {
  it.each([
    ["", "/", "/"],
    ["", "a", "/a"],
    ["/", "x", "/x"],
    ["/a", "b", "/a/b"],
    ["/a/", "b", "/a/b"],
    ["/a", ".", "/a"],
    ["/a", "", "/a"],
    ["/a/b", "..", "/a"],
    ["/a", "..", "/"],
    ["/a", "../../..", "/"],
    ["/a/b", "../c/./d//e/..", "/a/c/d"],
    ["/a", "...", "/a/..."],
  ])("from %j by %j leads to %j", (from, path, folder) => {
    expect(stepThrough(from, path)).toBe(folder);
  });
});

describe("the folders of a line", () => {
  it("follow each `cd`, also behind the end of a subshell", () => {
    expect(foldersOf("a; cd x; b; cd ..; c; cd /; d")).toEqual([
      "a /w/a",
      "cd /w/a",
      "b /w/a/x",
      "cd /w/a/x",
      "c /w/a",
      "cd /w/a",
      "d /",
    ]);
    expect(foldersOf("(cd /; a); b")).toEqual(["cd /w/a", "a /", "b /"]);
    expect(foldersOf("cd; a")).toEqual(["cd /w/a", "a /h"]);
  });

  it("are not known behind one that is not, until one is named in full", () => {
    expect(foldersOf("cd $x; a; cd y; b; cd /z; c")).toEqual([
      "cd /w/a",
      "a undefined",
      "cd undefined",
      "b undefined",
      "cd undefined",
      "c /z",
    ]);
    expect(foldersOf("pushd /t; popd; a")).toEqual(["pushd /w/a", "popd /t", "a undefined"]);
  });

  it("keep home and workspace, and are those of the line for a command of another one", () => {
    const folders = effectiveFolders(analyzeCommand("cd x; a"), PLACE);
    const [, command] = analyzeCommand("cd x; a").effective;
    const [other] = analyzeCommand("b").effective;
    if (command === undefined || other === undefined) throw new Error("no command");

    expect(folders(command)).toEqual({ cwd: "/w/a/x", workspace: "/w", home: "/h" });
    expect(folders(other)).toEqual(PLACE);
  });
});

describe("a command runs outside", () => {
  it.each<[string, string[]]>([
    ["a; cd x; b", []],
    ["a; cd ..; b", []],
    ["a; cd ../..; b", ["b"]],
    ["cd /w; a", []],
    ["cd /wx; a", ["a"]],
    ["cd $x; a", ["a"]],
    ["cd; a", ["a"]],
    ["cd /t; a; cd /w; b", ["a", "cd", "b"]],
    ["popd; a; b", ["a", "b"]],
    ["find . -execdir a \\;; b", ["a"]],
    ["cd", []],
  ])("of the workspace: %s", (line, found) => {
    expect(outside(line)).toEqual(found);
  });

  it("of another root, or of none", () => {
    expect(outside("a; cd /t; b", "/")).toEqual([]);
    expect(outside("a; cd $x; b", "/")).toEqual(["b"]);
    expect(outside("a", "/other")).toEqual(["a"]);
    expect(outside("a", "/w/a")).toEqual([]);
    expect(commandsOutside(analyzeCommand("a; cd /t; b"), PLACE, undefined)).toEqual(new Set());
    expect(outside("a", "/w", { home: "/h" })).toEqual([]);
  });
});

describe("a command that moves", () => {
  it("is one of three", () => {
    const moves = (line: string): boolean[] => analyzeCommand(line).effective.map(isMove);

    expect(moves("cd x; pushd x; popd")).toEqual([true, true, true]);
    expect(moves("cdx; xcd; ls cd; dirs; $x")).toEqual([false, false, false, false, false]);
  });
});
