/**
 * Snapshots of real rc files, made and loaded by real shells.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMainThread } from "node:worker_threads";
import * as natives from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { NON_INTERACTIVE_ENV } from "../src/environment/non-interactive.ts";
import { disposeSnapshots, getOrCreateSnapshot } from "../src/snapshot/shared-snapshot.ts";
import { type SnapshotOutcome, SnapshotSource } from "../src/snapshot/snapshot.ts";

const BASH = "/bin/bash";
/** Far more than a snapshot takes, so that a busy machine changes nothing. */
const PATIENT_MS = 30_000;

interface Home {
  source: SnapshotSource;
  env: Record<string, string>;
  home: string;
}

function homeWith(rc: string | undefined, options: { budgetMs?: number; env?: Record<string, string> } = {}): Home {
  const home = join(scratchFolder(), "home");
  mkdirSync(home);
  if (rc !== undefined) writeFileSync(join(home, ".bashrc"), rc);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, ...NON_INTERACTIVE_ENV, ...options.env };
  const source = new SnapshotSource({ natives, shell: BASH, env, budgetMs: options.budgetMs ?? PATIENT_MS });
  onTestFinished(() => source.dispose());
  return { source, env, home };
}

function pathOf(outcome: SnapshotOutcome): string {
  if (outcome.kind !== "ready") throw new Error(JSON.stringify(outcome));
  return outcome.path;
}

