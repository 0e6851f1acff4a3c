/** The benchmark's command line: which scenarios run, how long, and where the figures go. See `USAGE`. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { constants, cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { capabilities } from "@pi-bash/natives";
import { compileReader } from "./adapters/c-reader.ts";
import { bunProgram } from "./adapters/peer-folder.ts";
import { absenceOf, ENTRIES } from "./contenders.ts";
import { killHosts } from "./host-link.ts";
import { benchPlaces } from "./places/main.ts";
import { type Ground, type Played, play } from "./play.ts";
import { verdictsOf } from "./report/aims.ts";
import { tableOf } from "./report/table.ts";
import { writeData, writeRun } from "./report/write.ts";
import { scenariosIn } from "./scenarios.ts";

const USAGE = `usage: npm run bench -- [--quick] [--only WORD] [--json FILE] [--write FOLDER] [SCENARIO…]
       npm run bench -- --places [--quick] [pipe|ssh|podman|slurm|sink…]
  --places        places beside their bare transports, instead of the scenarios
  --quick         smaller sizes and fewer rounds: minutes instead of half an hour
  --only WORD     ours, and the peers that have WORD in their names
  --json FILE     all figures as JSON
  --write FOLDER  figures.md, figures.json and a chart of each scenario`;

/** Exit status after a wrong command line. */
const USAGE_STATUS = 2;

const BYTES_PER_GIB = 1024 ** 3;

/** Said of a run that shares its machine. */
const BUSY = "the machine was busy with other things: times are several times what they are alone, ratios tell more";

interface Options {
  /** Smaller sizes and fewer rounds: minutes instead of half an hour. */
  readonly quick: boolean;
  /** Contenders whose names have this in them; the first of each kind is always there. */
  readonly only: string | undefined;
  readonly json: string | undefined;
  readonly write: string | undefined;
  readonly names: readonly string[];
  /** Places instead of scenarios; \`names\` are theirs then. */
  readonly places: boolean;
}

/** @throws {UsageError} of words that are none of `USAGE`. */
function optionsOf(args: readonly string[]): Options {
  const { values, positionals } = parseWords(args);
  const { quick, only, json, write, places } = values;
  return { quick, only, json, write, places, names: positionals };
}

/** A wrong command line, reported in a line. */
class UsageError extends Error {}

function parseWords(args: readonly string[]) {
  try {
    return parseOptions(args);
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

function parseOptions(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      json: { type: "string" },
      write: { type: "string" },
      places: { type: "boolean", default: false },
    },
  });
}

/** Plays what was asked for, prints as it goes, and writes at the end. */
async function run({ quick, only, json, write, names }: Options, ground: Ground, folder: string): Promise<void> {
  const scenarios = scenariosIn(folder, quick);
  const unknown = names.find((name) => !scenarios.has(name));
  if (unknown !== undefined) {
    throw new UsageError(`no scenario \`${unknown}\`; there are ${[...scenarios.keys()].join(", ")}`);
  }
  const start = circumstancesNow(quick);
  const absent: string[] = [];
  const { readOnly } = capabilities();
  const unconfined = readOnly.available ? undefined : (readOnly.reason ?? "no command can run read-only here");
  const entries = ENTRIES.filter((entry) => {
    if (only !== undefined && entry.side !== "ours" && !entry.name.includes(only)) return false;
    const why = absenceOf(entry, { reader: ground.reader, unconfined });
    if (why !== undefined) absent.push(`${entry.name} is left out: ${why}`);
    return why === undefined;
  });
  print([...start, ...absent]);
  const played: Played[] = [];
  for (const [name, make] of scenarios) {
    if (names.length > 0 && !names.includes(name)) continue;
    const figures = await play(make(), entries, ground);
    played.push(figures);
    print(["", `${figures.name}: ${figures.title}`, figures.about]);
    for (const { title, unit, rows } of figures.quantities) print(["", title, ...tableOf(unit, rows)]);
  }
  const circumstances = [...start, `load average at the end: ${loadNow()}`, ...absent];
  const verdicts = verdictsOf(played).map(
    ({ aim, measured, isMet }) => `${isMet ? "met   " : "missed"}  ${aim}  (${measured})`,
  );
  print(["", "aims", ...verdicts, "", ...circumstances.slice(start.length)]);
  if (json !== undefined) writeData(json, played, circumstances);
  if (write !== undefined) writeRun(write, played, circumstances);
}

function circumstancesNow(isQuick: boolean): string[] {
  const bash = execFileSync("bash", ["-c", "echo $BASH_VERSION"], { encoding: "utf8" }).trim();
  const bun = bunProgram();
  const bunVersion = bun === undefined ? "" : `, Bun ${execFileSync(bun, ["--version"], { encoding: "utf8" }).trim()}`;
  const [first] = cpus();
  const [load = 0] = loadavg();
  return [
    `${new Date().toISOString().slice(0, 10)}, ${isQuick ? "a quick run" : "a whole run"}`,
    `${cpus().length} cores (${first?.model.trim() ?? "unknown"}), ${Math.round(totalmem() / BYTES_PER_GIB)} GiB, ${process.platform} ${process.arch}`,
    `Node ${process.versions.node}${bunVersion}, bash ${bash}`,
    `load average at the start: ${loadNow()}`,
    ...(load > cpus().length ? [BUSY] : []),
  ];
}

function loadNow(): string {
  const loads = loadavg().map((load) => load.toFixed(1));
  return loads.join(", ");
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join("\n")}\n`);
}

const folder = mkdtempSync(join(tmpdir(), "pi-bash-bench-"));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    killHosts();
    rmSync(folder, { recursive: true, force: true });
    process.exit(128 + constants.signals[signal]);
  });
}
try {
  const home = join(folder, "home");
  mkdirSync(home);
  const words = process.argv.slice(2);
  if (words.includes("--help")) print([USAGE]);
  else {
    const options = optionsOf(words);
    if (options.places) await benchPlaces(options.names, options.quick);
    else await run(options, { reader: compileReader(folder), home }, folder);
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  process.stderr.write(`${error.message}\n${USAGE}\n`);
  process.exitCode = USAGE_STATUS;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
