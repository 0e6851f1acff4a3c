/**
 * Plain bash as the judge of a sequence: one script whose parts are the steps, each with a file for its output and one for
 * its status. The frame between two parts tells apart what is scoped to a command (errexit, verbose, redirections of 0 to
 * 2), and keeps `$?`, as a session does.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { type Answer, environment } from "../../oracle/ways.ts";
import { within } from "../../support/patience.ts";
import { DRIVEN, LOSE, quoted, type Step } from "./grammar.ts";

/** What the judge says of a step: what its copy printed, where it has one, and what it did itself. */
export interface Verdict {
  readonly copy?: Answer;
  readonly own: Answer;
}

/**
 * Runs `steps` by plain bash in `folder` and returns what each did; fewer where bash ended by itself on the way. The last is
 * then the one that ended it. `notes` is a folder for the frame's files.
 */
export async function judge(steps: readonly Step[], folder: string, notes: string): Promise<Verdict[]> {
  mkdirSync(notes, { recursive: true });
  writeFileSync(join(folder, "bash"), script(steps, notes));
  const status = await run(folder);
  const verdicts: Verdict[] = [];
  for (const [index, { cloned }] of steps.entries()) {
    const own = answer(notes, `${index}`, status);
    const copy = cloned ? answer(notes, `${index}c`, status) : undefined;
    if (own === undefined) {
      break;
    }
    verdicts.push({ own, ...(copy === undefined ? {} : { copy }) });
    if (!existsSync(join(notes, `s${index}`))) break;
  }
  return verdicts;
}

/** A step's answer; a bash that ended in it ended with its status. None where it was not begun. */
function answer(notes: string, name: string, last: number | undefined): Answer | undefined {
  const output = join(notes, `o${name}`);
  if (!existsSync(output)) return undefined;
  const reported = join(notes, `s${name}`);
  return {
    output: readFileSync(output).toString(),
    status: existsSync(reported) ? Number(readFileSync(reported, "latin1")) : last,
  };
}

function script(steps: readonly Step[], notes: string): string {
  const parts = steps.map((step, index) => {
    const before = step.cloned
      ? frame(`! (\\builtin eval ${quoted(step.text)})`, `${index}c`, notes, "${PIPESTATUS[0]}")
      : "";
    // What a copy did is not what `$?` tells.
    const after = DRIVEN ? "" : `${LOSE}\n`;
    return `${before}${frame(step.plain, `${index}`, notes, "$?")}${after}`;
  });
  return `__ref_r() { \\return "$1"; }; __ref_s=0 __ref_k=0\n${parts.join("")}`;
}

/** One part. What of the frame is traced into a step's output is cut off by `withoutFrame`. */
function frame(text: string, name: string, notes: string, status: string): string {
  const output = quoted(join(notes, `o${name}`));
  const reported = quoted(join(notes, `s${name}`));
  const keep = name.endsWith("c") ? "" : " __ref_s=$__ref_k;";
  return [
    `\\exec >|${output} 2>&1 </dev/null; __ref_r "$__ref_s" && \\:`,
    text,
    `__ref_k="${status}"; \\exec >/dev/null 2>&1; \\builtin set +ev;${keep} \\builtin printf %s "$__ref_k" >|${reported}`,
    "",
  ].join("\n");
}

function run(folder: string): Promise<number | undefined> {
  return within(
    "plain bash",
    new Promise((resolve, reject) => {
      const child = spawn("bash", ["--norc", "--noprofile", "bash"], {
        cwd: folder,
        env: environment(folder),
        stdio: "ignore",
        detached: true,
      });
      child.on("error", reject);
      child.on("exit", (code, signal) => {
        if (child.pid !== undefined) end(child.pid);
        resolve(code ?? (signal === null ? undefined : 128 + constants.signals[signal]));
      });
    }),
  );
}

/** What the script left in the background ends with it. */
function end(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // Nothing was left.
  }
}
