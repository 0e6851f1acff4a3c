/**
 * Looks at the git configuration of a folder before a git command is approved without a person.
 *
 * `git config --list` parses files and runs nothing the repository names. It is bounded in time and output; whatever
 * goes wrong counts as "not looked at", and then git asks.
 */
import { execFile } from "node:child_process";
import { GIT_CONFIG_QUERY, GIT_HARDENING, type GitConfigDanger, gitConfigDangers } from "./git-hardening.ts";

/** Longest time `git config` may take, in milliseconds: far above any real repository, below a person's patience. */
const INSPECTION_TIMEOUT_MS = 5_000;
/** Most output that is read, in bytes. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** The dangerous settings of the repository at `cwd`; undefined when it could not be looked at. */
export function inspectGitConfig(cwd: string): Promise<readonly GitConfigDanger[] | undefined> {
  const [program, ...args] = GIT_CONFIG_QUERY;
  // The hardening's own settings have the scope `command` and are left out by `gitConfigDangers`.
  const env = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", ...GIT_HARDENING };
  return new Promise((resolve) => {
    execFile(
      program ?? "git",
      args,
      { cwd, env, timeout: INSPECTION_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" },
      (error, stdout) => resolve(error === null ? gitConfigDangers(stdout) : undefined),
    );
  });
}
