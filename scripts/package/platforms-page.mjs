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

Written by \`npm run package -- --all\` on one Linux x64 machine, from the sources of commit ${commit}:
it shows only what that run saw. "Built" means that the addon (first size) and the supervisor (second) were linked for the
target. "Loaded" means that a Node of the target loaded the addon from an install. "Tests" lists what ran after that. Bash
and the tour's programs were the machine's own, which neither qemu nor musl's Node translates. The workflows in
\`.github/workflows\` build and test each target on its own system; their results are not in this table.

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
  `## Runtimes on linux-x64-gnu\n\nAll TypeScript tests, by \`npm run test:runtimes\`; the oldest Node runs the tour. On Bun\nthe tests run in vitest under Bun, and so do the programs that they start. Skipped there: the API reference\n(TypeScript's API needs Node), a stand-in for an old addon (\`require.extensions\`) and the attempts to escape from a\nsandbox (Bun does not report why a socket was refused).\n\n${runtimeLines(root)}`;

/** What does not depend on a run. `test/checks/platforms-page.test.ts` compares it with the page. */
export const SIZE_SECTION = `## What an install weighs

All packages for one system, in an empty project with nothing else in \`node_modules\`: at most ${MAX_INSTALL_BYTES.toLocaleString("en")} bytes, above which
\`npm run package\` fails; now 20.8 million:

- 17.5 of our own: 7.2 for the platform's package, 6.1 for the two of \`pi-host\`, 0.2 for the bash driver's.
- 2.0 for \`@xterm/headless\`, nine tenths of it source maps and a second format. It stays an ordinary dependency, which a
  host can share and update.
- The rest is \`re2js\` (regular expressions) and \`unbash\` (the command parser), with 0.06 for character widths.

If you do not open places, leave the two \`pi-host\` packages out: \`npm install --omit=optional\`, with the platform's
package named.

zod would add 6.3 (every locale, its sources, two module formats). \`@pi-bash/contract\` and \`@pi-bash/places\` include the part
that they use, with its declarations: 0.5 each. A host with its own zod can still use the schemas as zod's: they work in its
objects and unions, its \`toJSONSchema\` reads them, and the AI SDK accepts them as they are; \`npm run package\` tries all
three. [Decision 0006](decisions/0006-build-tools.md) says what two copies of zod in one program cost.
`;

export const NEEDS_SECTION = `## What a target needs

- glibc 2.28 or newer (RHEL 8, Debian 10, Ubuntu 20.04), as Node's own builds need; or musl 1.2 or newer.
- macOS 11 or newer; or Windows 10 or newer, with Git for Windows for its bash.
- Read-only commands need Linux 5.13 with Landlock and the bash driver; from Linux 6.12 on they block signals too ([read-only.md](read-only.md#where-it-cannot-be-had)).
- The bash driver is a separate package for Linux: \`@pi-bash/bash-driver\`, one object for x64 and one for arm64, each for
  either C library. See [which bashes can load it](../bash-driver/README.md#seen-of-bashes). With any other bash, on macOS and
  on Windows, sessions use the [per-command engine](per-command.md).
- On other systems the [\`child_process\` fallback](natives.md#where-there-is-no-addon) runs commands without sessions.
- A place needs Linux on x64 or arm64, with bash ([places.md](places.md)); any of these systems can open it.
`;

/** What stands above the table of `pi-host`. */
export const PLACES_TEXT = `## Places

\`pi-host\` is sent to [places](places.md). It is static, and the same for each C library. An install on any system includes
the builds for both processors, since a place may have a different one from the machine that opens it.
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
