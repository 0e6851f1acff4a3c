/**
 * The fixture of the differential harness with a session in it: what lines do as read-only commands, and what they do
 * without.
 */
import { chownSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Fixture, NOBODY, prepareFixture } from "../../../packages/policy/test/differential/sandbox.ts";

const natives = fileURLToPath(new URL("../../../packages/natives/", import.meta.url));

/** Runs lines in both ways. */
export interface Fixtures {
  /** As read-only commands. */
  readonly confined: Fixture;
  /** In the same session without, by the same traps. */
  readonly control: Fixture;
}

/** Prepares both in `folder`, which other users must be able to read. */
export function prepareFixtures(folder: string): Fixtures {
  const bin = join(folder, "bin");
  cpSync(join(natives, "bin"), bin, { recursive: true });
  // Bash is given a driver of its own user or of root, and in the fixture neither is who it is outside.
  if (process.getuid?.() === 0) for (const name of readdirSync(bin)) chownSync(join(bin, name), NOBODY, NOBODY);
  const runner = {
    source: fileURLToPath(new URL("runner.ts", import.meta.url)),
    // The loader of the addon looks for `../bin` and `../package.json`.
    url: "file:///natives/src/binding.ts",
    mounts: [
      [bin, "/natives/bin"],
      [join(natives, "package.json"), "/natives/package.json"],
    ],
  } as const;
  const place = (name: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  };
  return {
    confined: prepareFixture(place("confined"), runner),
    control: prepareFixture(place("control"), { ...runner, env: { UNCONFINED: "1" } }),
  };
}
