/**
 * Bash's own test suite: each script that its `run-*` name, once by plain bash from a file and once as a session's command,
 * with the same output and status. The source package is fetched when the soak runs, of the version that this machine's bash
 * has, and removed with it.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inSessionWithin, plainlyBy, type Way } from "../oracle/ways.ts";

/** The programs that the scripts make use of. */
const HELPERS = ["recho", "zecho", "printenv", "xcase"] as const;

/** Longest that fetching or unpacking may take, in milliseconds. */
const FETCH_MS = 300_000;

/** Longest that one script may take, in milliseconds: some wait for seconds by themselves, and the machine may be busy. */
const SCRIPT_MS = 120_000;

/**
 * How often a script is tried by both ways. Some are races by themselves: in nameref11.sub, bash has forgotten a coprocess
 * that ended at once by the time its number is asked for, or it has not.
 */
const TRIES = 5;

/** Scripts that are not compared, with the reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  "builtins.tests":
    "sets `ulimit -c` to 1000 blocks; in a session its hard limit is 1 byte, so that no core file is written",
};

/** The suite as it was fetched. */
export interface BashSuite {
  /** `bash.tests` and the like, by their `run-*`. */
  readonly scripts: readonly string[];
  readonly tests: string;
  readonly programs: string;
}

/** Fetches and unpacks the suite into `folder`; a text says why it cannot be had. */
export function fetchSuite(folder: string): BashSuite | string {
  if (process.platform !== "linux") return "Debian's packages are for Linux";
  const version = said("dpkg-query", ["-W", "-f", "${source:Version}", "bash"]);
  const repositories = said("apt-get", [
    "indextargets",
    "--format",
    "$(REPO_URI) $(RELEASE) $(COMPONENT)",
    "Created-By: Packages",
  ]);
  if (version === undefined || repositories === undefined) return "this machine has no Debian packages";
  const lists = join(folder, "lists");
  mkdirSync(join(lists, "partial"), { recursive: true });
  mkdirSync(join(folder, "cache", "archives", "partial"), { recursive: true });
  const lines = [...new Set(repositories.split("\n").filter(Boolean))].map((line) => `deb-src ${line}\n`);
  writeFileSync(join(folder, "sources.list"), lines.join(""));
  const settings = [
    ["Dir::Etc::sourcelist", join(folder, "sources.list")],
    ["Dir::Etc::sourceparts", "-"],
    ["Dir::State::lists", lists],
    ["Dir::Cache", join(folder, "cache")],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  said("apt-get", [...settings, "update"], folder);
  const got = said("apt-get", [...settings, "source", "--download-only", `bash=${version}`], folder);
  const archive = readdirSync(folder).find((name) => /^bash_.*\.orig\.tar\.\w+$/.test(name));
  if (got === undefined || archive === undefined) return `the source of bash ${version} cannot be had`;
  const source = join(folder, "source");
  mkdirSync(source);
  if (said("tar", ["-xf", archive, "-C", source, "--strip-components=1"], folder) === undefined) return "tar failed";
  const programs = join(folder, "programs");
  if (!buildHelpers(source, programs)) return "the suite's programs need a C compiler";
  const tests = join(source, "tests");
  const scripts = readdirSync(tests)
    .filter((name) => /^run-[a-z]/.test(name) && !/^run-(all|minimal)$/.test(name) && !/[~.]/.test(name))
    .flatMap((name) => /\$\{THIS_SH\} \.\/([\w.-]+)/.exec(readFileSync(join(tests, name), "latin1"))?.[1] ?? []);
  return { scripts: [...new Set(scripts)].sort(), tests, programs };
}

function buildHelpers(source: string, programs: string): boolean {
  mkdirSync(programs);
  writeFileSync(join(programs, "config.h"), "");
  const has = ["-DHAVE_CONFIG_H", "-DHAVE_STRING_H", "-DHAVE_STDLIB_H", "-DPROTOTYPES"];
  const include = [`-I${programs}`, `-I${source}`, `-I${join(source, "include")}`];
  return HELPERS.every(
    (name) =>
      said("cc", ["-w", ...has, ...include, join(source, "support", `${name}.c`), "-o", join(programs, name)]) !==
      undefined,
  );
}

/** What a program printed; absent where it failed. */
function said(program: string, words: readonly string[], cwd = "/"): string | undefined {
  const { status, stdout } = spawnSync(program, words, { cwd, encoding: "utf8", timeout: FETCH_MS });
  return status === 0 ? stdout : undefined;
}

/** A script by both ways, until both say the same or the tries are spent. */
export async function compareBoth(
  suite: BashSuite,
  script: string,
  scratch: () => string,
): Promise<{ plain: string; ours: string }> {
  let answers = await runBoth(suite, script, scratch());
  for (let tries = 1; answers.plain !== answers.ours && tries < TRIES; tries += 1) {
    answers = await runBoth(suite, script, scratch());
  }
  return answers;
}

/** A script by both ways, each in a copy of the suite with the same name, so that paths are the same. */
async function runBoth(suite: BashSuite, script: string, folder: string): Promise<{ plain: string; ours: string }> {
  const text = `${preface(suite)}${readFileSync(join(suite.tests, script), "latin1")}`;
  const by = async (way: Way, name: string) => {
    const place = join(folder, name);
    cpSync(suite.tests, place, { recursive: true });
    const { output, status } = await way(text, place);
    return `${comparable(output.replaceAll(place, "PLACE"))}\nstatus ${status}`;
  };
  return { plain: await by(plainlyBy("/bin/bash", SCRIPT_MS), "a"), ours: await by(inSessionWithin(SCRIPT_MS), "b") };
}

/** In the first line, so that line numbers are the same in both. */
function preface({ programs }: BashSuite): string {
  return `export THIS_SH=/bin/bash BASH_TSTOUT=$TMPDIR/out BUILD_DIR=$PWD PATH=${programs}:$PATH:$PWD; `;
}

/** Numbers of processes, and times, are another's each time. */
function comparable(output: string): string {
  return output.replace(/\b\d{3,}\b/g, "N").replace(/\d+m\d+\.\d+s/g, "TIME");
}
