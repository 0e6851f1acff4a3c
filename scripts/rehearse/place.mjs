/**
 * Where a rehearsal happens: folders outside of the checkout, so that no job finds what the checkout has installed.
 *
 * `cache` stays from run to run (what a runner's image has, and what a registry would be asked for again); `run` begins
 * empty. `origin.git` has the files of the checkout as they are now, as one commit: a shallow clone of it is what
 * `actions/checkout` makes.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";

const IDENTITY = {
  GIT_AUTHOR_NAME: "rehearsal",
  GIT_AUTHOR_EMAIL: "rehearsal@localhost",
  GIT_COMMITTER_NAME: "rehearsal",
  GIT_COMMITTER_EMAIL: "rehearsal@localhost",
};

/** Not below a home folder, which may be closed to other users: some tests run as one, as on a runner. */
const DEFAULT_FOLDER = join("/var/tmp", `pi-bash-rehearsal-${userInfo().uid}`);

/** Makes the folder, for everyone to read and for this user to write. Its name can be guessed: another's is refused. */
function makeFolder(folder) {
  mkdirSync(folder, { recursive: true });
  const { uid } = userInfo();
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid) {
    throw new Error(`${folder} is not a folder of this user; remove it`);
  }
  chmodSync(folder, 0o755);
}

/** Runs git with nothing of the person's own configuration. */
export function git(rest, { cwd, env = {} }) {
  const own = { ...process.env, ...IDENTITY, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1", ...env };
  for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]) if (!(name in env)) delete own[name];
  return execFileSync("git", rest, { cwd, env: own, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 }).trim();
}

/** @typedef {{ root: string, cache: string, run: string, origin: string, artifacts: string, caches: string, logs: string }} Place */

/**
 * @param {string} root the checkout
 * @param {{ keepsRun?: boolean, folder?: string }} [options] `keepsRun` leaves the artifacts of the last run where they are;
 *   `folder` is in /var/tmp unless given
 * @returns {Place}
 */
export function preparePlace(root, { keepsRun = false, folder = DEFAULT_FOLDER } = {}) {
  makeFolder(folder);
  const run = join(folder, "run");
  rmSync(keepsRun ? join(run, "npm-cache") : run, { recursive: true, force: true });
  const inRun = (name) => join(run, name);
  const place = {
    root,
    cache: join(folder, "cache"),
    run,
    origin: inRun("origin.git"),
    artifacts: inRun("artifacts"),
    caches: inRun("caches"),
    logs: inRun("logs"),
  };
  for (const path of [place.cache, place.artifacts, place.caches, place.logs]) mkdirSync(path, { recursive: true });
  makeOrigin(place);
  return place;
}

/** What git would take of the checkout, in one commit on `main`. The checkout's own repository is not touched. */
function makeOrigin({ root, origin, run }) {
  rmSync(origin, { recursive: true, force: true });
  git(["init", "--quiet", "--bare", "--initial-branch=main", origin], { cwd: run });
  const env = { GIT_DIR: origin, GIT_WORK_TREE: root, GIT_INDEX_FILE: join(origin, "rehearsal-index") };
  git(["-c", "core.safecrlf=false", "-c", "core.bare=false", "add", "--all"], { cwd: root, env });
  const tree = git(["write-tree"], { cwd: root, env });
  const commit = git(["commit-tree", tree, "-m", "what the checkout has"], { cwd: root, env });
  git(["update-ref", "refs/heads/main", commit], { cwd: root, env });
}

/** The commit that a branch of the origin is at; undefined where there is no such branch. */
export function headOf(place, branch) {
  try {
    return git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`], { cwd: place.origin });
  } catch {
    return undefined;
  }
}
