/**
 * `npm run version`: what the changesets ask for. The crates follow the packages, because the loader refuses an addon of
 * another version.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runNpm, runStep } from "./package/run-step.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

runStep(process.execPath, [join(root, "node_modules", "@changesets", "cli", "bin.js"), "version"], root);
const { version } = JSON.parse(readFileSync(join(root, "packages", "natives", "package.json"), "utf8"));
const manifest = join(root, "Cargo.toml");
const text = readFileSync(manifest, "utf8");
writeFileSync(manifest, text.replace(/^version = ".*"$/m, `version = "${version}"`));
runStep("cargo", ["update", "--workspace"], root);
runNpm(["install", "--package-lock-only"], root);
// The manual page has the version on it.
runNpm(["run", "api"], root);
