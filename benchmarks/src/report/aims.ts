/** What we want of our own figures, and whether a run has it. A scenario that was not played has no say. */
import { type Row, shown } from "../figures.ts";
import type { Played } from "../play.ts";
import type { Quantity } from "../scenario.ts";

/** An aim, beside what was measured. */
export interface Verdict {
  readonly aim: string;
  readonly measured: string;
  readonly isMet: boolean;
}

/** A bound of one of our rows. */
interface Bound {
  readonly scenario: string;
  readonly key: string;
  readonly contender: string;
  /** Which of the figures. */
  readonly figure: "best" | "p50";
  readonly most: number;
}

const CALLBACK = "pi-bash session, callback";
const WAITING = "pi-bash session, callback, waits 40 µs in the call";
const BY_HAND = "a bash driven by hand";
const OH_MY_PI = "oh-my-pi Shell";
const SINK = "pi-bash session, sink";
const TOOL = "pi-bash bash tool, artifact";
const TERMINAL = "pi-bash PtySession";

/** Most that a call of the tool may take beyond its session's: checks, decision, artifact and answer, no look at the disk. */
const TOOL_ABOVE_SESSION_MICROS = 150;

/** Bounds of single figures, each with its reason. */
const BOUNDS: readonly Bound[] = [
  // A session must feel like a function call: twice what bash and its driver take where C asks them.
  { scenario: "nothing", key: "micros", contender: CALLBACK, figure: "best", most: 30 },
  { scenario: "variable", key: "micros", contender: CALLBACK, figure: "best", most: 30 },
  { scenario: "builtin", key: "micros", contender: CALLBACK, figure: "best", most: 30 },
  { scenario: "folder", key: "micros", contender: CALLBACK, figure: "best", most: 30 },
  // As little as the best peer, which decodes no more than ASCII.
  { scenario: "lines", key: "cpu", contender: CALLBACK, figure: "best", most: 0.4 },
  { scenario: "lines", key: "cpu", contender: SINK, figure: "best", most: 0.2 },
  // Twice of that, though each character takes a decision.
  { scenario: "colour", key: "cpu", contender: CALLBACK, figure: "best", most: 0.8 },
  { scenario: "colour", key: "cpu", contender: SINK, figure: "best", most: 0.4 },
  // Less than two frames of a screen at the 99th percentile, and nothing that a person sees as a halt.
  { scenario: "loop", key: "p99", contender: CALLBACK, figure: "best", most: 10 },
  { scenario: "loop", key: "max", contender: CALLBACK, figure: "best", most: 40 },
  { scenario: "loop", key: "p99", contender: SINK, figure: "best", most: 10 },
  { scenario: "loop", key: "max", contender: SINK, figure: "best", most: 40 },
  // A gigabyte must not be seen in the host's size.
  { scenario: "memory", key: "grown", contender: CALLBACK, figure: "best", most: 64 },
  { scenario: "memory", key: "grown", contender: SINK, figure: "best", most: 32 },
];

/** A row's median beside another's in the same run. */
interface Ratio {
  readonly scenarios: readonly string[];
  readonly contender: string;
  readonly other: string;
  readonly most: number;
}

/** What a bash does by itself. */
const BUILTINS = ["nothing", "variable", "builtin", "folder"];

/** Medians beside those of peers, so that they say something on any machine. */
const RATIOS: readonly Ratio[] = [
  { scenarios: BUILTINS, contender: CALLBACK, other: OH_MY_PI, most: 0.5 },
  { scenarios: BUILTINS, contender: WAITING, other: OH_MY_PI, most: 0.25 },
  // No program asks bash for less than twenty lines of JavaScript do.
  { scenarios: BUILTINS, contender: CALLBACK, other: BY_HAND, most: 1 },
  { scenarios: ["program"], contender: CALLBACK, other: BY_HAND, most: 1.1 },
];

const SCREEN = "pi-bash PtySession and a screen";
const TASK = "pi-bash task on a terminal";

/** Most that a task on a terminal may take of the processor, as a multiple of a program on a terminal with a screen. */
const MOST_OF_SCREEN = 1.2;

/** The least share of the speed of a reader in C on a terminal. */
const LEAST_OF_LIMIT = 0.8;

