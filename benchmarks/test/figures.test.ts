/** What is reported of samples and of faults. */
import { describe, expect, it } from "vitest";
import type { Entry } from "../src/contenders.ts";
import { figuresOf, noteOf, rowsOf, type Series, shown } from "../src/figures.ts";

function series(name: string, side: Entry["side"], samples: number[]): Series {
  const entry: Entry = { id: name, name, kind: "pipe", runtime: "node", side, hasSessions: false };
  return { entry, samples: new Map([["wall", samples]]), rounds: [[]] };
}

describe("figures", () => {
  it("are order statistics, whatever the order of the samples", () => {
    const samples = Array.from({ length: 200 }, (_, at) => 200 - at);

    expect(figuresOf(samples)).toEqual({ samples: 200, best: 1, p50: 101, p90: 181, p99: 199 });
    expect(figuresOf([])).toBeUndefined();
  });

  it("are compared with the first row and with the limit", () => {
    const rows = rowsOf(
      [
        series("first", "ours", [4, 2]),
        series("second", "peer", [6]),
        series("none", "peer", []),
        series("C", "limit", [1]),
      ],
      "wall",
    );

    expect(rows.map(({ contender, ratio, ofLimit }) => [contender, ratio, ofLimit])).toEqual([
      ["first", 1, 0.5],
      ["second", 3, 1 / 6],
      ["none", undefined, undefined],
      ["C", 0.5, 1],
    ]);
  });

  it("are shown with the digits that matter", () => {
    expect([0.01234, 1.234, 12.34, 123.4, 12_345].map(shown)).toEqual(["0.012", "1.23", "12.3", "123", "12,345"]);
  });
});

describe("a note", () => {
  it("tells the worst of each kind of fault, and in how many rounds it was seen", () => {
    const rounds = [
      [{ kind: "lost", amount: 1200 }] as const,
      [],
      [
        { kind: "lost", amount: 7 },
        { kind: "alive", amount: 2 },
      ] as const,
    ];

    expect(noteOf(rounds)).toBe("lost up to 1,200 characters (2 of 3 rounds); left up to 2 alive (1 of 3 rounds)");
    expect(noteOf([[], []])).toBe("");
  });
});
