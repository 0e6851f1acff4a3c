/**
 * Commands that start processes without end: functions that start themselves or each other, loops without an end that
 * start something in the background, scripts that start themselves, and `fork` in a loop of an interpreter.
 */
import { analyzeCommand, type CommandAnalysis, type SimpleCommand } from "@pi-bash/command";
import { programName } from "@pi-bash/command/internal";
import type { Finding } from "../finding.ts";

/** Most calls of one function that are looked at; the second one tells. */
const MAX_CALLS = 8;
/** Most endless loops whose bodies are read: each is parsed again. */
const MAX_LOOPS = 32;

/** All fork bombs in a line. */
export function forkBombs(analysis: CommandAnalysis): Finding[] {
  return [...functionBombs(analysis), ...selfBombs(analysis), ...loopBombs(analysis), ...interpreterBombs(analysis)];
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
  if (names.size === 0) return [];
  const calls = callsOf(analysis, names);
  const reach = new Map([...names].slice(0, MAX_FUNCTIONS).map((name) => [name, reachable(name, calls)]));
  return analysis.constructs.flatMap((construct): Finding[] => {
    if (construct.kind !== "function") return [];
    const { name } = construct;
    const circle = [...(reach.get(name) ?? [])].filter((each) => reach.get(each)?.has(name) === true);
    const inside = circle.map((each) => (calls.get(each) ?? []).filter(({ to }) => circle.includes(to)));
    const grows = inside.some((list) => list.length > 1 || list.some(repeats));
    if (!grows || !inside.flat().some(({ command }) => spawns(command))) return [];
    return [finding(`the function \`${name}\` starts itself without end`, construct.span)];
  });
}

/** `for i in 1 2; do f & done`; with an argument it is a walk through something that has an end. */
function repeats({ command }: FunctionCall): boolean {
  return command.context.loop && command.context.background && command.argv.length === 1;
}

interface FunctionCall {
  readonly to: string;
  readonly command: SimpleCommand;
}

/** Functions of one line whose calls are followed. */
const MAX_FUNCTIONS = 512;

function callsOf(analysis: CommandAnalysis, names: ReadonlySet<string>): Map<string, FunctionCall[]> {
  const calls = new Map<string, FunctionCall[]>();
  for (const { argv, simple } of analysis.effective) {
    const from = simple.context.functionName;
    const to = argv[0]?.value;
    if (from === undefined || to == null || !names.has(to)) continue;
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
const HOLDS = String.raw`(?::|true|\/(?:usr\/)?bin\/true|command\s+true|echo(?:\s+\w+)?|!\s*false|\(\(\s*[1-9]\d*\s*\)\)|\[\[?\s+(?:\w+|-n\s+\w+|-z\s+(?:""|'')|(\w+)\s+(?:-eq|==?)\s+\1)\s+\]\]?|test\s+(?:\w+|(\w+)\s+(?:-eq|==?)\s+\2)|let\s+[1-9]|\w+=\w*)`;
const FAILS = String.raw`(?:false|!\s*true|!\s*:|\(\(\s*0\s*\)\)|\[\[?\s+(?:-z\s+\w+\s+)?\]\]?|test)`;
const FOREVER = String.raw`for\s*\(\(\s*[^;]*;\s*(?:[1-9]\d*)?\s*;[^)]*\)\)`;
const ENDLESS = new RegExp(`^(?:while\\s+${HOLDS}|until\\s+${FAILS}|${FOREVER})\\s*(?:[;\\n]\\s*)*do\\b`);
/** What makes a loop wait, or end. */
const WAITS = /^(?:wait|sleep|read|break|exit|return|inotifywait|fswatch|timeout|pause|select)$/;

function loopBombs(analysis: CommandAnalysis): Finding[] {
  const loops = analysis.constructs.filter(
    ({ kind, text }) =>
      (kind === "while" || kind === "arithmetic") && /&|setsid|coproc/.test(text) && ENDLESS.test(text),
  );
  return loops.slice(0, MAX_LOOPS).flatMap((loop): Finding[] => {
    const body = analyzeCommand(loop.text.replace(ENDLESS, "{ ").replace(/\bdone\s*$/, "}"));
    const background = body.effective.filter(
      ({ simple, via }) => simple.context.background || isDetached(via, body, simple),
    );
    const waits = body.effective.some(
      (each) => !background.includes(each) && WAITS.test(programName(each.argv[0]?.value ?? "")),
    );
    if (background.length === 0 || waits) return [];
    return [finding("the loop starts processes without end", loop.span)];
  });
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
    if (!INTERPRETER.test(programName(argv[0]?.value ?? ""))) return [];
    const endless = argv.some(
      ({ value }) =>
        value != null &&
        /\bfork\b/.test(value) &&
        /\bwhile[\s(]*(?:1|true|True|:)|for\s*\(\s*;\s*;|\bloop\b|\buntil\s*\(?\s*0/.test(value),
    );
    return endless ? [finding(`\`${argv[0]?.display ?? ""}\` starts itself without end`, span)] : [];
  });
}
