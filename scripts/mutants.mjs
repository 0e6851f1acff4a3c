/**
 * `npm run mutants`: changes the sources in small ways and looks whether a test notices.
 *
 * Draws mutants by a seed, has cargo-mutants and Stryker judge them, prints each one that survived, and fails when more
 * survived than the floor in scripts/mutants/targets.mjs allows. See docs/testing.md.
 *
 *   node scripts/mutants.mjs [target …] [--count N] [--seed TEXT] [--changed REVISION] [--list]
 *
 * `--count`: how many are drawn for each target, 12 unless given; a soak is 300. `--seed`: today's date unless given.
 * `--changed`: only mutants on lines that differ from where the branch left REVISION. `--list`: draws, judges nothing.
 */
import { parseArgs } from "node:util";
import { changedSince, isChanged } from "./mutants/changed.mjs";
import { judgeRust, listRust } from "./mutants/rust.mjs";
import { allowed, draw } from "./mutants/sample.mjs";
import { TARGETS, targetOf } from "./mutants/targets.mjs";
import { judgeTypescript, listTypescript } from "./mutants/typescript.mjs";

const TOOLS = {
  "cargo-mutants": { list: listRust, judge: judgeRust },
  stryker: { list: listTypescript, judge: judgeTypescript },
};
const OPTIONS = {
  count: { type: "string", default: "12" },
  seed: { type: "string", default: new Date().toISOString().slice(0, 10) },
  changed: { type: "string" },
  list: { type: "boolean", default: false },
};

function read() {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const count = Number(values.count);
  if (!Number.isInteger(count) || count < 1) throw new Error("`--count` takes a whole number from 1 on");
  const targets = positionals.length === 0 ? TARGETS : positionals.map(targetOf);
  const changed = values.changed === undefined ? undefined : changedSince(values.changed);
  return { targets, count, seed: values.seed, changed, listOnly: values.list };
}

const percent = (share) => `${Math.round(share * 100)} %`;

/** Prints what became of a target's mutants; false where more survived than the floor allows. */
function report(target, results, seconds) {
  const survivors = results.filter(({ verdict }) => verdict === "survived");
  const judged = results.filter(({ verdict }) => verdict !== "not judged").length;
  const most = allowed(judged, target.survivors);
  for (const { mutant } of survivors) console.log(`  survived: ${mutant.name}`);
  const share = judged === 0 ? "" : ` (${percent(survivors.length / judged)})`;
  const left = results.length - judged;
  console.log(
    `${target.name}: ${survivors.length} of ${judged} survived${share}, at most ${most} may (floor ${percent(target.survivors)}); ` +
      `${left} not judged: they do not compile, or run while a module is loaded; ${Math.round(seconds)} s`,
  );
  return survivors.length <= most;
}

async function runTarget(target, { count, seed, changed, listOnly }) {
  const { list, judge } = TOOLS[target.tool];
  const all = await list(target);
  const candidates = changed === undefined ? all : all.filter((mutant) => isChanged(changed, mutant));
  const drawn = draw(candidates, ({ key }) => key, { seed, count });
  console.log(`${target.name}: ${drawn.length} of ${candidates.length} mutants drawn, seed ${seed}`);
  if (listOnly) for (const { name } of drawn) console.log(`  ${name}`);
  if (listOnly || drawn.length === 0) return true;
  const started = Date.now();
  return report(target, await judge(target, drawn), (Date.now() - started) / 1000);
}

async function main() {
  const request = read();
  let isGood = true;
  for (const target of request.targets) isGood = (await runTarget(target, request)) && isGood;
  if (!isGood) console.error("More mutants survived than the floor allows: write the tests that notice them.");
  process.exitCode = isGood ? 0 : 1;
}

await main();
