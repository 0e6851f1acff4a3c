/**
 * Starts the lab that the mode `places` runs on, for all test processes of the run, and ends it after them.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type LabName, startLab } from "../support/lab.ts";
import { HOST_BINARY, LAB_VARIABLES, PLACE } from "./variables.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The lab of each place; absent: it needs none. */
const LABS: Readonly<Record<string, LabName | undefined>> = { ssh: "sshd", podman: "podman", slurm: "slurm" };

/**
 * The container sees what the tests see: their programs, their folders and their processes. What differs is the way in, its
 * mounts and its limits.
 */
const CONTAINER_SEES = ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/opt", "/root", "/tmp"];

let stop: (() => Promise<void>) | undefined;

export async function setup(): Promise<void> {
  const name = process.env[PLACE] ?? "pipe";
  process.env[PLACE] = name;
  process.env[HOST_BINARY] ??= fileURLToPath(
    new URL(`../../packages/places/bin/pi-host-linux-${process.arch}`, import.meta.url),
  );
  const lab = LABS[name];
  if (lab === undefined) return;
  const folders = [...CONTAINER_SEES.filter((folder) => existsSync(folder)), root];
  process.env["LAB_RUN_OPTIONS"] = ["--pid=host", ...folders.map((folder) => `-v ${folder}:${folder}`)].join(" ");
  process.env["LAB_INIT"] = "no";
  const started = await startLab(lab);
  stop = started.stop;
  const { variables, env } = started;
  process.env[LAB_VARIABLES] = JSON.stringify({ ...variables, PATH: env["PATH"] ?? "" });
}

export async function teardown(): Promise<void> {
  await stop?.();
}
