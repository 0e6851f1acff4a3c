/** The public names of `@pi-bash/adapters/anthropic`. */
export { type AnthropicOptions, anthropicBashTool, anthropicTools, type BashInput } from "./anthropic-tools.ts";
