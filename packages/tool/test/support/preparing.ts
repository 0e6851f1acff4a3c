/** Calls that are prepared and not run, and a policy that a test plays. */
import { Settings, type SettingsInput } from "@pi-bash/contract";
import type { Executor, SessionPlace } from "@pi-bash/executor";
import type { Authorization, AuthorizeOptions, PolicyRequest } from "@pi-bash/policy";
import type { PolicyPort } from "../../src/approvals.ts";
import { type PreparedCall, prepareCall } from "../../src/prepared-call.ts";
import type { BashToolSession } from "../../src/session.ts";
import { ALLOWS } from "./allowing.ts";
import { type PlayedScene, playedScene } from "./played-executor.ts";

export interface RecordedPolicy {
  policy: PolicyPort;
  asked: { request: PolicyRequest; options: AuthorizeOptions }[];
  /** What it was notified of: the session's key and the command. */
  observed: string[][];
}

/** A policy that keeps what it is asked, and answers so; without an answer it allows. */
export function recordedPolicy(
  answer: (request: PolicyRequest, options: AuthorizeOptions) => Partial<Authorization> = () => ({}),
): RecordedPolicy {
  const asked: RecordedPolicy["asked"] = [];
  const observed: string[][] = [];
  const policy: PolicyPort = {
    authorize: async (request, options = {}) => {
      asked.push({ request, options });
      return { behavior: "allow", by: "policy", verdict: ALLOWS, ...answer(request, options) } as Authorization;
    },
    observe: (command, key) => void observed.push([key, command]),
  };
  return { policy, asked, observed };
}

export interface Preparing extends PlayedScene {
  settings: Settings;
  prepare: (params: unknown, context?: Parameters<typeof prepareCall>[3]) => Promise<PreparedCall>;
}

/** A session whose calls are prepared. Nothing can hold one that only reads. */
export function preparing(
  given: SettingsInput = {},
  ports: Partial<BashToolSession> = {},
  executor: Partial<Executor> = {},
): Preparing {
  const settings = Settings.parse(given);
  const made = playedScene({ settings: given, executor }, ports);
  return { ...made, settings, prepare: (params, context = {}) => prepareCall(params, settings, made.session, context) };
}

/** A machine far away, on which every path is a folder. */
export function farPlace(more: Partial<SessionPlace> = {}): SessionPlace {
  return {
    name: "ssh:build7",
    cwd: "/far",
    home: "/home/far",
    stat: async (path) => ({ kind: "directory", realPath: path }),
    ...more,
  };
}
