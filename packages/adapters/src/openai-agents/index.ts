/** The public names of `@pi-bash/adapters/openai-agents`. */
export { type OpenAiAgentsOptions, openAiAgentsTools } from "./function-tools.ts";
export { type OpenAiShellOptions, openAiShell } from "./shell.ts";
