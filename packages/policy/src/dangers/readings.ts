/**
 * The readings of a command some words of which may become several fields: several words, or one of several values.
 *
 * A judge gets all fields at once, which is right where each of them counts by itself (`rm`). Where a place says what a
 * word means (`systemctl VERB UNIT`), it has to see the fields of one reading.
 */
import type { Word } from "@pi-bash/command";
import type { Refusal } from "../finding.ts";
import type { DangerCall, DangerJudge } from "./call.ts";
import { alternativesOf } from "./values/alternatives.ts";
import type { Field } from "./values/fields.ts";

/** Readings that a judge is asked about. */
const MAX_READINGS = 16;

/** The answer to all fields of a call; a block in one of its readings counts as well. */
export function judgeReadings(judge: DangerJudge, call: DangerCall): Refusal | undefined {
  const refusal = judge(call);
  const words = call.args.map((word) => call.fieldsOf(word));
  if (refusal?.severity === "block" || words.every(({ length }) => length < 2)) return refusal;
  const numbered = words.map((fields, at) => fields.map((field) => ({ at, field })));
  for (const reading of alternativesOf(numbered).slice(1, MAX_READINGS)) {
    const fieldsOf = (word: Word): readonly Field[] =>
      reading.flatMap(({ at, field }) => (call.args[at] === word ? [field] : []));
    const found = judge({ ...call, fieldsOf, fields: reading.map(({ field }) => field) });
    if (found?.severity === "block") return found;
  }
  return refusal;
}
