/**
 * Places of the labs, each with the `pi-host` of this checkout, and what a test needs to know of the machine behind them. All
 * labs are on this machine, so that its process list shows what is left over there.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { command, container, type RemotePlace, slurm, ssh } from "@pi-bash/places";
import { absenceOfLab, type Lab, type LabName, startLab } from "./lab.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const TARGETS: Readonly<Record<string, string>> = {
  x64: "x86_64-unknown-linux-musl",
  arm64: "aarch64-unknown-linux-musl",
};

/** Kinds of places that a test can have. `command` needs no lab: it is this machine behind a stream. */
export type PlaceKind = "command" | LabName;

/** The static `pi-host` for this machine, where it was built; undefined otherwise. */
export function hostBinary(): string | undefined {
  const target = TARGETS[process.arch] ?? "";
  return [
    process.env["PI_HOST_BINARY"],
    join(root, "packages/places/bin", `pi-host-linux-${process.arch}`),
    join(root, "target", target, "release/pi-host"),
  ].find((path) => path !== undefined && path !== "" && existsSync(path));
}

/** Why a kind of place cannot be had here; undefined when it can. */
export function absenceOfPlace(kind: PlaceKind): string | undefined {
  if (process.platform !== "linux") return "no Linux";
  if (hostBinary() === undefined) return "no static pi-host was built (`node scripts/build-host.mjs`)";
  return kind === "command" ? undefined : absenceOfLab(kind);
}

/** How a connection is made. */
export interface PlaceOptions {
  /** Silence that ends it, in milliseconds. */
  leaseMs?: number;
  /** Time for it to stand, in milliseconds. */
  connectMs?: number;
  /** What a cut means. */
  onCut?: "end" | { keepMs: number };
  /** While this file is there, no connection comes to stand: its text is the program's last words. Of `command` and `sshd`. */
  gate?: string;
}

/** A lab, or this machine, with places on it. */
export interface TestPlaces {
  /** Another connection each time. */
  make(options?: PlaceOptions): RemotePlace;
  /** What every place of this kind is made with: its `pi-host`, and the variables of the program that carries it. */
  readonly common: { readonly hostBinary?: string; readonly env: Record<string, string> };
  /** The environment to call the lab's programs with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  stop(): Promise<void>;
}

/** Starts what a kind of place needs. It must be stopped, in `afterAll`. */
export async function startPlaces(kind: PlaceKind): Promise<TestPlaces> {
  const own = hostBinary();
  const binary = own === undefined ? {} : { hostBinary: own };
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-places-")));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  if (kind === "command") {
    const env = { HOME: folder, PI_HOST_CACHE: join(folder, "cache") };
    const make: TestPlaces["make"] = ({ gate, ...options } = {}) =>
      command([...gated(gate), "env"], { name: "command:env", workspace: folder, env, ...binary, ...options });
    return { make, common: { ...binary, env }, env: process.env, stop: async () => remove() };
  }
  const lab = await startLab(kind);
  const stop = async (): Promise<void> => {
    await lab.stop();
    remove();
  };
  const common = { ...binary, env: { ...lab.env, PI_HOST_CACHE: join(lab.folder, "cache") } };
  return { make: (options) => placeOn(lab, kind, { ...common, ...options }), common, env: lab.env, stop };
}

function placeOn(
  lab: Lab,
  kind: LabName,
  options: PlaceOptions & { hostBinary?: string; env: Record<string, string> },
): RemotePlace {
  const { gate, ...rest } = options;
  switch (kind) {
    case "sshd": {
      const [, , configFile = ""] = lab.argv;
      const setEnv = `SetEnv=PI_HOST_CACHE=${options.env["PI_HOST_CACHE"] ?? ""}`;
      return ssh("lab", { configFile, options: [setEnv], ...rest, program: [...gated(gate), "ssh"] });
    }
    case "podman": {
      const program = lab.argv.slice(0, lab.argv.indexOf("exec"));
      return container({ runtime: "podman", name: "lab", program, ...rest });
    }
    case "slurm":
      return slurm(rest);
  }
}

/** Words before a program that fail while the file is there, and become the program otherwise. */
function gated(gate: string | undefined): string[] {
  if (gate === undefined) return [];
  return ["sh", "-c", '[ -e "$0" ] || exec "$@"; cat "$0" >&2; exit 255', gate];
}

/** Ids of processes of this machine whose command line has `text` in it. */
export function processesWith(text: string): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  return pids.filter((pid) => read(`/proc/${pid}/cmdline`).includes(text)).map(Number);
}

/** Name of the program that a process runs, as far as the system keeps it: 15 bytes. Empty: it ended. */
export function programOf(pid: number): string {
  return read(`/proc/${pid}/comm`).trim();
}

/** Ids of the children of a process; by default of this one. */
export function childrenOf(pid: number = process.pid): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(" "))
    .filter((each) => each !== "")
    .map(Number);
}

/** Ids of the processes below this one. */
export function descendants(pid: number = process.pid): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...(existsSync(`/proc/${child}/task`) ? descendants(child) : [])]);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; // It ended meanwhile.
  }
}
