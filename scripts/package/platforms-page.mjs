/**
 * Writes docs/platforms.md: what is known of each target, and how it is known.
 *
 * Statuses are those of the run that writes the page, never of hope.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { packageOf, STAND_INS } from "./targets.mjs";

const HEAD = `# Platforms

Written by \`npm run package -- --all\` on one Linux x64 machine: what that run saw, nothing else. "Built" means that the
addon (first size) and the supervisor (second) were linked for the target. "Loaded" means that a Node of the target loaded
the addon from an install. "Tests" says what was run then; bash and the programs of a tour were those of the machine, which
neither qemu nor musl's Node translates. The workflows in \`.github/workflows\` build and test each target on a system of its
own; their results are not in this table.

| target | package | built | loaded | tests |
|---|---|---|---|---|
`;

function runtimeLines(root) {
  const results = join(root, "build", "runtimes", "results.json");
  if (!existsSync(results)) return "`npm run test:runtimes` was not run on this machine.\n";
  const rows = JSON.parse(readFileSync(results, "utf8")).map(
    ({ name, version, ok, counts }) => `| ${name} | ${version} | ${ok ? "passed" : "failed"} | ${counts} |`,
  );
  return `| runtime | version | | |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

/** A stand-in is built to be tried and never published. */
function packageCell(target) {
  return STAND_INS.includes(target) ? "none: stands in for Microsoft's tools" : `\`${packageOf(target)}\``;
}

/** @param {Array<{ target: object, built: string, loaded: string, tests: string }>} rows */
export function writePlatformsPage(root, rows) {
  const lines = rows.map(
    ({ target, built, loaded, tests }) =>
      `| \`${target.name}\` (${target.triple}) | ${packageCell(target)} | ${built} | ${loaded} | ${tests} |`,
  );
  const runtimes = `\n## Runtimes on linux-x64-gnu\n\nThe TypeScript tests, by \`npm run test:runtimes\`; the oldest Node gets the tour.\n\n${runtimeLines(root)}`;
  const floors = `\n## What a target needs\n\n- glibc 2.28 or newer (RHEL 8, Debian 10, Ubuntu 20.04), which is what Node's own builds need; musl 1.2 or newer.\n- macOS 11 or newer. Windows 10 or newer, with Git for Windows for its bash.\n- Elsewhere [the fallback](natives.md) runs commands without sessions.\n`;
  writeFileSync(join(root, "docs", "platforms.md"), `${HEAD}${lines.join("\n")}\n${runtimes}${floors}`);
}
