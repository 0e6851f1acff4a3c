// A program of a host that gives one of our schemas to the AI SDK as it is: the arguments have its types.
import { BashParams } from "@pi-bash/contract";
import { tool } from "ai";

export const bash = tool({
  description: "Runs a command",
  inputSchema: BashParams,
  execute: async ({ command }) => {
    const text: string = command;
    // @ts-expect-error: the types came through, and not as `any`
    const wrong: number = command;
    return [text, wrong];
  },
});
