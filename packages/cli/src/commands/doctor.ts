/**
 * `pi-bash doctor`: what works on this machine, what is missing and how to get it.
 *
 * Nothing is believed: the shell that is reported is one that has just run a command, ended by the engine itself.
 */
import { release } from "node:os";
import type { RemotePlace } from "@pi-bash/places";
import { isNodeSupported, LEAST_NODE } from "../least-node.ts";
import { parseOptionWords } from "../option-words.ts";
import { parsePlace } from "../place-option.ts";
import { DOCTOR_OPTIONS } from "../surface/options.ts";
import { ownVersion } from "../version.ts";

/** One thing that was looked at. */
export interface Finding {
  /** What it is, e.g. `bash`. */
  name: string;
  /** `missing` makes the engine unusable; `limited` takes something away. */
  state: "ok" | "limited" | "missing";
  /** What was found. */
  found: string;
  /** What to do, where something is not as it should be. */
  remedy?: string;
}

/** Long enough for a slow disk's first start of bash; a shell that does not answer by then is one that hangs. */
const PROBE_TIMEOUT_MS = 20_000;

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

async function probeShell(natives: Pick<typeof import("@pi-bash/natives"), "executeShell">): Promise<Finding> {
  const command = 'printf "%s %s" "$BASH" "$BASH_VERSION"';
  try {
    const result = await natives.executeShell({ command, timeoutMs: PROBE_TIMEOUT_MS, sink: {} });
    const answer = result.output?.text ?? "";
    if (result.exitCode === 0 && answer !== "") return { name: "bash", state: "ok", found: answer };
    const remedy = "look at what the shell runs at its start; `BASH_ENV` and a wrapper script are the usual causes";
    return { name: "bash", state: "missing", found: `gave no answer (${answer || "no output"})`, remedy };
  } catch (error) {
    const remedy = "install bash with the system's package manager, e.g. `apt-get install bash` or `brew install bash`";
    return { name: "bash", state: "missing", found: text(error), remedy };
  }
}

/** What sessions do without the driver. */
const WITHOUT_DRIVER =
  "each command has a bash of its own, which begins with the state of the one before: slower, without jobs and open descriptors";

/** After a shell was probed, which tries the driver. */
function driverFindings({ state, path, reason }: ReturnType<typeof import("@pi-bash/natives").driverInfo>): Finding[] {
  if (process.platform !== "linux") return [];
  const name = "bash driver";
  if (state === "fits" && path !== undefined) return [{ name, state: "ok", found: path }];
  const why = reason ?? "for no reason that is known";
  const limited = (found: string, remedy: string): Finding[] => [{ name, state: "limited", found, remedy }];
  if (state === "absent") return limited(why, `install \`@pi-bash/bash-driver\`; without it ${WITHOUT_DRIVER}`);
  // The probe's shell was not given it.
  if (state === "untried") return limited(`${path} is not used`, `is \`PI_BASH_SESSION\` set? Then ${WITHOUT_DRIVER}`);
  return limited(why, WITHOUT_DRIVER);
}

/** Whether the kernel holds commands that are allowed because they only read: tried, not believed. */
async function readOnlyFinding(
  natives: Pick<typeof import("@pi-bash/natives"), "executeShell" | "capabilities">,
): Promise<Finding> {
  const name = "read-only commands";
  const limited = (found: string): Finding => ({ name, state: "limited", found, remedy: WITHOUT_CONFINEMENT });
  const { available, reason = "this system cannot confine a command" } = natives.capabilities().readOnly;
  if (!available) return limited(`not held: ${reason}`);
  try {
    const run = { command: ":", readOnly: true, timeoutMs: PROBE_TIMEOUT_MS };
    const { readOnly } = await natives.executeShell(run);
    const degraded = readOnly?.degraded ?? [];
    if (readOnly === undefined) return limited("not held: the attempt did not end");
    if (degraded.length > 0) return limited(`held by the kernel, except for: ${degraded.join(", ")}`);
    return { name, state: "ok", found: "the kernel keeps them from everything but reading" };
  } catch (error) {
    return limited(`not held: ${text(error)}`);
  }
}

/** What a policy does then. */
const WITHOUT_CONFINEMENT =
  "a newer kernel (Linux 6.12) and the bash driver hold all of it; what is not held rests on the policy's tables alone, and more commands ask";

