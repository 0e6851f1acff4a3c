/**
 * `task` with `kind: "service"`: starts a service, or answers with the one of that name that runs.
 */
import { MAX_TASK_SECONDS, type ServiceTaskParams, type TaskResult } from "@pi-bash/contract";
import type { JobView } from "@pi-bash/executor";
import { checkSandbox } from "../bash-tool.ts";
import type { CallScene } from "../command-run.ts";
import { liveUpdates } from "../live-updates.ts";
import { prepareCall } from "../prepared-call.ts";
import { ToolAbortError, ToolError } from "../tool-error.ts";
import { resolveToCwd } from "../working-directory.ts";
import { answer, type TaskCall, type TaskToolResult } from "./define-tool.ts";
import { bashReport, oneLine } from "./report.ts";
import { openScope } from "./scope.ts";
import { Service } from "./service.ts";
import { type Readiness, type ReadyEnd, toReadiness } from "./service-ready.ts";
import { servicesOf } from "./service-registry.ts";
import { conflictText, endWords, seconds, serviceHead, serviceText, toTaskPorts } from "./service-report.ts";
import { toBashTaskId } from "./task-id.ts";
import { jobsOf, type TaskSession } from "./task-session.ts";
import { terminalEntry, terminalHead } from "./tty-report.ts";

type Result = TaskToolResult<TaskResult>;

/** The service of a call, and how the call came by it. */
interface Found {
  service: Service;
  isReused: boolean;
}

/** Starts or finds the service of a call, and waits until it is ready. */
export async function runServiceTask(
  session: TaskSession,
  params: ServiceTaskParams,
  task: TaskCall<unknown>,
): Promise<Result> {
  const readiness = toReadiness(params.ready);
  checkReachable(readiness, session, params);
  const askedAtMs = Date.now();
  const found = await servicesOf(jobsOf(session)).inTurn(params.name, () =>
    findOrStart(session, params, task, readiness),
  );
  const { service, isReused } = found;
  if (isReused && service.state === "ready" && params.ready === undefined) return alreadyReady(session, service);
  const stop = AbortSignal.any([task.signal, session.queuedMessage?.()].filter((one) => one !== undefined));
  const wasReady = isReused && service.state === "ready";
  const end = await service.untilReady(
    { startedAtMs: isReused ? askedAtMs : (jobOf(session, service)?.startedAtMs ?? askedAtMs), stop },
    readiness,
  );
  if (end.kind !== "ended") service.answered();
  if (task.signal?.aborted) {
    throw new ToolAbortError(`Waiting was aborted; service ${service.name} goes on as ${service.taskId}.`);
  }
  if (end.kind === "ready" && wasReady) return alreadyReady(session, service);
  return answerOf(session, service, end, readiness);
}

/** Throws where what the readiness names cannot be asked: it would never hold. */
function checkReachable({ http, port }: Readiness, { executor, place }: TaskSession, { tty }: ServiceTaskParams): void {
  if (tty === true && port !== undefined && place !== undefined) {
    throw new ToolError(
      `ready.port cannot be asked: the ports of a terminal on ${oneLine(place.name)} are not known. Use ready.log, or leave out \`tty\`.`,
    );
  }
  if (http === undefined) return;
  if (place !== undefined && http.url.protocol === "https:") {
    throw new ToolError(
      `ready.http cannot be asked: on ${oneLine(place.name)} only http is asked, not https. Use ready.port or ready.log.`,
    );
  }
  const { sandbox } = executor;
  if (sandbox === undefined || sandbox.network === true) return;
  throw new ToolError(
    "ready.http cannot be asked: commands run in a sandbox with a network of its own, which the host is not in. Use ready.port or ready.log.",
  );
}

async function findOrStart(
  session: TaskSession,
  params: ServiceTaskParams,
  task: TaskCall<unknown>,
  readiness: Readiness,
): Promise<Found> {
  const manager = jobsOf(session);
  const services = servicesOf(manager);
  const scope = await openScope(session);
  const running = services.live(params.name, scope.includes);
  const cwd = folderOf(session, params);
  if (running !== undefined && params.replace !== true) {
    const isSame = running.script === params.script && running.isOnTerminal === (params.tty === true);
    if (!isSame || running.cwd !== cwd) {
      throw new ToolError(conflictText(running, { script: params.script, cwd, isOnTerminal: params.tty === true }));
    }
    return { service: running, isReused: true };
  }
  const isTerminal = params.tty === true;
  const asked = {
    command: params.script,
    description: `service ${params.name}`,
    async: true,
    cwd: params.cwd ?? session.cwd,
  };
  const prepared = await prepareCall(asked, { ...task.settings, "async.enabled": true }, session, {
    ...task.context,
    signal: task.signal,
    isTerminal,
  });
  if (task.signal?.aborted) throw new ToolAbortError();
  checkSandbox(task.settings, session);
  const timeout = { seconds: MAX_TASK_SECONDS, milliseconds: MAX_TASK_SECONDS * 1_000 };
  const scene: CallScene = { session, context: task.context, signal: task.signal, updates: liveUpdates(undefined) };
  const service = new Service({
    params,
    call: { ...prepared, timeout },
    manager,
    scene,
    readiness,
    limits: services.limits,
  });
  if (running !== undefined && !(await running.end())) {
    throw new ToolError(
      `Service ${running.name} (${running.taskId}) could not be ended in time: something of it still runs or holds its port. Nothing was started; try again.`,
    );
  }
  await checkPort(session, params.name, readiness);
  services.add(service);
  try {
    await service.start();
  } catch (error) {
    services.remove(service);
    throw error;
  }
  return { service, isReused: false };
}

