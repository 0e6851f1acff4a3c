/** A job of Slurm for each session: its limits, its queue and its end are the session's. */
import { bashWork, JobManager } from "@pi-bash/executor";
import { slurm } from "@pi-bash/places";
import { expect, it, onTestFinished } from "vitest";
import { until, within } from "../../support/patience.ts";
import { LIMIT_MS, type SlurmLab } from "./slurm-lab.ts";

/** Tests of `isolation: "job"`, in the lab that `get` gives. */
export function slurmSessions(get: () => SlurmLab): void {
  it("of a session has its own limits and its own end", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const { executor } = lab.open({ isolation: "job", time: "7", cpus: 2 });
    const [a, b] = await Promise.all([lab.jobOf(executor, "a"), lab.jobOf(executor, "b")]);
    expect(a).not.toBe(b);
    expect(await lab.jobOf(executor, "a")).toBe(a);
    expect(lab.programs.jobs().toSorted()).toEqual([a, b].toSorted());
    for (const job of [a, b]) {
      expect([lab.programs.memberOf(job, "TimeLimit"), lab.programs.memberOf(job, "NumCPUs")]).toEqual([
        "00:07:00",
        "2",
      ]);
    }

    await executor.closeSession("a");
    await lab.programs.gone(a);
    expect(await executor.executeBash("echo here", { sessionKey: "b" })).toMatchObject({ output: "here\n" });
    lab.programs.run("scancel", b);
    await lab.programs.gone(b);
    const again = await executor.executeBash("echo $SLURM_JOB_ID", { sessionKey: "b" });
    expect(again).toMatchObject({ sessionReset: true });
    await executor.dispose();
    await lab.programs.gone(again.output.trim());
  });

  it("of a session has the limits that a placement gives it", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const placement = (key?: string) =>
      slurm({ ...lab.places.common, isolation: "job", time: key === "long" ? "120" : "5" });
    const { executor } = lab.open({}, { placement });
    const [long, short] = [await lab.jobOf(executor, "long"), await lab.jobOf(executor, "short")];
    expect([lab.programs.memberOf(long, "TimeLimit"), lab.programs.memberOf(short, "TimeLimit")]).toEqual([
      "02:00:00",
      "00:05:00",
    ]);
    await executor.closeSession("long");
    await lab.programs.gone(long);
    await executor.dispose();
    await lab.programs.gone(short);
  });

  it("of each session waits by itself, with words for its session", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    await using occupant = await lab.programs.occupy();
    const said: string[] = [];
    const { executor } = lab.open({
      isolation: "job",
      queueTimeoutMs: 60_000,
      onQueue: (text, key) => said.push(`${key}: ${text.replace(/\d+/, "N")}`),
    });
    const abort = new AbortController();
    const one = executor.executeBash("true", { sessionKey: "a", signal: abort.signal });
    const other = executor.executeBash("echo there", { sessionKey: "b" });
    await until("both jobs to wait", () => lab.programs.jobsIn("PENDING").length === 2);
    await until("both to be reported", () => said.length >= 2);
    expect(said.slice(0, 2).toSorted()).toEqual(["a: job N waits in the queue", "b: job N waits in the queue"]);
    abort.abort();
    expect(await one).toMatchObject({ cancelled: true });
    await until("the job of `a` to be gone", () => lab.programs.jobsIn("PENDING").length === 1);
    await occupant.leave();
    expect(await within("the call that waited", other, 60_000)).toMatchObject({ output: "there\n" });
  });

  it("of a session that waited for too long is cancelled, and its neighbour goes on", {
    timeout: LIMIT_MS,
  }, async () => {
    const lab = get();
    // The neighbour leaves no room for another one.
    const { executor } = lab.open({ isolation: "job", queueTimeoutMs: 2_000, cpus: 16 });
    const job = await lab.jobOf(executor, "a");
    await expect(executor.executeBash("true", { sessionKey: "b" })).rejects.toThrow(/waited 2 s in the queue/);
    expect(await lab.jobOf(executor, "a")).toBe(job);
    expect(lab.programs.jobs()).toEqual([job]);
  });

  it("holds the background jobs of its session, and ends with them", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const { executor } = lab.open({ isolation: "job" });
    const manager = await JobManager.open({});
    onTestFinished(() => manager.dispose());
    const job = await lab.jobOf(executor, "a");
    let text = "";
    const work = bashWork(executor, 'echo "in $SLURM_JOB_ID"; sleep 300', { session: "own", sessionKey: "a" });
    const { id } = manager.start({ command: "sleep", work });
    await until("the background job to say where it is", async () => {
      const report = await manager.follow(id, {
        reader: "me",
        timeoutMs: 1_000,
        maxBytes: 1_000,
        wakesOnOutput: true,
      });
      text += report?.output.text ?? "";
      report?.commit();
      return text.includes("\n");
    });
    expect(text).toBe(`in ${job}\n`);
    await executor.closeSession("a");
    await lab.programs.gone(job);
    await until("the background job to be over", () => manager.runningCount === 0);
  });
}