function capabilityFindings(capabilities: ReturnType<typeof import("@pi-bash/natives").capabilities>): Finding[] {
  const limited = (name: string, works: boolean, found: string, without: string): Finding =>
    works ? { name, state: "ok", found } : { name, state: "limited", found: "not here", remedy: without };
  return [
    limited(
      "persistent session",
      capabilities.session === "persistent",
      "one bash keeps its state between commands",
      "each command has a bash of its own, without jobs and open descriptors; one that is kept needs Linux, /proc and the bash driver",
    ),
    limited(
      "supervisor",
      capabilities.supervisor,
      "ends everything a session started, also when the host is killed",
      "build it with `npm run build:native`; it belongs beside the addon",
    ),
    limited(
      "copy of a session",
      capabilities.clone,
      "read-only commands can run at the same time",
      "commands of a session run one after another",
    ),
    limited("pseudoterminal", capabilities.pty, "programs can have a terminal", "commands run without a terminal"),
    limited(
      "sandbox",
      capabilities.sandbox.length > 0,
      capabilities.sandbox.join(", "),
      "commands have all rights of this user",
    ),
  ];
}

/** What there is to say of a version of Node. */
export function nodeFinding(version: string): Finding {
  const found = `${version} (${process.platform} ${process.arch}, ${release()})`;
  if (isNodeSupported(version)) return { name: "node", state: "ok", found };
  const remedy = `install Node ${LEAST_NODE.major}.${LEAST_NODE.minor} or newer (https://nodejs.org)`;
  return { name: "node", state: "missing", found: `${found} is too old`, remedy };
}

/** Looks at everything; never rejects. */
export async function examine(): Promise<Finding[]> {
  const findings: Finding[] = [{ name: "pi-bash", state: "ok", found: ownVersion() }, nodeFinding(process.version)];
  try {
    const natives = await import("@pi-bash/natives");
    const addon = natives.addonInfo();
    findings.push({ name: "addon", state: "ok", found: `${addon.version} for ${addon.target}, ${addon.path}` });
    // First: a session that was started shows whether the driver fits, which decides how sessions keep their state.
    findings.push(await probeShell(natives));
    findings.push(...driverFindings(natives.driverInfo()), ...capabilityFindings(natives.capabilities()));
    findings.push(await readOnlyFinding(natives));
  } catch (error) {
    const remedy = "in a checkout: install Rust (https://rustup.rs), then `npm run build`";
    findings.push({ name: "addon", state: "missing", found: text(error), remedy });
  }
  return findings;
}

/** Looks at a place: whether it can be reached, what runs there, what it can hold. Never rejects. */
async function examinePlace(place: RemotePlace): Promise<Finding[]> {
  const findings: Finding[] = [{ name: "pi-bash", state: "ok", found: ownVersion() }];
  try {
    const began = performance.now();
    const { facts, natives } = await place.open();
    const took = Math.round(performance.now() - began);
    const { host, user = "?", os, arch, version, folder, freeBytes } = facts;
    findings.push({ name: "place", state: "ok", found: `${place.name}: ${user} on ${host}, connected in ${took} ms` });
    findings.push({ name: "pi-host", state: "ok", found: `${version} for ${os} ${arch}, its files in ${folder}` });
    if (freeBytes !== undefined) findings.push(spaceFinding(freeBytes, folder));
    findings.push(await probeShell(natives), ...capabilityFindings(facts.capabilities));
    findings.push(await readOnlyFinding(natives));
  } catch (error) {
    const remedy = "docs/places.md has what each kind of place needs, and what its failures mean";
    findings.push({ name: "place", state: "missing", found: text(error), remedy });
  } finally {
    await place.close();
  }
  return findings;
}

/** Below this, in bytes, outputs of commands may not fit. */
const LITTLE_SPACE_BYTES = 256 * 1024 ** 2;

function spaceFinding(freeBytes: number, folder: string): Finding {
  const found = `${Math.floor(freeBytes / 1024 ** 2)} MiB free at ${folder}`;
  if (freeBytes >= LITTLE_SPACE_BYTES) return { name: "space", state: "ok", found };
  return { name: "space", state: "limited", found, remedy: "make room, or set PI_HOST_CACHE there to another folder" };
}

const MARKS = { ok: "ok     ", limited: "limited", missing: "MISSING" } as const;

/** Runs the words after `doctor`; the exit status is 1 when something that is needed is missing. */
export async function doctor(words: readonly string[]): Promise<number> {
  const { asJson, on } = parseDoctorArguments(words);
  const findings = on === undefined ? await examine() : await examinePlace(on);
  if (asJson) {
    process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  } else {
    for (const { name, state, found, remedy } of findings) {
      process.stdout.write(`${MARKS[state]}  ${name.padEnd(18)}  ${found}\n`);
      if (remedy !== undefined) process.stdout.write(`${" ".repeat(29)}${remedy}\n`);
    }
  }
  return findings.some(({ state }) => state === "missing") ? 1 : 0;
}

function parseDoctorArguments(words: readonly string[]): { asJson: boolean; on: RemotePlace | undefined } {
  const { values } = parseOptionWords({ args: [...words], options: DOCTOR_OPTIONS });
  return { asJson: values.json, on: values.on === undefined ? undefined : parsePlace(values.on) };
}
