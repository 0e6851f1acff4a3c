/**
 * Real output in real files: whole, private, readable in parts, and honest where it is not.
 */
import { rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { ArtifactStore } from "../src/artifacts/store.ts";
import { bashWork } from "../src/jobs/bash-work.ts";
import { JobManager } from "../src/jobs/job-manager.ts";
import { real } from "./support/real.ts";
import { until } from "./support/waiting.ts";

const isLinux = process.platform === "linux";

describe("a long output", () => {
  it("has its end in the result and every byte in the artifact", async () => {
    const { executor } = real();

    const result = await executor.executeBash("seq 1 200000; exit 7");

    expect(result).toMatchObject({ exitCode: 7, truncated: true, totalLines: 200_000, totalBytes: 1_288_895 });
    expect(result.output.endsWith("199999\n200000\n")).toBe(true);
    expect(Buffer.byteLength(result.output)).toBeLessThanOrEqual(51_200);
    const address = `artifact://${result.artifactId}`;
    expect((await executor.artifacts.read(address)).text).toBe(
      Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join(""),
    );
    expect((await executor.artifacts.read(`${address}:100-101`)).text).toBe("100\n101\n");
    expect(await executor.artifacts.read(`${address}?grep=%5E19999.$`)).toMatchObject({ matches: 10 });
  });

  it("SC-04: lies in a private file, whatever the umask of host and command is", async () => {
    const { executor } = real();

    const { artifactId = "" } = await executor.executeBash("umask 000; seq 1 20000");

    const path = (await executor.artifacts.get(artifactId))?.path ?? "";
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  it("VO-08: has an artifact from one byte past the window on", async () => {
    const { executor } = real();

    const fits = await executor.executeBash("yes abc | head -c 51200");
    const over = await executor.executeBash("yes abc | head -c 51201");

    expect(fits).toMatchObject({ truncated: false, totalBytes: 51_200 });
    expect(fits).not.toHaveProperty("artifactId");
    expect(over).toMatchObject({ truncated: true, totalBytes: 51_201 });
    expect((await executor.artifacts.read(over.artifactId ?? "")).totalBytes).toBe(51_201);
  });

  it("has an artifact where only a long line was cut", async () => {
    const { executor } = real();

    const result = await executor.executeBash("head -c 9000 /dev/zero | tr '\\0' x; echo end");

    expect(result.truncated).toBe(true);
    expect(result.output.endsWith("end\n")).toBe(true);
    expect((await executor.artifacts.read(result.artifactId ?? "")).totalBytes).toBe(9_004);
  });

  it("VO-06: is truncated without an address when the folder was removed, and the next one has one again", async () => {
    const folder = join(scratchFolder(), "artifacts");
    const { executor } = real({ artifacts: new ArtifactStore({ folder }) });
    await executor.executeBash("true");
    rmSync(folder, { recursive: true });

    const lost = await executor.executeBash("seq 1 20000");
    const next = await executor.executeBash("seq 1 20000");

    expect(lost).toMatchObject({ exitCode: 0, truncated: true, artifactError: expect.any(String) });
    expect(lost).not.toHaveProperty("artifactId");
    expect((await executor.artifacts.read(next.artifactId ?? "")).totalBytes).toBe(108_894);
  });

  it("VO-06: is truncated without an address where the folder is a file", async () => {
    const folder = join(scratchFolder(), "artifacts");
    writeFileSync(folder, "");
    const { executor } = real({ artifacts: new ArtifactStore({ folder }) });

    const result = await executor.executeBash("seq 1 20000");

    expect(result).toMatchObject({ exitCode: 0, truncated: true });
    expect(result.artifactError).toContain("artifact folder cannot be used");
  });

  it("VO-01: is cut short at the limit of an artifact, and the result says so", async () => {
    const artifacts = new ArtifactStore({ folder: join(scratchFolder(), "artifacts"), maxBytes: 100_000 });
    const { executor } = real({ artifacts });

    const result = await executor.executeBash("seq 1 50000");

    expect(result).not.toHaveProperty("artifactId");
    const address = /artifact:\/\/\w+$/.exec(result.artifactError ?? "")?.[0] ?? "";
    const { text, totalBytes } = await artifacts.read(address);
    expect(text.startsWith("1\n2\n")).toBe(true);
    expect(totalBytes).toBeLessThan(101_000);
  });

  it("VO-12: ends at its limit where a command reads the artifact it is writing", async () => {
    const folder = join(scratchFolder(), "artifacts");
    const artifacts = new ArtifactStore({ folder, maxBytes: 1_000_000 });
    const { executor } = real({ artifacts });

    const result = await executor.executeBash(
      `seq 1 20000; until grep -q . ${folder}/*.log 2>/dev/null; do sleep 0.05; done; cat ${folder}/*.log ${folder}/*.log`,
      {
        timeoutMs: 50_000,
      },
    );

    expect(result).toMatchObject({ exitCode: 0, truncated: true, cancelled: false });
    expect(result.totalBytes).toBeGreaterThan(108_894);
    const [artifact] = await artifacts.list();
    expect(statSync(artifact?.path ?? "").size).toBeLessThan(1_010_000);
  });

  it("gets what background children write after the command has ended", async () => {
    const { executor, folder } = real();
    const gate = join(folder, "gate");

    const result = await executor.executeBash(`seq 1 20000; (until [ -e ${gate} ]; do sleep 0.05; done; echo late) &`);
    writeFileSync(gate, "");

    const address = `artifact://${result.artifactId}?tail=1`;
    await until(async () => (await executor.artifacts.read(address)).text === "late\n", "the late output");
  });

  it("is made for a short output too, where background children go on writing", async () => {
    const { executor, folder } = real();
    const gate = join(folder, "gate");

    const result = await executor.executeBash(`echo now; (until [ -e ${gate} ]; do sleep 0.05; done; echo late) &`);
    const address = `artifact://${result.artifactId}`;
    expect(result).toMatchObject({ output: "now\n", truncated: false });
    expect((await executor.artifacts.read(address)).text).toBe("now\n");
    writeFileSync(gate, "");

    await until(async () => (await executor.artifacts.read(address)).text === "now\nlate\n", "the late output");
  });

  it("has the bounds of the settings", async () => {
    const { executor } = real({ settings: { "artifacts.maxBytes": 60_000, "artifacts.quotaBytes": 130_000 } });
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      ids.push((await executor.executeBash("seq 1 10600 | head -c 59000")).artifactId ?? "none");
    }
    const cut = await executor.executeBash("seq 1 20000");

    expect(cut.artifactError).toContain("its limit is 60000; the beginning is in artifact://");
    const kept = (await executor.artifacts.list()).map(({ id }) => id);
    expect(ids.map((id) => kept.includes(id))).toEqual([false, false, true]);
  });

  it("is not made where what is left does not write to it", async () => {
    const { executor, folder } = real();

    const silent = `(exec >/dev/null 2>&1; touch ${folder}/silent; exec sleep 300) &`;
    const result = await executor.executeBash(`${silent} until [ -e ${folder}/silent ]; do sleep 0.02; done; echo now`);

    expect(result.survivors).toHaveLength(1);
    expect(result).not.toHaveProperty("artifactId");
    expect(await executor.artifacts.list()).toEqual([]);
  });
});

describe("live output", () => {
  it("comes in order, at once, and whole", async () => {
    const { executor } = real();
    const chunks: string[] = [];
    const tails: string[] = [];

    const result = await executor.executeBash("seq 1 30000", {
      onChunk: (chunk) => chunks.push(chunk),
      onUpdate: (tail) => tails.push(tail),
    });

    expect(Buffer.byteLength(chunks.join(""))).toBe(result.totalBytes);
    expect(chunks.join("").endsWith("30000\n")).toBe(true);
    expect(tails.length).toBeGreaterThan(0);
  });
});

describe("the minimizer of the core", () => {
  it("shortens a known tool's output, and the raw text is where the footer says", async () => {
    const { executor, folder } = real();
    const lines = Array.from({ length: 300 }, (_, index) => `   Compiling crate-${index} v1.0.${index}`);
    const raw = `${lines.join("\n")}\nerror[E0425]: cannot find value \`x\` in this scope\n --> src/main.rs:2:5\n  |\n2 |     x\n  |     ^ not found in this scope\n\nerror: could not compile \`app\` (bin "app") due to 1 previous error\n`;
    writeFileSync(join(folder, "raw"), raw);
    writeFileSync(join(folder, "cargo"), `#!/bin/sh\ncat ${join(folder, "raw")}\nexit 101\n`, { mode: 0o755 });

    const result = await executor.executeBash(`PATH=${folder}:$PATH; export PATH`);
    expect(result.exitCode).toBe(0);
    const built = await executor.executeBash("cargo build");

    expect(built).toMatchObject({ exitCode: 101, totalBytes: Buffer.byteLength(raw) });
    expect(built.output).toContain("error[E0425]: cannot find value `x` in this scope");
    expect(built.output).toContain("src/main.rs:2:5");
    expect(built.output.length).toBeLessThan(raw.length / 2);
    expect(built.output.endsWith(`[raw output: artifact://${built.originalArtifactId}]`)).toBe(true);
    expect((await executor.artifacts.read(built.originalArtifactId ?? "")).text).toBe(raw);
  });
});

describe("jobs with real commands", () => {
  async function jobs(owner: ReturnType<typeof real>) {
    const manager = await JobManager.open({ artifacts: owner.executor.artifacts });
    return {
      manager,
      work: (command: string) =>
        bashWork(owner.executor, command, { session: "own", sessionKey: "s", timeoutMs: 60_000 }),
    };
  }

  it("run beside the session, with its result in an artifact", async () => {
    const owner = real();
    const { manager, work } = await jobs(owner);
    const started = manager.start({ command: "seq", work: work("seq 1 30000; exit 2") });

    expect((await owner.executor.executeBash("echo free", { sessionKey: "s" })).output).toBe("free\n");
    const { reports } = await manager.poll([started.id]);

    const [report] = reports;
    expect(report).toMatchObject({ kind: "ended", job: { state: "failed", exitCode: 2 } });
    const id = report?.kind === "ended" ? (report.job.artifactId ?? "") : "";
    expect((await owner.executor.artifacts.read(id)).totalBytes).toBe(168_894);
    await manager.dispose();
  });

  it.runIf(isLinux)("JB-05: are gone with everything they started when they are cancelled", async () => {
    const owner = real();
    const { manager, work } = await jobs(owner);
    const { id } = manager.start({ command: "stubborn", work: work("trap '' TERM; sleep 300 & sleep 300") });
    await until(() => owner.processes().filter((line) => line.startsWith("sleep")).length === 2, "the job to run");

    await manager.cancel(id);
    const { reports } = await manager.poll([id]);

    expect(reports[0]).toMatchObject({ kind: "ended", job: { state: "cancelled" } });
    await until(() => owner.processes().every((line) => !line.startsWith("sleep")), "its processes to be gone");
    await manager.dispose();
  });

  it.runIf(isLinux)("JB-08: that leave something running say so, and a cancellation ends it", async () => {
    const owner = real();
    const { manager, work } = await jobs(owner);
    const { id } = manager.start({ command: "daemon", work: work("nohup sleep 300 >/dev/null 2>&1 & echo started") });
    const { reports } = await manager.poll([id]);
    expect(reports[0]).toMatchObject({
      text: "started\n",
      job: { survivors: [{ pid: expect.any(Number) }] },
    });

    await until(() => owner.processes().some((line) => line.includes("sleep 300")), "the daemon to run");

    const { text } = await manager.cancel(id);

    expect(text).toContain("Its 1 remaining process was ended.");
    await until(() => owner.processes().every((line) => !line.includes("sleep 300")), "it to be gone");
    await manager.dispose();
  });

  it("that were in the foreground first leave the session free for the next command", async () => {
    const owner = real();
    const manager = await JobManager.open();
    await owner.executor.executeBash("A=1", { sessionKey: "s" });
    const gate = join(owner.folder, "gate");
    const outcome = await manager.runForeground({
      command: "wait",
      thresholdMs: 200,
      work: bashWork(owner.executor, `until [ -e ${gate} ]; do sleep 0.05; done; echo done`, {
        session: "shared",
        sessionKey: "s",
      }),
    });

    const next = await owner.executor.executeBash("echo $A; export A=after; f() { echo F; }; cd /usr", {
      sessionKey: "s",
    });
    const last = await owner.executor.executeBash("echo $A; f; pwd", { sessionKey: "s" });
    writeFileSync(gate, "");

    expect(outcome.kind).toBe("backgrounded");
    expect(next).toMatchObject({ output: "1\n" });
    expect(last).toMatchObject({ output: "after\nF\n/usr\n" });
    for (const { isIsolated, sessionReset } of [next, last]) {
      expect([isIsolated, sessionReset]).toEqual([undefined, undefined]);
    }
    const { reports } = await manager.poll(["bg_1"]);
    expect(reports[0]).toMatchObject({ kind: "ended", text: "done\n" });
    await manager.dispose();
  });

  it("JB-13: that write megabytes between two polls cost a bounded answer", async () => {
    const owner = real();
    const { manager, work } = await jobs(owner);
    const { id } = manager.start({ command: "loud", work: work("head -c 20000000 /dev/zero | tr '\\0' x") });

    const { reports } = await manager.poll([id]);

    const [report] = reports;
    const text = report?.kind === "ended" ? (report.text ?? "") : "";
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(51_200);
    await manager.dispose();
  });
});
