/** The registry of services, and what a model reads about one of them. */
import type { JobManager, ListeningPort } from "@pi-bash/executor";
import { describe, expect, it } from "vitest";
import type { Service } from "../../src/tasks/service.ts";
import { Services, servicesOf } from "../../src/tasks/service-registry.ts";
import {
  conflictText,
  endWords,
  gaveUpText,
  readyAgainText,
  restartedText,
  seconds,
  serviceText,
  toTaskPorts,
} from "../../src/tasks/service-report.ts";
import { RESTART_LIMITS, Restarts } from "../../src/tasks/service-restarts.ts";
import { fromBashTaskId, isBashTaskId, toBashTaskId } from "../../src/tasks/task-id.ts";
import { jobOf } from "../support/facts.ts";

/** A service as far as the registry looks at it. */
function serviceOf(name: string, more: Partial<Pick<Service, "isLive" | "owner" | "jobId">> = {}): Service {
  return { name, isLive: true, owner: "root", jobId: `job of ${name}`, ...more } as Service;
}

const everyone = (): boolean => true;

describe("the services of a host", () => {
  it("are found by name, where they live and are in scope", () => {
    const services = new Services(RESTART_LIMITS);
    const [web, db] = [serviceOf("web"), serviceOf("db", { isLive: false })];
    services.add(web);
    services.add(db);
    expect(services.live("web", everyone)).toBe(web);
    expect(services.live("db", everyone)).toBeUndefined();
    expect(services.live("mail", everyone)).toBeUndefined();
    expect(services.live("web", (owner) => owner === "another")).toBeUndefined();
  });

  it("are found by their newest job, the last of them first", () => {
    const services = new Services(RESTART_LIMITS);
    const [first, second] = [serviceOf("web", { jobId: "bg_1" }), serviceOf("web", { jobId: "bg_1" })];
    services.add(first);
    services.add(second);
    expect(services.ofJob("bg_1")).toBe(second);
    expect(services.ofJob("bg_2")).toBeUndefined();
    services.remove(second);
    expect(services.ofJob("bg_1")).toBe(first);
  });

  it("are sixteen at most that live, and ended ones do not count", () => {
    const services = new Services(RESTART_LIMITS);
    services.add(serviceOf("ended", { isLive: false }));
    for (let at = 0; at < 16; at += 1) services.add(serviceOf(`s${at}`));
    expect(() => services.add(serviceOf("more"))).toThrow(/^16 services run already: s0, s1, .*, s15\. End one/);
    expect(services.live("more", everyone)).toBeUndefined();
  });

  it("are forgotten a hundred after their end, the oldest first", () => {
    const services = new Services(RESTART_LIMITS);
    const live = serviceOf("live");
    services.add(live);
    for (let at = 0; at < 102; at += 1) services.add(serviceOf(`s${at}`, { isLive: false }));
    expect(services.ofJob("job of s0")).toBeUndefined();
    expect(services.ofJob("job of s1")).toBeDefined();
    services.add(serviceOf("new"));
    expect(services.ofJob("job of s1")).toBeUndefined();
    expect(services.ofJob("job of s2")).toBeDefined();
    expect(services.live("live", everyone)).toBe(live);
  });

  it("are looked for and started one after the other where they have one name", async () => {
    const services = new Services(RESTART_LIMITS);
    const seen: string[] = [];
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const first = services.inTurn("web", async () => {
      await gate;
      seen.push("first");
      throw new Error("it failed");
    });
    const second = services.inTurn("web", async () => seen.push("second"));
    const third = services.inTurn("web", async () => seen.push("third"));
    await services.inTurn("db", async () => seen.push("other"));
    expect(seen).toEqual(["other"]);
    go();
    await expect(first).rejects.toThrow("it failed");
    await Promise.all([second, third]);
    expect(seen).toEqual(["other", "first", "second", "third"]);
    expect(await services.inTurn("web", async () => "later")).toBe("later");
  });

  it("are those of their job manager, with the limits that were given first", () => {
    const [one, other] = [{} as JobManager, {} as JobManager];
    const limits = { ...RESTART_LIMITS, mostRestarts: 1 };
    const services = servicesOf(one, limits);
    expect(servicesOf(one)).toBe(services);
    expect(servicesOf(one).limits).toBe(limits);
    expect(servicesOf(other)).not.toBe(services);
    expect(servicesOf(other).limits).toBe(RESTART_LIMITS);
  });
});

