/**
 * A service that is killed as often as it is started, until it has failed: for a test with short pauses, and for the soak with the
 * real ones.
 */
import { expect } from "vitest";
import { freePort } from "../../../../test/support/ports.ts";
import { servicesOf } from "../../src/tasks/service-registry.ts";
import type { RestartLimits } from "../../src/tasks/service-restarts.ts";
import { httpServer, service } from "./services.ts";
import { until } from "./session.ts";
import { taskScene } from "./tasks.ts";

/** Kills it `mostRestarts + 1` times. Pauses from each kill to the next start, in milliseconds. */
export async function killUntilFailed(limits: RestartLimits): Promise<number[]> {
  const scene = await taskScene();
  servicesOf(scene.manager, limits);
  const got = scene.delivered("agent-1");
  const delivered = () => got.map(({ text }) => text).join("\n");
  const port = await freePort();
  const call = { script: httpServer(port), ready: { port }, restart: "on-failure" };
  await service(scene, call);
  const pauses: number[] = [];
  for (let restarts = 1; restarts <= limits.mostRestarts; restarts += 1) {
    const killedAtMs = await killOnly();
    const taskId = `bash:bg_${restarts + 1}`;
    await until(async () => (await scene.list()).some((task) => task.taskId === taskId), `${taskId} to be started`);
    pauses.push(Date.now() - killedAtMs);
    await until(
      () => delivered().includes(`Service web (${taskId}) is ready again after `),
      `${taskId} to be ready again`,
    );
    expect(delivered()).toMatch(
      new RegExp(
        `Service web was ended by SIGKILL after .* s \\(bash:bg_${restarts} has its output\\) and was started again as ${taskId}, restart ${restarts}\\.`,
      ),
    );
    expect(await scene.list()).toMatchObject([{ taskId, service: "ready", restarts }]);
  }
  expect(delivered()).not.toContain("failed");
  await killOnly();
  await until(
    () => delivered().includes("Service web failed: it was started again 5 times within 10 minutes"),
    "it to fail",
  );
  expect(await scene.list()).toEqual([]);
  expect(await scene.list({ statuses: ["reported"] })).toContainEqual(
    expect.objectContaining({ taskId: "bash:bg_6", service: "failed" }),
  );
  // Its name is free for a start that its agent asks for, and failures are counted from there.
  expect((await service(scene, call)).details).toMatchObject({ taskId: "bash:bg_7", service: "ready" });
  return pauses;

  /** Kills what listens; when, in milliseconds since the Unix epoch. */
  async function killOnly(): Promise<number> {
    const pid = (await scene.list())[0]?.ports?.[0]?.pid;
    if (pid === undefined) throw new Error("the service listens on nothing");
    process.kill(pid, "SIGKILL");
    return Date.now();
  }
}
