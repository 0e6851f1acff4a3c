/**
 * The sandbox that something ran in, as results say it, from the addon's form.
 */
import type { SandboxReport } from "@pi-bash/contract";
import type { SandboxFacts } from "./generated/binding.d.ts";

/** The public form: the network is one value, and not a switch beside a list. */
export function toSandboxReport({ network, networkRules, refused, ...rest }: SandboxFacts): SandboxReport {
  return {
    ...rest,
    network: networkRules === undefined ? network : { allow: networkRules },
    ...(refused === undefined ? {} : { networkRefusals: refused }),
  };
}
