/**
 * Places to work in: folders that go away after the test, with files, repositories and projects that need no network.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchFolder } from "../../support/scratch.ts";

/** A folder with these files: text by path. */
export function place(files: Readonly<Record<string, string>> = {}): string {
  const folder = scratchFolder();
  write(folder, files);
  return folder;
}

/** Writes files into a folder. */
export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** A repository with these files in its first commit, on the branch `main`. */
export function repository(files: Readonly<Record<string, string>>): string {
  const folder = place(files);
  git(folder, "init", "-q", "-b", "main");
  git(folder, "config", "user.name", "A Person");
  git(folder, "config", "user.email", "person@example.com");
  git(folder, "config", "commit.gpgsign", "false");
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "first");
  return folder;
}

/** Runs git in a folder; its output without the last newline. */
export function git(folder: string, ...words: string[]): string {
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" };
  return execFileSync("git", words, { cwd: folder, env, encoding: "utf8" }).trimEnd();
}
