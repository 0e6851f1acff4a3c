/**
 * `npm run build`: everything that runs, the native half and the packages. What is built already is left alone, and what
 * this machine or another CI job has built of the same sources comes out of turbo's cache.
 *
 * turbo calls the same script as its task `build`: then only the packages are left to be compiled.
 */
import { runTasks } from "./native/tasks.mjs";

if (process.env.TURBO_HASH === undefined)
  process.exitCode = runTasks(process.argv[2] === "--native" ? "native" : "build");
else await import("./build-ts.mjs");
