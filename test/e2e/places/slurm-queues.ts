/** A job of Slurm that waits: what is said, who leaves the queue, and which jobs are never touched. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { until, within } from "../../support/patience.ts";
import { LIMIT_MS, type SlurmLab } from "./slurm-lab.ts";

/** Tests of the queue, in the lab that `get` gives. */
export function slurmQueues(get: () => SlurmLab): void {
  it("waits in the queue with words, and is left when the call is aborted", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    await using occupant = await lab.programs.occupy();
    const said: string[] = [];
    const { executor } = lab.open({ onQueue: (text) => said.push(text) });
    const abort = new AbortController();
    const call = executor.executeBash("true", { signal: abort.signal });
    await until("the job to wait", () => lab.programs.jobsIn("PENDING").length === 1);
    const [job = ""] = lab.programs.jobsIn("PENDING");
    await until("state and reason to be reported", () => said.length >= 2);
    expect(said[0]).toBe(`job ${job} waits in the queue`);
    expect(said[1]).toMatch(new RegExp(`^job ${job}: PENDING, (?:Resources|Priority)`));

    abort.abort();
    expect(await within("the aborted call", call)).toMatchObject({ cancelled: true, output: "[Command cancelled]" });
    await lab.programs.gone(job);
    expect(lab.programs.jobs()).toEqual([occupant.job]);

    // Its wait does not count as a failure: the next call asks at once, and has its turn.
    const next = executor.executeBash("echo mine");
    await until("another job to wait", () => lab.programs.jobsIn("PENDING").length === 1);
    await occupant.leave();
    expect(await within("the call that waited", next, 60_000)).toMatchObject({ output: "mine\n" });
    expect(said.at(-1)).toMatch(/^job \d+ has its resources$/);
  });

  it("goes on waiting for a call when another one is aborted", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    await using occupant = await lab.programs.occupy();
    const { executor } = lab.open();
    const abort = new AbortController();
    const one = executor.executeBash("true", { sessionKey: "a", signal: abort.signal });
    const other = executor.executeBash("echo there", { sessionKey: "b" });
    await until("the job to wait", () => lab.programs.jobsIn("PENDING").length === 1);
    const waiting = lab.programs.jobsIn("PENDING");
    abort.abort();
    expect(await one).toMatchObject({ cancelled: true });
    expect(lab.programs.jobsIn("PENDING")).toEqual(waiting);
    await occupant.leave();
    expect(await within("the call that waited", other, 60_000)).toMatchObject({ output: "there\n" });
  });

  it("that waited for too long is cancelled, with the reason; no other job is", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    await using occupant = await lab.programs.occupy();
    const { executor } = lab.open({ queueTimeoutMs: 2_000 });
    await expect(within("the call", executor.executeBash("true"), 30_000)).rejects.toMatchObject({
      code: "PI_PLACE_UNREACHABLE",
      message: expect.stringMatching(
        /^slurm cannot be reached: job \d+ waited 2 s in the queue \(PENDING, .+\) and was cancelled; allow more with `queueTimeoutMs`$/,
      ),
    });
    await until("the job to be gone", () => lab.programs.jobs().join() === occupant.job);
  });

  it("leaves the queue when the place is closed", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    await using occupant = await lab.programs.occupy();
    const { executor, place } = lab.open();
    const call = executor.executeBash("true").catch((error: unknown) => error);
    await until("the job to wait", () => lab.programs.jobsIn("PENDING").length === 1);
    await place.close();
    expect(await call).toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
    await until("the job to be gone", () => lab.programs.jobs().join() === occupant.job);
  });

  it("never cancels a job that another program names in its words", { timeout: LIMIT_MS }, async () => {
    const lab = get();
    await using occupant = await lab.programs.occupy();
    const folder = mkdtempSync(join(tmpdir(), "pi-srun-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const line = `srun: job ${occupant.job} queued and waiting for resources`;
    writeFileSync(join(folder, "srun"), `#!/bin/sh\necho '${line}' >&2; sleep 0.2; exit 1\n`);
    chmodSync(join(folder, "srun"), 0o755);
    const { executor } = lab.open({ env: { PATH: `${folder}:${lab.places.env["PATH"] ?? ""}` } });
    await expect(executor.executeBash("true")).rejects.toMatchObject({ code: "PI_PLACE_UNREACHABLE" });
    expect(lab.programs.jobsIn("RUNNING")).toEqual([occupant.job]);
  });
}
