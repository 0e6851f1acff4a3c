/**
 * A host with idle sessions: prints `ready` when each has run a command, then waits to be killed.
 *
 *   idle-sessions <count>
 */
import { Shell } from "@pi-bash/natives";

const shells = Array.from({ length: Number(process.argv[2]) }, () => new Shell());
await Promise.all(shells.map((shell) => shell.run({ command: "X=1" })));
process.stdout.write("ready\n");
setTimeout(() => Promise.all(shells.map((shell) => shell.close())), 60_000);
