/**
 * What a person reads whose terminal is what a command reads from: without it the command seems to hang.
 *
 * Programs that feed a command through a pipe or a file get no such line.
 */

/** Says on standard error what is waited for, e.g. `requests, a JSON object a line`, where standard input is a terminal. */
export function tellWhatIsRead(what: string): void {
  if (process.stdin.isTTY) process.stderr.write(`pi-bash: waits for ${what}; ctrl+d ends the input\n`);
}