/** What came of each aim that the run says something about. */
export function verdictsOf(played: readonly Played[]): Verdict[] {
  const rowsOf = (scenario: string, key: string): readonly Row[] =>
    played.find(({ name }) => name === scenario)?.quantities.find((quantity) => quantity.key === key)?.rows ?? [];
  const bounds = BOUNDS.flatMap((bound) => {
    const row = rowsOf(bound.scenario, bound.key).find(({ contender }) => contender === bound.contender);
    return row === undefined ? [] : [verdictOf(bound, row, quantityOf(played, bound))];
  });
  const ratios = RATIOS.flatMap(({ scenarios, ...ratio }) =>
    scenarios.flatMap((scenario) => ratioVerdicts(scenario, ratio, rowsOf(scenario, "micros"))),
  );
  const tool = toolVerdicts(rowsOf("builtin", "micros"));
  const terminal = [...terminalVerdicts(rowsOf("pty-lines", "wall")), ...taskVerdicts(rowsOf("pty-screen", "cpu"))];
  const flaws = played.flatMap(({ name, quantities }) =>
    (quantities[0]?.rows ?? [])
      .filter(({ side, note }) => side === "ours" && note !== "")
      .map(({ contender, note }) => `${name}, ${contender}: ${note}`),
  );
  const clean = {
    aim: "of ours nothing lost, late, wrong or left alive in any scenario",
    measured: flaws.join("; ") || "nothing",
    isMet: flaws.length === 0,
  };
  return [...bounds, ...ratios, ...tool, ...terminal, clean];
}

function verdictOf({ scenario, contender, figure, most }: Bound, { figures }: Row, quantity: Quantity): Verdict {
  const value = figures?.[figure];
  const aim = `${scenario}, ${contender}: ${quantity.title}, ${figure}, at most ${most} ${quantity.unit}`;
  if (value === undefined) return { aim, measured: "no figure", isMet: false };
  return { aim, measured: shown(value), isMet: value <= most };
}

function ratioVerdicts(
  scenario: string,
  { contender, other, most }: Omit<Ratio, "scenarios">,
  rows: readonly Row[],
): Verdict[] {
  const [ours, theirs] = [contender, other].map((name) => rows.find((row) => row.contender === name)?.figures?.p50);
  if (ours === undefined || theirs === undefined) return [];
  const aim = `${scenario}, ${contender}: p50 at most ${most} of that of ${other}`;
  return [{ aim, measured: (ours / theirs).toFixed(2), isMet: ours <= most * theirs }];
}

function toolVerdicts(rows: readonly Row[]): Verdict[] {
  const [tool, session] = [TOOL, SINK].map((name) => rows.find(({ contender }) => contender === name)?.figures?.p50);
  if (tool === undefined || session === undefined) return [];
  const above = tool - session;
  return [
    {
      aim: `builtin, ${TOOL}: p50 at most ${TOOL_ABOVE_SESSION_MICROS} µs above that of ${SINK}`,
      measured: shown(above),
      isMet: above <= TOOL_ABOVE_SESSION_MICROS,
    },
  ];
}

function taskVerdicts(rows: readonly Row[]): Verdict[] {
  const [task, screen] = [TASK, SCREEN].map((name) => rows.find(({ contender }) => contender === name)?.figures?.best);
  if (task === undefined || screen === undefined) return [];
  const aim = `pty-screen, ${TASK}: at most ${MOST_OF_SCREEN} of the processor time of ${SCREEN}`;
  return [{ aim, measured: (task / screen).toFixed(2), isMet: task <= MOST_OF_SCREEN * screen }];
}

function terminalVerdicts(rows: readonly Row[]): Verdict[] {
  const ours = rows.find(({ contender }) => contender === TERMINAL);
  const best = ours?.figures?.best;
  if (ours === undefined || best === undefined) return [];
  const peers = rows.filter(({ side, figures }) => side === "peer" && figures !== undefined);
  const ahead = peers.filter(({ figures }) => figures !== undefined && figures.best < best);
  const share = ours.ofLimit;
  return [
    ...(share === undefined
      ? []
      : [
          {
            aim: `pty-lines, ${TERMINAL}: at least ${LEAST_OF_LIMIT} of a reader in C`,
            measured: share.toFixed(2),
            isMet: share >= LEAST_OF_LIMIT,
          },
        ]),
    ...(peers.length === 0
      ? []
      : [
          {
            aim: `pty-lines, ${TERMINAL}: faster than every peer`,
            measured: ahead.length === 0 ? "none is faster" : `faster: ${ahead.map((row) => row.contender).join(", ")}`,
            isMet: ahead.length === 0,
          },
        ]),
  ];
}

function quantityOf(played: readonly Played[], { scenario, key }: Bound): Quantity {
  const quantities = played.find(({ name }) => name === scenario)?.quantities;
  return quantities?.find((quantity) => quantity.key === key) ?? { key, title: key, unit: "" };
}
