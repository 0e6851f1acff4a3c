/**
 * What a session on a place promises, the same for each kind of place: what a session here promises, and what becomes of it
 * when the connection breaks. `describePlace` is called by a test file for each kind.
 */
import { createHash, randomInt } from "node:crypto";
import type { SettingsInput } from "@pi-bash/contract";
import {
  ArtifactStore,
  bashWork,
  createExecutor,
  type Executor,
  type ExecutorPorts,
  JobManager,
} from "@pi-bash/executor";
import type { RemotePlace } from "@pi-bash/places";
import { expect, it, onTestFinished } from "vitest";
import { until, within } from "../../support/patience.ts";
import { describeOn, PLACE_LIMIT_MS } from "../../support/place-suite.ts";
import { descendants, type PlaceKind, processesWith, programOf } from "../../support/places.ts";

/** Programs that carry the streams. */
const CLIENTS = ["ssh", "podman", "srun"];
/** Bytes past which a spill stays on its place. */
const PULLED_BYTES = 8 * 1024 ** 2;

/** All tests of one kind of place, skipped with the reason where there is none. */
export function describePlace(kind: PlaceKind): void {
  describeOn(kind, "sessions", (places) => {
    /** An executor on a connection of its own; both end with the test. */
    function open(
      options: { leaseMs?: number } = {},
      ports: ExecutorPorts = {},
      settings: SettingsInput = {},
    ): { executor: Executor; place: RemotePlace } {
      const place = places().make(options);
      const executor = createExecutor(settings, { place, usesSnapshot: false, ...ports });
      onTestFinished(async () => {
        await executor.dispose();
        await place.close();
      }, PLACE_LIMIT_MS);
      return { executor, place };
    }

    ordinary(open);
    outputs(open);
    leftOvers(open);
    brokenLinks(open);
    // Where nothing carries the streams, there is no client that could stop: the far side is our own child.
    if (kind !== "command") stoppedHost(open);
  });
}

type Open = (
  options?: { leaseMs?: number },
  ports?: ExecutorPorts,
  settings?: SettingsInput,
) => { executor: Executor; place: RemotePlace };

/** Digits that stand in no other command line: `sleep` takes them as a fraction of its seconds. */
function newMark(): string {
  return String(randomInt(1e14, 2e14));
}

function ordinary(open: Open): void {
  it("keep their state, give the commands' own statuses, and say where they ran", async () => {
    const { executor, place } = open();
    const first = await executor.executeBash(
      "A=1; f() { echo from f; }; cd /usr; exit_with() { return 7; }; exit_with",
    );
    const second = await executor.executeBash("echo $A $PWD; f");
    expect(first).toMatchObject({ exitCode: 7, workingDir: "/usr", place: place.name });
    expect(first.notices?.map(({ kind }) => kind)).toContain("place");
    expect(second).toMatchObject({ exitCode: 0, output: "1 /usr\nfrom f\n", place: place.name });
    expect(second.notices ?? []).toEqual([]);
    expect(second.sessionReset).toBeUndefined();
  });

  it("begin with the environment over there, and not with this host's", async () => {
    const { executor } = open({}, { hostEnv: { ...process.env, PI_ONLY_HERE: "yes" } });
    const { output } = await executor.executeBash('echo "[$PI_ONLY_HERE] [$PAGER] [${HOME:+home}]"');
    expect(output).toBe("[] [cat] [home]\n");
  });

  it("take a command that is larger than a frame of the protocol", async () => {
    const { executor } = open();
    const document = "a line of a document\n".repeat(150_000);
    const result = await executor.executeBash(`wc -c <<'END'\n${document}END`);
    expect(result).toMatchObject({ exitCode: 0, output: `${document.length}\n` });
  });

  it("mask this host's secrets in what they write", async () => {
    const { executor } = open({}, { hostEnv: { ...process.env, OPENAI_API_KEY: "sk-0123456789abcdefghij" } });
    const { output, masked } = await executor.executeBash("echo key: sk-0123456789abcdefghij");
    expect({ output, names: masked?.names }).toEqual({
      output: "key: [masked: OPENAI_API_KEY]\n",
      names: ["OPENAI_API_KEY"],
    });
  });

  it("end a command at its deadline, and go on with their state", async () => {
    const { executor } = open();
    await executor.executeBash("A=kept");
    const late = await executor.executeBash("echo begun; sleep 100", { timeoutMs: 700 });
    expect(late).toMatchObject({ timedOut: true, cancelled: true, output: expect.stringContaining("begun") });
    expect((await executor.executeBash("echo $A")).output).toBe("kept\n");
  });

  it("end a command that is aborted", async () => {
    const { executor } = open();
    const abort = new AbortController();
    const run = executor.executeBash("echo begun; sleep 100", {
      signal: abort.signal,
      onUpdate: (tail) => tail.includes("begun") && abort.abort(),
    });
    expect(await within("the aborted command", run, 30_000)).toMatchObject({ cancelled: true });
  });

  it("start nothing for a folder that is missing over there", async () => {
    const { executor } = open();
    await expect(executor.executeBash("echo x", { cwd: "/nowhere/at/all" })).rejects.toMatchObject({
      code: "PI_MISSING_CWD",
    });
    expect(executor.stats().sessions).toBe(0);
  });

  it("say what a command used over there, where they are asked to", async () => {
    const { executor } = open({}, {}, { "bash.usage": true });
    const { usage } = await executor.executeBash("head -c 60000000 /dev/zero | tail -c 50331648 | wc -c");
    expect(usage?.peakMemoryBytes).toBeGreaterThanOrEqual(50_331_648);
    expect((usage?.userMs ?? 0) + (usage?.systemMs ?? 0)).toBeGreaterThan(0);
  });

  it("take several sessions and copies over one connection", async () => {
    const { executor } = open();
    const keys = ["a", "b", "c", "d"];
    await Promise.all(keys.map((sessionKey) => executor.executeBash(`NAME=${sessionKey}`, { sessionKey })));
    const results = await Promise.all(keys.map((sessionKey) => executor.executeBash("echo $NAME", { sessionKey })));
    expect(results.map(({ output }) => output)).toEqual(keys.map((key) => `${key}\n`));
  });

  it("read the user's rc over there", async () => {
    const { executor, place } = open();
    const wrote = await executor.executeBash(
      "cp -p ~/.bashrc ~/.bashrc.before 2>/dev/null; echo 'greet() { echo \"hello $1\"; }' > ~/.bashrc",
    );
    expect(wrote.exitCode).toBe(0);
    const other = createExecutor({}, { place, usesSnapshot: true });
    try {
      expect(await other.executeBash("greet you")).toMatchObject({ exitCode: 0, output: "hello you\n" });
    } finally {
      await other.dispose();
      await executor.executeBash(
        "if [ -e ~/.bashrc.before ]; then mv ~/.bashrc.before ~/.bashrc; else rm -f ~/.bashrc; fi",
      );
    }
  });
}

