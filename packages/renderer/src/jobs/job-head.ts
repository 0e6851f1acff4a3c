/**
 * What a call of the job tool asks for, in its first line: `job cancel bg_1, poll bg_2, list`, in the order it is done.
 *
 * The arguments are as the model wrote them and perhaps not whole: each is shown where it is what it should be.
 */
import { plainRun, type Run } from "../text/styled.ts";
import type { Colours } from "../theme.ts";
import { type Arguments, namedIds, textsOf } from "../unchecked-call.ts";

/** The line, without the mark of its state. `isWhole`: nothing more of the arguments is coming. */
export function jobHead(args: Arguments, isWhole: boolean, colours: Colours): Run[] {
  const parts = [
    ...idsPart("cancel", args["cancel"], colours),
    ...idsPart("poll", args["poll"], colours),
    ...(args["list"] === true ? [[plainRun("list")]] : []),
  ];
  // A call that asks for nothing lists.
  const asked = parts.length > 0 ? parts : [[plainRun(isWhole ? "list" : "…")]];
  const name: Run = { text: "job ", style: colours.label };
  return [name, ...asked.flatMap((part, index) => (index === 0 ? part : [plainRun("; ", colours.dim), ...part]))];
}

function idsPart(verb: "cancel" | "poll", value: unknown, colours: Colours): Run[][] {
  const ids = textsOf(value);
  return ids.length === 0 ? [] : [[plainRun(`${verb} `), plainRun(namedIds(ids), colours.accent)]];
}
