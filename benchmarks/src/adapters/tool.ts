/** The bash tool, as an agent calls it: policy, session, notices, artifact on disk and all. */
import { createExecutor } from "@pi-bash/executor";
import { createPolicy } from "@pi-bash/policy";
import { createBashTool, ToolAbortError, ToolError } from "@pi-bash/tool";
import type { Contender, Ended } from "../contender.ts";

/** A session of the tool; its output stays in the artifact. */
export function oursThroughTool(): Contender {
  return {
    open: () => {
      const executor = createExecutor({ "shellMinimizer.enabled": false }, { usesSnapshot: false });
      const bash = createBashTool({ cwd: process.cwd(), executor, policy: createPolicy({ allow: ["Bash"] }) });
      return {
        run: async (command, { signal }): Promise<Ended> => {
          try {
            const { content, details = {} } = await bash.execute("bench", { command, timeout: 3_600 }, signal);
            const text = content.map((part) => part.text).join("");
            return {
              exitCode: details.exitCode ?? 0,
              totalBytes: details.meta?.truncation?.totalBytes ?? bodyBytes(text),
            };
          } catch (error) {
            if (error instanceof ToolAbortError || error instanceof ToolError) return {};
            throw error;
          }
        },
        close: () => executor.dispose(),
      };
    },
  };
}

/** Bytes of an output that is shown whole and has no empty line: the text up to the notices, with the newline they replace. */
function bodyBytes(text: string): number {
  const end = text.indexOf("\n\n");
  const body = text.slice(0, end);
  return body === "(no output)" ? 0 : Buffer.byteLength(body) + 1;
}
