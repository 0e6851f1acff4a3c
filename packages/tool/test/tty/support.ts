/**
 * A task on a terminal as a model has it: started, typed to, read.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SettingsInput, TaskAwaitEntry, TaskResult } from "@pi-bash/contract";
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { textOf } from "../support/session.ts";
import { type TaskScene, taskScene } from "../support/tasks.ts";

/** Variables for git without a person's own configuration. */
const GIT = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@example.org",
  GIT_CONFIG_GLOBAL: "/dev/null",
} as const;

/** As bash text: variables for a command. */
export const gitEnv = Object.entries(GIT)
  .map(([name, value]) => `export ${name}=${value};`)
  .join(" ");

/** What a call of `task` or `task_send` answered. */
export interface Reading {
  taskId: string;
  text: string;
  details: TaskResult | TaskAwaitEntry;
  waiting: Extract<TaskAwaitEntry, { status: "running" }>["waiting"];
  screen: Extract<TaskAwaitEntry, { status: "running" }>["screen"];
  /** Milliseconds that the call took. */
  tookMs: number;
}

export interface TtyScene extends TaskScene {
  /** Starts a command on a terminal. */
  open: (script: string, more?: object) => Promise<Reading>;
  /** Types to a task. */
  send: (taskId: string, params: object) => Promise<Reading>;
  /** A file in the workspace. */
  write: (name: string, text: string) => void;
}

/** A scene whose tasks may have terminals. */
export async function ttyScene(settings: SettingsInput = {}, ports: Partial<TaskSession> = {}): Promise<TtyScene> {
  return withTerminals(await taskScene(settings, ports));
}

/** The same for a scene that there is. */
export function withTerminals(scene: TaskScene): TtyScene {
  return {
    ...scene,
    open: async (script, more = {}) => {
      const from = performance.now();
      const result = await scene.run(script, { tty: true, ...more });
      return answered(textOf(result), result.details, from);
    },
    send: async (taskId, params) => {
      const from = performance.now();
      const result = await scene.tools.task_send.execute("call", { task_id: taskId, ...params });
      return answered(textOf(result), result.details.result, from);
    },
    write: (name, text) => {
      const path = join(scene.folder, name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, text);
    },
  };
}

function answered(text: string, details: Reading["details"], from: number): Reading {
  const running = details.status === "running" ? details : undefined;
  return {
    taskId: details.taskId ?? "",
    text,
    details,
    waiting: running?.waiting,
    screen: running?.screen,
    tookMs: performance.now() - from,
  };
}
