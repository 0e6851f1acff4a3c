/** Asking whether a call may run: what a policy is asked with, and when something takes time. */
import { homedir } from "node:os";
import { createPolicy } from "@pi-bash/policy";
import { describe, expect, it } from "vitest";
import type { BashToolSession } from "../src/session.ts";
import { ALLOWS } from "./support/allowing.ts";
import { asking, DOUBT } from "./support/asking.ts";
import { farPlace, recordedPolicy } from "./support/preparing.ts";

describe("a policy", () => {
  it("is asked with all that is known of the call, and nothing else", async () => {
    const { policy, asked } = recordedPolicy();
    const { ask, beforeWait } = asking({ policy });
    expect(await ask()).toStrictEqual({ env: {}, mayOverlap: false, reading: undefined });
    expect(asked).toStrictEqual([
      {
        request: {
          command: "touch x",
          description: undefined,
          cwd: "/w",
          env: {},
          workspace: "/w",
          home: "/home/me",
          allowUnasked: [],
          doubts: [],
          askUndecidedBlocks: true,
          hold: "kernel",
          unconfined: false,
        },
        options: { sessionKey: "agent-1", signal: undefined, approve: undefined, timeoutMs: undefined, beforeWait },
      },
    ]);
  });

  it("is asked with what the settings, the host and the call say besides", async () => {
    const { policy, asked } = recordedPolicy();
    const policyContext = () => ({ mode: "auto" as const, sandboxed: true, home: "/home/other" });
    const approve = async () => ({ behavior: "allow" as const });
    const { signal } = new AbortController();
    const { ask, beforeWait } = asking(
      { policy, policyContext },
      { "bash.allowUnasked": ["open-modes"], "bash.approvalTimeoutMs": 9_000, askUndecidedBlocks: false },
    );
    const call = { original: "cd a && touch x", base: "/b", description: "Look", env: { A: "b" }, unconfined: true };
    await ask({ ...call, doubts: [DOUBT], isAsync: true }, { signal, approve });
    expect(asked).toStrictEqual([
      {
        request: {
          command: "touch x",
          original: { command: "cd a && touch x", cwd: "/b" },
          description: "Look",
          cwd: "/w",
          env: { A: "b" },
          workspace: "/w",
          home: "/home/other",
          mode: "auto",
          sandboxed: true,
          allowUnasked: ["open-modes"],
          doubts: [DOUBT],
          askUndecidedBlocks: false,
          hold: "kernel",
          unconfined: true,
        },
        options: { sessionKey: undefined, signal, approve, timeoutMs: 9_000, beforeWait },
      },
    ]);
  });

  it("is asked with what may be blocked before what else is in doubt", async () => {
    const { policy, asked } = recordedPolicy();
    await asking({ policy }, { blockedCommands: ["touch x"] }).ask({ command: 't=touch; "$t" x', doubts: [DOUBT] });
    expect(asked[0]?.request.doubts?.map(({ code }) => code)).toEqual(["blocked-command-doubt", "d"]);
  });

  it.each<[string, Partial<BashToolSession>, string, string | undefined]>([
    ["the host's", { hostEnv: { HOME: "/home/me" } }, "/home/me", undefined],
    ["this user's, of a host without one", { hostEnv: {} }, homedir(), undefined],
    ["this process's, of a host that says nothing", { hostEnv: undefined }, processHome(), undefined],
    ["the place's", { place: farPlace() }, "/home/far", "ssh:build7"],
    ["the root, of a place without one", { place: farPlace({ home: undefined }) }, "/", "ssh:build7"],
  ] as [string, Partial<BashToolSession>, string, string | undefined][])(
    "is given the home: %s",
    async (_, ports, home, place) => {
      const { policy, asked } = recordedPolicy();
      await asking({ policy, ...ports }).ask();
      expect([asked[0]?.request.home, asked[0]?.request.place]).toEqual([home, place]);
    },
  );

  it("asks the person of the session, who may know it by `this`", async () => {
    const { policy, asked } = recordedPolicy();
    const approve = async function (this: unknown) {
      return { behavior: this === session ? ("allow" as const) : ("deny" as const) };
    };
    const { session, ask } = asking({ policy, approve });
    await ask();
    const asks = asked[0]?.options.approve;
    expect(await asks?.({ command: "x" }, ALLOWS, new AbortController().signal)).toEqual({ behavior: "allow" });
  });

  it("of the host's own may take its time, and ours says when it does", async () => {
    const own = recordedPolicy(() => {
      host.order.push("asked");
      return {};
    });
    const host = asking({ policy: own.policy });
    await host.ask();
    expect(host.order).toEqual(["wait", "asked"]);

    const quick = asking({ policy: createPolicy({ allow: ["Bash(touch **)"] }) });
    await quick.ask();
    expect(quick.order).toEqual([]);
    const slow = asking({ policy: createPolicy() });
    const approve = async () => {
      slow.order.push("asked");
      return { behavior: "allow" as const };
    };
    await slow.ask({}, { approve });
    expect(slow.order).toEqual(["wait", "asked"]);
  });
});

/** What `HOME` of this process leads to. */
function processHome(): string {
  return process.env["HOME"] ?? homedir();
}
