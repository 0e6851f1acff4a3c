/** What a reader is given: charts, tables and a page. */
import { describe, expect, it } from "vitest";
import type { Row } from "../src/figures.ts";
import { type Bar, chartOf } from "../src/report/chart.ts";
import { pageOf } from "../src/report/page.ts";
import { tableOf } from "../src/report/table.ts";

function bar(label: string, value: number | undefined, note = ""): Bar {
  return { label, side: "peer", note, ...(value === undefined ? {} : { value }) };
}

function widths(svg: string): number[] {
  return [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
}

const rows: Row[] = [
  { contender: "ours", side: "ours", figures: { samples: 3, best: 1, p50: 2, p90: 3, p99: 3 }, ratio: 1, note: "" },
  { contender: "a|b", side: "peer", note: "failed: <gone>" },
];

describe("a chart", () => {
  it("has bars in proportion", () => {
    const svg = chartOf("Title", [{ title: "wall", unit: "ms", bars: [bar("a", 10), bar("b", 5), bar("c", 0)] }]);
    const [a = 0, b, c] = widths(svg);

    expect(a).toBeGreaterThan(100);
    expect(b).toBeCloseTo(a / 2, 0);
    expect(c).toBe(0);
    expect(svg).not.toContain("logarithmic");
    expect(svg).not.toContain('class="step"');
  });

  it("has bars by orders of magnitude where they are far apart, and says so", () => {
    const svg = chartOf("Title", [{ title: "wall", unit: "ms", bars: [bar("a", 1), bar("b", 10), bar("c", 1000)] }]);
    const [a = 0, b = 0, c = 0] = widths(svg);

    expect(b - a).toBeCloseTo((c - b) / 2, 0);
    expect(svg).toContain("logarithmic");
    expect(svg.split('class="step"').length - 1).toBe(4);
  });

  it("tells in words what a contender lost, and that it has no figure", () => {
    const bars = [bar("a", 1, "lost up to 7 characters"), bar("b", undefined)];
    const svg = chartOf("Title", [{ title: "wall", unit: "ms", bars }]);

    expect(svg).toContain(">lost up to 7 characters<");
    expect(svg).toContain(">no figure<");
  });

  it("is well-formed whatever the texts are", () => {
    const nasty = `<a & "b">`;
    const svg = chartOf(nasty, [{ title: nasty, unit: nasty, bars: [bar(nasty, 1, nasty)] }]);
    const tags = [...svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)];
    const open: string[] = [];
    for (const [, isEnd, name = "", isEmpty] of tags) {
      if (isEnd) expect(open.pop()).toBe(name);
      else if (!isEmpty) open.push(name);
    }

    expect(open).toEqual([]);
    expect(svg).not.toContain("<a ");
    expect(svg.replaceAll(/&(?:amp|lt|gt|quot);/g, "")).not.toContain("&");
  });

  it("is as high as its panels", () => {
    const height = (count: number) =>
      Number(
        /height="(\d+)"/.exec(chartOf("T", [{ title: "t", unit: "u", bars: Array(count).fill(bar("a", 1)) }]))?.[1],
      );

    expect(height(10) - height(5)).toBe(height(5) - height(0));
  });
});

describe("a table", () => {
  it("has a line for each contender, with its note", () => {
    const [head, first, second] = tableOf("ms", rows);

    expect(head).toMatch(/^ms +best +p50 +p90 +p99 +ratio +of C$/);
    expect(first).toMatch(/^ours +1\.00 +2\.00 +3\.00 +3\.00 +1\.00 +-$/);
    expect(second).toMatch(/^a\|b +- +- +- +- +- +- {2}failed: <gone>$/);
  });
});

describe("a page", () => {
  it("has a section, a chart and escaped tables for each scenario", () => {
    const quantities = [{ key: "wall", title: "wall time", unit: "ms", rows }];
    const page = pageOf([{ name: "one", title: "One `thing`", about: "About.", quantities }], ["2 cores"]);

    expect(page).toContain("## One `thing`\n\nAbout.\n\n![One thing](one.svg)");
    expect(page).toContain("| ours | 1.00 | 2.00 | 3.00 | 3.00 | 1.00 | – |  |");
    expect(page).toContain("| a\\|b | – | – | – | – | – | – | failed: &lt;gone> |");
    expect(page).toContain("- 2 cores");
    expect(page).toContain("| of ours nothing lost, late, wrong or left alive in any scenario | nothing | met |");
  });
});
