/**
 * A host with one command on a place, for tests that stop the whole of it. Prints `begun` when the command has, then the result as
 * JSON. Its argument is JSON: the place's `options`, the `command`, and `timeoutMs`.
 */
import { createExecutor } from "@pi-bash/executor";
import { command } from "@pi-bash/places";

const asked = JSON.parse(process.argv[2] ?? "{}");
const place = command(["env"], asked.options);
const executor = createExecutor({}, { place, usesSnapshot: false });
let hasBegun = false;
const result = await executor.executeBash(asked.command, {
  timeoutMs: asked.timeoutMs,
  onUpdate: (tail) => {
    if (!hasBegun && tail.includes("begun")) process.stdout.write("begun\n");
    hasBegun ||= tail.includes("begun");
  },
});
process.stdout.write(`${JSON.stringify(result)}\n`);
await executor.dispose();
await place.close();
