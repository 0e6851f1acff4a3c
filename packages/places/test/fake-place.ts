/** A place whose far side is the script of `fake-host.mjs`. It is closed when the test is over. */
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { command, type RemotePlace } from "../src/index.ts";

const program = fileURLToPath(new URL("fake-host.mjs", import.meta.url));

/** A place named `far` that plays `script`. */
export function fakePlace(script: object, options: { leaseMs?: number; connectMs?: number } = {}): RemotePlace {
  const argv = [process.execPath, program, JSON.stringify(script)];
  const place = command(argv, { name: "far", isWhole: true, ...options });
  onTestFinished(() => place.close());
  return place;
}
