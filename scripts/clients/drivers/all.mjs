/** All drivers, in the order of the table. */
import { aiSdk6, aiSdk7 } from "./ai-sdk.mjs";
import { inspector } from "./inspector.mjs";
import { pythonMcp } from "./python-mcp.mjs";

/** @type {import("../rounds.mjs").Driver[]} */
export const DRIVERS = [inspector, pythonMcp, aiSdk6, aiSdk7];
