/** What was approved is what runs: everything that can change between the question and its answer is changed here. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import { scene, thrown } from "./support/session.ts";

/** A session whose question is answered with yes, after `meanwhile`. */
function asking(meanwhile: (folder: string) => void) {
  const made = scene();
  const questions: string[] = [];
  const approve = async (_: unknown, { display }: { display: string }) => {
    questions.push(display);
    meanwhile(made.folder);
    return { behavior: "allow" as const };
  };
  Object.assign(made.session, { policy: createPolicy(), approve });
  return { ...made, questions };
}

describe("between a question and its answer", () => {
  it("the text and the environment cannot be exchanged", async () => {
    const params = { command: 'echo "$WORD" > made', env: { WORD: "asked" } };
    const { bash, folder, questions } = asking(() => {
      params.command = 'echo "$WORD" > other';
      params.env.WORD = "exchanged";
    });

    await bash(params);

    expect(questions).toEqual(['echo "$WORD" > made']);
    expect(readFileSync(join(folder, "made"), "utf8")).toBe("asked\n");
    expect(existsSync(join(folder, "other"))).toBe(false);
  });

  it.skipIf(process.platform === "win32")("the folder cannot become a link to another one", async () => {
    const { bash, folder } = asking((root) => {
      rmSync(join(root, "work"), { recursive: true });
      symlinkSync("elsewhere", join(root, "work"));
    });
    mkdirSync(join(folder, "work"));
    mkdirSync(join(folder, "elsewhere"));

    const { message } = await thrown(bash({ command: "touch made", cwd: "work" }));

    expect(message).toContain("The working directory changed after the call was checked");
    expect(existsSync(join(folder, "elsewhere", "made"))).toBe(false);
  });

  it.skipIf(process.platform === "win32")("a link on the way to the folder cannot be turned elsewhere", async () => {
    const { bash, folder } = asking((root) => {
      rmSync(join(root, "way"));
      symlinkSync("elsewhere", join(root, "way"));
    });
    for (const name of ["here", "elsewhere"]) mkdirSync(join(folder, name, "work"), { recursive: true });
    symlinkSync("here", join(folder, "way"));

    const { message } = await thrown(bash({ command: "touch made", cwd: "way/work" }));

    expect(message).toContain("The working directory changed after");
    expect(existsSync(join(folder, "elsewhere", "work", "made"))).toBe(false);
  });

  it("the folder cannot be another one of the same name", async () => {
    const { bash, folder } = asking((root) => {
      renameSync(join(root, "work"), join(root, "moved"));
      mkdirSync(join(root, "work"));
    });
    mkdirSync(join(folder, "work"));

    const { message } = await thrown(bash({ command: "touch made", cwd: "work" }));

    expect(message).toContain("The working directory changed after");
    expect(existsSync(join(folder, "work", "made"))).toBe(false);
  });

  it("a folder that stays what it was is run in", async () => {
    const { bash, folder } = asking((root) => mkdirSync(join(root, "work", "new")));
    mkdirSync(join(folder, "work"));

    await bash({ command: "touch made", cwd: "work" });

    expect(existsSync(join(folder, "work", "made"))).toBe(true);
  });
});
