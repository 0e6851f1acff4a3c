/** What a host is asked, and what it answers. */
import type { Measured } from "./measured.ts";
import type { Workload } from "./workload.ts";

/** One round of one scenario. */
export type Request =
  | { readonly kind: "first"; readonly workload: Workload }
  | { readonly kind: "latency"; readonly workload: Workload; readonly times: number; readonly forMs: number }
  | { readonly kind: "stream"; readonly workload: Workload; readonly isTimed: boolean; readonly watchesLoop: boolean }
  | { readonly kind: "stop"; readonly folder: string }
  | { readonly kind: "memory"; readonly workload: Workload }
  | { readonly kind: "background"; readonly workload: Workload }
  | { readonly kind: "many"; readonly count: number }
  | { readonly kind: "idle"; readonly count: number; readonly hasSessions: boolean };

/** From the host. */
export type Answer = { readonly kind: "ready" } | { readonly kind: "measured"; readonly measured: Measured };