describe("failures that count", () => {
  it("are those of the window, whose end is not in it", () => {
    const limits = { firstPauseMs: 1, longestPauseMs: 100, mostRestarts: 2, windowMs: 10 };
    const restarts = new Restarts(limits);
    expect([0, 1, 10].map((at) => restarts.pauseAfterFailure(at))).toEqual([1, 2, 2]);
    expect(restarts.pauseAfterFailure(10)).toBeUndefined();
    expect(restarts.limits).toBe(limits);
  });
});

describe("what is read about a service", () => {
  it("has seconds, never fewer than none", () => {
    expect(seconds(1_250)).toBe("1.3 s");
    expect(seconds(-5)).toBe("0.0 s");
  });

  it("has of a port what is known", () => {
    const port: ListeningPort = { port: 80, address: "::", startedAtMs: 0, isInside: false };
    expect(toTaskPorts([port, { ...port, pid: 7, program: "node", isInside: true }])).toStrictEqual([
      { port: 80, address: "::" },
      { port: 80, address: "::", pid: 7, program: "node", inside: true },
    ]);
  });

  it("has its ports and its output where there are some", () => {
    const ports = [{ port: 80, address: "127.0.0.1" }];
    expect(serviceText("head", [])).toBe("head");
    expect(serviceText("head", ports)).toBe("head\nports: 127.0.0.1:80");
    expect(serviceText("head", ports, "out\n")).toBe("head\nports: 127.0.0.1:80\n\n```\nout\n```");
    expect(serviceText("head", [], "")).toBe("head\n\n```\n(no output)\n```");
  });

  it.each([
    [{ signal: "SIGTERM", exitCode: 143, state: "cancelled" }, "was ended by SIGTERM"],
    [{ exitCode: 0, state: "completed" }, "exited with code 0"],
    [{ exitCode: 3, state: "cancelled" }, "exited with code 3"],
    [{ state: "cancelled" }, "was ended"],
    [{ state: "failed" }, "ended"],
  ] as const)("says how its job ended: %j", (more, words) => {
    expect(endWords(jobOf(more))).toBe(words);
  });

  it("says that it was started again, is ready again, or is given up", () => {
    const ended = jobOf({ startedAtMs: 1_000, endedAtMs: 3_500, exitCode: 1, state: "failed" });
    expect(restartedText("web", ended, { taskId: "bash:bg_2", restarts: 1 })).toBe(
      "Service web exited with code 1 after 2.5 s (bash:bg_1 has its output) and was started again as bash:bg_2, restart 1.",
    );
    expect(restartedText("web", jobOf(), { taskId: "bash:bg_2", restarts: 1 })).toContain("after 0.0 s");
    expect(readyAgainText("web", "bash:bg_2", 500)).toBe("Service web (bash:bg_2) is ready again after 0.5 s.");
    expect(gaveUpText("web", RESTART_LIMITS)).toMatch(
      /^Service web failed: it was started again 5 times within 10 minutes and is not started again\./,
    );
  });

  it("names both sides of a conflict, each in a line of bounded length", () => {
    const runs = { name: "web", taskId: "bash:bg_1", script: "a\nb", cwd: "/w", isOnTerminal: true };
    const asked = { script: "c".repeat(500), cwd: "/x", isOnTerminal: false };
    expect(conflictText(runs, asked)).toBe(
      `Service web (bash:bg_1) runs "a b" in /w on a terminal; you asked for "${"c".repeat(119)}…" in /x. Pass replace: true to end it first, or use another name.`,
    );
  });
});

describe("the id of a task", () => {
  it("may have blanks around it, and two hundred units", () => {
    expect(isBashTaskId("  bash:x")).toBe(true);
    expect(fromBashTaskId("bash: bg_3 ")).toBe("bg_3");
    expect(toBashTaskId(" bg_3 ")).toBe("bash:bg_3");
    expect(fromBashTaskId("x".repeat(200))).toBeUndefined();
    expect(fromBashTaskId(` ${"x".repeat(200)} `)).toBeUndefined();
    expect(() => fromBashTaskId("x".repeat(201))).toThrow("A task id is longer than 200 characters.");
    expect(() => toBashTaskId(" ")).toThrow("A task id is empty.");
    expect(() => fromBashTaskId("bash: ")).toThrow("Invalid bash taskId.");
  });
});
