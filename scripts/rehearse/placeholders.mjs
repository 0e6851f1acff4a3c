/**
 * The artifacts of entries that only another system can play: the files that it would have left, with a line of text in
 * place of binaries. So a release is packed and published whole, as it has to be.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addonOf, supervisorOf, TARGETS } from "../package/targets.mjs";
import { interpolate } from "./expression.mjs";

/**
 * Leaves the binaries of a target in place of an entry that uploads them. Returns the names of the artifacts.
 * @param {import("./workflow.mjs").Instance} instance
 * @param {string} store folder of all artifacts
 */
export function leavePlaceholders({ job, matrix }, store) {
  const target = TARGETS.find(({ name }) => name === matrix.target);
  const uploads = job.steps.filter(({ uses }) => uses?.startsWith("actions/upload-artifact@"));
  if (target === undefined) return [];
  return uploads.map((step) => {
    const name = String(interpolate(step.with.name, { contexts: { matrix }, status: "success" }));
    const folder = join(store, name);
    mkdirSync(folder, { recursive: true });
    for (const file of [addonOf(target), supervisorOf(target)])
      if (!existsSync(join(folder, file)))
        writeFileSync(join(folder, file), `${target.name} was not built in this rehearsal\n`);
    return name;
  });
}
