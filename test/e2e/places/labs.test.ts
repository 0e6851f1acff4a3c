/**
 * The labs themselves: each runs a program over there, and leaves nothing when it is stopped. What places do with them is in
 * the other files of this folder.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { absenceOfLab, type LabName, startLab } from "../../support/lab.ts";
import { until } from "../../support/patience.ts";

const LABS: readonly LabName[] = ["sshd", "podman", "slurm"];

/** Ids of processes that have `text` in their command lines or environments. */
function processesWith(text: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => ["cmdline", "environ"].some((file) => read(`/proc/${pid}/${file}`).includes(text)));
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended meanwhile, or belongs to another user.
  }
}

for (const name of LABS) {
  const absence = absenceOfLab(name);
  describe.skipIf(absence !== undefined)(
    `the lab ${name}${absence === undefined ? "" : ` (skipped: ${absence})`}`,
    () => {
      it("runs a program over there and leaves nothing when it is stopped", { timeout: 180_000 }, async () => {
        const lab = await startLab(name);
        try {
          const [file = "", ...words] = lab.argv;
          const { stdout, stderr, status } = spawnSync(file, [...words, "sh", "-c", "cat; exit 7"].map(quoted(name)), {
            env: lab.env,
            input: "over there\n",
            encoding: "utf8",
            timeout: 30_000,
          });
          expect({ stdout, status, stderr: status === 7 ? "" : stderr }).toEqual({
            stdout: "over there\n",
            status: 7,
            stderr: "",
          });
        } finally {
          await lab.stop();
        }
        await until("all of the lab's processes to be gone", () => processesWith(lab.folder).length === 0);
        expect(existsSync(lab.folder)).toBe(false);
      });
    },
  );
}

/** A login shell joins ssh's words again; the others take them as they are. */
function quoted(name: LabName): (word: string, at: number, all: readonly string[]) => string {
  return (word, at, all) => (name === "sshd" && at === all.length - 1 ? `'${word}'` : word);
}
