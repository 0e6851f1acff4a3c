/**
 * How the TypeScript tests run: one configuration for all packages, from the sources.
 *
 * The `pi-source` condition makes `@pi-bash/*` resolve to `src`, so a test never sees a stale build. Every test file
 * gets a process of its own (`forks`): the native addon keeps state for the whole process, which threads would share.
 * Two workers, because the tests start real programs and time-outs belong to the tests, not to a crowded machine.
 */
import { defaultClientConditions, defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

const BEHAVIOUR = [
  "packages/*/test/**/*.test.ts",
  "benchmarks/test/**/*.test.ts",
  "test/**/*.test.ts",
  "bash-driver/test/**/*.test.ts",
];
const SOAK = ["packages/*/test/**/*.soak.ts", "test/soak/**/*.test.ts"];

export default defineConfig(({ mode }) => ({
  resolve: { conditions: ["pi-source", ...defaultClientConditions] },
  ssr: { resolve: { conditions: ["pi-source", ...defaultServerConditions] } },
  test: {
    include: mode === "soak" ? SOAK : BEHAVIOUR,
    exclude: mode === "soak" ? ["**/node_modules/**"] : ["**/node_modules/**", "test/soak/**"],
    environment: "node",
    // On Bun 1.4, what vitest's runner imports lacks the names of `export { namespace }`; what vite transforms has them.
    server: { deps: { inline: "bun" in process.versions ? ["zod"] : [] } },
    pool: "forks",
    maxWorkers: 2,
    testTimeout: mode === "soak" ? 3_600_000 : 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 30_000,
  },
}));
