/**
 * A host that runs the commands it is given, one after another, each as a one-shot or all in one session.
 *
 *   run-commands <one|session> <JSON list of run options>
 *
 * Prints `started` when the first run begins, and at the end one line of JSON: the results, or the errors.
 */
import { executeShell, Shell, type ShellRunOptions, type ShellRunResult } from "@pi-bash/natives";

/** What became of a run. */
export type Report = ShellRunResult | { readonly code: string; readonly message: string };

const [, , mode, list = "[]"] = process.argv;
const runs = JSON.parse(list) as ShellRunOptions[];
const shell = mode === "session" ? new Shell() : undefined;
const reports: Report[] = [];

process.stdout.write("started\n");
for (const options of runs) {
  try {
    reports.push(await (shell === undefined ? executeShell(options) : shell.run(options)));
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    reports.push({ code, message });
  }
}
await shell?.close();
process.stdout.write(`${JSON.stringify(reports)}\n`);
