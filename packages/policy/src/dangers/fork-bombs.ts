/**
 * Commands that start processes without end: functions that start themselves or each other, loops without an end that
 * start something in the background, scripts that start themselves, and `fork` in a loop of an interpreter.
 */
import { analyzeCommand, type CommandAnalysis, type EffectiveCommand, type SimpleCommand } from "@pi-bash/command";
import { firstValue, programName } from "@pi-bash/command/internal";
import type { Finding } from "../finding.ts";
import { endlessFinding, endlessInputBombs } from "./endless-input.ts";
import { writtenBombs } from "./written-bombs.ts";

/** Most calls of one function that are looked at; the second one tells. */
const MAX_CALLS = 8;
/** Most endless loops whose bodies are read: each is parsed again. */
const MAX_LOOPS = 32;

/** All fork bombs in a line. */
export function forkBombs(analysis: CommandAnalysis): Finding[] {
  return [
    ...bombsInside(analysis),
    ...endlessInputBombs(analysis, { isBomb, isEndless: (text) => ENDLESS.test(text) }).map(endlessFinding),
    ...writtenBombs(analysis, isBomb).map(({ span }) => finding("the script starts itself without end", span)),
  ];
}

function bombsInside(analysis: CommandAnalysis): Finding[] {
  return [...functionBombs(analysis), ...selfBombs(analysis), ...loopBombs(analysis), ...interpreterBombs(analysis)];
}

function isBomb(text: string): boolean {
  return bombsInside(analyzeCommand(text)).length > 0;
}

function finding(message: string, span: Finding["span"]): Finding {
  return { code: "fork-bomb", severity: "block", message: `${message} (a fork bomb)`, span };
}

function spawns({ context }: SimpleCommand): boolean {
  return context.background || context.stage || context.substitution;
}

/** Functions that call each other in a circle, with one that does so twice and a process for one of the calls. */
function functionBombs(analysis: CommandAnalysis): Finding[] {
  const names = new Set(analysis.constructs.flatMap((each) => (each.kind === "function" ? [each.name] : [])));
  const calls = callsOf(analysis, names);
  const reach = new Map([...names].slice(0, MAX_FUNCTIONS).map((name) => [name, reachable(name, calls)]));
  return analysis.constructs.flatMap((construct): Finding[] => {
    if (construct.kind !== "function") return [];
    const { name } = construct;
    const circle = [...(reach.get(name) ?? [])].filter((each) => reach.get(each)?.has(name) === true);
    const inside = circle.map((each) => (calls.get(each) ?? []).filter(({ to }) => circle.includes(to)));
    const grows = inside.some((list) => list.length > 1 || list.some(repeats));
    if (!grows || !inside.flat().some(({ command }) => spawns(command))) return [];
    if (comesToAnEnd(analysis, circle, inside.flat())) return [];
    return [finding(`the function \`${name}\` starts itself without end`, construct.span)];
  });
}

/** `for i in 1 2; do f & done`; with an argument it is a walk through something that has an end. */
function repeats({ command }: FunctionCall): boolean {
  return command.context.loop && command.context.background && command.argv.length === 1;
}

