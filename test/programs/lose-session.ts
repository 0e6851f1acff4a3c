/**
 * A host that loses every reference to a session while it runs, and collects garbage. Run with `--expose-gc`.
 *
 *   lose-session <tag>
 *
 * Prints the output of the run, then `lost` when the garbage is collected, and waits to be killed.
 */
import { Shell } from "@pi-bash/natives";

const { gc } = globalThis as { gc?: () => void };
if (gc === undefined) throw new Error("run with --expose-gc");

function start(): Promise<unknown> {
  const shell = new Shell({ sessionEnv: { FTAG: process.argv[2] ?? "" } });
  return shell
    .run({ command: "sleep 300 & sleep 1; echo x", sink: {} })
    .then(({ output }) => process.stdout.write(output?.text ?? ""));
}

const running = start();
for (let round = 0; round < 20; round += 1) {
  gc();
  await new Promise((resolve) => setTimeout(resolve, 5));
}
await running;
const collecting = setInterval(gc, 50);
setTimeout(() => clearInterval(collecting), 60_000);
process.stdout.write("lost\n");
