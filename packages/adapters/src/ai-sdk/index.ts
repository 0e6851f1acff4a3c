/** The public names of `@pi-bash/adapters/ai-sdk`. */
export { type AiSdkOutput, aiSdkTools } from "./ai-sdk-tools.ts";
