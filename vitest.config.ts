/**
 * How the TypeScript tests run: one configuration for all packages, from the sources.
 *
 * The `pi-source` condition makes `@pi-bash/*` resolve to `src`, so a test never sees a stale build. A test file
 * runs in a process (`forks`), as the native addon keeps state for the whole process, which threads would share. The files
 * of `SHARING` share their processes, as calls of a host do, and load what they test once: a third of the whole time.
 * Few workers, because the tests start real programs and timeouts belong to the tests, not to a crowded machine.
 */
import { fileURLToPath } from "node:url";
import { defaultClientConditions, defaultServerConditions, type Plugin } from "vite";
import { defineConfig, type TestUserConfig } from "vitest/config";
import { withoutDifferences } from "./test/places/differences.ts";

const BEHAVIOUR = [
  "packages/*/test/**/*.test.ts",
  "benchmarks/test/**/*.test.ts",
  "test/**/*.test.ts",
  "bash-driver/test/**/*.test.ts",
];
const SOAK = ["packages/*/test/**/*.soak.ts", "test/soak/**/*.test.ts"];

/** Suites that hold wherever a session runs; the mode `places` runs them on the place that `PI_BASH_TEST_PLACE` names. */
const PLACES = [
  "test/e2e/failures/*.test.ts",
  "test/oracle/*.test.ts",
  "test/e2e/pty-{programs,screen}.test.ts",
  "test/places/*.test.ts",
];

/** Packages whose tests hold whatever ran in the process before. Those of the others look at the process itself, or start it. */
const SHARING = ["adapters", "command", "contract", "executor", "policy", "renderer", "terminal", "tool"].map(
  (name) => `packages/${name}/test/**/*.test.ts`,
);

/** What belongs to other modes. */
function excluded(mode: string): readonly string[] {
  if (mode === "soak") return [];
  return mode === "places" ? ["test/soak/**"] : ["test/soak/**", "test/places/**"];
}

/** Which files a run takes, and which of them share a process. */
function chosen(mode: string): TestUserConfig {
  if (mode === "soak") return { include: SOAK };
  if (mode === "places") return { include: PLACES };
  return {
    projects: [
      { extends: true, test: { name: "shared", include: SHARING, isolate: false } },
      { extends: true, test: { name: "own", include: BEHAVIOUR, exclude: SHARING } },
    ],
  };
}

/** Has suites find the place's natives under the package's name; the package and the place itself find the package. */
function nativesOfPlace(): Plugin {
  const own = fileURLToPath(new URL("test/places/natives.ts", import.meta.url));
  const tests = fileURLToPath(new URL("test/", import.meta.url));
  return {
    name: "natives-of-place",
    enforce: "pre",
    resolveId: (source, importer) =>
      source === "@pi-bash/natives" && importer?.startsWith(tests) === true && importer !== own ? own : undefined,
  };
}

export default defineConfig(({ mode }) => ({
  plugins: mode === "places" ? [nativesOfPlace()] : [],
  resolve: { conditions: ["pi-source", ...defaultClientConditions] },
  ssr: { resolve: { conditions: ["pi-source", ...defaultServerConditions] } },
  test: {
    ...chosen(mode),
    // Without tests of what a place does otherwise; each has its reason in the list.
    ...(mode === "places" ? { testNamePattern: withoutDifferences() } : {}),
    globalSetup: mode === "places" ? ["test/places/global-setup.ts"] : [],
    exclude: ["**/node_modules/**", ...excluded(mode)],
    environment: "node",
    // A golden file that is missing fails its test; only `-u` writes one.
    update: "none",
    // On Bun 1.4, what vitest's runner imports lacks the names of `export { namespace }`; what vite transforms has them.
    server: { deps: { inline: "bun" in process.versions ? ["zod"] : [] } },
    pool: "forks",
    // One more than the processors of a small machine: most tests wait for programs.
    maxWorkers: 3,
    testTimeout: mode === "soak" ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
}));
