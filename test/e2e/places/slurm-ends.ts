/** Ends of a job of Slurm that are not the command's own, and what a job begins with. */
import { spawnSync } from "node:child_process";
import { bashWork, JobManager } from "@pi-bash/executor";
import { slurm } from "@pi-bash/places";
import { expect, it, onTestFinished, vi } from "vitest";
import { until } from "../../support/patience.ts";
import { childrenOf, processesWith, programOf } from "../../support/places.ts";
import { LIMIT_MS, type SlurmLab } from "./slurm-lab.ts";

/** Slurm looks at time limits twice a minute. */
const TIME_LIMIT_MS = 150_000;

/** Tests of ends, in the lab that `get` gives. */
export function slurmEnds(get: () => SlurmLab): void {
  it("that is cancelled is reported as what it was", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const { executor } = lab.open();
    const { job, result } = await lab.endedBy(executor, (id) => lab.programs.run("scancel", id));
    expect(result).toMatchObject({ cancelled: true, place: "slurm" });
    expect(result.output).toMatch(
      new RegExp(`^\\[The job was cancelled .*\\(Slurm job ${job}: CANCELLED\\)\\]\nbegun`),
    );
    // The next command asks for another job, and says that the state is gone.
    const next = await executor.executeBash('printf %s "$SLURM_JOB_ID"');
    expect(next).toMatchObject({ exitCode: 0, sessionReset: true });
    expect(next.output).not.toBe(job);
  });

  it("that reaches its time limit is reported with the limit", { timeout: TIME_LIMIT_MS }, async () => {
    const lab = get();
    const { executor } = lab.open({ time: "60" });
    // The shortest limit is a minute: a job whose limit is moved to now is ended by the same code of Slurm.
    const { job, result } = await lab.endedBy(
      executor,
      (id) => lab.programs.run("scontrol", "update", `JobId=${id}`, "EndTime=now"),
      TIME_LIMIT_MS - 10_000,
    );
    expect(result).toMatchObject({ cancelled: true });
    expect(result.output).toMatch(
      new RegExp(
        `^\\[The job's time limit \\([0-9:-]+\\) was reached and Slurm ended the session\\. Ask for more with \`time\`\\. \\(Slurm job ${job}: TIMEOUT\\)\\]\nbegun`,
      ),
    );
  });

  it("whose node is lost is reported as what it was", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const { executor } = lab.open();
    const node = lab.programs.run("sinfo", "-h", "-o", "%n").trim();
    const setState = (state: string, ...more: string[]): string =>
      lab.programs.run("scontrol", "update", `NodeName=${node}`, `State=${state}`, ...more);
    const { job, result } = await lab.endedBy(executor, () => setState("DOWN", "Reason=test"));
    expect(result).toMatchObject({ cancelled: true });
    expect(result.output).toMatch(
      new RegExp(
        `^\\[The node of the job failed, and the session is gone\\. \\(Slurm job ${job}: NODE_FAIL\\)\\]\nbegun`,
      ),
    );
    await until("the node to be there again", () => lab.programs.resume(node), 60_000);
    expect(await executor.executeBash("echo again")).toMatchObject({ output: "again\n", sessionReset: true });
  });

  it("with a background job ends with everything when its host is done", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const { executor, place } = lab.open();
    const manager = await JobManager.open({});
    const job = await lab.jobOf(executor);
    const mark = `300.${job}${process.pid}`;
    manager.start({ command: "sleep", work: bashWork(executor, `sleep ${mark}`, { session: "own" }) });
    await until("the background job to run", () => processesWith(mark).length > 0);
    await manager.dispose();
    await executor.dispose();
    await place.close();
    await until("the background job to be ended", () => processesWith(mark).length === 0);
    await lab.programs.gone(job);
  });

  it("ends by itself when its host is gone with all that held it", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const { executor } = lab.open({ leaseMs: 1_500 });
    const job = await lab.jobOf(executor);
    // `srun` and the process that watches it: what a crash of the machine takes, and no signal says so.
    const clients = childrenOf().filter((pid) => programOf(pid) === "srun");
    expect(clients).not.toEqual([]);
    for (const pid of [...clients.flatMap((pid) => childrenOf(pid)), ...clients]) process.kill(pid, "SIGKILL");
    await lab.programs.gone(job);
  });

  it("has the environment of a login there, and nothing of the host that asked for it", async () => {
    const lab = get();
    const { executor } = lab.open({ env: { PI_ONLY_HERE: "secret", LD_LIBRARY_PATH: "/only/here" } });
    const { output } = await executor.executeBash(
      'echo "[$PI_ONLY_HERE] [$LD_LIBRARY_PATH] $HOME $USER"; env | grep -c "only/here\\|secret"',
    );
    const user = spawnSync("id", ["-un"], { encoding: "utf8" }).stdout.trim();
    const home = spawnSync("sh", ["-c", `echo ~${user}`], { encoding: "utf8" }).stdout.trim();
    expect(output).toBe(`[] [] ${home} ${user}\n0\n`);
  });

  it("is another one than the job that its host is in, which nothing here ends", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    const { executor } = lab.open();
    const job = await lab.jobOf(executor);
    vi.stubEnv("SLURM_JOB_ID", job);
    onTestFinished(() => void vi.unstubAllEnvs());
    const place = slurm(lab.places.common);
    const own = (await place.open()).facts.env["SLURM_JOB_ID"] ?? "";
    expect([/^\d+$/.test(own), own === job]).toEqual([true, false]);
    await place.close();
    await lab.programs.gone(own);
    expect(lab.programs.jobs()).toEqual([job]);
  });
}