function outputs(open: Open): void {
  it("give out what a command writes while it runs, every byte in order", async () => {
    const { executor } = open();
    const hash = createHash("sha256");
    let bytes = 0;
    const result = await executor.executeBash("seq 400000", {
      onChunk: (chunk) => {
        hash.update(chunk);
        bytes += Buffer.byteLength(chunk);
      },
    });
    const expected = Array.from({ length: 400_000 }, (_, at) => `${at + 1}\n`).join("");
    expect({ bytes, totalBytes: result.totalBytes }).toEqual({ bytes: expected.length, totalBytes: expected.length });
    expect(hash.digest("hex")).toBe(createHash("sha256").update(expected).digest("hex"));
  });

  it("bring a small artifact here, which outlives the place", async () => {
    const { executor, place } = open();
    const { artifactId } = await executor.executeBash("seq 50000");
    await place.close();
    const { text } = await executor.artifacts.read(`artifact://${artifactId}?lines=49999-50000`);
    expect(text).toBe("49999\n50000\n");
  });

  it("name the beginning of an artifact that the limit cut short over there", async () => {
    const artifacts = new ArtifactStore({ maxBytes: 1024 ** 2 });
    onTestFinished(() => artifacts.dispose());
    const { executor } = open({}, { artifacts });
    const { artifactId, artifactError = "" } = await executor.executeBash("seq 1500000");
    expect(artifactId).toBeUndefined();
    const [, address = ""] = /the beginning is in (artifact:\/\/\S+)$/.exec(artifactError) ?? [];
    expect((await executor.artifacts.read(`${address}?lines=1-2`)).text).toBe("1\n2\n");
  });

  it("bring the artifact of what a command left running, when its session is closed", async () => {
    const { executor, place } = open();
    const mark = newMark();
    const { artifactId } = await executor.executeBash(`{ echo late; sleep 300.${mark}; } & disown; echo first`, {
      sessionKey: "s",
    });
    const read = async () => (await executor.artifacts.read(`artifact://${artifactId}`)).text;
    await until("what was written late", async () => (await read()).includes("late"));
    await executor.closeSession("s");
    await place.close();
    expect((await read()).split("\n").sort()).toEqual(["", "first", "late"]);
  });

  it("read a large artifact over there by range, and say where it was when the place is gone", async () => {
    const { executor, place } = open();
    const { artifactId, totalBytes } = await executor.executeBash("seq 1500000");
    expect(totalBytes).toBeGreaterThan(PULLED_BYTES);
    const read = async (query: string) => (await executor.artifacts.read(`artifact://${artifactId}?${query}`)).text;
    expect(await read("tail=2")).toBe("1499999\n1500000\n");
    expect(await read("lines=700000-700001")).toBe("700000\n700001\n");
    expect(await read("grep=^123456.$&tail=1")).toBe("1234569:1234569\n");
    await place.close();
    await expect(read("tail=1")).rejects.toMatchObject({
      code: "PI_ARTIFACT_UNREADABLE",
      message: expect.stringContaining(`lies on ${place.name}`),
    });
  });

  it("let a job's output be followed while it is written over there", async () => {
    const { executor } = open();
    const manager = await JobManager.open({});
    try {
      const work = bashWork(executor, "echo one; sleep 2; echo two", { session: "own" });
      const { id } = manager.start({ command: "echo", work });
      let text = "";
      await until("both lines of the job", async () => {
        const report = await manager.follow(id, {
          reader: "me",
          timeoutMs: 1_000,
          maxBytes: 10_000,
          wakesOnOutput: true,
        });
        text += report?.output.text ?? "";
        report?.commit();
        return text.includes("two");
      });
      expect(text).toBe("one\ntwo\n");
    } finally {
      await manager.dispose();
    }
  });
}

