/** What a test asks Slurm for with its own programs: which jobs there are, a job that takes the whole node, and their ends. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { until } from "./patience.ts";

/** Slurm's programs in the environment of a lab. */
export class SlurmPrograms {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = { ...env };
  }

  /** What a program prints. Throws with its words where it fails. */
  run(program: string, ...args: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { env: this.#env, encoding: "utf8" });
    if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${String(status)}: ${stderr}`);
    return stdout;
  }

  /** Ids of the jobs that wait, run or are about to end. */
  jobs(): string[] {
    return this.run("squeue", "-h", "-o", "%i")
      .split("\n")
      .filter((id) => id !== "");
  }

  /** Ids of the jobs in a state, e.g. `PENDING`. */
  jobsIn(state: string): string[] {
    return this.run("squeue", "-h", "-t", state, "-o", "%i")
      .split("\n")
      .filter((id) => id !== "");
  }

  /** A member of what `scontrol` says of a job, e.g. `TimeLimit`. */
  memberOf(job: string, name: string): string | undefined {
    return new RegExp(`\\b${name}=(\\S+)`).exec(this.run("scontrol", "show", "job", "-o", job))?.[1];
  }

  /** Asks for a node that is down; whether it takes jobs again. It is refused while the jobs of the node are being ended. */
  resume(node: string): boolean {
    const state = this.run("sinfo", "-h", "-n", node, "-o", "%T").trim();
    if (/^down/.test(state)) {
      spawnSync("scontrol", ["update", `NodeName=${node}`, "State=RESUME"], { env: this.#env });
    }
    return state === "idle";
  }

  /** Starts a job of another owner's name that takes the whole node; resolves when it runs. */
  async occupy(): Promise<Occupant> {
    const before = new Set(this.jobs());
    const child = spawn("srun", ["--job-name=foreign", "--exclusive", "sleep", "1000"], {
      env: this.#env,
      stdio: "ignore",
    });
    let job: string | undefined;
    await until("the foreign job to run", () => {
      job = this.jobsIn("RUNNING").find((id) => !before.has(id));
      return job !== undefined;
    });
    return new Occupant(this, child, job ?? "");
  }

  /** Waits until none of `jobs` is there any more. */
  async gone(...jobs: string[]): Promise<void> {
    await until(`the jobs ${jobs.join(", ")} to be gone`, () => !this.jobs().some((id) => jobs.includes(id)), 30_000);
  }
}

/** A job that takes the whole node. */
export class Occupant {
  readonly job: string;
  readonly #programs: SlurmPrograms;
  readonly #child: ChildProcess;

  constructor(programs: SlurmPrograms, child: ChildProcess, job: string) {
    this.#programs = programs;
    this.#child = child;
    this.job = job;
  }

  /** Ends it. Fine any number of times. */
  async leave(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#programs.run("scancel", this.job);
    await exit;
    await this.#programs.gone(this.job);
  }

  /** The same as `leave`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.leave();
  }
}
