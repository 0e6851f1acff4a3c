/** Calls that only read, with real programs: they read as ever, they can do nothing else, and the session is theirs to see. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capabilities } from "@pi-bash/natives";
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it, onTestFinished } from "vitest";
import { READ_ONLY_PROGRAMS } from "../../../policy/src/read-only/programs.ts";
import { jobs, type Scene, scene, textOf } from "../support/session.ts";

// The kernel holds commands on Linux alone, with Landlock and seccomp, where bash takes the driver.
const { available } = capabilities().readOnly;
const GIT = ["-c", "user.name=x", "-c", "user.email=x@y"];
/** Two repositories made one after the other have the same commits, whose names are made of their dates too. */
const DATE = "2026-01-01T00:00:00Z";

/** A session with a policy in a folder with a repository, a subfolder and a file. */
function place(settings = {}, ports = {}): Scene {
  const made = scene(settings, { policy: createPolicy(), ...ports });
  mkdirSync(join(made.folder, "src"));
  writeFileSync(join(made.folder, "src", "a.ts"), "export const one = 1;\n");
  writeFileSync(join(made.folder, "f"), "kept\n");
  execFileSync("git", ["init", "-q", "."], { cwd: made.folder });
  execFileSync("git", ["add", "src", "f"], { cwd: made.folder });
  execFileSync("git", [...GIT, "commit", "-qm", "first"], {
    cwd: made.folder,
    env: { ...process.env, GIT_AUTHOR_DATE: DATE, GIT_COMMITTER_DATE: DATE },
  });
  return made;
}

/** What a program says of itself, and whether there is one. */
function isInstalled(program: string): boolean {
  try {
    execFileSync("sh", ["-c", `command -v ${program}`]);
    return true;
  } catch {
    return false;
  }
}

/** The output alone, without the lines that the tool adds. */
function outputOf(result: Parameters<typeof textOf>[0]): string {
  return textOf(result).split("\n\n").slice(0, -1).join("\n\n");
}

const READERS = [
  "git status --short --branch",
  "git log --oneline --format=%s",
  "git show --stat --format=%s HEAD",
  "git blame -s f",
  "rg --no-heading one",
  "grep -rn one src",
  "find . -name '*.ts' -exec wc -l {} +",
  "ls -la src | wc -l",
  "cat f | tr a-z A-Z",
  "cat <<'E'\nhere\nE",
  // More than a pipe takes: bash writes it into a file of `TMPDIR`.
  'wc -c <<< "$(seq 20000)"',
  "cat <<< here",
  "diff <(sort f) <(cat f)",
  "echo to the error | tee /dev/stderr > /dev/null",
  "ls src > /dev/stderr",
  "ls missing 2> /dev/null || echo none",
  "sed -n 1p f; awk '{ print $1 }' f",
  "ls | xargs -n1 echo",
  "ps -o pid= -p 1",
  "node -p '1 + 1'",
  "bash -c 'cd src; ls'",
  "du -s src | cut -f2; df -P . | head -1; stat -c %n f; file f",
  "sort -R f | sort; seq 3 | shuf | sort",
];

