/**
 * Says for the release workflow whether everything of this version is published: `complete=true` or `complete=false`.
 * So a release that was cut off is taken up by the next run, and a push without a new version builds nothing.
 */
import { appendFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isPublished, releaseNames, versionOf } from "./registry.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const version = versionOf(root);
const missing = releaseNames(root).filter((name) => !isPublished(root, name, version));
console.log(
  missing.length === 0 ? `all of ${version} is published` : `not published of ${version}: ${missing.join(", ")}`,
);
if (process.env.GITHUB_OUTPUT !== undefined)
  appendFileSync(process.env.GITHUB_OUTPUT, `complete=${missing.length === 0}\nversion=${version}\n`);
