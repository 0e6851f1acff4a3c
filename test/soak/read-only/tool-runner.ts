/**
 * Runs lines inside the fixture of the differential harness as calls of the bash tool, by a policy in mode `default` whose
 * question is refused; or, to see that the traps would show it, in mode `yolo`.
 *
 * The folder and the variables of a case are the session's, given to it by the host, since a call's own would be asked
 * about. What the session has afterwards is written down by the host as well.
 */
import { writeFileSync } from "node:fs";
import { createExecutor } from "@pi-bash/executor";
import { createPolicy, type PolicyMode } from "@pi-bash/policy";
import { createBashTool, ToolAbortError, ToolError } from "@pi-bash/tool";
import {
  BASE,
  end,
  LINE_MS,
  type Ran,
  type Run,
  STATE,
  serve,
  WRITE_STATE,
} from "../../../packages/policy/test/differential/runner/serve.ts";
import { REFUSED_STATUS } from "./refused-status.ts";

const sessionKey = "attacked";
const executor = createExecutor({}, { hostEnv: BASE, cwd: "/", usesSnapshot: false });
const place = { cwd: "/" };
const tool = createBashTool({
  get cwd() {
    return place.cwd;
  },
  executor,
  hostEnv: BASE,
  policy: createPolicy(),
  approve: async () => ({ behavior: "deny" }),
  policyContext: () => ({ mode: (process.env["MODE"] ?? "default") as PolicyMode }),
  getSessionId: () => sessionKey,
});

const own = (command: string, cwd: string) =>
  executor.executeBash(command, { sessionKey, cwd, mayMinimize: false, timeoutMs: 20_000 });

await own("ulimit -f 4096 -c 0; set -- -o pwned", "/");

async function run({ line, cwd, env, hasInput }: Run): Promise<Ran> {
  place.cwd = cwd;
  const names = Object.keys(env);
  if (names.length > 0) await own(`export ${names.map((name) => `${name}=${quoted(env[name] ?? "")}`).join(" ")}`, cwd);
  // In lines of its own, so that what the line begins or leaves open stays within it.
  const command = hasInput ? `{\n${line}\n} < ${STATE.input}` : line;
  const made = await call(command);
  for (const { pid } of made.survivors) end(pid);
  writeFileSync(STATE.output, made.output);
  writeFileSync(STATE.errors, "");
  const { sessionReset } = await own(WRITE_STATE, cwd);
  if (sessionReset === true || made.sessionReset) writeFileSync(STATE.after, "declare -- SESSION_WAS_LOST=1\n");
  if (names.length > 0) await own(`unset ${names.join(" ")}`, cwd);
  return { status: made.status, timedOut: made.timedOut };
}

/** What became of a call. */
interface Called extends Ran {
  readonly output: string;
  readonly sessionReset: boolean;
  readonly survivors: readonly { readonly pid: number }[];
}

async function call(command: string): Promise<Called> {
  const signal = AbortSignal.timeout(LINE_MS);
  try {
    const { content, details } = await tool.execute("call", { command }, signal);
    const { exitCode = 0, sessionReset = false, survivors = [] } = details ?? {};
    const output = content.map(({ text }) => text).join("");
    return { output, status: exitCode, timedOut: false, sessionReset, survivors };
  } catch (error) {
    const isTools = error instanceof ToolError || error instanceof ToolAbortError;
    const details = isTools ? error.details : undefined;
    const output = error instanceof Error ? error.message : String(error);
    const status = details?.refusal === undefined ? null : REFUSED_STATUS;
    const survivors = details?.survivors ?? [];
    return { output, status, timedOut: signal.aborted, sessionReset: false, survivors };
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

await serve({ run, left: () => Promise.resolve([]), isConfined: true, own: /^\/dev\/shm\/pi-bash-|^\/tmp\/pi-bash-/ });
