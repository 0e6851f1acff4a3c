/**
 * Code on a command line that writes to a device: `python3 -c 'open("/dev/sda", "w")'`, `awk '{ print > "/dev/sda" }'`.
 *
 * Only plain forms are known, by patterns: a name in quotes next to what writes it. What else code does is not seen.
 */
import type { Refusal } from "../../finding.ts";
import { isHarmlessAwkProgram } from "../../read-only/awk-program.ts";
import { isHarmlessSedScript } from "../../read-only/sed-script.ts";
import { type DangerCall, type DangerJudge, worst } from "../call.ts";
import { knownText, textField } from "../values/fields.ts";
import { writeTo } from "./devices.ts";

const INTERPRETERS = "python python2 python3 pypy pypy3 perl ruby node nodejs php lua deno bun".split(" ");
const EDITORS = "vi vim nvim view ex vimdiff".split(" ");

/** The judges of this file, by program. */
export const CODE_JUDGES: readonly (readonly [string, DangerJudge])[] = [
  ...INTERPRETERS.map((name): [string, DangerJudge] => [name, (call) => judgeCode(call, writtenByCode)]),
  ...["awk", "gawk", "mawk", "nawk"].map((name): [string, DangerJudge] => [
    name,
    (call) => judgeCode(call, writtenByAwk),
  ]),
  ...["sed", "gsed"].map((name): [string, DangerJudge] => [name, (call) => judgeCode(call, writtenBySed)]),
  ...EDITORS.map((name): [string, DangerJudge] => [name, (call) => judgeCode(call, writtenByEditor)]),
];

/** Longer texts are not looked at, in UTF-16 units. */
const MAX_CHARS = 16_384;

function judgeCode(call: DangerCall, writtenBy: (code: string) => readonly string[]): Refusal | undefined {
  const texts = call.fields.map((field) => knownText(field) ?? "").filter((text) => text.length <= MAX_CHARS);
  return worst(texts.flatMap(writtenBy).map((path) => writeTo(call.name, textField(path), call.folder)));
}

/** `open(PATH, "w")`, functions that write the file they are given, `Path(PATH).write_…`, perl's `open F, ">PATH"`. */
const CODE_WRITES = [
  /["'](\/[^"'\n]*)["']\s{0,9},\s{0,9}(?:mode\s{0,9}=\s{0,9})?["'][rbt]{0,2}[wax+]/g,
  /(?:\b(?:File|IO|Bun)\.write|write(?:Text)?File(?:Sync)?|appendFile(?:Sync)?|createWriteStream|file_put_contents|binwrite|truncate)\s{0,9}\(?\s{0,9}["'](\/[^"'\n]*)["']/g,
  /["'](\/[^"'\n]*)["']\s{0,9},\s{0,9}(?:os\.)?O_(?:WRONLY|RDWR)/g,
  /(?:copy\w{0,16}|shutil\.move|os\.(?:rename|replace))\s{0,9}\([^()\n]{0,200},\s{0,9}["'](\/[^"'\n]*)["']/g,
  /["'](\/[^"'\n]*)["']\s{0,9}\)\s{0,9}\.\s{0,9}write/g,
  /["']\+?>{1,2}\s{0,9}(?:["']\s{0,9},\s{0,9}["'])?(\/[^"'\n]*)["']/g,
];

function writtenByCode(code: string): readonly string[] {
  return CODE_WRITES.flatMap((pattern) => pathsIn(code, pattern));
}

function writtenByAwk(code: string): readonly string[] {
  return isHarmlessAwkProgram(code) ? [] : pathsIn(code, />\s{0,9}"(\/[^"\n]*)"/g);
}

/** The command `w` and the flag `w` of `s` take the rest of the line for a file. */
function writtenBySed(code: string): readonly string[] {
  return isHarmlessSedScript(code) ? [] : pathsIn(code, /w[ \t]{0,9}(\/[^\n]*)/g);
}

/** `:w! PATH`, `:saveas PATH`. */
function writtenByEditor(code: string): readonly string[] {
  return pathsIn(code, /(?:^|[+:|%$\d\s])(?:w|write|sav|saveas)!?\s{1,9}(?:>>\s{0,9})?(\/[^\s|]*)/g);
}

function pathsIn(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].flatMap(([, path]) => (path === undefined ? [] : [path]));
}
