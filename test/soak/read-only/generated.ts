/**
 * Generated lines as read-only commands: the kernel alone keeps them from changing anything, since every one of them is
 * called read-only here. A part of the same lines without shows that they would.
 */
import type { Case } from "../../../packages/policy/test/differential/case.ts";
import { subjectsHere } from "../../../packages/policy/test/differential/findings.ts";
import {
  everyNth,
  randomCases,
  sampleValues,
  sweepOptions,
} from "../../../packages/policy/test/differential/generate.ts";
import type { Fixture } from "../../../packages/policy/test/differential/sandbox.ts";
import { pick, seededRandom } from "../../support/random.ts";
import { REFUSED_STATUS } from "./refused-status.ts";
import { writers } from "./writers.ts";

/** Cases that are handed to one sandbox. */
const BATCH = 250;

/** What generated lines did. */
export interface Tried {
  /** Lines that were tried. */
  readonly run: number;
  /** Lines that the tool refused, and that did not run. */
  readonly refused: number;
  /** Lines that were stopped for their time. */
  readonly timedOut: number;
  /** Lines after which something had changed, with what that was, each with the line before, whose late effect it may be. */
  readonly found: readonly string[];
}

/**
 * `count` lines: of ten, four that write, four of the harness's random ones, one option of a program, one option with a
 * value. The same seed makes the same lines, given the same programs. `manuals`: options are taken from manuals too.
 */
export function generatedCases(count: number, seed: number, manuals: boolean): Case[] {
  const random = seededRandom(seed);
  const { subjects } = subjectsHere(manuals);
  const options = everyNth(sweepOptions(subjects), 97, seed);
  const sources = [writers(seed), randomCases(subjects, seed), options, sampleValues(subjects, seed)] as const;
  const cases: Case[] = [];
  while (cases.length < count) {
    const next = sources[pick([0, 0, 0, 0, 1, 1, 1, 1, 2, 3] as const, random)].next();
    // The options end; the others go on.
    if (next.done !== true) cases.push(next.value);
  }
  return cases;
}

/** Runs cases; two sandboxes work side by side. */
export async function tryAll(cases: readonly Case[], fixture: Fixture): Promise<Tried> {
  const found: string[] = [];
  let [next, timedOut, refused] = [0, 0, 0];
  const work = async (): Promise<void> => {
    while (next < cases.length) {
      const batch = cases.slice(next, next + BATCH);
      next += BATCH;
      for (const [index, { effects, timedOut: isLate, status }] of (await fixture.run(batch)).entries()) {
        if (isLate) timedOut++;
        if (status === REFUSED_STATUS) refused++;
        if (effects.length === 0) continue;
        const [given, before] = [batch[index], batch[index - 1]].map((each) => JSON.stringify(each));
        found.push(`${given}\n    ${effects.slice(0, 3).join("; ")}\n    after ${before}`);
      }
    }
  };
  await Promise.all([work(), work()]);
  return { run: cases.length, refused, timedOut, found };
}
