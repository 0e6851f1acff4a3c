/**
 * The first pages for each reader, `docs/start`, and pages of programs behind them: every program on them runs and prints
 * what the page says. First pages are short.
 *
 * A `js` block is a program, the `text` block after it is its output; a `console` block is a conversation with one bash. `…`
 * stands for any text. Blocks of another kind have to be known here.
 */
import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { readmeProgram } from "../../scripts/package/verify.mjs";
import { scratchFolder } from "../support/scratch.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "docs/start");
const pages = readdirSync(folder).filter((name) => name.endsWith(".md"));
/** Pages that are programs, too, of any length. */
const LONGER = ["../cookbook.md", "../coming-from.md"];
/** A program that takes longer hangs. */
const LIMIT_MS = 50_000;

interface Block {
  readonly page: string;
  readonly kind: string;
  readonly text: string;
}

/** The fenced blocks of a text, in their order. */
function blocksOf(page: string, text: string): Block[] {
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, kind = "", body = ""]) => ({
    page,
    kind,
    text: body,
  }));
}

const blocks = [...pages, ...LONGER].flatMap((page) => blocksOf(page, readFileSync(join(folder, page), "utf8")));

/** An expression for a text in which `…` stands for any text. */
function expected(text: string): RegExp {
  const parts = text.trimEnd().split("…");
  const literal = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literal.join("[\\s\\S]*")}$`);
}

/** A folder in which our packages are installed and `pi-bash` is a command, and the environment of a person there. */
function installed(): { cwd: string; env: NodeJS.ProcessEnv } {
  const place = scratchFolder();
  const cwd = join(place, "project");
  const bin = join(place, "bin");
  mkdirSync(cwd);
  mkdirSync(bin);
  symlinkSync(join(root, "node_modules"), join(place, "node_modules"));
  symlinkSync(join(root, "packages/cli/bin/pi-bash.mjs"), join(bin, "pi-bash"));
  return { cwd, env: { PATH: `${bin}:${process.env["PATH"]}`, HOME: place, NO_COLOR: "1" } };
}

async function run(program: string, words: string[], at: ReturnType<typeof installed>): Promise<string> {
  const { stdout } = await promisify(execFile)(program, words, { ...at, timeout: LIMIT_MS, killSignal: "SIGKILL" });
  return stdout.trimEnd();
}

/** The commands of a conversation, each with what is to be printed. */
function exchanges(text: string): { command: string; printed: string }[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((exchange) => {
      const [command = "", ...printed] = exchange.trimEnd().split("\n");
      return { command, printed: printed.join("\n") };
    });
}

it("there is one for each reader, under 80 lines, with lines of a screen", () => {
  expect(pages.toSorted()).toEqual([
    "agent-shell.md",
    "embed-the-tool.md",
    "engine.md",
    "fleet.md",
    "one-command.md",
    "own-agent-loop.md",
  ]);
  for (const page of pages) {
    const lines = readFileSync(join(folder, page), "utf8").split("\n");
    expect(lines.length, page).toBeLessThan(80);
  }
});

it("they have no block that this test does not know", () => {
  const kinds = new Set(blocks.map(({ kind }) => kind));

  expect([...kinds].toSorted()).toEqual(["console", "js", "json", "text"]);
});

const programs = blocks.flatMap((block, index) =>
  block.kind === "js" ? [{ ...block, name: `${block.page}, program ${index}`, output: blocks[index + 1] }] : [],
);

it.each(programs)("$name prints what the page says", { timeout: LIMIT_MS + 10_000 }, async ({ text, page, output }) => {
  const at = installed();
  writeFileSync(join(at.cwd, "program.mjs"), text);

  expect({ kind: output?.kind, page: output?.page }).toEqual({ kind: "text", page });
  expect(await run(process.execPath, ["program.mjs"], at)).toMatch(expected(output?.text ?? ""));
});

const conversations = blocks.filter(({ kind }) => kind === "console");

it.each(conversations)(
  "a conversation of $page goes as the page says",
  { timeout: LIMIT_MS + 10_000 },
  async ({ text }) => {
    const said = exchanges(text);
    // Each command finds the status of the one before it, and its output ends in a mark.
    const script = said.map(({ command }) => `(exit $status)\n${command}\nstatus=$?\nprintf '\\001'\n`).join("");
    const printed = await run("bash", ["-c", `exec 2>&1; status=0\n${script}`], installed());

    const answers = printed.split("\u0001").map((answer) => answer.trimEnd());
    expect(said.length).toBeGreaterThan(0);
    for (const [index, { command, printed: wanted }] of said.entries()) {
      expect(answers[index], command).toMatch(expected(wanted));
    }
  },
);

it("the configuration of a client is the one that the README shows", () => {
  const configurations = blocks.filter(({ kind }) => kind === "json").map(({ text }) => text.trim());

  expect(configurations).toHaveLength(1);
  for (const text of configurations) expect(readFileSync(join(root, "README.md"), "utf8")).toContain(text);
});

it("the first program of the README prints what packing expects of it", async () => {
  const at = installed();
  const { program, printed } = readmeProgram();
  writeFileSync(join(at.cwd, "readme.mjs"), program);

  expect(await run(process.execPath, ["readme.mjs"], at)).toMatch(printed);
});
