/** The session of a host of ours: the built engine's tools, and how all of it ends. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../place.mjs";

/** A module of the checkout as it is built, e.g. `adapters/dist/pi/index.js`. */
export const ours = (path) => import(pathToFileURL(join(ROOT, "packages", path)).href);

/**
 * @param {string} cwd
 * @returns {Promise<{ tools: (more?: object) => object[], dispose: () => Promise<void> }>} `tools` takes what a session has beside
 */
export async function openSession(cwd) {
  const { createExecutor, JobManager } = await ours("executor/dist/index.js");
  const { createBashTool, toolsForModel } = await ours("tool/dist/index.js");
  const executor = createExecutor({}, { cwd });
  const asyncJobManager = await JobManager.open({ artifacts: executor.artifacts });
  return {
    tools: (more = {}) => {
      const session = { cwd, executor, asyncJobManager, getSessionId: () => "agent", ...more };
      return [createBashTool(session), ...toolsForModel(session)];
    },
    dispose: async () => {
      await asyncJobManager.dispose();
      await executor.dispose();
    },
  };
}
