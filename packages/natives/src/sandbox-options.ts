/**
 * A sandbox that a caller asks for, on its way to the addon: a name that is none of ours must never mean no sandbox.
 */
import { SandboxBackend, SandboxMode, type SandboxOptions } from "@pi-bash/contract";
import { absent, checkAbsolutePath, checkObject, checkText } from "./check-option.ts";
import type { SandboxRequest } from "./generated/binding.d.ts";
import { invalidOption } from "./shell-error.ts";

/** The addon's form; absent: no sandbox. */
export function toSandboxRequest(options: SandboxOptions | undefined | null): SandboxRequest | undefined {
  if (absent(options)) return undefined;
  checkObject("sandbox", options);
  const mode = oneOf("sandbox.mode", options.mode, SandboxMode.options);
  if (mode === "full") return undefined;
  return {
    mode,
    network: flag("sandbox.network", options.network),
    ...(absent(options.backend) ? {} : { backend: oneOf("sandbox.backend", options.backend, SandboxBackend.options) }),
    writablePaths: list("sandbox.writablePaths", options.writablePaths, checkAbsolutePath),
    protectedPaths: list("sandbox.protectedPaths", options.protectedPaths, checkText),
    hiddenPaths: list("sandbox.hiddenPaths", options.hiddenPaths, checkAbsolutePath),
    allowDegraded: flag("sandbox.allowDegraded", options.allowDegraded),
  };
}

function oneOf<T extends string>(name: string, value: unknown, names: readonly T[]): T {
  const found = names.find((one) => one === value);
  if (found === undefined) throw invalidOption(name, `is \`${String(value)}\`; give one of ${names.join(", ")}`);
  return found;
}

function flag(name: string, value: unknown): boolean {
  if (absent(value)) return false;
  if (typeof value !== "boolean") throw invalidOption(name, "is neither true nor false");
  return value;
}

function list(name: string, value: unknown, check: (name: string, value: unknown) => string): string[] {
  if (absent(value)) return [];
  if (!Array.isArray(value)) throw invalidOption(name, "is no array; give a list of paths");
  return value.map((one: unknown, at) => check(`${name}[${at}]`, one));
}
