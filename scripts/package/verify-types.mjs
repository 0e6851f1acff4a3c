/**
 * Proves that zod, which the published contract has in it, stays what it was for a host: without a zod of its own the
 * types are whole, and with one our schemas are zod's.
 *
 * The programs in `host/` are compiled strictly, with the declarations of our packages checked as well, and run.
 */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm, runStep } from "./run-step.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What the JSON Schema of the bash tool's parameters was when it was last read. */
const REVIEWED = join(root, "packages", "contract", "test", "golden", "bash-params.schema.json");

/**
 * Compiles and runs the programs in a project where our packages are installed and nothing else; installs zod and the
 * AI SDK there. Returns a line for the report.
 *
 * @throws Error when a program does not compile, or does not run to its end
 */
export function verifyTypes(project) {
  compile(project, "without-zod.ts", { skipLibCheck: false });
  runStep(process.execPath, ["without-zod.js"], project);
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const own = ["zod", "ai"].map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  runNpm(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...own], project);
  compile(project, "with-zod.ts", { skipLibCheck: false });
  runStep(process.execPath, ["with-zod.js", REVIEWED], project);
  // The SDK's own declarations name types that it does not install.
  compile(project, "with-ai-sdk.ts", { skipLibCheck: true });
  return `types and schemas without a zod of the host's, with ${own[0]}, and in the AI SDK: ok`;
}

function compile(project, file, { skipLibCheck }) {
  copyFileSync(fileURLToPath(new URL(`host/${file}`, import.meta.url)), join(project, file));
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck,
    module: "nodenext",
    target: "es2023",
    types: ["node"],
    typeRoots: [join(root, "node_modules", "@types")],
  };
  const config = `${file}.tsconfig.json`;
  writeFileSync(join(project, config), JSON.stringify({ compilerOptions, files: [file] }));
  runStep(process.execPath, [join(root, "node_modules", "typescript", "bin", "tsc"), "-p", config], project);
}
