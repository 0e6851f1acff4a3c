/** What `npm run rehearse` takes of a workflow file and does with it. The real files are played by that command itself. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { DRIVER_FOLDER } from "../../scripts/package/driver.mjs";
import { HOST_FOLDER } from "../../scripts/package/pi-host.mjs";
import { TARGETS } from "../../scripts/package/targets.mjs";
import { downloadArtifact, restoreCache, saveCache, uploadArtifact } from "../../scripts/rehearse/artifacts.mjs";
import { readCommands } from "../../scripts/rehearse/job.mjs";
import { preparePlace } from "../../scripts/rehearse/place.mjs";
import { hasPlayed, playWorkflow, withNeeds } from "../../scripts/rehearse/play.mjs";
import { STAND_INS, standInOf } from "../../scripts/rehearse/stand-ins.mjs";
import { expandMatrix, readWorkflow } from "../../scripts/rehearse/workflow.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const workflowFolder = join(root, ".github", "workflows");

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "pi-bash-rehearse-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function write(base: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
}

describe("a matrix", () => {
  it("is every combination, without those that are excluded and with those that are included", () => {
    const rows = expandMatrix({
      os: ["a", "b"],
      node: [1, 2],
      exclude: [{ os: "b", node: 1 }],
      include: [
        { os: "a", extra: true },
        { os: "c", node: 9 },
      ],
    });

    expect(rows).toEqual([
      { os: "a", node: 1, extra: true },
      { os: "a", node: 2, extra: true },
      { os: "b", node: 2 },
      { os: "c", node: 9 },
    ]);
  });

  it("that is absent is one entry, and one of includes alone is these", () => {
    expect(expandMatrix(undefined)).toEqual([{}]);
    expect(expandMatrix({ include: [{ target: "x" }, { target: "y" }] })).toEqual([{ target: "x" }, { target: "y" }]);
  });
});

describe("what a step writes for the steps that follow", () => {
  it("is read in both forms, and what is neither is an error", () => {
    expect(readCommands("a=1\nb<<END\ntwo\nlines\nEND\nc=x=y\n")).toEqual({ a: "1", b: "two\nlines", c: "x=y" });
    expect(() => readCommands("just text\n")).toThrow("just text");
    expect(() => readCommands("b<<END\ntwo\n")).toThrow("END");
  });
});

describe("an artifact", () => {
  it("loses its modes on the way, as in GitHub's archives", () => {
    const place = folder();
    write(place, { "from/bin/program": "#!/bin/sh\n", "to/.keep": "" });
    chmodSync(join(place, "from/bin/program"), 0o755);
    uploadArtifact(join(place, "store"), { name: "binaries-x", path: "from/bin" }, place);
    downloadArtifact(join(place, "store"), { pattern: "binaries-*", path: "got" }, join(place, "to"));
    downloadArtifact(join(place, "store"), { name: "binaries-x", path: "alone" }, join(place, "to"));

    expect(statSync(join(place, "to/got/binaries-x/program")).mode & 0o777).toBe(0o644);
    expect(readFileSync(join(place, "to/alone/program"), "utf8")).toBe("#!/bin/sh\n");
  });

  it("that is not there, is there twice, or has no files is an error", () => {
    const place = folder();
    write(place, { "from/file": "x" });
    const upload = () => uploadArtifact(join(place, "store"), { name: "a", path: "from" }, place);
    upload();

    expect(upload).toThrow("already");
    expect(() => downloadArtifact(join(place, "store"), { name: "b", path: "." }, place)).toThrow("`b`");
    const nothing = { name: "c", path: "gone", "if-no-files-found": "error" } as const;
    expect(() => uploadArtifact(join(place, "store"), nothing, place)).toThrow("gone");
  });
});

describe("a cache", () => {
  it("is found by its key, else by the beginning of one, and is written once", () => {
    const place = folder();
    write(place, { "w/.turbo/cache/entry": "1", "store/.keep": "", "other/.keep": "" });
    const store = join(place, "store");
    const one = { path: ".turbo/cache", key: "turbo-a-1" };

    expect(saveCache(store, one, join(place, "w"))).toBe(true);
    expect(saveCache(store, one, join(place, "w"))).toBe(false);
    expect(restoreCache(store, one, join(place, "other"))).toBe("turbo-a-1");
    expect(readdirSync(join(place, "other/.turbo/cache"))).toEqual(["entry"]);
    expect(restoreCache(store, { ...one, key: "turbo-a-2", "restore-keys": "turbo-a-" }, place)).toBe("turbo-a-1");
    expect(restoreCache(store, { ...one, key: "turbo-b-2", "restore-keys": "turbo-b-\n" }, place)).toBeUndefined();
  });
});

const WORKFLOW = `
name: tiny
on: push
permissions: { contents: read }
env: { GREETING: hello }
defaults: { run: { shell: bash } }
jobs:
  make:
    runs-on: \${{ matrix.os }}
    strategy: { matrix: { os: [ubuntu-24.04, windows-2025] } }
    outputs: { said: "\${{ steps.say.outputs.said }}" }
    steps:
      - uses: actions/checkout@v6
      - run: mkdir made && cp tool.sh made/
      - if: runner.os == 'Windows'
        run: exit 1
      - id: say
        run: echo "said=$GREETING" >> "$GITHUB_OUTPUT"
      - uses: actions/upload-artifact@v6
        with: { name: made, path: made, if-no-files-found: error }
  use:
    needs: make
    if: needs.make.outputs.said == 'hello'
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/download-artifact@v7
        with: { name: made, path: got }
      - run: test ! -e tool.sh && test ! -x got/tool.sh && sh got/tool.sh
  after:
    needs: [make, use]
    runs-on: ubuntu-24.04
    steps:
      - run: 'true'
  never:
    needs: make
    if: needs.make.outputs.said == 'good bye'
    runs-on: ubuntu-24.04
    steps:
      - run: exit 1
`;

type Report = Awaited<ReturnType<typeof playWorkflow>>;
type Played = { results: Record<string, string>; isOk: boolean; said: string; report: Report };

/** Plays a workflow of a tiny project; returns the result of each job, and what was said. */
async function play(text: string): Promise<Played> {
  const base = folder();
  write(base, { "project/tiny.yml": text, "project/tool.sh": "exit 0\n" });
  chmodSync(join(base, "project", "tool.sh"), 0o755);
  const workflow = readWorkflow(join(base, "project", "tiny.yml"));
  const place = preparePlace(join(base, "project"), { folder: join(base, "place") });
  const said: string[] = [];
  const github = { sha: "0", ref: "refs/heads/main", event_name: "push" };
  const context = {
    place,
    github,
    secrets: {},
    registry: "http://127.0.0.1:9/",
    say: (line: string) => said.push(line),
  };
  const report = await playWorkflow(workflow, context, {});
  return {
    results: Object.fromEntries(report.lines.map(({ label, result }) => [label, result])),
    isOk: report.isOk,
    said: said.join("\n"),
    report,
  };
}

