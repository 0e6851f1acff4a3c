/**
 * Random sequences of commands in a session, judged by plain bash: output and status of each step have to be equal, and so
 * has the state at the end.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Shell } from "@pi-bash/natives";
import { type Answer, environment } from "../../oracle/ways.ts";
import { seededRandom } from "../../support/random.ts";
import { scratchFolder } from "../../support/scratch.ts";
import { runIn } from "../../support/session.ts";
import { inLanes } from "../lanes.ts";
import { DOCUMENTED, type Scene, withoutFrame } from "./differences.ts";
import { type Flavour, type Step, sequence } from "./grammar.ts";
import { judge, type Verdict } from "./judge.ts";
import { PROBE } from "./probe.ts";

/** Sequences side by side. */
const LANES = 3;

/** Where a session and plain bash part. */
interface Difference {
  readonly index: number;
  readonly what: "step" | "copy";
  readonly expected: Answer;
  readonly got: Answer;
}

/** Judges `count` sequences. Throws with the shortest sequence found for the first that differs. */
export async function compareSequences(count: number, seed: number, flavour: Flavour): Promise<void> {
  const scratch = scratchFolder();
  await inLanes(count, LANES, async (index, lane) => {
    const steps = sequence(seededRandom(seed * 1_000_003 + index), flavour);
    const folder = join(scratch, `lane${lane}`);
    if ((await differenceOf(steps, folder)) === undefined) return;
    if ((await differenceOf(steps, folder)) === undefined) {
      // Two processes raced, in either bash; said, so that it is seen where it becomes frequent.
      process.stdout.write(`unsteady: seed ${seed}, sequence ${index}\n`);
      return;
    }
    const least = await shrunk(steps, folder);
    const difference = await differenceOf(least, folder);
    throw new Error(report({ seed, index, steps: least, difference }));
  });
}

/** The first difference that a sequence shows. */
async function differenceOf(steps: readonly Step[], folder: string): Promise<Difference | undefined> {
  const probed = steps.flatMap((step) => (step.replaces ? [step, PROBE] : [step])).concat(PROBE);
  // One name for both: some steps print it.
  const place = join(folder, "d");
  try {
    mkdirSync(place, { recursive: true });
    const verdicts = await judge(probed, place, join(folder, "notes"));
    rmSync(place, { recursive: true });
    mkdirSync(place);
    // The other's script: some steps list the folder.
    writeFileSync(join(place, "bash"), "");
    return await differenceInSession(probed, verdicts, place);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function differenceInSession(
  steps: readonly Step[],
  verdicts: readonly Verdict[],
  place: string,
): Promise<Difference | undefined> {
  const shell = new Shell({ cwd: place, baseEnv: environment(place) });
  try {
    for (const [index, verdict] of verdicts.entries()) {
      const { text, plain, cloned } = steps[index] ?? PROBE;
      const isStoodFor = text !== plain;
      if (cloned && verdict.copy !== undefined) {
        const got = await answerOf(shell, text, "clone");
        const difference = compared(index, "copy", verdict.copy, got, { isStoodFor, copy: true });
        if (difference !== undefined) return difference;
      }
      const got = await answerOf(shell, text, "queue");
      const difference = compared(index, "step", verdict.own, got, { isStoodFor, copy: false });
      if (difference !== undefined) return difference;
    }
    return undefined;
  } finally {
    await shell.close();
  }
}

async function answerOf(shell: Shell, text: string, concurrency: "clone" | "queue"): Promise<Answer> {
  try {
    const { text: output, exitCode } = await runIn(shell, text, { concurrency, timeoutMs: 10_000 });
    return { output, status: exitCode };
  } catch (error) {
    return { output: `rejected: ${String(error)}`, status: undefined };
  }
}

function compared(
  index: number,
  what: Difference["what"],
  expected: Answer,
  got: Answer,
  scene: Scene,
): Difference | undefined {
  const plain = { ...expected, output: normal(withoutFrame(expected.output), scene) };
  const ours = { ...got, output: normal(got.output, scene) };
  if (plain.output === ours.output && plain.status === ours.status) return undefined;
  return { index, what, expected: plain, got: ours };
}

function normal(output: string, scene: Scene): string {
  return DOCUMENTED.reduce((text, { apply }) => apply(text, scene), output);
}

/** The sequence without the steps that the difference does not need. */
async function shrunk(steps: readonly Step[], folder: string): Promise<readonly Step[]> {
  let least = steps;
  for (let at = least.length - 1; at >= 0; at -= 1) {
    const fewer = least.filter((_, index) => index !== at);
    if ((await differenceOf(fewer, folder)) !== undefined) least = fewer;
  }
  return least;
}

interface Finding {
  readonly seed: number;
  readonly index: number;
  readonly steps: readonly Step[];
  readonly difference: Difference | undefined;
}

function report({ seed, index, steps, difference }: Finding): string {
  const lines = steps.map(({ text, cloned }) => `  ${cloned ? "(also in a copy) " : ""}${JSON.stringify(text)}`);
  const at = difference === undefined ? "(it did not come again)" : `${difference.what} ${difference.index}`;
  const [expected, got] = difference === undefined ? [] : apart(difference);
  return [
    `a session differs from plain bash: PI_BASH_SOAK_SEED=${seed}, sequence ${index}, ${at}`,
    ...lines,
    `plain bash: ${JSON.stringify(expected)}`,
    `session:    ${JSON.stringify(got)}`,
  ].join("\n");
}

/** Both answers without the lines that they begin and end with alike: a probe prints many. */
function apart({ expected, got }: Difference): [Answer, Answer] {
  const [one, other] = [expected.output.split("\n"), got.output.split("\n")];
  let begin = 0;
  while (begin < one.length && one[begin] === other[begin]) begin += 1;
  let end = 0;
  while (end < one.length - begin && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const middle = (lines: string[], status: number | undefined): Answer => ({
    output: lines.slice(begin, lines.length - end).join("\n"),
    status,
  });
  return [middle(one, expected.status), middle(other, got.status)];
}
