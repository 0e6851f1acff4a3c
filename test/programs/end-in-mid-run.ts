/**
 * A host that ends in one of the ways a host ends, while what it started lives.
 *
 *   end-in-mid-run <exit|throw|return|wait> <tag>
 *
 * `wait` leaves the end to a signal from outside; the program prints `ready` when the command runs.
 */
import { Shell } from "@pi-bash/natives";

const [, , mode, tag = ""] = process.argv;
const shell = new Shell({ sessionEnv: { FTAG: tag } });

if (mode === "return") {
  // A run in progress keeps a host alive; what a finished one left does not.
  await shell.run({ command: "sleep 300 | cat & setsid sleep 300 & sleep 0.1" });
  process.stdout.write("ready\n");
} else {
  let isReady = false;
  void shell.run({ command: "sleep 300 | cat & setsid sleep 300 & echo up; sleep 300" }, () => {
    if (isReady) return;
    isReady = true;
    process.stdout.write("ready\n", end);
  });
}

function end(): void {
  if (mode === "exit") process.exit(0);
  if (mode === "throw") {
    setImmediate(() => {
      throw new Error("thrown by the host");
    });
  }
}
