/** Small changes of the sources are noticed by tests: a sample of each target, against its floor. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { TARGETS } from "../../scripts/mutants/targets.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** Mutants of each target; `PI_BASH_MUTANT_COUNT=300` is the whole sample. */
const COUNT = process.env["PI_BASH_MUTANT_COUNT"] ?? "40";
/** A survivor of `pi-shell` takes its whole suite: two minutes on two cores. */
const LIMIT_MS = 12 * 60 * 60_000;

it.each(TARGETS.map(({ name }) => name))(
  "of %s no more survive than its floor allows",
  { timeout: LIMIT_MS },
  async (name) => {
    const child = spawn(process.execPath, ["scripts/mutants.mjs", name, "--count", COUNT], {
      cwd: root,
      stdio: "inherit",
    });
    const status = await new Promise((resolve) => child.once("close", resolve));

    expect(status).toBe(0);
  },
);