/** What a bash with the snapshot prints for a script. Aliases need lines of their own. */
async function withSnapshot(home: Home, script: string): Promise<string> {
  const path = pathOf(await home.source.getOrCreate());
  return execFileSync(BASH, ["--noprofile", "--norc", "-c", `. '${path}'\n${script}`], {
    env: home.env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("a snapshot of an rc", () => {
  it("brings functions with helpers and variables, aliases, options, exports and PATH", async () => {
    const home = homeWith(`
greeting="hello 'there'"
declare -A table=([k]=v)
_helper() { echo "$greeting \${table[k]}"; }
greet() { _helper "$@"; }
heredoc() { cat <<'END'
it's $raw
END
}
alias hi='greet |'
alias up='echo up'
export NVM_DIR="$HOME/.nvm"
export PATH="$HOME/my bin:$PATH"
shopt -s globstar
set -o pipefail
`);

    const output = await withSnapshot(
      home,
      'greet\nheredoc\nhi cat\nup\necho "$NVM_DIR" "${PATH%%:*}"\nshopt globstar; set -o | grep pipefail',
    );

    expect(output).toBe(
      `hello 'there' v\nit's $raw\nhello 'there' v\nup\n${home.home}/.nvm ${home.home}/my bin\nglobstar       \ton\npipefail       \ton\n`,
    );
  });

  it("loads an rc that ends at once in a shell that is not interactive", async () => {
    const home = homeWith("case $- in *i*) ;; *) return;; esac\nmine() { echo mine; }\n");

    expect(await withSnapshot(home, "mine")).toBe("mine\n");
  });

  it("loads an rc that starts another shell for people", async () => {
    const home = homeWith("[[ $- == *i* ]] && exec cat\nmine() { echo mine; }\n");

    expect(await withSnapshot(home, "mine")).toBe("mine\n");
  });

  it("keeps variables of any name that functions read", async () => {
    const home = homeWith("name=n count=c state=s\nshow() { echo $name $count $state; }\n");

    expect(await withSnapshot(home, "show")).toBe("n c s\n");
  });

  it("keeps patterns in functions that need an option", async () => {
    const home = homeWith('shopt -s extglob\nstrip() { echo "${1%%+(0)}"; }\n');

    expect(await withSnapshot(home, "strip 1000")).toBe("1\n");
  });

  it("RC-08: survives an alias before a function of the same name, keyword aliases and odd bodies", async () => {
    const home = homeWith(
      "alias foo='x'\nalias if='echo no'\nfunction foo { cat <<E\n'\"`echo q`\nE\n}\nalias odd='a (b) | c'\n",
    );

    expect(await withSnapshot(home, "\\foo\nif true; then echo yes; fi")).toBe("'\"q\nyes\n");
  });

  it("survives an rc that redefines the words a shell works with", async () => {
    const home = homeWith(
      "alias builtin=false printf=false read=false declare=false while=false\nshopt -s expand_aliases\nset -u\nIFS=0123\nset -f\nmine() { echo mine; }\n",
    );

    expect(await withSnapshot(home, "mine")).toBe("mine\n");
  });

  it("never stops or traces a shell, and never brings secrets", async () => {
    const home = homeWith("export MY_TOKEN=hunter2\nset -u\nset -x\nuse() { echo $MY_TOKEN; }\n");
    const path = pathOf(await home.source.getOrCreate());

    expect(readFileSync(path, "utf8")).not.toContain("hunter2");
    expect(await withSnapshot(home, 'echo "[$-]"')).not.toMatch(/[ux].*\]/);
  });

  it("keeps the pagers and editors that keep programs unattended", async () => {
    const home = homeWith("export PAGER=less EDITOR=vim\n");

    expect(await withSnapshot(home, 'echo "$PAGER $EDITOR"')).toBe("cat true\n");
  });

  // A worker thread, in which `npm run mutants` has the tests, cannot set the mask of its process.
  it.runIf(isMainThread)(
    "SC-04: is a file that only its user can read, in a folder that only its user can enter",
    async () => {
      const before = process.umask(0);
      try {
        const path = pathOf(await homeWith("a() { :; }\n").source.getOrCreate());

        expect(statSync(path).mode & 0o777).toBe(0o600);
        expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
        expect(readdirSync(dirname(path)).length).toBe(1);
      } finally {
        process.umask(before);
      }
    },
  );
});

describe("an rc that cannot be loaded", () => {
  it.each([
    ["echo noise", "ready"],
    ["read x", "ready"],
    ["exit 3", "failed"],
    ["exec cat", "failed"],
    ["set -e; false", "failed"],
  ])("RC-01: `%s` ends in time as %s", async (rc, kind) => {
    const outcome = await homeWith(`${rc}\n`).source.getOrCreate();

    expect(outcome.kind).toBe(kind);
  });

  it("RC-01: `sleep 60` is given up when the time is over, with the reason", async () => {
    const started = performance.now();

    const outcome = await homeWith("sleep 60\n", { budgetMs: 1_000 }).source.getOrCreate();

    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("did not end in time") });
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it("a missing rc is no failure", async () => {
    expect((await homeWith(undefined).source.getOrCreate()).kind).toBe("none");
  });

  it("another shell than bash has no snapshot, nor has Windows", async () => {
    const { env } = homeWith("a() { :; }\n");

    expect((await new SnapshotSource({ natives, shell: "/bin/sh", env }).getOrCreate()).kind).toBe("none");
    expect((await new SnapshotSource({ natives, shell: BASH, env, platform: "win32" }).getOrCreate()).kind).toBe(
      "none",
    );
  });
});

describe("a snapshot's file", () => {
  it("is made once", async () => {
    const { source, home } = homeWith("a() { :; }\n");
    const first = pathOf(await source.getOrCreate());
    writeFileSync(join(home, ".bashrc"), "exit 3\n");

    expect(pathOf(await source.getOrCreate())).toBe(first);
  });

  it("RC-05: is written again when it was removed or cut short", async () => {
    const home = homeWith("mine() { echo mine; }\n");
    const path = pathOf(await home.source.getOrCreate());
    rmSync(path);
    await home.source.restore();
    expect(await withSnapshot(home, "mine")).toBe("mine\n");
    writeFileSync(path, "mine() { echo 'half");
    await home.source.restore();

    expect(await withSnapshot(home, "mine")).toBe("mine\n");
  });

  it("is shared by those who ask for it by function, until it is disposed of", async () => {
    const { env } = homeWith("mine() { :; }\n");
    const options = { natives, shell: BASH, env, budgetMs: PATIENT_MS };

    const [first, second] = [await getOrCreateSnapshot(options), await getOrCreateSnapshot(options)];
    await disposeSnapshots();

    expect(pathOf(first)).toBe(pathOf(second));
    expect(() => statSync(pathOf(first))).toThrow();
  });

  it("is gone when the source is disposed of", async () => {
    const { source } = homeWith("a() { :; }\n");
    const path = pathOf(await source.getOrCreate());

    await source.dispose();

    expect(() => statSync(dirname(path))).toThrow();
  });
});
