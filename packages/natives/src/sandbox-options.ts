/**
 * A sandbox that a caller asks for, on its way to the addon: a name that is none of ours must never mean no sandbox.
 */
import type { SandboxBackend, SandboxMode, SandboxNetworkRules, SandboxOptions } from "@pi-bash/contract";
import { absent, checkAbsolutePath, checkKnown, checkObject, checkText, shown } from "./check-option.ts";
import type { SandboxRequest } from "./generated/binding.d.ts";
import { invalidOption } from "./shell-error.ts";

/** Each name of a type, once: the compiler holds them to the contract's. */
type Names<T extends string> = { readonly [Name in T]: Name };

// The contract's own lists are schemas, and to load those takes twice as long as to start Node.
const MODES: Names<SandboxMode> = { "read-only": "read-only", "workspace-write": "workspace-write", full: "full" };
const BACKENDS: Names<SandboxBackend> = { bubblewrap: "bubblewrap", landlock: "landlock", seatbelt: "seatbelt" };

const NAMES: Names<keyof SandboxOptions> = {
  mode: "mode",
  network: "network",
  backend: "backend",
  writablePaths: "writablePaths",
  protectedPaths: "protectedPaths",
  hiddenPaths: "hiddenPaths",
  allowDegraded: "allowDegraded",
};

const NETWORK_NAMES: Names<keyof SandboxNetworkRules> = { allow: "allow" };

/** The addon's form; absent: no sandbox. */
export function toSandboxRequest(options: SandboxOptions | undefined | null): SandboxRequest | undefined {
  if (absent(options)) return undefined;
  checkObject("sandbox", options);
  checkKnown("sandbox", options, Object.keys(NAMES));
  const mode = oneOf("sandbox.mode", options.mode, MODES);
  if (mode === "full") return undefined;
  return {
    mode,
    ...networkOf(options.network),
    ...(absent(options.backend) ? {} : { backend: oneOf("sandbox.backend", options.backend, BACKENDS) }),
    writablePaths: list("sandbox.writablePaths", options.writablePaths, checkAbsolutePath),
    protectedPaths: list("sandbox.protectedPaths", options.protectedPaths, checkText),
    hiddenPaths: list("sandbox.hiddenPaths", options.hiddenPaths, checkAbsolutePath),
    allowDegraded: flag("sandbox.allowDegraded", options.allowDegraded),
  };
}

/** The network as the addon takes it. What a rule may be is the addon's to say. */
function networkOf(network: SandboxOptions["network"]): Pick<SandboxRequest, "network" | "networkRules"> {
  if (absent(network) || typeof network === "boolean") return { network: network ?? false };
  checkObject("sandbox.network", network);
  checkKnown("sandbox.network", network, Object.keys(NETWORK_NAMES));
  const { allow } = network;
  if (absent(allow)) throw invalidOption("sandbox.network", "has no `allow`; give a list of rules, or true or false");
  return { network: false, networkRules: list("sandbox.network.allow", allow, checkText) };
}

function oneOf<T extends string>(name: string, value: unknown, names: Names<T>): T {
  const all = Object.values<T>(names);
  const found = all.find((one) => one === value);
  if (found === undefined) throw invalidOption(name, `is \`${shown(value)}\`; give one of ${all.join(", ")}`);
  return found;
}

function flag(name: string, value: unknown): boolean {
  if (absent(value)) return false;
  if (typeof value !== "boolean") throw invalidOption(name, "is neither true nor false");
  return value;
}

function list(name: string, value: unknown, check: (name: string, value: unknown) => string): string[] {
  if (absent(value)) return [];
  if (!Array.isArray(value)) throw invalidOption(name, "is not an array; give a list of strings");
  return value.map((one: unknown, at) => check(`${name}[${at}]`, one));
}
