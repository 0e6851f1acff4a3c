/** An executor that starts nothing: it keeps what it is asked to run, and answers what the test says. */
import type { SettingsInput } from "@pi-bash/contract";
import type { CommandResult, ExecuteBashOptions, Executor } from "@pi-bash/executor";
import type { BashToolSession } from "../../src/session.ts";
import { resultOf } from "./facts.ts";
import { type Scene, scene } from "./session.ts";

/** A command that was to be run. */
export interface PlayedRun {
  command: string;
  options: ExecuteBashOptions;
}

/** What becomes of it; default: it writes `out` and ends with status 0. */
export type PlayedAnswer = (run: PlayedRun) => Promise<Partial<CommandResult>>;

export interface PlayedScene extends Scene {
  runs: PlayedRun[];
}

/** A session on such an executor; all else of it is real. */
export function playedScene(
  {
    answer,
    settings = {},
    executor = {},
  }: { answer?: PlayedAnswer; settings?: SettingsInput; executor?: Partial<Executor> } = {},
  ports: Partial<BashToolSession> = {},
): PlayedScene {
  const made = scene(settings, ports);
  const runs: PlayedRun[] = [];
  const methods: Partial<Executor> = {
    executeBash: async (command, options = {}) => {
      const run = { command, options };
      runs.push(run);
      options.onTurn?.();
      return resultOf("out\n", await answer?.(run));
    },
    confinement: async () => ({ available: false, reason: "it is played" }),
    closeSession: async () => undefined,
    secretMask: async () => undefined,
    ...executor,
  };
  const played = new Proxy(made.session.executor, {
    get: (target, name) => {
      const own = Reflect.get(methods, name) ?? Reflect.get(target, name);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
  // The tools read the session's ports at each call.
  Object.assign(made.session, { executor: played });
  return { ...made, runs };
}