function leftOvers(open: Open): void {
  it("name what a command left running, and end it with the session", async () => {
    const { executor } = open();
    const mark = newMark();
    const { survivors } = await executor.executeBash(`sleep 300.${mark} & disown; echo started`, { sessionKey: "s" });
    expect(survivors?.map(({ command }) => command)).toEqual([`sleep 300.${mark}`]);
    await executor.closeSession("s");
    await until("the survivor to be ended", () => processesWith(`300.${mark}`).length === 0);
  });

  it("keep what is written after a command has ended", async () => {
    const { place } = open();
    const { natives } = await place.open();
    const shell = new natives.Shell();
    await shell.run({ command: "(sleep 0.3; echo late) & disown" });
    await until("the late output", async () => (await shell.lateOutput()).includes("late"));
    await shell.close();
  });

  it("leave nothing over there when the place is closed", async () => {
    const { executor, place } = open();
    const mark = newMark();
    await executor.executeBash(`setsid sleep 300.${mark} & sleep 301.${mark} & echo started`);
    const { folder } = (await place.open()).facts;
    await executor.dispose();
    await place.close();
    await until("everything to be ended", () => processesWith(mark).length === 0);
    const after = open();
    await expect(after.executor.executeBash("true", { cwd: folder })).rejects.toMatchObject({ code: "PI_MISSING_CWD" });
  });
}

function brokenLinks(open: Open): void {
  it("say that a command was lost when the connection is cut, end it over there, and begin again", async () => {
    const { executor, place } = open();
    const mark = newMark();
    await executor.executeBash("A=1");
    const run = executor.executeBash(`echo begun; sleep 300.${mark} & sleep 300.${mark}`, {
      onUpdate: (tail) => tail.includes("begun") && void place.cut(),
    });
    const lost = await within("the lost command", run, 30_000);
    expect(lost).toMatchObject({ lost: true, sessionReset: true, place: place.name });
    expect(lost.output).toMatch(new RegExp(`^\\[The connection to ${place.name.replace(/[:/]/g, ".")} was cut`));
    expect(lost.output).toContain("begun");
    await until("the command to be ended over there", () => processesWith(`300.${mark}`).length === 0);
    const next = await executor.executeBash("echo [$A]");
    expect(next).toMatchObject({ output: "[]\n", sessionReset: true });
    expect((await executor.executeBash("true")).sessionReset).toBeUndefined();
  });
}

function stoppedHost(open: Open): void {
  it("end over there what a host that stopped has started", async () => {
    const { executor } = open({ leaseMs: 1_500 });
    const mark = newMark();
    const before = new Set(descendants());
    let isBegun = false;
    const run = executor.executeBash(`echo begun; sleep 300.${mark}`, {
      onUpdate: (tail) => {
        isBegun ||= tail.includes("begun");
      },
    });
    await until("the command to run", () => isBegun);
    const clients = descendants().filter((pid) => !before.has(pid) && CLIENTS.includes(programOf(pid)));
    expect(clients).not.toEqual([]);
    for (const pid of clients) process.kill(pid, "SIGSTOP");
    try {
      expect(await within("the lost command", run, 30_000)).toMatchObject({ lost: true });
      await until("the command to be ended over there", () => processesWith(`300.${mark}`).length === 0, 30_000);
    } finally {
      for (const pid of clients) resume(pid);
    }
  });
}

function resume(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch {
    // It was ended.
  }
}
