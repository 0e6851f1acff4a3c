/** A session with task tools over jobs without a process, and agents that the test plays. */
import type { TaskSession } from "../../src/tasks/task-session.ts";
import { playJob } from "./played-jobs.ts";
import { textOf } from "./session.ts";
import { PlayedAgents, taskScene } from "./tasks.ts";

/** A scene of the workspace `agent-1`, whose agents the test plays. */
export async function desk(settings: object = {}, ports: Partial<TaskSession> = {}) {
  const agentTasks = new PlayedAgents();
  const scene = await taskScene(settings, { agentTasks, ...ports });
  const text = async (tool: "task_list" | "task_terminate" | "task_await", params: object) =>
    textOf(await scene.tools[tool].execute("call", params));
  return { ...scene, agentTasks, text, play: (more = {}) => playJob(scene.manager, more) };
}