describe("a workflow", () => {
  it("is played job by job: needs, conditions, outputs, artifacts and other systems as GitHub has them", async () => {
    const { results, isOk, said, report } = await play(WORKFLOW);

    expect(results, said).toEqual({
      "make (ubuntu-24.04)": "success",
      "make (windows-2025)": "not played",
      use: "success",
      after: "success",
      never: "left out",
    });
    expect(isOk).toBe(true);
    // Green is not enough for a rehearsal of a release: the job that publishes must have been played.
    expect(["make", "use", "never", "mak"].filter((job) => hasPlayed(report, job))).toEqual(["make", "use"]);
  });

  it.each([
    ["the checkout", "      - uses: actions/checkout@v6\n", "make (ubuntu-24.04)"],
    ["what makes a file", "      - run: mkdir made && cp tool.sh made/\n", "make (ubuntu-24.04)"],
    ["an upload", / {6}- uses: actions\/upload-artifact.*\n.*\n/, "use"],
    ["a download", / {6}- uses: actions\/download-artifact.*\n.*\n/, "use"],
  ])("turns red without %s", async (_, step, job) => {
    const without = WORKFLOW.replace(step, "");
    expect(without).not.toBe(WORKFLOW);
    const { results, isOk, said } = await play(without);

    expect(isOk).toBe(false);
    expect(results[job], said).toBe("failure");
    expect(results["after"]).toBe("left out");
  });

  it("takes over nothing of the environment that it is started in", async () => {
    process.env["PI_BASH_REHEARSE_LEAK"] = "leaked";
    onTestFinished(() => {
      delete process.env["PI_BASH_REHEARSE_LEAK"];
    });
    const { isOk, said } = await play(
      WORKFLOW.replace("mkdir made", 'test -z "${PI_BASH_REHEARSE_LEAK-}" && test "$HOME" != ~root && mkdir made'),
    );

    expect(isOk, said).toBe(true);
  });

  it("with a key, a shell, an action or an input that is not known is an error", async () => {
    const base = folder();
    write(base, { "a.yml": WORKFLOW.replace("on: push", "on: push\nrun-name: x") });
    expect(() => readWorkflow(join(base, "a.yml"))).toThrow("run-name");
    write(base, { "b.yml": WORKFLOW.replace("    needs: make\n", "    needs: make\n    container: alpine\n") });
    expect(() => readWorkflow(join(base, "b.yml"))).toThrow("container");
    expect(() => standInOf("other/action@v1", {})).toThrow("other/action");
    expect(() => standInOf("actions/checkout@v6", { ref: "x" })).toThrow("`ref`");
    const { isOk } = await play(WORKFLOW.replace("shell: bash", "shell: pwsh"));
    expect(isOk).toBe(false);
  });
});

