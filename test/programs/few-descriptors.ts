/**
 * A host whose limit of descriptors changes between commands. Prints `ready` before each of two commands and waits for
 * SIGUSR2; at the end both results as JSON.
 */
import { once } from "node:events";
import { executeShell } from "@pi-bash/natives";

async function report(command: string): Promise<unknown> {
  try {
    return await executeShell({ command, sink: {} });
  } catch (error) {
    const { code, message } = error as Error & { code: string };
    return { code, message };
  }
}

async function permission(word: string): Promise<void> {
  const given = once(process, "SIGUSR2");
  // Waiting for a signal keeps no process alive.
  const alive = setInterval(() => undefined, 1_000);
  process.stdout.write(`${word}\n`);
  await given;
  clearInterval(alive);
}

// The runtime is loaded, and has its own descriptors, before the limit counts.
await report("true");
await permission("ready");
const scarce = await report("echo x");
await permission("tried");
process.stdout.write(`${JSON.stringify([scarce, await report("echo ok")])}\n`);
