/**
 * A place on a cluster: one `srun`, whose job is the place and whose one step is `pi-host`.
 *
 * The job lives as long as its `srun`: Slurm ends it when `srun` ends. Where a crash takes `srun` and the process that it
 * leaves to watch it, Slurm keeps the job until its time limit, so the job ends itself when `pi-host` has heard nothing for
 * its lease. What the queue says, and why a job ended, is in `slurm-queue.ts`; a job for each session in `session-places.ts`.
 */
import { randomBytes } from "node:crypto";
import type { SlurmOptions } from "./options.ts";
import { SlurmQueue } from "./slurm-queue.ts";
import type { Transport } from "./transport.ts";

/** Longest wait in the queue, in milliseconds: an hour. */
const DEFAULT_QUEUE_MS = 3_600_000;

/** Exit status of `pi-host` after a lease that ran out (docs/place-protocol.md, Ends). */
const LEASE_STATUS = 3;

/** Variables that say how Slurm is reached, and not what a job has. */
const KEPT_VARIABLES: ReadonlySet<string> = new Set(["SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT"]);

/**
 * Words before a program that give it the environment of a login on the node. `srun` would copy the environment of this host,
 * whose paths and secrets are not the node's. The shell stays: it ends the job after a lease, and it outlives the signal that
 * Slurm sends to all processes, because the step ends with it and `pi-host` still has to send the ends of its runs.
 */
const loginWords = (jobName: string): readonly string[] => [
  "/bin/sh",
  "-c",
  [
    "pb_u=$(id -un)",
    'case $pb_u in "" | *[!A-Za-z0-9._-]*) ;; *) eval "HOME=~$pb_u"; USER=$pb_u; LOGNAME=$pb_u; export HOME USER LOGNAME ;; esac',
    'unset pb_u; trap : 1 2 15; /bin/sh -l -c \'exec "$@"\' sh "$@"',
    `pb_s=$?; if [ $pb_s = ${LEASE_STATUS} ]; then /bin/sh -l -c 'scancel --quiet --name=${jobName} "$SLURM_JOB_ID"'; fi; exit $pb_s`,
  ].join("; "),
  "sh",
];

/** A Slurm place. `sessionKey`: the one session that it is for, where it is for one. */
export function slurmTransport(options: SlurmOptions, sessionKey?: string): Transport {
  const { partition, env = {}, queueTimeoutMs = DEFAULT_QUEUE_MS, onQueue } = options;
  // A name that no other place has: what runs over there can write lines like those of `srun`, with ids of foreign jobs.
  const jobName = `pi-bash-${randomBytes(4).toString("hex")}`;
  const report = onQueue === undefined ? undefined : (text: string) => onQueue(text, sessionKey);
  const queue = new SlurmQueue({ jobName, env, queueTimeoutMs, report });
  return {
    name: partition === undefined ? "slurm" : `slurm:${partition}`,
    argv: (words) => {
      queue.begin();
      return ["srun", ...resourceWords(options, jobName), "--", ...loginWords(jobName), ...words];
    },
    environment: withoutOwnJob,
    waitMs: queueTimeoutMs,
    hearError: (line) => queue.hear(line),
    onConnected: (far) => queue.connected(far["SLURM_JOB_ID"]),
    explain: (end) => queue.explain(end),
    giveUp: () => queue.giveUp(),
  };
}

/**
 * The environment of a host that is not in a job. `srun` would make a step of the job that the host is in, and take its sizes;
 * a place is a job of its own.
 */
function withoutOwnJob(host: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (host["SLURM_JOB_ID"] === undefined && host["SLURM_JOBID"] === undefined) return host;
  const rest = Object.entries(host).filter(([name]) => !name.startsWith("SLURM_") || KEPT_VARIABLES.has(name));
  return Object.fromEntries(rest);
}

function resourceWords(options: SlurmOptions, jobName: string): string[] {
  const { partition, account, qos, time, cpus, memory, gres } = options;
  const chosen: readonly (readonly [string, string | number | undefined])[] = [
    ["--partition", partition],
    ["--account", account],
    ["--qos", qos],
    ["--time", time],
    ["--cpus-per-task", cpus],
    ["--mem", memory],
    ["--gres", gres],
  ];
  return [
    `--job-name=${jobName}`,
    "--nodes=1",
    "--ntasks=1",
    "--export=PI_HOST_CACHE",
    // `srun` reads standard input on behalf of all tasks otherwise, and there is one.
    "--input=0",
    ...chosen.filter(([, value]) => value !== undefined).map(([name, value]) => `${name}=${value}`),
  ];
}
