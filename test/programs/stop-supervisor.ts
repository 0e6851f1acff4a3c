/**
 * A host whose command stops the process that supervises it, and leaves something behind.
 *
 *   stop-supervisor <seconds> [backend of a sandbox]
 *
 * What is left sleeps for so many seconds. It prints `ready` when the supervisor is stopped, and waits for its own end.
 */
import { SandboxBackend } from "@pi-bash/contract";
import { Shell } from "@pi-bash/natives";

const [, , seconds, backend] = process.argv;
const sandbox = SandboxBackend.optional().parse(backend);
const shell = new Shell(sandbox === undefined ? {} : { sandbox: { mode: "workspace-write", backend: sandbox } });
await shell.run({
  command: `sleep ${seconds} >/dev/null & setsid sleep ${seconds} >/dev/null & kill -STOP $PPID`,
});
process.stdout.write("ready\n");
// Held: a session that no one has any more ends.
setInterval(() => shell.lateOutput(), 1_000);
