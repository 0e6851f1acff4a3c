/**
 * What a call of a task tool asks for, in its first line: the tool's name, and whose output, which tasks, until when.
 *
 * The arguments are as the model wrote them and perhaps not whole: each is shown where it is what it should be.
 */
import { highlight } from "../syntax.ts";
import { plainRun, type Run, type StyledLine, styledLines } from "../text/styled.ts";
import type { Theme } from "../theme.ts";
import { type Arguments, namedIds, textOf, textsOf } from "../unchecked-call.ts";
import type { TaskToolName } from "./task-details.ts";

/** The lines of a call, without its mark. An agent's prompt is shown when `isExpanded`. */
export function headLines(tool: TaskToolName, args: Arguments, theme: Theme, isExpanded: boolean): StyledLine[] {
  const { colours } = theme;
  const name: Run = { text: `${tool} `, style: colours.label };
  switch (tool) {
    case "task":
      return args["kind"] === "bash" || textOf(args["script"]) !== undefined
        ? scriptLines(name, args, theme)
        : agentLines(name, args, theme, isExpanded);
    case "task_await":
    case "bash_output":
      return [[name, ...idRuns(args, "all that are active", theme), ...waitRuns(args, theme)]];
    case "task_list":
    case "bash_background_list": {
      const statuses = textsOf(args["statuses"]).join(", ");
      return [[statuses === "" ? { ...name, text: tool } : name, plainRun(statuses, colours.dim)]];
    }
    case "task_send":
      return [[name, plainRun(textOf(args["task_id"]) ?? "…", colours.accent), ...sentRuns(args, theme)]];
    case "task_terminate":
    case "bash_background_terminate":
      return [[name, ...idRuns(args, "…", theme)]];
  }
}

function scriptLines(name: Run, args: Arguments, { colours }: Theme): StyledLine[] {
  const [first = [], ...rest] = highlight(textOf(args["script"]) ?? "…", colours);
  const title = textOf(args["display_name"]);
  const titleRuns = title === undefined ? [] : [plainRun(title, colours.accent), { text: " ", style: "" }];
  return [[name, ...titleRuns, { text: "$ ", style: colours.prompt }, ...first], ...rest];
}

function agentLines(name: Run, args: Arguments, { colours }: Theme, isExpanded: boolean): StyledLine[] {
  const agent = textOf(args["subagent_type"]);
  const title = textOf(args["title"]) ?? "…";
  const head = [name, ...(agent === undefined ? [] : [plainRun(`${agent}: `, colours.keyword)])];
  const prompt = isExpanded ? styledLines(textOf(args["prompt"]) ?? "", false) : [];
  return [[...head, plainRun(title, colours.accent)], ...prompt];
}

/** ` "y" Enter Ctrl-C SIGINT`: what is sent, in its order. */
function sentRuns(args: Arguments, { colours }: Theme): Run[] {
  const text = textOf(args["text"]);
  const signal = textOf(args["signal"]);
  const parts = [
    signal === undefined ? undefined : `SIG${signal}`,
    text === undefined || text === "" ? undefined : JSON.stringify(text),
    text === undefined || args["enter"] === false ? undefined : "Enter",
    ...textsOf(args["keys"]),
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? [] : [plainRun(` ${parts.join(" ")}`, colours.dim)];
}

function idRuns(args: Arguments, none: string, { colours }: Theme): Run[] {
  const one = textOf(args["process_id"]);
  const ids = one === undefined ? textsOf(args["task_ids"]) : [one];
  if (ids.length === 0) return [plainRun(none, colours.dim)];
  return [plainRun(namedIds(ids), colours.accent)];
}

/** ` (at most 60s, until 2 have ended, lines with /error/)` */
function waitRuns(args: Arguments, { colours }: Theme): Run[] {
  const { timeout_secs: seconds, min_completed: least, filter_exclude: isExcluding } = args;
  const filter = textOf(args["filter"]);
  const parts = [
    typeof seconds === "number" ? (seconds > 0 ? `at most ${seconds}s` : "without waiting") : undefined,
    typeof least === "number" ? `until ${least} ${least === 1 ? "has" : "have"} ended` : undefined,
    filter === undefined ? undefined : `lines ${isExcluding === true ? "without" : "with"} /${filter}/`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? [] : [plainRun(` (${parts.join(", ")})`, colours.dim)];
}
