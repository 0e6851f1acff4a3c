/**
 * Publishes the tarballs of `build/tarballs/`: the prebuilt packages first, so that whoever gets the new
 * `@pi-bash/natives` can also get its binaries. A version that is there already is left alone, so a release that was
 * cut off is completed by running it again.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runStep } from "./run-step.mjs";

const folder = fileURLToPath(new URL("../../build/tarballs", import.meta.url));

/** `pi-bash-natives-linux-x64-gnu-1.2.3.tgz`: npm makes the scope a prefix. */
const isPrebuilt = (name) => /^pi-bash-natives-(linux|darwin|win32)-/.test(name);

/** Binaries, then the packages below `natives`, then all others; the order among the others does not matter. */
function order(names) {
  const rank = (name) => (isPrebuilt(name) ? 0 : /^pi-bash-(contract|natives|command)-/.test(name) ? 1 : 2);
  return [...names].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}

for (const name of order(readdirSync(folder).filter((file) => file.endsWith(".tgz")))) {
  try {
    runStep("npm", ["publish", "--access", "public", "--provenance", join(folder, name)], folder);
    console.log(`published ${name}`);
  } catch (error) {
    if (!/cannot publish over|previously published/i.test(String(error))) throw error;
    console.log(`is there already: ${name}`);
  }
}