describe.runIf(available)("a reader that runs confined", () => {
  it.each(READERS.filter((line) => isInstalled(line.split(" ")[0] ?? "")))(
    "has the output and the status that it has unconfined: %s",
    async (command) => {
      const held = place();
      const free = place({ "readOnly.enforce": "off" }, { policy: undefined });

      const [confined, plain] = [await held.bash({ command }), await free.bash({ command })];

      expect(outputOf(confined)).toBe(outputOf(plain));
      expect(confined.isError).toBe(plain.isError);
      expect(confined.details?.readOnly).toMatchObject({ enforced: true, stateDropped: false, refusals: [] });
      expect(plain.details).not.toHaveProperty("readOnly");
    },
  );

  it("sees the session's variables, functions and folder", async () => {
    const { bash, session, folder } = place({}, { policy: undefined });
    await bash({ command: 'shown=seen; f() { cat "$1"; }; export EXPORTED=too' });
    Object.assign(session, { policy: createPolicy() });

    const result = await bash({
      command: 'ls "$PWD" | head -1; printf "%s " "$shown" "$EXPORTED" | cat; type f | head -1',
    });

    expect(outputOf(result)).toBe(`f\nseen too f is a function`);
    expect(result.details?.readOnly).toMatchObject({ enforced: true });
    expect(existsSync(join(folder, "f"))).toBe(true);
  });

  it("moves the session by a `cd`, and by nothing else", async () => {
    const { bash, folder } = place({ "bash.directoryPersists": true });

    const moved = await bash({ command: "true && cd src && ls" });

    expect(outputOf(moved)).toBe("a.ts");
    expect(moved.details).toMatchObject({ workingDir: join(folder, "src"), readOnly: { enforced: true } });
    expect(outputOf(await bash({ command: "pwd" }))).toBe(join(folder, "src"));
    expect(outputOf(await bash({ command: "cd .. && git status --short | cat; pwd" }))).toMatch(
      new RegExp(`${folder}$`),
    );
    expect(outputOf(await bash({ command: "ls" }))).toContain("src");
  });

  it("runs beside others, each confined", async () => {
    const { bash, folder } = place();
    const waits = [1, 2].map((at) => bash({ command: `while [ ! -e go ]; do sleep 0.02; done; cat f; ls ${at}` }));

    const beside = await bash({ command: "cat f" });
    writeFileSync(join(folder, "go"), "");
    const all = [beside, ...(await Promise.all(waits))];

    for (const { details } of all) expect(details?.readOnly).toMatchObject({ enforced: true });
    expect(all.map((result) => outputOf(result).split("\n")[0])).toEqual(["kept", "kept", "kept"]);
  });

  it("is one that starts a program: builtins alone stay in the session", async () => {
    const { bash } = place();

    const result = await bash({ command: "echo hi; printf '%s\\n' \"$((1 + 1))\"; pwd > /dev/null; type cd" });

    expect(outputOf(result)).toBe("hi\n2\ncd is a shell builtin");
    expect(result.details).not.toHaveProperty("readOnly");
  });

  it("is held as a background job, too", async () => {
    const { bash, job, folder } = place({ "async.enabled": true }, { asyncJobManager: await jobs() });

    await bash({ command: 'node -e \'require("fs").writeFileSync("made", "")\'', async: true });
    const ended = await job({ poll: ["bg_1"] });

    expect(textOf(ended)).toContain("This ran read-only");

    expect(existsSync(join(folder, "made"))).toBe(false);
  });
});

describe.runIf(available)("a line that stands falsely in the tables", () => {
  /** As a table with a hole: these programs count as readers of anything. */
  function hole(...programs: string[]): void {
    const table = READ_ONLY_PROGRAMS as Map<string, () => undefined>;
    for (const name of programs) {
      expect(table.has(name)).toBe(false);
      table.set(name, () => undefined);
      onTestFinished(() => void table.delete(name));
    }
  }

  it("changes nothing, and the result says why and what to do", async () => {
    hole("rm");
    const { bash, folder } = place();

    const result = await bash({ command: "rm f" });

    expect(readFileSync(join(folder, "f"), "utf8")).toBe("kept\n");
    expect(result.isError).toBe(true);
    expect(result.details?.readOnly).toMatchObject({ enforced: true, refusals: [{ kind: "read-only-path" }] });
    expect(textOf(result)).toMatch(
      /This ran read-only, because it was allowed without asking as a command that only reads\. Probably refused: writing \(`[^`]*f`\)\. If it has to write, call again with `unconfined: true`: approval is asked for first\./,
    );
  });

  it.each([
    ["mv f g", "g"],
    ["touch made", "made"],
    ["mkdir made", "made"],
    ["cp f made", "made"],
    ["ln -s f made", "made"],
    ["mkfifo made", "made"],
  ])("leaves no trace: %s", async (command, made) => {
    hole(command.split(" ")[0] ?? "");
    const { bash, folder } = place();

    const result = await bash({ command });

    expect(existsSync(join(folder, made))).toBe(false);
    expect(existsSync(join(folder, "f"))).toBe(true);
    expect(textOf(result)).toContain("This ran read-only");
  });
});