/** A test of a value: `[ $1 -lt 2 ]`, `(( n < 2 ))`, `case $1 in`. */
const VALUE_TEST = /(?:\[|\btest\s|\bcase\s)[^\n;$]{0,200}\$|(?<!\$)\(\(\s*!?\s*[$A-Za-z_]/;
/** Arguments as they came: a call with these alone does not come nearer to an end. */
const UNCHANGED = /^"?\$(?:\d|[@*#]|\{[\d@*#]+\})"?$/;

/** The words before the body of a function. */
const FUNCTION_HEAD = /^(?:function\s{1,99}\S{1,999}?|[^\s()]{1,999})\s{0,99}(?:\(\s{0,99}\)\s{0,99})?(?=[{(])/;

/**
 * `fib() { if [ $1 -lt 2 ]; then …; else … $(fib $(($1-1))) …; fi; }`: each call has an argument that is worked out, and
 * by a test of a value the calls do not come about, or the function ends before.
 */
function comesToAnEnd(analysis: CommandAnalysis, circle: readonly string[], calls: readonly FunctionCall[]): boolean {
  const changes = calls.every(({ command }) =>
    command.argv.slice(1).some((word) => word.value === null && !UNCHANGED.test(word.text)),
  );
  if (!changes || circle.length > MAX_CIRCLE) return false;
  return analysis.constructs.every(
    (each) => each.kind !== "function" || !circle.includes(each.name) || hasEnd(each.text, circle),
  );
}

/** Whether a test of a value keeps a function from calling those of a circle. */
function hasEnd(text: string, circle: readonly string[]): boolean {
  if (!VALUE_TEST.test(text) || !FUNCTION_HEAD.test(text)) return false;
  // Inside a function every command counts as one that may be skipped.
  const { effective } = analyzeCommand(text.replace(FUNCTION_HEAD, ""));
  const calls = effective.filter(({ argv }) => circle.includes(firstValue(argv)));
  return (
    calls.every(({ simple: { context } }) => context.conditional && !context.loop) ||
    effective.some(({ argv, simple }) => simple.context.conditional && ENDS.test(firstValue(argv)))
  );
}

const ENDS = /^(?:return|exit|continue|break)$/;
/** Functions of a circle that are read for an end: each is parsed again. */
const MAX_CIRCLE = 8;

interface FunctionCall {
  readonly to: string;
  readonly command: SimpleCommand;
}

/** A function by the variable that has its name. */
const OWN_NAME = /^"?\$(?:FUNCNAME|\{FUNCNAME(?:\[0\])?\})"?$/;
/** Functions of one line whose calls are followed. */
const MAX_FUNCTIONS = 512;

function callsOf(analysis: CommandAnalysis, names: ReadonlySet<string>): Map<string, FunctionCall[]> {
  const calls = new Map<string, FunctionCall[]>();
  for (const { argv, simple } of analysis.effective) {
    const from = simple.context.functionName;
    if (from === undefined) continue;
    const to = OWN_NAME.test(argv[0]?.text ?? "") ? from : argv[0]?.value;
    if (to == null || !names.has(to)) continue;
    const known = calls.get(from) ?? [];
    if (known.length < MAX_CALLS) calls.set(from, [...known, { to, command: simple }]);
  }
  return calls;
}

function reachable(name: string, calls: ReadonlyMap<string, readonly FunctionCall[]>): Set<string> {
  const found = new Set<string>();
  const left = [name];
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    for (const { to } of calls.get(each) ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      left.push(to);
    }
  }
  return found;
}

const ITSELF = /^"?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?\})"?$|^\/proc\/(?:self|\$\$)\/exe$/;
const SHELL = /^(?:bash|sh|dash|zsh|ksh|exec|source|\.|nohup|setsid)$/;

/** A script that starts itself twice: `$0 & $0`. */
function selfBombs(analysis: CommandAnalysis): Finding[] {
  const itself = [...analysis.commands, ...analysis.nestedCommands].filter(({ argv }) =>
    argv.some((word, at) => ITSELF.test(word.text) && (at === 0 || SHELL.test(programName(argv[at - 1]?.value ?? "")))),
  );
  const [first] = itself;
  if (first === undefined || itself.length < 2 || !itself.some(spawns)) return [];
  return [finding("the script starts itself without end", first.span)];
}

/** Conditions that always hold, and loops that go on for ever. */
const HOLDS = String.raw`(?::|true|\/(?:usr\/)?bin\/true|command\s+true|echo(?:\s+\w+)?|!\s*false|\(\(\s*[1-9]\d*\s*\)\)|\[\[?\s+(?:\w+|-n\s+\w+|-z\s+(?:""|'')|(\w+)\s+(?:-eq|==?)\s+\1)\s+\]\]?|test\s+(?:\w+|(\w+)\s+(?:-eq|==?)\s+\2)|let\s+[1-9]|\w+=\w*|sleep\s+0*(?:\.0*)?[smhd]?(?=\s*[;\n])|(?:ls|pwd|date|id|whoami|hostname|uname|printf\s+\w+))`;
const FAILS = String.raw`(?:false|!\s*true|!\s*:|\(\(\s*0\s*\)\)|\[\[?\s+(?:-z\s+\w+\s+)?\]\]?|test)`;
const FOREVER = String.raw`for\s*\(\(\s*[^;]*;\s*(?:[1-9]\d*)?\s*;[^)]*\)\)`;
const ENDLESS = new RegExp(`^(?:while\\s+${HOLDS}|until\\s+${FAILS}|${FOREVER})\\s*(?:[;\\n]\\s*)*do\\b`);
/** What makes a loop wait, or end. */
const WAITS = /^(?:wait|sleep|read|break|exit|return|inotifywait|fswatch|timeout|pause|select)$/;

/** `sleep 0` does not. */
function makesWait(argv: EffectiveCommand["argv"]): boolean {
  const name = programName(firstValue(argv));
  return WAITS.test(name) && !(name === "sleep" && argv.slice(1).every(({ value }) => NO_TIME.test(value ?? "x")));
}

const NO_TIME = /^0*(?:\.0*)?[smhd]?$/;

function loopBombs(analysis: CommandAnalysis): Finding[] {
  const starters = startersOf(analysis);
  const loops = analysis.constructs.filter(
    ({ kind, text }) => (kind === "while" || kind === "arithmetic") && ENDLESS.test(text),
  );
  return loops.slice(0, MAX_LOOPS).flatMap((loop): Finding[] => {
    const body = analyzeCommand(loop.text.replace(ENDLESS, "{ ").replace(/\bdone\s*$/, "}"));
    const background = body.effective.filter(
      ({ argv, simple, via }) =>
        simple.context.background || isDetached(via, body, simple) || starters.has(firstValue(argv)),
    );
    const waits = body.effective.some((each) => !background.includes(each) && makesWait(each.argv));
    if (background.length === 0 || waits) return [];
    return [finding("the loop starts processes without end", loop.span)];
  });
}

/** Functions that start something in the background and return at once. */
function startersOf({ effective }: CommandAnalysis): ReadonlySet<string> {
  const starters = new Set<string>();
  const waiting = new Set<string>();
  for (const { argv, simple } of effective) {
    const { functionName, background } = simple.context;
    if (functionName === undefined) continue;
    if (background) starters.add(functionName);
    else if (WAITS.test(programName(firstValue(argv)))) waiting.add(functionName);
  }
  for (const name of waiting) starters.delete(name);
  return starters;
}

/** `setsid -f` returns at once. */
function isDetached(via: readonly string[], body: CommandAnalysis, simple: SimpleCommand): boolean {
  if (!via.includes("setsid") || !body.commands.includes(simple)) return false;
  return simple.argv.some((word) => /^(?:-\w*f|--fork)/.test(word.value ?? ""));
}

const INTERPRETER = /^(?:perl|python[\d.]*|ruby|php|node|lua|tclsh)$/;

/** `perl -e 'fork while 1'`. */
function interpreterBombs(analysis: CommandAnalysis): Finding[] {
  return analysis.effective.flatMap(({ argv, span }): Finding[] => {
    if (!INTERPRETER.test(programName(firstValue(argv)))) return [];
    const endless = argv.some(
      ({ value }) =>
        value != null &&
        /\bfork\b/.test(value) &&
        /\bwhile[\s(]*(?:1|true|True|:|(?:os\.)?fork\b)|for\s*\(\s*;\s*;|\bloop\b|\buntil\s*\(?\s*0/.test(value),
    );
    return endless ? [finding(`\`${argv[0]?.display ?? ""}\` starts itself without end`, span)] : [];
  });
}
