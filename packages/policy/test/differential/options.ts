/**
 * Which options a program has: what its help and its manual name, and every single letter.
 *
 * They are collected when the harness runs, so that a new version of a program brings its new options along. What
 * cannot be read that way stands in `programs.ts`.
 */
import { spawnSync } from "node:child_process";

import { onDebian } from "./programs.ts";

/** Options of a program, each with what its help says about a value. */
export interface Option {
  readonly name: string;
  /** `none`, `attached` (`--color[=WHEN]`), or `value`. */
  readonly takes: "none" | "attached" | "value" | "unknown";
}

const LETTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@#?"];

/** Asks a program, and its manual where `manuals`. */
export function optionsOf(words: readonly string[], manuals: boolean, more = ""): Option[] {
  const texts = [more, output([...words, "--help"]), isBuiltin(words[0]) ? builtinHelp(words[0] ?? "") : ""];
  if (words[0] === "git" && words.length > 1) texts.push(output([...words, "-h"]));
  if (words[0] === "ip" && words.length > 1) texts.push(output([...words, "help"]));
  if (manuals) texts.push(manual(words));
  const found = new Map<string, Option>();
  for (const letter of LETTERS) found.set(`-${letter}`, { name: `-${letter}`, takes: "unknown" });
  for (const text of texts) {
    for (const option of read(text)) found.set(option.name, option);
  }
  return [...found.values()];
}

function read(text: string): Option[] {
  const matches = text.matchAll(
    /(?<![\w-])(--?[A-Za-z0-9][\w-]*)(\[=[^\]\s]*\]|=[\w<{[]\S*|[ =]<[^>]+>|[ ][A-Z][A-Z_-]+\b)?/g,
  );
  return [...matches]
    .filter(([, name]) => name !== undefined && name.length < 40)
    .map(([, name = "", value = ""]) => ({
      name,
      takes: value === "" ? "none" : value.startsWith("[=") ? "attached" : "value",
    }));
}

/** Only programs of the tables are asked; their help starts nothing. */
function output([program = "", ...args]: readonly string[]): string {
  const { stdout, stderr } = spawnSync(onDebian(program), args, {
    encoding: "utf8",
    timeout: 5_000,
    killSignal: "SIGKILL",
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", HOME: "/dev/null" }, // not a folder: no program can leave anything there
  });
  return `${stdout ?? ""}\n${stderr ?? ""}`;
}

function manual(words: readonly string[]): string {
  const { stdout } = spawnSync("man", [onDebian(words.slice(0, 2).join("-"))], {
    encoding: "utf8",
    timeout: 20_000,
    maxBuffer: 1 << 24,
    stdio: ["ignore", "pipe", "ignore"],
    env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C", MANPAGER: "cat", PAGER: "cat", MANWIDTH: "160" },
  });
  return (stdout ?? "").split("\b").join("");
}

function isBuiltin(name = ""): boolean {
  return /^(?:cd|pushd|popd|read|command|type|jobs|printf|echo|test|\[|kill|pwd|true|false|:|break|continue)$/.test(
    name,
  );
}

function builtinHelp(name: string): string {
  return output(["bash", "-c", 'help -- "$1"', "bash", name]);
}
