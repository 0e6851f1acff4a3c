/**
 * What becomes of output that cannot be written: a full disk, a closed pipe.
 *
 * A reader that went away has seen enough, and is no failure. Everything else is reported in one line, and the exit status
 * says it, too; without a listener Node would throw and print where.
 */

/** Exit status of a program that did its work and could not write what it found. */
const UNWRITTEN_STATUS = 1;

/** Listens until the program ends. */
export function tellUnwrittenOutput(): void {
  if (process.stdout.listeners("error").includes(onOutputError)) return;
  process.stdout.on("error", onOutputError);
  // There is no place left to tell it.
  process.stderr.on("error", () => undefined);
}

function onOutputError(error: Error): void {
  if ("code" in error && error.code === "EPIPE") return;
  process.stderr.write(`pi-bash: the output cannot be written: ${error.message}\n`);
  // As late as possible: the command's own status may come after this.
  process.once("exit", (status) => {
    if (status === 0) process.exitCode = UNWRITTEN_STATUS;
  });
}
