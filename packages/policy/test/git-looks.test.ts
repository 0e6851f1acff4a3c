/** The look at a repository, by a `git` that is a script: what it is asked, and what becomes of each answer. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { GIT_CONFIG_QUERY, GIT_HARDENING, gitConfigDangers } from "../src/git-hardening.ts";
import { inspectGitConfig } from "../src/git-inspection.ts";
import { scratchFolder } from "./support/scratch.ts";

const root = scratchFolder();
const bin = join(root, "bin");
const repo = join(root, "repo");
for (const folder of [bin, repo]) mkdirSync(folder);

interface Answers {
  readonly config?: string;
  readonly index?: string;
}

/** Puts a `git` in the path whose two calls run the given pieces of shell. */
function fakeGit({ config = ":", index = ":" }: Answers): void {
  const script = `#!/bin/sh
case $1 in
config) printf '%s\\n' "$PWD" "$@" > '${root}/config'; env > '${root}/env'; ${config} ;;
ls-files) printf '%s\\n' "$PWD" "$@" > '${root}/index'; ${index} ;;
*) exit 3 ;;
esac
`;
  writeFileSync(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  vi.stubEnv("PATH", [bin, "/usr/bin", "/bin"].join(delimiter));
}

const look = (answers: Answers) => {
  fakeGit(answers);
  return inspectGitConfig(repo);
};
const linesOf = (name: string): string[] => readFileSync(join(root, name), "utf8").trimEnd().split("\n");

const SETTING = String.raw`printf 'local\000file:.git/config\000core.pager\nx\000'`;
const LINKS = String.raw`printf '100644 1 0\ta\000160000 2 0\tin\tner\000160000 3 0\tb c\000120000 160000 0\td\000'`;
const PAGER = { key: "core.pager", value: "x", origin: "file:.git/config" };

// The script needs a shell.
describe.skipIf(process.platform === "win32")("the look at a repository", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it("asks for the settings and for the index, in the folder, and hardened", async () => {
    vi.stubEnv("HOME", "/home/someone");
    vi.stubEnv("PI_POLICY_SECRET", "x");

    expect(await look({})).toEqual([]);
    expect(linesOf("config")).toEqual([repo, ...GIT_CONFIG_QUERY.slice(1)]);
    expect(linesOf("index")).toEqual([repo, "ls-files", "--stage", "-z", "--", ":(top)"]);
    const env = new Map(linesOf("env").map((line) => [line.split("=")[0], line.slice(line.indexOf("=") + 1)]));
    // What the shell itself sets.
    for (const name of ["PWD", "OLDPWD", "SHLVL", "_"]) env.delete(name);
    expect(Object.fromEntries(env)).toEqual({
      ...GIT_HARDENING,
      HOME: "/home/someone",
      PATH: [bin, "/usr/bin", "/bin"].join(delimiter),
    });
  });

  it("leaves the folders of the project out of the path that git has", async () => {
    fakeGit({});
    vi.stubEnv("PATH", [".", join(repo, "bin"), bin, "/usr/bin", "/bin"].join(delimiter));
    await inspectGitConfig(repo);

    expect(linesOf("env")).toContain(`PATH=${[bin, "/usr/bin", "/bin"].join(delimiter)}`);
  });

  it("finds settings and repositories inside, in this order", async () => {
    expect(await look({ config: SETTING })).toEqual([PAGER]);
    expect(await look({ config: SETTING, index: LINKS })).toEqual([
      PAGER,
      { key: "submodule.in\tner", value: "in\tner", origin: "index" },
      { key: "submodule.b c", value: "b c", origin: "index" },
    ]);
  });

  it.each<[string, Answers]>([
    ["the settings cannot be read", { config: "exit 1" }],
    ["the folder for the settings is missing", { config: "exit 128" }],
    ["the index cannot be read", { index: "exit 1" }],
    ["the index cannot be read in another way", { index: "exit 129" }],
    ["git is killed over its settings", { config: "kill -9 $$" }],
    ["git is killed over its index", { index: "kill -9 $$" }],
  ])("says nothing where %s", async (_, answers) => {
    expect(await look(answers)).toBeUndefined();
  });

  it("takes a folder outside of a repository for one without an index", async () => {
    // What a failed call printed does not count.
    expect(await look({ config: SETTING, index: `${LINKS}; exit 128` })).toEqual([PAGER]);
  });
});

describe("the settings of a repository", () => {
  const read = (...entries: [scope: string, entry: string][]): string[] =>
    gitConfigDangers(entries.map(([scope, entry]) => `${scope}\0file:f\0${entry}\0`).join("")).map(({ key }) => key);

  it("count in its own scopes, whatever comes before and behind", () => {
    expect(
      read(
        ["system", "core.pager\nx"],
        ["local", "core.pager\nx"],
        ["global", "core.editor\nx"],
        ["command", "core.editor\nx"],
        ["worktree", "core.editor\nx"],
        ["locals", "core.askpass\nx"],
      ),
    ).toEqual(["core.pager", "core.editor"]);
    expect(gitConfigDangers("")).toEqual([]);
    expect(gitConfigDangers("local\0file:f")).toEqual([]);
    expect(gitConfigDangers("local\0file:f\0core.pager\nx")).toEqual([
      { key: "core.pager", value: "x", origin: "file:f" },
    ]);
  });

  it("have a value that may be missing, empty, or of several lines", () => {
    expect(gitConfigDangers("local\0file:f\0core.pager\0")).toEqual([
      { key: "core.pager", value: "", origin: "file:f" },
    ]);
    expect(gitConfigDangers("local\0file:f\0core.pager\n\0")).toEqual([
      { key: "core.pager", value: "", origin: "file:f" },
    ]);
    expect(gitConfigDangers("local\0file:f\0core.pager\na\nb\0")).toEqual([
      { key: "core.pager", value: "a\nb", origin: "file:f" },
    ]);
  });

  it.each<[string, boolean]>([
    ["core.fsmonitor\nfalse", false],
    ["core.fsmonitor\nFALSE", false],
    ["core.fsmonitor\nno", false],
    ["core.fsmonitor\noff", false],
    ["core.fsmonitor\n0", false],
    ["core.fsmonitor\n", false],
    ["core.fsmonitor\ntrue", true],
    ["core.fsmonitor\n./off", true],
    ["core.fsmonitor\noff.sh", true],
    ["core.pager\nfalse", true],
    ["core.pagers\nx", false],
    ["xcore.pager\nx", false],
    ["alias.st\n!x", true],
    ["ALIAS.st\n!x", true],
    ["alias.st\nstatus !x", false],
    ["xalias.st\n!x", false],
    ["user.name\n!x", false],
    ["format.pretty\n%G?", true],
    ["pretty.x\n%h %-GK", true],
    ["pretty.x\n% G?", true],
    ["pretty.x\n%h G", false],
    ["x.y\n%(signature)", true],
    ["x.y\n%(*signature:key)", true],
    ["x.y\n%(subject)", false],
  ])("are dangerous or not by key and value: %j is %s", (entry, isDangerous) => {
    expect(read(["local", entry]).length === 1).toBe(isDangerous);
  });
});
