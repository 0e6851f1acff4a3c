/**
 * A host that runs commands until it is killed, while each of its sessions has jobs, daemons and copies.
 *
 *   run-in-loop <tag>
 *
 * It prints `ready` after the first round.
 */
import { Shell } from "@pi-bash/natives";

const [, , tag = ""] = process.argv;
const shell = new Shell({ sessionEnv: { FTAG: tag } });

for (let round = 0; ; round += 1) {
  await shell.run({ command: `V=${round}; sleep 300 & x=$(echo); (setsid sleep 300 &)` });
  const beside = shell.run({ command: "sleep 0.01; echo done", concurrency: "clone" });
  await shell.run({ command: "sleep 0.01 | cat; cat <(echo); kill %1; wait" });
  await beside;
  if (round === 0) process.stdout.write("ready\n");
}
