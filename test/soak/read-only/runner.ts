/**
 * Runs lines inside the fixture of the differential harness in one session, each as a read-only command or, as a control,
 * without.
 *
 * Every line is called read-only here, so that the kernel alone keeps it from changing anything. The session lives through
 * all of them, and what it has afterwards is written down by itself, unconfined.
 */
import { writeFileSync } from "node:fs";
import { Shell, type ShellRunResult } from "@pi-bash/natives";
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

/** Set for the control. */
const IS_CONFINED = process.env["UNCONFINED"] === undefined;

const shell = new Shell({ cwd: "/", baseEnv: BASE });
await shell.run({ command: "ulimit -f 4096 -c 0; set -- -o pwned" });

/** As `eval` of a session would: what a line cannot parse is the line's and not the driver's to say. */
async function run({ line, cwd, env, hasInput }: Run): Promise<Ran> {
  let output = "";
  const result = await shell.run(
    {
      command: `eval "$HOLD_line" < ${hasInput ? STATE.input : "/dev/null"}`,
      cwd,
      env: { ...env, HOLD_line: line },
      timeoutMs: LINE_MS,
      readOnly: IS_CONFINED,
    },
    (_error, chunk) => {
      output += chunk;
    },
  );
  if (IS_CONFINED && result.readOnly === undefined) throw new Error(`not confined: ${line}`);
  endSurvivors(result);
  writeFileSync(STATE.output, output);
  writeFileSync(STATE.errors, "");
  const state = await shell.run({ command: WRITE_STATE });
  if (result.sessionReset || state.sessionReset) writeFileSync(STATE.after, "declare -- SESSION_WAS_LOST=1\n");
  return { status: result.exitCode ?? null, timedOut: result.timedOut };
}

function endSurvivors({ survivors }: ShellRunResult): void {
  for (const { pid } of survivors) end(pid);
}

await serve({ run, left: () => Promise.resolve([]), isConfined: true, own: /^\/dev\/shm\/pi-bash-/ });
