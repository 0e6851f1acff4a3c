/**
 * Looks at the git configuration of a folder before a git command is approved without a person.
 *
 * `git config --list` and `git ls-files` parse files and run nothing the repository names. They are bounded in time and
 * output; whatever goes wrong counts as "not looked at", and then git asks.
 */
import { execFile } from "node:child_process";
import { delimiter } from "node:path";
import { GIT_CONFIG_QUERY, GIT_HARDENING, type GitConfigDanger, gitConfigDangers } from "./git-hardening.ts";
import { foreignFolders, programIn } from "./search-path.ts";

/** Longest time a look may take, in milliseconds: far above any real repository, below a person's patience. */
const INSPECTION_TIMEOUT_MS = 5_000;
/** Most output that is read, in bytes: the index of a repository with half a million files. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** Git's exit code outside of a repository. */
const NO_REPOSITORY = 128;

/** The dangerous settings of the repository at `cwd`; undefined when it could not be looked at. */
export async function inspectGitConfig(cwd: string): Promise<readonly GitConfigDanger[] | undefined> {
  const [config, index] = await Promise.all([query(cwd, GIT_CONFIG_QUERY), query(cwd, INDEX_QUERY)]);
  if (config?.code !== 0 || index === undefined) return undefined;
  if (index.code !== 0 && index.code !== NO_REPOSITORY) return undefined;
  return [...gitConfigDangers(config.output), ...embeddedRepositories(index.output)];
}

/** The index, with the mode of each entry. */
const INDEX_QUERY: readonly string[] = ["git", "ls-files", "--stage", "-z", "--", ":(top)"];

/**
 * Repositories inside the repository. `git status` and `git diff` look into them and obey their configuration, such as
 * a clean filter, which the outer configuration does not show.
 */
function embeddedRepositories(index: string): GitConfigDanger[] {
  const links = index.split("\0").filter((entry) => entry.startsWith("160000 "));
  return links.map((entry) => {
    const path = entry.slice(entry.indexOf("\t") + 1);
    return { key: `submodule.${path}`, value: path, origin: "index" };
  });
}

interface Answer {
  readonly code: number;
  readonly output: string;
}

/** Undefined where git did not answer in time, said too much, or is not there. */
function query(cwd: string, [program = "git", ...args]: readonly string[]): Promise<Answer | undefined> {
  // The hardening's own settings have the scope `command` and are left out by `gitConfigDangers`.
  // A `git` of the project, by `.` or `node_modules/.bin` in the path, must not run; Windows looks in `cwd` by itself.
  const folders = foreignFolders(process.env["PATH"] ?? "", cwd);
  const file = programIn(folders, program);
  if (file === undefined) return Promise.resolve(undefined);
  const env = { PATH: folders.join(delimiter), HOME: process.env["HOME"] ?? "", ...GIT_HARDENING };
  const options = {
    cwd,
    env,
    timeout: INSPECTION_TIMEOUT_MS,
    maxBuffer: MAX_OUTPUT_BYTES,
    killSignal: "SIGKILL",
  } as const;
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout) => {
      if (error === null) resolve({ code: 0, output: stdout });
      else resolve(typeof error.code === "number" ? { code: error.code, output: "" } : undefined);
    });
  });
}
