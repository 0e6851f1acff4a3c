/**
 * The fixture of the differential harness with a session in it: what lines do as read-only commands, what they do as calls
 * of the bash tool that are refused where it asks, and what they do without.
 */
import { chownSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Fixture, NOBODY, prepareFixture } from "../../../packages/policy/test/differential/sandbox.ts";

const natives = fileURLToPath(new URL("../../../packages/natives/", import.meta.url));

/** Runs lines in each way. */
export interface Fixtures {
  /** As read-only commands. */
  readonly confined: Fixture;
  /** In the same session without, by the same traps. */
  readonly control: Fixture;
  /** As calls of the bash tool, in mode `default` with a person who refuses. */
  readonly tool: Fixture;
  /** As calls of the bash tool, in mode `yolo`. */
  readonly toolControl: Fixture;
}

/** Prepares all in `folder`, which other users must be able to read. */
export function prepareFixtures(folder: string): Fixtures {
  const bin = join(folder, "bin");
  cpSync(join(natives, "bin"), bin, { recursive: true });
  // Bash is given a driver of its own user or of root, and in the fixture neither is who it is outside.
  if (process.getuid?.() === 0) for (const name of readdirSync(bin)) chownSync(join(bin, name), NOBODY, NOBODY);
  const runner = {
    source: sourceOf("runner.ts"),
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
    tool: prepareFixture(place("tool"), { ...runner, source: sourceOf("tool-runner.ts") }),
    toolControl: prepareFixture(place("tool-control"), {
      ...runner,
      source: sourceOf("tool-runner.ts"),
      env: { MODE: "yolo" },
    }),
  };
}

function sourceOf(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}
