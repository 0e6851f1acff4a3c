/** What the policy finds in a command line in many places: folders, homes and workspaces of all kinds, and unknown ones. */
import { type ClassifyContext, classify } from "../../src/classify.ts";
import { PLACE } from "./danger-answer.ts";

const PLACES: readonly (readonly [string, ClassifyContext])[] = [
  ["usually", PLACE],
  ["any folder", { workspace: PLACE.workspace, home: PLACE.home }],
  ["any home", { cwd: PLACE.cwd, workspace: PLACE.workspace }],
  ["no workspace", { cwd: PLACE.cwd, home: PLACE.home }],
  ["nothing known", {}],
  ["in the root folder", { ...PLACE, cwd: "/" }],
  ["in /etc", { ...PLACE, cwd: "/etc" }],
  ["in the home", { ...PLACE, cwd: "/home/me" }],
  ["above the workspace", { ...PLACE, cwd: "/home/me/code" }],
  ["below the workspace", { ...PLACE, cwd: "/home/me/code/app/src/a" }],
  ["beside the workspace", { ...PLACE, cwd: "/home/me/code/other" }],
  ["in a process", { ...PLACE, cwd: "/proc/1" }],
  ["in /dev", { ...PLACE, cwd: "/dev" }],
  ["workspace in /usr/src", { home: "/root", cwd: "/usr/src/app", workspace: "/usr/src/app" }],
  ["workspace in /var/www, in another folder", { home: "/var/www", cwd: "/tmp/x", workspace: "/var/www/site/app" }],
  ["workspace /etc", { home: "/root", cwd: "/etc", workspace: "/etc" }],
  ["workspace /", { home: "/root", cwd: "/", workspace: "/" }],
  ["home /", { home: "/", cwd: "/app", workspace: "/app" }],
  ["on macOS", { home: "/Users/me", cwd: "/private/var/x/app", workspace: "/private/var/x/app" }],
  ["with a slash", { home: "/home/me/", cwd: "/home/me/code/app/", workspace: "/home/me/code/../code/app/" }],
];

/** A row for each outcome: the places, the class, and what is found. */
export function placeText(line: string): readonly string[] {
  const outcomes = new Map<string, string[]>();
  for (const [name, context] of PLACES) {
    const { class: kind, findings, undecided } = classify(line, context);
    const shown = [
      kind,
      ...(findings.length === 0 ? [] : [`finds ${findings.map(({ message }) => message).join(", ")}`]),
      ...(undecided.length === 0 ? [] : [`cannot decide ${undecided.map(({ message }) => message).join(", ")}`]),
    ];
    const outcome = shown.join("; ");
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), name]);
  }
  return [...outcomes].map(([outcome, names]) => `${names.join(", ")}: ${outcome}`);
}
