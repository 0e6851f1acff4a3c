/**
 * What a model reads about the tools: short, and only what is true in this session.
 */
import type { Settings } from "@pi-bash/contract";
import type { BashToolSession } from "./session.ts";

/** Tools that do better what a shell command also does, and the commands that they replace. */
const BETTER_TOOLS: readonly (readonly [tool: string, instead: string])[] = [
  ["read", "cat/head/tail"],
  ["search", "grep/rg"],
  ["grep", "grep/rg"],
  ["find", "find/fd"],
  ["glob", "find/fd"],
  ["edit", "sed -i"],
  ["write", "echo/cat redirection"],
];

const KEPT_STATE =
  "- Variables, functions and options stay for later calls. Each call starts in the workspace: pass `cwd` instead of `cd`, and `env` for values that are hard to quote.";
const KEPT_FOLDER =
  "- Variables, functions, options and the folder of a `cd` stay for later calls. `cwd`, from the workspace, is for one call; `env` is for values that are hard to quote.";

const NOTHING_KEPT =
  "- Each command has a bash of its own here: variables, functions, options and the folder of a `cd` are gone for later calls. Put what belongs together into one command, pass `cwd` for another folder, and `env` for values that are hard to quote. There is no terminal, and processes left in the background are ended only as far as they stay in their group.";

/** What of a call is there for the next. */
function stateLine({ keepsState = true }: BashToolSession, settings: Settings): string {
  if (!keepsState) return NOTHING_KEPT;
  return settings["bash.directoryPersists"] ? KEPT_FOLDER : KEPT_STATE;
}

/** The description of the bash tool. */
export function bashPrompt(session: BashToolSession, settings: Settings): string {
  const hasJobs = session.asyncJobManager !== undefined;
  const lines = [
    "Runs a command in bash and returns its output, standard output and error together.",
    stateLine(session, settings),
    "- No standard input and no one to answer: use flags that do not ask.",
    "- Of long output the end is shown. All of it is at `artifact://<id>`, which also works as a word of a command: `grep -n error artifact://<id>`. Do not shorten output with `head`, `tail` or a file.",
    `- \`timeout\` is in seconds, ${settings.defaultTimeout / 1_000} if absent, at most ${settings.maxTimeout / 1_000}.`,
  ];
  if (settings.requireDescription)
    lines.push("- Say in `description` what the command does: calls without it are refused.");
  if (session.pty !== undefined) lines.push("- `pty: true` only for programs that a person has to answer.");
  if (settings["async.enabled"] && hasJobs) {
    lines.push("- `async: true` starts a background job. Its result is delivered when it ends; do not poll.");
  }
  if (settings["bash.autoBackground.enabled"] && hasJobs) {
    const seconds = settings["bash.autoBackground.thresholdMs"] / 1_000;
    lines.push(`- A command that takes longer than ${seconds} s becomes a background job.`);
  }
  const schemes = urlSchemes(session);
  if (schemes.length > 0) lines.push(`- ${schemes.join(", ")} work as words of a command, too.`);
  if (settings["bashInterceptor.enabled"]) lines.push(...betterTools(session));
  return lines.join("\n");
}

/** The description of the job tool. */
export const JOB_PROMPT = [
  "Background jobs of this session.",
  "- `list: true` shows them; `poll: [id]` waits until one of these has ended and returns its result; `cancel: [id]` ends them.",
  "- Results are delivered when jobs end: poll only when there is nothing else to do.",
].join("\n");

function urlSchemes({ internalUrls }: BashToolSession): string[] {
  return [
    ...(internalUrls?.skills !== undefined && internalUrls.skills.length > 0 ? ["`skill://<name>/<path>`"] : []),
    ...(internalUrls?.localRoot === undefined ? [] : ["`local://<path>`"]),
  ];
}

function betterTools(session: BashToolSession): string[] {
  const names = new Set(session.toolNames ?? []);
  const rules = BETTER_TOOLS.filter(([tool]) => names.has(tool)).map(([tool, instead]) => `\`${tool}\` for ${instead}`);
  return rules.length === 0 ? [] : [`- Use other tools where they fit: ${rules.join(", ")}.`];
}
