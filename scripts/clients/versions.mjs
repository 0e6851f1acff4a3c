/**
 * The clients with the versions that are tried: the only place that names a version. To try another one, change it here
 * and run `npm run clients -- --client NAME`.
 */

/** Node for the clients, as `scripts/rehearse/machine.mjs` installs it; the engine runs on the Node of this program. */
export const CLIENT_NODE = "24";

/** @type {Record<string, { title: string, from: "npm" | "pip", packages: string[] }>} the first package is the client */
export const VERSIONS = {
  inspector: { title: "MCP Inspector CLI", from: "npm", packages: ["@modelcontextprotocol/inspector@2.12.0"] },
  "python-mcp": { title: "Python `mcp` SDK", from: "pip", packages: ["mcp==1.30.0"] },
  "claude-code": { title: "Claude Code", from: "npm", packages: ["@anthropic-ai/claude-code@2.1.197"] },
  codex: { title: "Codex CLI", from: "npm", packages: ["@openai/codex@0.169.0"] },
  gemini: { title: "Gemini CLI", from: "npm", packages: ["@google/gemini-cli@0.61.0"] },
  opencode: { title: "opencode", from: "npm", packages: ["opencode-ai@1.18.33"] },
  pi: { title: "pi", from: "npm", packages: ["@earendil-works/pi-coding-agent@0.87.1"] },
  acpx: { title: "acpx", from: "npm", packages: ["acpx@0.19.1"] },
  "acpx-terminals": { title: "acpx (its terminals)", from: "npm", packages: ["acpx@0.19.1"] },
  "openai-agents": { title: "OpenAI Agents (Python)", from: "pip", packages: ["openai-agents==0.24.0", "mcp==1.30.0"] },
  langchain: {
    title: "LangChain MCP adapters",
    from: "pip",
    packages: [
      "langchain-mcp-adapters==0.3.2",
      "langchain==1.4.7",
      "langchain-openai==1.7.3",
      "langgraph==1.2.22",
      "mcp==1.30.0",
    ],
  },
  "ai-sdk-6": { title: "AI SDK", from: "npm", packages: ["ai@6.0.324", "@ai-sdk/openai@3.0.141"] },
  "ai-sdk-7": { title: "AI SDK", from: "npm", packages: ["ai@7.0.173", "@ai-sdk/openai@4.0.118"] },
};
