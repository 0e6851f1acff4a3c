/**
 * A host whose clock is set an hour on, then an hour back, while a command runs. Prints the result as JSON.
 */
import { executeShell } from "@pi-bash/natives";

const HOUR_MS = 3_600_000;
const now = Date.now.bind(Date);
const running = executeShell({ command: "sleep 1; echo ok", timeoutMs: 30_000, sink: {} });
Date.now = () => now() + HOUR_MS;
setTimeout(() => {
  Date.now = () => now() - HOUR_MS;
}, 500);
process.stdout.write(`${JSON.stringify(await running)}\n`);
