/**
 * A host that handles SIGINT and runs commands in one session. Prints `started`, `interrupted` for each signal, and outputs.
 *
 *   take-interrupts <JSON list of run options>
 */
import { Shell, type ShellRunOptions } from "@pi-bash/natives";

process.on("SIGINT", () => process.stdout.write("interrupted\n"));
const shell = new Shell();
await shell.run({ command: "true" });
let isStarted = false;
for (const options of JSON.parse(process.argv[2] ?? "[]") as ShellRunOptions[]) {
  const running = shell.run(options);
  if (!isStarted) process.stdout.write("started\n");
  isStarted = true;
  process.stdout.write((await running).output?.text ?? "");
}
await shell.close();
process.exit(0);
