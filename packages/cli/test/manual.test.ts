/** The manual page: it has what help has, and formatters take it. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { COMMAND_NAMES, commandEntry } from "../src/surface/commands.ts";
import { manualText } from "../src/surface/manual.ts";
import { ownVersion } from "../src/version.ts";

const PAGE = fileURLToPath(new URL("../man/pi-bash.1", import.meta.url));
const RUN_LIMIT_MS = 20_000;

/** Runs a formatter; undefined where this machine has none. */
function formatted(program: string, ...words: string[]) {
  const { status, stdout, stderr, error } = spawnSync(program, [...words, PAGE], {
    encoding: "utf8",
    timeout: RUN_LIMIT_MS,
    env: { ...process.env, MANWIDTH: "80" },
  });
  return error === undefined ? { status, stdout, stderr } : undefined;
}

const groff = formatted("groff", "-man", "-Tascii", "-ww", "-P", "-cbou");
const mandoc = formatted("mandoc", "-T", "lint", "-W", "error");

describe("the manual page", () => {
  it("is in the package as the tables say it (`npm run api` writes it)", () => {
    expect(readFileSync(PAGE, "utf8")).toBe(manualText(ownVersion()));
  });

  it.each(COMMAND_NAMES)("has the options, statuses and examples of %s", (name) => {
    const [, section = ""] = manualText("1").split(`\n.SS ${name}\n`);
    const [own = ""] = section.split("\n.S");
    const { options, statuses, examples } = commandEntry(name);

    for (const option of Object.keys(options)) expect(own).toContain(`\\-\\-${option.replaceAll("-", "\\-")}\\fR`);
    expect(own.match(/\n\.TP\n/g)?.length).toBe(Object.keys(options).length + statuses.length + examples.length);
  });

  it("keeps texts from being requests, and backslashes and hyphens as they are typed", () => {
    const lines = manualText("1-2\\3").split("\n");
    const requests = lines.filter((each) => /^[.']/.test(each)).map((each) => each.split(" ")[0]);

    expect([...new Set(requests)].sort()).toEqual([".PP", ".SH", ".SS", ".TH", ".TP", ".br"]);
    expect(lines[0]).toContain('"pi-bash 1\\-2\\e3"');
    expect(manualText("1")).toContain("\\-\\-timeout");
  });

  it.skipIf(groff === undefined)("is formatted by groff without a warning (skipped: no groff here)", () => {
    expect(groff?.stderr).toBe("");
    expect(groff?.stdout).toMatch(/^ +pi-bash run \[options\] 'COMMAND'$/m);
    expect(groff?.stdout).toMatch(/^ +--timeout SECONDS$/m);
    expect(groff?.stdout).toMatch(/eval "\$\(pi-bash completions bash\)"/);
  });

  it.skipIf(mandoc === undefined)("has no error for mandoc (skipped: no mandoc here)", () => {
    expect(mandoc?.stdout).toBe("");
  });
});
