/**
 * Writes docs/platforms.md: what is known of each target, and how it is known; and the short of it into README.md.
 *
 * Statuses are those of the run that writes the page, never of hope.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostPackageOf } from "./pi-host.mjs";
import { packageOf, STAND_INS } from "./targets.mjs";
import { MAX_INSTALL_BYTES } from "./verify.mjs";

/** Where README.md has its table: what stands between the two lines is replaced. */
const README_TABLE = /(<!-- platforms:[^\n]*-->\n)[\s\S]*?(<!-- \/platforms -->)/;

const head = (commit) => `# Platforms

Written by \`npm run package -- --all\` on one Linux x64 machine, of the sources of commit ${commit}:
what that run saw, nothing else. "Built" means that the addon (first size) and the supervisor (second) were linked for the
target. "Loaded" means that a Node of the target loaded the addon from an install. "Tests" says what was run then; bash and
the programs of a tour were those of the machine, which neither qemu nor musl's Node translates. The workflows in
\`.github/workflows\` build and test each target on a system of its own; their results are not in this table.

| target | package | built | loaded | tests |
|---|---|---|---|---|
`;

function runtimeLines(root) {
  const results = join(root, "build", "runtimes", "results.json");
  if (!existsSync(results)) return "`npm run test:runtimes` was not run on this machine.\n";
  const rows = JSON.parse(readFileSync(results, "utf8")).map(
    ({ name, version, commit, ok, counts }) =>
      `| ${name} | ${version} | \`${commit}\` | ${ok ? "passed" : "failed"}; ${counts} |`,
  );
  return `| runtime | version | sources of | result |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

/** What was seen of other runtimes: `npm run test:runtimes` writes it again, also into a page that is there. */
const runtimesSection = (root) =>
  `## Runtimes on linux-x64-gnu\n\nAll TypeScript tests, by \`npm run test:runtimes\`; the oldest Node gets the tour. On Bun\nthe tests run in vitest under Bun, and the programs that they start are Bun's, too; skipped there: the API reference\n(TypeScript's API needs Node), a stand-in for an old addon (\`require.extensions\`) and the attempts to get out of a\nsandbox (Bun does not say why a socket was refused).\n\n${runtimeLines(root)}`;

/** What does not depend on a run. `test/checks/platforms-page.test.ts` compares it with the page. */
export const SIZE_SECTION = `## What an install weighs

All packages for one system, in an empty project with nothing else in \`node_modules\`: at most ${MAX_INSTALL_BYTES.toLocaleString("en")} bytes, above which
\`npm run package\` fails; 20.6 million now. 17.3 of them are ours: 7.0 the platform's package, 6.3 the two of \`pi-host\`, 0.2 the bash
driver's. \`@xterm/headless\` has 2.0, nine tenths of it source maps and a second format: it stays a dependency like any other,
which a host can share and update. The rest is \`re2js\` (regular expressions) and \`unbash\` (the parser of commands), with 0.06
for the widths of characters. Who opens no places leaves the two of \`pi-host\` out (\`npm install --omit=optional\`, with the
platform's package named).

zod would be 6.3 more (every locale, its sources, two module formats). What is used of it is in \`@pi-bash/contract\` and in
\`@pi-bash/places\`, with its declarations: 0.5 in each. For a host with a zod of its own the schemas are zod's all the same: they go into its objects and
unions, its \`toJSONSchema\` reads them, and the AI SDK takes them as they are, which \`npm run package\` tries. What two copies of
zod in one program cost is in [decision 0006](decisions/0006-build-tools.md).
`;

export const NEEDS_SECTION = `## What a target needs

- glibc 2.28 or newer (RHEL 8, Debian 10, Ubuntu 20.04), which is what Node's own builds need; musl 1.2 or newer.
- macOS 11 or newer. Windows 10 or newer, with Git for Windows for its bash.
- Read-only commands need Linux 5.13 with Landlock and the bash driver; with Linux 6.12 they hold signals too ([read-only.md](read-only.md#where-it-cannot-be-had)).
- The bash driver is a package of its own for Linux: \`@pi-bash/bash-driver\`, one object for x64 and one for arm64, of either C
  library. [Which bashes take it](../bash-driver/README.md#seen-of-bashes); with another one, on macOS and on Windows sessions do without.
- Elsewhere [the fallback](natives.md) runs commands without sessions.
- A place is Linux on x64 or arm64, with bash ([places.md](places.md)); it may be opened from any of these systems.
`;

/** What stands above the table of `pi-host`. */
export const PLACES_TEXT = `## Places

\`pi-host\` is what is sent to [places](places.md): static, the same for each C library. An install has those of both
processors, on every system: a place may have another one than the machine that opens it.
`;

/** A stand-in is built to be tried and never published. */
function packageCell(target) {
  return STAND_INS.includes(target) ? "none: stands in for Microsoft's tools" : `\`${packageOf(target)}\``;
}

/** The commit that was built; one with changes on top is said to have them. */
function builtCommit(root) {
  const { stdout, status } = spawnSync("git", ["describe", "--always", "--dirty", "--exclude=*"], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) return "that is not known (no git)";
  const [, commit, dirty] = /^(.*?)(-dirty)?$/.exec(stdout.trim()) ?? [];
  return `\`${commit}\`${dirty ? " with changes on top" : ""}`;
}

/** A text from elsewhere, which may have what ends a cell. */
const cell = (text) => text.replaceAll("|", "\\|");

/** The row of README.md: whether, not how. */
function shortRow({ target, built, loaded, tests }) {
  const where = /^yes, .*\((.*)\)$/.exec(loaded)?.[1];
  const seen = [/tour: \d+ of \d+/.exec(tests)?.[0], /\d+ checks/.exec(tests)?.[0]].filter(Boolean).join(", ");
  const failed = tests.includes("failed") ? "; the rest failed" : "";
  const standIn = STAND_INS.includes(target) ? " by mingw, in place of the published one" : "";
  const cells = [
    `${target.name}${standIn}`,
    built.startsWith("yes") ? "yes" : "no",
    where ? `yes (${where})` : "no",
    seen === "" ? "no" : `${seen}${failed}`,
  ];
  return `| ${cells.join(" | ")} |`;
}

function writeReadmeTable(root, rows) {
  const path = join(root, "README.md");
  const before = readFileSync(path, "utf8");
  if (!README_TABLE.test(before)) throw new Error("README.md has no place for the table of platforms");
  const table = ["| target | built | loaded | tested |", "|---|---|---|---|", ...rows.map(shortRow)].join("\n");
  writeFileSync(
    path,
    before.replace(README_TABLE, (_, begin, end) => `${begin}${table}\n${end}`),
  );
}

/** @param {Array<{ host: object, bytes: number, ran: string }>} hosts as `seenOfHost` has them */
function placesSection(hosts) {
  const rows = hosts.map(
    ({ host, bytes, ran }) =>
      `| \`${host.name}\` (${host.triple}) | \`${hostPackageOf(host)}\` | yes, ${(bytes / 1024 / 1024).toFixed(1)} MiB | ${cell(ran)} |`,
  );
  const table = rows.length === 0 ? "" : `\n| place | package | built | ran |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  return `${PLACES_TEXT}${table}\n`;
}

/**
 * @param {Array<{ target: object, built: string, loaded: string, tests: string }>} rows
 * @param {Array<{ host: object, bytes: number, ran: string }>} hosts as `seenOfHost` has them
 */
export function writePlatformsPage(root, rows, hosts) {
  const lines = rows.map(
    ({ target, built, loaded, tests }) =>
      `| \`${target.name}\` (${target.triple}) | ${packageCell(target)} | ${cell(built)} | ${cell(loaded)} | ${cell(tests)} |`,
  );
  writeFileSync(
    join(root, "docs", "platforms.md"),
    `${head(builtCommit(root))}${lines.join("\n")}\n\n${placesSection(hosts)}${runtimesSection(root)}\n${SIZE_SECTION}\n${NEEDS_SECTION}`,
  );
  writeReadmeTable(root, rows);
}

/** Puts the results of `npm run test:runtimes` into the page, which is otherwise left as it is. */
export function writeRuntimes(root) {
  const path = join(root, "docs", "platforms.md");
  const before = readFileSync(path, "utf8");
  writeFileSync(
    path,
    before.replace(/^## Runtimes[\s\S]*?(?=^## )/m, () => `${runtimesSection(root)}\n`),
  );
}
