/**
 * `npm run api`: writes `docs/api`, the reference of everything that is public, of the sources and their comments; and
 * the manual page of the command line, of its tables.
 *
 * `test/checks/api.test.ts` and `packages/cli/test/manual.test.ts` fail while they say something else than the sources.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiPages } from "./api/pages.mjs";
import { schemasText } from "./api/schemas.mjs";
import { readSurface } from "./api/surface.mjs";
import { lastLines, root, runProgram } from "./child.mjs";

// The schemas and tables are values, and no supported Node 20 runs TypeScript: they are read from the built packages.
const build = await runProgram(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/cli"]);
if (!build.ok) throw new Error(lastLines(build.output, 40));
const contract = await import(new URL("../packages/contract/dist/index.js", import.meta.url).href);
const pages = apiPages(readSurface(root)).set("schemas.json", schemasText(contract));
const folder = join(root, "docs", "api");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`docs/api: ${pages.size} files`);

const cli = new URL("../packages/cli/", import.meta.url);
const { manualText } = await import(new URL("dist/surface/manual.js", cli).href);
const { version } = JSON.parse(readFileSync(new URL("package.json", cli), "utf8"));
mkdirSync(new URL("man", cli), { recursive: true });
writeFileSync(new URL("man/pi-bash.1", cli), manualText(version));
console.log("packages/cli/man/pi-bash.1");
