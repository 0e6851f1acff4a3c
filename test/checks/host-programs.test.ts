/**
 * The programs of hosts that `npm run package` compiles and runs where our packages are installed: here they compile with the
 * packages of the workspace, so that a name which moved is noticed before a release.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { scratchFolder } from "../support/scratch.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = join(root, "scripts/package/host");
const programs = readdirSync(folder).filter((name) => name.endsWith(".ts"));

it("the programs that packing compiles use names that the packages have", () => {
  const project = join(scratchFolder(), "tsconfig.json");
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, files: programs.map((name) => join(folder, name)) }));

  const compile = (): string => {
    const words = [join(root, "node_modules/typescript/bin/tsc"), "-p", project];
    return execFileSync(process.execPath, words, { encoding: "utf8", timeout: 120_000 });
  };

  expect(programs.length).toBeGreaterThan(0);
  expect(compile()).toBe("");
}, 130_000);