/** The folder that a call names, from the workspace on. */
function folderOf(session: TaskSession, { cwd }: ServiceTaskParams): string {
  const { place } = session;
  const home = (): string =>
    place === undefined ? (session.executor.environment().env["HOME"] ?? "/") : (place.home ?? "/");
  return resolveToCwd(cwd ?? ".", session.cwd, home);
}

/** Throws where something else has the port already: it would be taken for the service. */
async function checkPort(session: TaskSession, name: string, { port }: Readiness): Promise<void> {
  const { sandbox } = session.executor;
  // A sandbox with a network of its own has ports of its own.
  if (port === undefined || (sandbox !== undefined && sandbox.network !== true)) return;
  const holder = await session.executor.portHolder(port, session.getSessionId?.());
  if (holder === undefined) return;
  const who =
    holder.pid === undefined ? "another user's program" : `pid ${holder.pid} (${oneLine(holder.program ?? "?")})`;
  throw new ToolError(
    `Service ${name} failed: port ${port} is taken by ${who}, which is not this service. Nothing was started. End that program, or use another port.`,
  );
}

function jobOf(session: TaskSession, service: Service): JobView | undefined {
  return jobsOf(session).find(service.jobId)?.job;
}

async function factsOf(session: TaskSession, service: Service) {
  const ports = toTaskPorts(await jobsOf(session).ports(service.jobId));
  return {
    taskId: service.taskId,
    name: service.name,
    service: service.state,
    ...(service.isAssumed ? { assumed: true } : {}),
    ...(service.restarts === 0 ? {} : { restarts: service.restarts }),
    ...(ports.length === 0 ? {} : { ports }),
  };
}

async function alreadyReady(session: TaskSession, service: Service): Promise<Result> {
  const facts = await factsOf(session, service);
  const forSeconds = Math.round((Date.now() - (service.readyAtMs ?? Date.now())) / 1_000);
  const state = `already ready, for ${forSeconds} s; not started again. \`replace: true\` ends it and starts it again.`;
  return answer(serviceText(serviceHead(service.name, service.taskId, state), facts.ports ?? []), {
    status: "running",
    ...facts,
  });
}

async function answerOf(
  session: TaskSession,
  service: Service,
  end: ReadyEnd,
  { timeoutMs }: Readiness,
): Promise<Result> {
  const facts = await factsOf(session, service);
  const head = (state: string): string => serviceHead(service.name, service.taskId, state);
  const ports = facts.ports ?? [];
  switch (end.kind) {
    case "ended":
      return endedAnswer(session, service, end);
    case "ready": {
      const how = end.isAssumed ? " (assumed: no readiness was named)" : "";
      return answer(serviceText(head(`ready after ${seconds(end.afterMs)}${how}`), ports), {
        status: "running",
        ...facts,
      });
    }
    case "not_ready": {
      const note = `not ready after ${seconds(timeoutMs)}; it still runs. Not met: ${end.unmet.join("; ")}.`;
      const text = serviceText(head(note), ports, end.output);
      return { ...answer(text, { status: "running", ...facts, output: end.output, note }), isError: true };
    }
    case "waiting": {
      const entry = terminalEntry(end.terminal, false);
      const asking = terminalHead({ status: "running", taskId: service.taskId, ...entry }) ?? "";
      const text = `${head("waiting for input")}\n${asking.split("\n").slice(1).join("\n")}`;
      return answer(text, { status: "running", ...facts, ...entry });
    }
    case "interrupted": {
      const note = "Waiting was interrupted: a new message was queued. The service goes on.";
      return answer(`${serviceText(head("starting"), ports)}\n${note}`, { status: "running", ...facts, note });
    }
  }
}

async function endedAnswer(
  session: TaskSession,
  service: Service,
  { job, output }: Extract<ReadyEnd, { kind: "ended" }>,
): Promise<Result> {
  const { ports: _, ...facts } = await factsOf(session, service);
  const life = seconds((job.endedAtMs ?? job.startedAtMs) - job.startedAtMs);
  const head = serviceHead(service.name, toBashTaskId(job.id), `${endWords(job)} before it was ready, after ${life}`);
  const text = serviceText(head, [], output);
  return {
    ...answer(text, {
      status: "completed",
      ...facts,
      title: service.name,
      reportMarkdown: bashReport(toBashTaskId(job.id), job, output),
      ...(job.exitCode === undefined ? {} : { exitCode: job.exitCode }),
    }),
    isError: true,
  };
}
