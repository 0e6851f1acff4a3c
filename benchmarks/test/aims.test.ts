/** Aims are met or missed by the figures, and by nothing else. */
import { describe, expect, it } from "vitest";
import type { Row } from "../src/figures.ts";
import type { Played } from "../src/play.ts";
import { verdictsOf } from "../src/report/aims.ts";

function row(contender: string, best: number, more: Partial<Row> = {}): Row {
  return { contender, side: "ours", figures: { samples: 1, best, p50: best, p90: best, p99: best }, note: "", ...more };
}

function played(name: string, key: string, rows: Row[]): Played {
  return { name, title: name, about: "", quantities: [{ key, title: key, unit: "ms", rows }] };
}

describe("aims", () => {
  it("are met by figures up to the bound, and missed above it", () => {
    const verdicts = (best: number) => verdictsOf([played("loop", "max", [row("pi-bash session, sink", best)])]);

    expect(verdicts(40)[0]).toMatchObject({ measured: "40.0", isMet: true });
    expect(verdicts(41)[0]).toMatchObject({ measured: "41.0", isMet: false });
  });

  it("are missed without a figure", () => {
    const without: Row = { contender: "pi-bash session, sink", side: "ours", note: "failed: x (1 of 1 rounds)" };

    expect(verdictsOf([played("loop", "max", [without])]).map(({ isMet }) => isMet)).toEqual([false, false]);
  });

  it("have nothing to say of scenarios that were not played", () => {
    expect(verdictsOf([]).map(({ aim }) => aim)).toEqual([
      "of ours nothing lost, late, wrong or left alive in any scenario",
    ]);
  });

  it("name the peers that are faster on a terminal, and the share of the limit", () => {
    const rows = [
      row("pi-bash PtySession", 20, { ofLimit: 0.75 }),
      row("slow", 30, { side: "peer" }),
      row("fast", 10, { side: "peer" }),
    ];
    const [limit, peers] = verdictsOf([played("pty-lines", "wall", rows)]);

    expect(limit).toMatchObject({ measured: "0.75", isMet: false });
    expect(peers).toMatchObject({ measured: "faster: fast", isMet: false });
  });

  it("hold the tool to its session in the same run", () => {
    const verdicts = (tool: number) =>
      verdictsOf([
        played("builtin", "micros", [row("pi-bash session, sink", 80), row("pi-bash bash tool, artifact", tool)]),
      ]);

    expect(verdicts(230).at(-2)).toMatchObject({ measured: "150", isMet: true });
    expect(verdicts(231).at(-2)).toMatchObject({ measured: "151", isMet: false });
  });

  it("hold a session's median to a peer's in the same run, and say nothing where the peer is not there", () => {
    const verdicts = (ours: number, peer: string) =>
      verdictsOf([
        played("nothing", "micros", [row("pi-bash session, callback", ours), row(peer, 100, { side: "peer" })]),
      ]);

    expect(verdicts(50, "oh-my-pi Shell")[1]).toMatchObject({ measured: "0.50", isMet: true });
    expect(verdicts(51, "oh-my-pi Shell")[1]).toMatchObject({ measured: "0.51", isMet: false });
    expect(verdicts(100, "a bash driven by hand")[1]).toMatchObject({ measured: "1.00", isMet: true });
    expect(verdicts(101, "a bash driven by hand")[1]).toMatchObject({ measured: "1.01", isMet: false });
    expect(verdicts(101, "another")).toHaveLength(2);
  });

  it("are missed where something of ours was not as it should be, and not for a peer's sake", () => {
    const lossy = (side: Row["side"]) => verdictsOf([played("x", "wall", [row("it", 1, { side, note: "lost it" })])]);

    expect(lossy("ours")).toMatchObject([{ measured: "x, it: lost it", isMet: false }]);
    expect(lossy("peer")).toMatchObject([{ measured: "nothing", isMet: true }]);
  });
});
