/**
 * `pi-bash minimize`: what the minimizer makes of an output, and whether rule files keep what they promise.
 *
 * For people who wonder why a line is missing, and for authors of rules. The output comes on standard input and is not
 * run again; the command line only tells what wrote it, and is understood as the executor understands it.
 */
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { analyzeCommand } from "@pi-bash/command";
import { readRuleFile } from "@pi-bash/executor/internal";
import { explainMinimizer, type MinimizerExplanation, ShellError, verifyMinimizerRules } from "@pi-bash/natives";
import { parseOptionWords } from "../option-words.ts";
import { MINIMIZE_OPTIONS } from "../surface/options.ts";
import { tellWhatIsRead } from "../terminal-input.ts";
import { UsageError } from "../usage.ts";

/** Exit status when a rule file is wrong. */
const FAILED_STATUS = 1;

/** What `minimize` was asked for. */
export type MinimizeArguments =
  | { kind: "verify"; files: string[]; json: boolean }
  | { kind: "minimize"; command: string; exitCode: number; explain: boolean; json: boolean; rules: string[] };

/** A rule file, or the built-in rules, and what became of its inline tests. */
type Verdict =
  | { file: string; ok: true; rules: number; tests: number; sha256?: string }
  | { file: string; ok: false; problem: string };

/** Runs the words after `minimize` and resolves with the exit status. */
export async function minimize(words: readonly string[]): Promise<number> {
  const asked = parseMinimizeArguments(words);
  if (asked.kind === "verify") return verify(asked.files, asked.json);
  const ruleFiles = await Promise.all(asked.rules.map(ruleText));
  tellWhatIsRead("the output of a command");
  const output = await text(process.stdin);
  const { ok, invocation } = analyzeCommand(asked.command);
  const command = ok && invocation !== undefined ? { argv: [...invocation.argv] } : asked.command;
  try {
    const explanation = explainMinimizer(command, output, asked.exitCode, { ruleFiles });
    process.stdout.write(asked.json ? `${JSON.stringify(explanation)}\n` : shown(explanation, output, asked.explain));
  } catch (error) {
    if (error instanceof ShellError && error.code === "PI_INVALID_OPTION") throw new UsageError(error.message);
    throw error;
  }
  return 0;
}

/** Reads the words after `minimize`. */
export function parseMinimizeArguments(words: readonly string[]): MinimizeArguments {
  const { values, positionals } = parseOptionWords({
    args: [...words],
    allowPositionals: true,
    options: MINIMIZE_OPTIONS,
  });
  const { command, exit, explain, json, rules } = values;
  if (values.verify) {
    if (command !== undefined || exit !== undefined || explain || rules.length > 0) {
      throw new UsageError("`--verify` takes rule files and `--json`, nothing else");
    }
    return { kind: "verify", files: positionals, json };
  }
  if (positionals.length > 0) {
    throw new UsageError(`\`minimize\` reads the output on standard input, not from \`${positionals[0]}\``);
  }
  if (exit !== undefined && !/^-?\d{1,9}$/.test(exit))
    throw new UsageError(`\`--exit\` takes a whole number, not \`${exit}\``);
  return { kind: "minimize", command: command ?? "", exitCode: Number(exit ?? 0), explain, json, rules };
}

async function verify(files: readonly string[], isJson: boolean): Promise<number> {
  const verdicts = [verdictOn("built-in rules", undefined)];
  for (const file of files) verdicts.push(await verdictOnFile(file));
  for (const verdict of isJson ? [] : verdicts) process.stdout.write(`${verdictLine(verdict)}\n`);
  if (isJson) process.stdout.write(`${JSON.stringify(verdicts)}\n`);
  return verdicts.every(({ ok }) => ok) ? 0 : FAILED_STATUS;
}

async function verdictOnFile(file: string): Promise<Verdict> {
  try {
    const { text: rules, sha256 } = await readRuleFile(resolve(file));
    const verdict = verdictOn(file, rules);
    return verdict.ok ? { ...verdict, sha256 } : verdict;
  } catch (error) {
    return { file, ok: false, problem: messageOf(error) };
  }
}

function verdictOn(file: string, rules: string | undefined): Verdict {
  try {
    return { file, ok: true, ...verifyMinimizerRules(rules) };
  } catch (error) {
    if (!(error instanceof ShellError)) throw error;
    return { file, ok: false, problem: error.message };
  }
}

function verdictLine(verdict: Verdict): string {
  if (!verdict.ok) return `FAILED  ${verdict.file}: ${verdict.problem}`;
  const digest = verdict.sha256 === undefined ? "" : `, sha256 ${verdict.sha256}`;
  return `ok      ${verdict.file}: ${verdict.rules} rules, ${verdict.tests} tests${digest}`;
}

async function ruleText(file: string): Promise<string> {
  try {
    return (await readRuleFile(resolve(file))).text;
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    const problem = isMissing
      ? `there is no rule file \`${file}\``
      : `cannot read rules \`${file}\`: ${messageOf(error)}`;
    throw new UsageError(problem, { cause: error });
  }
}

/** The text a model would read; before it, where asked for, a table of the stages. */
function shown({ stages, result }: MinimizerExplanation, output: string, explains: boolean): string {
  const body = result === null ? output : result.text;
  if (!explains) return body;
  const rows = stages.map(
    ({ name, bytes, lines, note }) =>
      `${name.padEnd(9)} ${String(bytes).padStart(9)} bytes ${String(lines).padStart(7)} lines  ${note}\n`,
  );
  const { inputBytes = 0, outputBytes = 0 } = result ?? {};
  const saved = inputBytes === 0 ? 0 : (100 * (inputBytes - outputBytes)) / inputBytes;
  const verdict =
    result === null
      ? "the original stands"
      : `${result.filter}: ${inputBytes} bytes became ${outputBytes}, ${saved.toFixed(1)} % less`;
  return `${rows.join("")}${verdict}\n\n${body}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
