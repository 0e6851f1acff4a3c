/** Calls that are asked about and not run. */
import { Settings, type SettingsInput } from "@pi-bash/contract";
import type { Confinement } from "@pi-bash/executor";
import type { Finding } from "@pi-bash/policy";
import { type AskedCall, type AskingOptions, approveCall } from "../../src/approvals.ts";
import type { BashToolSession } from "../../src/session.ts";
import { playedScene } from "./played-executor.ts";

/** What speaks against a call, as a test makes it up. */
export const DOUBT: Finding = { code: "d", severity: "unknown", message: "it may", span: { start: 0, end: 1 } };

export const CALL: AskedCall = {
  command: "touch x",
  original: "touch x",
  description: undefined,
  cwd: "/w",
  base: "/w",
  env: {},
  isAsync: false,
  wantsPty: false,
  unconfined: false,
};
const HELD: Confinement = { available: true, degraded: [] };

/** A session, whose calls are asked about; `order` has what happened in its order. */
export function asking(
  ports: Partial<BashToolSession> = {},
  given: SettingsInput = {},
  confinement: Confinement = HELD,
) {
  const settings = Settings.parse(given);
  const order: string[] = [];
  const { session } = playedScene(
    { settings: given, executor: { confinement: async () => confinement } },
    { cwd: "/w", hostEnv: { HOME: "/home/me", PATH: "/usr/bin" }, ...ports },
  );
  const beforeWait = async (): Promise<void> => void order.push("wait");
  return {
    settings,
    order,
    session,
    beforeWait,
    ask: (call: Partial<AskedCall> = {}, more: Partial<AskingOptions> = {}) =>
      approveCall({ ...CALL, original: call.command ?? CALL.command, ...call }, session, {
        settings,
        signal: undefined,
        beforeWait,
        ...more,
      }),
  };
}
