/**
 * `npm run api`: writes `docs/api`, the reference of everything that is public, of the sources and their comments.
 *
 * `test/checks/api.test.ts` fails while the folder says something else than the sources.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { apiPages } from "./api/pages.mjs";
import { schemasText } from "./api/schemas.mjs";
import { readSurface } from "./api/surface.mjs";
import { lastLines, root, runProgram } from "./child.mjs";

// The schemas are values, and no supported Node 20 runs TypeScript: they are read from the built package.
const build = await runProgram(process.execPath, ["node_modules/typescript/bin/tsc", "-b", "packages/contract"]);
if (!build.ok) throw new Error(lastLines(build.output, 40));
const contract = await import(new URL("../packages/contract/dist/index.js", import.meta.url).href);
const pages = apiPages(readSurface(root)).set("schemas.json", schemasText(contract));
const folder = join(root, "docs", "api");
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const [name, text] of pages) writeFileSync(join(folder, name), text);
console.log(`docs/api: ${pages.size} files`);
