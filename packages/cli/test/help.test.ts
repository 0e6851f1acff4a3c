/** What the program says of itself: the list of commands, and a page of each. Made from one table. */
import { describe, expect, it } from "vitest";
import { COMMAND_NAMES, commandEntry, isCommandName } from "../src/surface/commands.ts";
import { asksForHelp, commandText, listText } from "../src/surface/help.ts";
import { runProgram } from "./built-program.ts";

const printed = async (...words: string[]) => (await runProgram(words)).stdout;

describe("help", () => {
  it("is a short list of all commands", async () => {
    const list = await printed("--help");

    for (const name of COMMAND_NAMES) expect(list).toContain(`\n  pi-bash ${name} `);
    expect(list).not.toContain("--policy");
    expect(list.split("\n").length).toBeLessThan(27);
    expect(await printed("-h")).toBe(list);
    expect(await printed("help")).toBe(list);
  });

  it("of a command is asked for in three ways, and is of that command alone", async () => {
    const page = await printed("run", "--help");

    expect(page).toMatch(/^pi-bash run: /);
    for (const part of ["--timeout SECONDS", "\nExit status:\n", "\n  124 ", "\nExamples:\n", "docs/cli.md\n"]) {
      expect(page).toContain(part);
    }
    expect(page).not.toContain("--explain");
    expect(await printed("run", "-h")).toBe(page);
    expect(await printed("help", "run")).toBe(page);
    expect(await printed("run", "--json", "--timeout", "5", "--help", "ls")).toBe(page);
  });

  it("is not asked for by a word of the command, of a value or behind `--`", () => {
    const { options } = commandEntry("run");
    const asks = (...words: string[]) => asksForHelp(words, options);

    expect([asks("-h"), asks("--cwd", "/", "--help"), asks("--cwd=/", "-h", "ls")]).toEqual([true, true, true]);
    expect([asks("ls", "--help"), asks("--", "--help"), asks("ls -h"), asks("--cwd=--help", "ls")]).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it.each(COMMAND_NAMES)(
    "of %s has its options, statuses, an example and a page that exists, in 80 columns",
    (name) => {
      const page = commandText(name);
      const { options, examples } = commandEntry(name);

      for (const option of Object.keys(options)) expect(page).toMatch(new RegExp(`\n  --${option}[ \n]`));
      expect(examples.length).toBeGreaterThan(0);
      expect(page).toMatch(/\nMore: \/.*\.md\n$/);
      const prose = page.split("\n").filter((line) => !/^(?:More:| {2}pi-bash )/.test(line));
      expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  it("has examples that the commands understand", () => {
    const named = COMMAND_NAMES.flatMap((name) => commandEntry(name).examples).map(([line]) => line.split(" ")[0]);

    for (const name of named) expect(isCommandName(name ?? "")).toBe(true);
    expect(listText()).toContain("pi-bash run");
  });

  it("is pointed at by a refusal, with the page of the command", async () => {
    const stderr = async (...words: string[]) => (await runProgram(words)).stderr;

    expect(await stderr("run", "--tiemout", "5", "ls")).toBe(
      "pi-bash: there is no option `--tiemout`; the nearest is `--timeout`; `pi-bash run --help` shows what there is\n",
    );
    expect(await stderr("rnu", "ls")).toContain("unknown command `rnu`; the nearest is `run`");
    expect(await stderr("--json", "run")).toContain("options come after a command, not `--json` before it");
    expect(await stderr("help", "dance")).toContain("unknown command `dance`; `pi-bash --help` shows");
    expect(await stderr("rpc", "--timeout", "5")).toContain("there is no option `--timeout`");
    expect(await stderr("mcp", "--json")).toContain("there is no option `--json`");
  });
});
