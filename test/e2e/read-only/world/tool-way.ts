/**
 * Attempts as calls of the real bash tool, which asks a policy; the person who is asked refuses everything.
 *
 * The session's state and the world's variables come from the host, as a start-up file's would, and not from calls: a call
 * that changes what names mean would have the policy ask about every later one, and little would be tried.
 */
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createExecutor } from "@pi-bash/executor";
import { createPolicy, type PolicyMode } from "@pi-bash/policy";
import { type BashToolSession, createBashTool, ToolError } from "@pi-bash/tool";
import type { Made, Variables, Way } from "./session.ts";

/** Where attempts find their programs. */
export const SYSTEM_PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

/** Longest time of a command, in seconds. */
const TIMEOUT_S = 20;

/** What a policy was made to do. */
export interface ToolWayOptions {
  /** The first folder, which is the workspace; its parent can be written to. */
  readonly cwd: string;
  readonly home: string;
  /** Default `default`. Any other seeds the test with a policy that lets attempts through. */
  readonly mode?: PolicyMode;
  /** Calls ask to run where they can write. Default false. */
  readonly unconfined?: boolean;
}

/** One that begins in `cwd`. */
export function toolWay({ cwd, home, mode = "default", unconfined = false }: ToolWayOptions): Way {
  // The system's interpreters, and not what a version manager puts before them, which takes its time.
  const hostEnv = { PATH: `${SYSTEM_PATH}:${dirname(process.execPath)}`, HOME: home, LANG: "C.UTF-8" };
  const executor = createExecutor({}, { hostEnv, cwd, usesSnapshot: false });
  const sessionKey = "attacked";
  const session: BashToolSession = {
    cwd,
    executor,
    hostEnv,
    policy: createPolicy(),
    approve: async () => ({ behavior: "deny" }),
    policyContext: () => ({ mode }),
    getSessionId: () => sessionKey,
  };
  const tool = createBashTool(session);
  let isExported = false;
  const own = async (command: string, variables: Variables): Promise<Made> => {
    // A call's own variables would be asked about, so that they have to be the session's.
    const before = isExported ? "" : exportsOf(variables);
    isExported = true;
    let output = "";
    const result = await executor.executeBash(`${before}${command}`, {
      sessionKey,
      timeoutMs: TIMEOUT_S * 1_000,
      mayMinimize: false,
      onChunk: (chunk) => {
        output += chunk;
      },
    });
    const { sessionReset = false, survivors = [] } = result;
    return { output, isRefused: false, sessionReset, survivors };
  };
  return {
    own,
    beside: async (command, onOutput) => {
      // A command runs beside the session where another one has it.
      const go = join(dirname(cwd), "go");
      const held = own(`until [ -e '${go}' ]; do sleep 0.01; done`, {});
      const ended = executor.executeBash(command, {
        sessionKey,
        overlap: "clone",
        readOnly: true,
        onChunk: (chunk) => {
          onOutput(chunk);
          writeFileSync(go, "");
        },
      });
      ended.catch(() => writeFileSync(go, ""));
      await held;
      rmSync(go);
    },
    attempt: async (command) => {
      try {
        const { content, details } = await tool.execute("call", { command, timeout: TIMEOUT_S, unconfined });
        const output = content.map(({ text }) => text).join("");
        const { sessionReset = false, survivors = [] } = details ?? {};
        return { output, isRefused: false, sessionReset, survivors };
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        // A time that is over is an error as well, of a command that ran.
        const isRefused = error.details?.refusal !== undefined;
        return { output: error.message, isRefused, sessionReset: false, survivors: error.details?.survivors ?? [] };
      }
    },
    close: () => executor.dispose(),
  };
}

/** Text that exports the world's variables, quoted. */
function exportsOf(variables: Variables): string {
  const words = Object.entries(variables).map(([name, value]) => `${name}='${value.replaceAll("'", "'\\''")}'`);
  return words.length === 0 ? "" : `export ${words.join(" ")}\n`;
}