describe("our workflows", () => {
  const workflows = ["ci.yml", "release.yml"].map((name) => readWorkflow(join(workflowFolder, name)));

  it("use only actions and inputs that have stand-ins", () => {
    expect(readdirSync(workflowFolder).sort()).toEqual(workflows.map(({ file }) => file));
    const used = workflows
      .flatMap(({ jobs }) => jobs.flatMap(({ job }) => job.steps))
      .flatMap(({ uses, with: inputs = {} }) => (uses === undefined ? [] : [standInOf(uses, inputs).name]));

    expect([...new Set(used)].sort()).toEqual(Object.keys(STAND_INS).sort());
  });

  it("install what they need before they run a script of ours", () => {
    for (const { file, jobs } of workflows)
      for (const { id, job } of jobs) {
        const runs: string[] = job.steps.flatMap(({ run }: { run?: string }) => run ?? []);
        const first = runs.findIndex((run) => /^(?:npm run|node scripts)\b/.test(run));
        if (first === -1) continue;
        expect(runs.slice(0, first), `${file}, ${id}`).toContain("npm install");
      }
  });

  it("ask for Debian's packages on Linux only", () => {
    const steps = workflows.flatMap(({ jobs }) => jobs.flatMap(({ job }) => job.steps));
    const asking = steps.filter(({ run }) => /\bapt/.test(run ?? ""));

    expect(asking).not.toEqual([]);
    for (const { run, if: condition } of asking) expect(condition ?? run).toMatch(/^runner\.os == 'Linux'$|docker run/);
  });

  it("build and try every target, the bash driver and what is sent to places before anything is published", () => {
    const release = workflows[1];
    const needed = withNeeds(release, ["publish"]);
    const built = release?.jobs.find(({ id }) => id === "build")?.instances.map(({ matrix }) => matrix["target"]);

    expect([...needed].sort()).toEqual(["build", "pack", "publish", "try", "try-musl", "version"]);
    expect(built?.sort()).toEqual([...TARGETS.map(({ name }) => name), DRIVER_FOLDER, HOST_FOLDER].sort());
  });
});
