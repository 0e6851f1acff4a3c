/**
 * A host that runs commands until it is killed, see `command-loop.ts`.
 *
 *   run-in-loop <tag>
 */
import { Shell } from "@pi-bash/natives";
import { runInLoop } from "./command-loop.ts";

const [, , tag = ""] = process.argv;
await runInLoop(new Shell({ sessionEnv: { FTAG: tag } }));
