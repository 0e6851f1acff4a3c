/** What a result says once: a lost rc, rule files, a missing mask, withheld names, a copy, a state that was lost. */
import { describe, expect, it } from "vitest";
import { type CommandResult, neverStarted } from "../src/command-result.ts";
import type { OutputMask } from "../src/natives-port.ts";
import { Secrets } from "../src/secrets.ts";
import { SessionNews } from "../src/session-news.ts";
import type { Lease } from "../src/sessions/session-pool.ts";
import type { SnapshotOutcome } from "../src/snapshot/snapshot.ts";

const PLAIN = neverStarted();
const MASK = {} as OutputMask;
type RunFacts = Parameters<SessionNews["addTo"]>[1];

function newsOf(masks = false): SessionNews {
  const settings = {
    "secrets.mask": masks,
    "secrets.names": [],
    "secrets.allow": [],
    "bash.environment.withhold": "provider" as const,
    "bash.environment.allow": [],
  };
  return new SessionNews(new Secrets({ settings, hostEnv: {}, natives: undefined }));
}

/** A run of the session "a" in its own shell, with nothing to say. */
function run(more: Partial<Omit<RunFacts, "lease">> & { lease?: Partial<Lease>; withheld?: string[] } = {}): RunFacts {
  const { lease, withheld = [], ...rest } = more;
  return {
    key: "a",
    lease: { turn: "own", isReset: false, ...lease } as Lease,
    snapshot: { kind: "none" },
    environment: { env: {}, stripped: [], withheld: withheld.map((name) => ({ name, reason: "name" })) },
    mask: undefined,
    ...rest,
  };
}
const notices = (result: CommandResult) => result.notices?.map(({ kind, text }) => `${kind}: ${text}`);

describe("a result", () => {
  it("is as it was where there is nothing to say", () => {
    expect(newsOf().addTo(PLAIN, run())).toStrictEqual(PLAIN);
    const outcome: SnapshotOutcome = { kind: "ready", path: "/x" };
    expect(newsOf().addTo(PLAIN, run({ snapshot: outcome }))).toStrictEqual(PLAIN);
  });

  it("says of each run that it ran in a copy, or lost the state of its session", () => {
    const news = newsOf();
    for (let turn = 0; turn < 2; turn += 1) {
      expect(news.addTo(PLAIN, run({ lease: { turn: "clone" } }))).toStrictEqual({ ...PLAIN, isIsolated: true });
      expect(news.addTo(PLAIN, run({ lease: { isReset: true } }))).toStrictEqual({ ...PLAIN, sessionReset: true });
    }
  });

  it("says once that the rc was lost, whichever session it is", () => {
    const news = newsOf();
    const snapshot: SnapshotOutcome = { kind: "failed", reason: "it hung" };
    const said = ["a", "a", "b"].map((key) => news.addTo(PLAIN, run({ key, snapshot })));

    expect(said.map(notices)).toEqual([
      ["snapshot: Functions and aliases of the user's shell are not loaded: it hung"],
      undefined,
      undefined,
    ]);
    expect(said[1]).toStrictEqual(PLAIN);
  });

  it("says what is wrong with rule files once, each in its order, after what it said itself", () => {
    const news = newsOf();
    news.tellProblems(["first", "second"]);
    const own: CommandResult = { ...PLAIN, notices: [{ kind: "place", text: "away" }] };
    const snapshot: SnapshotOutcome = { kind: "failed", reason: "it hung" };

    expect(notices(news.addTo(own, run({ snapshot })))).toEqual([
      "place: away",
      "snapshot: Functions and aliases of the user's shell are not loaded: it hung",
      "minimizer: first",
      "minimizer: second",
    ]);
    expect(own.notices).toHaveLength(1);
    expect(news.addTo(PLAIN, run())).toStrictEqual(PLAIN);
  });

  it("says once that nothing is masked, where something was to be", () => {
    expect(newsOf(true).addTo(PLAIN, run({ mask: MASK }))).toStrictEqual(PLAIN);
    const news = newsOf(true);
    expect(notices(news.addTo(PLAIN, run()))).toEqual([expect.stringContaining("secrets: Secrets in outputs")]);
    expect(news.addTo(PLAIN, run())).toStrictEqual(PLAIN);
  });
});

describe("names that were withheld", () => {
  it("are said once to each session, and to none where there are none", () => {
    const news = newsOf();
    const said = ["a", "a", "b", "b"].map((key) => news.addTo(PLAIN, run({ key, withheld: ["X", "Y"] })));
    expect(said.map(({ withheldNames }) => withheldNames)).toEqual([["X", "Y"], undefined, ["X", "Y"], undefined]);
    expect(said[1]).toStrictEqual(PLAIN);

    expect(news.addTo(PLAIN, run({ key: "c" }))).toStrictEqual(PLAIN);
    // A session that had none to hear of has them still to come.
    expect(news.addTo(PLAIN, run({ key: "c", withheld: ["X"] })).withheldNames).toEqual(["X"]);
  });

  it("are said again to sessions beyond the first 4,096, which are not remembered", () => {
    const news = newsOf();
    const isSaid = (key: string) => "withheldNames" in news.addTo(PLAIN, run({ key, withheld: ["X"] }));
    for (let at = 0; at < 4_096; at += 1) isSaid(`k${at}`);

    expect([isSaid("k0"), isSaid("k4095")]).toEqual([false, false]);
    expect([isSaid("more"), isSaid("more")]).toEqual([true, true]);
  });
});
