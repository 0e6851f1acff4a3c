/**
 * Reads the record that the capture script wrote: what the user's rc defined, as data.
 */
import { RECORDS } from "./capture-script.ts";

/** What a shell had after its rc, and what of it is new. */
export interface ShellRecord {
  bashVersion: string;
  /** Options of `set -o` that the rc changed. */
  options: Map<string, boolean>;
  /** Options of `shopt` that the rc changed. */
  shopts: Map<string, boolean>;
  /** Exported variables that the rc set or changed. */
  exports: Map<string, string>;
  /** Functions, with the text that defines them. */
  functions: Map<string, string>;
  aliases: Map<string, string>;
  /** All variables, with the text of `declare -p`; empty where a variable is declared but has no value. */
  variables: Map<string, string>;
}

/** Reads a record. Absent: it is not complete, so the rc ended the shell before the end. */
export function parseRecord(text: string): ShellRecord | undefined {
  const record: ShellRecord = {
    bashVersion: "",
    options: new Map(),
    shopts: new Map(),
    exports: new Map(),
    functions: new Map(),
    aliases: new Map(),
    variables: new Map(),
  };
  const before = new Map<string, string>();
  const fields = text.split("\0");
  for (let at = 0; at < fields.length; ) {
    const kind = fields[at] ?? "";
    if (kind === "end") return record;
    const size = fieldCount(kind);
    if (size === undefined) return undefined;
    take(record, before, kind, fields.slice(at + 1, at + 1 + size));
    at += 1 + size;
  }
  return undefined;
}

function fieldCount(kind: string): number | undefined {
  return Object.entries(RECORDS).find(([name]) => name === kind)?.[1];
}

function take(record: ShellRecord, before: Map<string, string>, kind: string, fields: readonly string[]): void {
  const [name = "", value = "", time = ""] = fields;
  if (name.startsWith("__pi_")) return;
  if (kind === "version") record.bashVersion = name;
  else if (kind === "function") record.functions.set(name, value);
  else if (kind === "alias") record.aliases.set(name, value);
  else if (kind === "variable") record.variables.set(name, value);
  else if (time === "before") before.set(`${kind} ${name}`, value);
  else if (before.get(`${kind} ${name}`) !== value) takeChange(record, kind, name, value);
}

function takeChange(record: ShellRecord, kind: string, name: string, value: string): void {
  if (kind === "option") record.options.set(name, value === "on");
  else if (kind === "shopt") record.shopts.set(name, value === "on");
  else if (kind === "export") record.exports.set(name, value);
}
