/** A place that has no bash: said with its name before anything runs, and nothing is sent in its stead. */
import { spawnSync } from "node:child_process";
import { createExecutor } from "@pi-bash/executor";
import { command } from "@pi-bash/places";
import { describe, expect, it, onTestFinished } from "vitest";
import { absenceOfPlace, startPlaces } from "../../support/places.ts";

/** Hides each bash of this machine behind a file that cannot be run, in a mount namespace of its own. */
const WITHOUT_BASH = [
  "unshare",
  "--mount",
  "sh",
  "-c",
  'for pb_b in /bin/bash /usr/bin/bash /usr/local/bin/bash; do if [ -e "$pb_b" ]; then mount --bind /dev/null "$pb_b" || exit 1; fi; done; exec "$@"',
  "sh",
];

function absence(): string | undefined {
  const lack = absenceOfPlace("command");
  if (lack !== undefined) return lack;
  const [program = "", ...words] = WITHOUT_BASH;
  const { status } = spawnSync(program, [...words, "true"]);
  return status === 0 ? undefined : "this user may not mount";
}

const why = absence();

describe.skipIf(why !== undefined)(`a place without bash${why === undefined ? "" : ` (skipped: ${why})`}`, () => {
  it("is refused with its name, and says what it is when it is asked", { timeout: 60_000 }, async () => {
    const places = await startPlaces("command");
    onTestFinished(() => places.stop());
    const place = command(WITHOUT_BASH, { ...places.common, name: "box:bare" });
    onTestFinished(() => place.close());
    const { facts } = await place.open();
    expect(facts.bash).toBeUndefined();
    expect(facts.bashError).toMatch(/bash/);
    const executor = createExecutor({}, { place });
    onTestFinished(() => executor.dispose());
    for (const attempt of ["first", "second"]) {
      await expect(executor.executeBash("echo x"), attempt).rejects.toMatchObject({
        code: "PI_SHELL_NOT_FOUND",
        message: expect.stringMatching(/^box:bare has no bash: /),
      });
    }
    expect(executor.stats().sessions).toBe(0);
  });
});
