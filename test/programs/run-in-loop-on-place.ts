/**
 * A host that runs commands on the place of the mode `places` until it is killed, see `command-loop.ts`.
 *
 *   run-in-loop-on-place <tag>
 */
import { placeUnderTest } from "../places/place-under-test.ts";
import { runInLoop } from "./command-loop.ts";

const [, , tag = ""] = process.argv;
const { natives } = await placeUnderTest().open();
await runInLoop(new natives.Shell({ sessionEnv: { FTAG: tag } }));
