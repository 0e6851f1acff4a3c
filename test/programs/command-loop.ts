/** Commands without an end in one session, which has jobs, daemons and copies meanwhile: for hosts that are killed. */
import type { ShellRunOptions } from "@pi-bash/natives";

/** A session, wherever it is. */
export interface LoopedShell {
  run(options: ShellRunOptions): Promise<unknown>;
}

/** Runs them until the process ends. Prints `ready` after the first round. */
export async function runInLoop(shell: LoopedShell): Promise<never> {
  for (let round = 0; ; round += 1) {
    await shell.run({ command: `V=${round}; sleep 300 & x=$(echo); (setsid sleep 300 &)` });
    const beside = shell.run({ command: "sleep 0.01; echo done", concurrency: "clone" });
    await shell.run({ command: "sleep 0.01 | cat; cat <(echo); kill %1; wait" });
    await beside;
    if (round === 0) process.stdout.write("ready\n");
  }
}
