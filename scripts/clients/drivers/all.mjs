/** All drivers, in the order of the table. */
import { acpx, acpxTerminals } from "./acpx.mjs";
import { aiSdk6, aiSdk7 } from "./ai-sdk.mjs";
import { claudeCode } from "./claude-code.mjs";
import { codex } from "./codex.mjs";
import { gemini } from "./gemini.mjs";
import { inspector } from "./inspector.mjs";
import { opencode } from "./opencode.mjs";
import { pi } from "./pi.mjs";
import { langChain, openAiAgents } from "./python-agents.mjs";
import { pythonMcp } from "./python-mcp.mjs";

/** @type {import("../rounds.mjs").Driver[]} */
export const DRIVERS = [
  claudeCode,
  codex,
  gemini,
  opencode,
  inspector,
  pythonMcp,
  openAiAgents,
  langChain,
  acpx,
  acpxTerminals,
  pi,
  aiSdk6,
  aiSdk7,
];
