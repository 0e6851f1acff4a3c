/**
 * Every setting of the bash tool: its name, its type and the value it has when no one set it.
 *
 * Keys are the full names (`bash.outputHeadBytes`), not nested objects: one spelling in configuration files, code,
 * messages and documents, which a search finds. What each does stands in the schema (`describe`): `pi-bash settings`, the
 * JSON Schema and `docs/api` are made from it. `Settings.parse({})` gives the defaults. Keys that are not ours
 * are dropped by it, so a host can hand over its whole configuration; `createExecutor` itself refuses them.
 */
import * as z from "zod";
import { UnaskedKind } from "./decision.ts";
import { InterceptorRule } from "./interceptor-rule.ts";
import {
  ASSISTANT_BLOCKING_BUDGET_MS,
  DEFAULT_ARTIFACT_MAX_AGE_MS,
  DEFAULT_ARTIFACT_MAX_BYTES,
  DEFAULT_ARTIFACT_QUOTA_BYTES,
  DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS,
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_JOBS,
  DEFAULT_MINIMIZER_CAPTURE_BYTES,
  DEFAULT_TIMEOUT_SECONDS,
  MAX_OUTPUT_BYTES,
  MAX_TIMEOUT_SECONDS,
  MIN_OUTPUT_BYTES,
  MIN_OUTPUT_LINES,
} from "./limits.ts";
import { ResourceLimits, SandboxBackend, SandboxMode, SandboxNetwork } from "./sandbox.ts";

const MAX_TIMEOUT_MS = MAX_TIMEOUT_SECONDS * 1_000;
/** Longest wait for an answer: a day. */
const MAX_APPROVAL_MS = 86_400_000;
const names = z.array(z.string().min(1));
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is no SHA-256 in lower-case hexadecimal digits");

export const Settings = z.object({
  shellPath: z.string().min(1).optional().describe("The shell to run instead of the one that is found. Absolute path."),
  shellPrefix: z
    .string()
    .min(1)
    .optional()
    .describe("Text put before every command, with a space between: `<prefix> <command>`."),

  "artifacts.maxBytes": z
    .number()
    .int()
    .min(1)
    .default(DEFAULT_ARTIFACT_MAX_BYTES)
    .describe("Bytes of one artifact; a longer output is kept up to here, and its result says so."),
  "artifacts.quotaBytes": z
    .number()
    .int()
    .min(0)
    .default(DEFAULT_ARTIFACT_QUOTA_BYTES)
    .describe("Bytes of all artifacts of an executor; past it the oldest that no one writes are removed."),
  "artifacts.maxAgeMs": z
    .number()
    .int()
    .min(0)
    .default(DEFAULT_ARTIFACT_MAX_AGE_MS)
    .describe("How long an artifact is kept, in milliseconds."),

  defaultTimeout: z
    .number()
    .int()
    .min(1_000)
    .max(MAX_TIMEOUT_MS)
    .default(DEFAULT_TIMEOUT_SECONDS * 1_000)
    .describe("Deadline of a call that names none, in milliseconds."),
  maxTimeout: z
    .number()
    .int()
    .min(1_000)
    .max(MAX_TIMEOUT_MS)
    .default(MAX_TIMEOUT_MS)
    .describe("Longest deadline a call may name, in milliseconds; longer ones are lowered to it."),

  blockedCommands: names
    .default([])
    .describe(
      "Commands that never run, compared by their words wherever they stand: `git push --force` blocks `cd x && git push --force origin`, and neither `git push` nor `echo 'git push --force'`. Wiping the system, devices and fork bombs are blocked without being listed.",
    ),
  askUndecidedBlocks: z
    .boolean()
    .default(true)
    .describe(
      'Whether a session with a policy asks in every mode, `yolo` included, where it cannot be determined that a command is not one of those that never run: `rm -rf "$X"` where nothing says what `X` is.',
    ),
  requireDescription: z
    .boolean()
    .default(false)
    .describe("Whether a call must say what its command does (`description`)."),
  "bash.allowUnasked": z
    .array(UnaskedKind)
    .default([])
    .describe(
      "What may run unasked though it otherwise never does: `download-to-shell` (`curl … | sh`), `system-write` (below `/etc`), `open-modes` (`chmod -R 777`). Rules and modes decide about it then as about any command.",
    ),
  "bash.approvalTimeoutMs": z
    .number()
    .int()
    .min(1)
    .max(MAX_APPROVAL_MS)
    .optional()
    .describe(
      "How long a question about a call waits for its answer, in milliseconds; without one it is refused. Absent: no bound.",
    ),

  "async.enabled": z.boolean().default(false).describe("Whether a call may ask for a background job (`async: true`)."),
  "async.maxJobs": z
    .number()
    .int()
    .min(1)
    .default(DEFAULT_MAX_JOBS)
    .describe("Jobs that may run at one time in a session."),

  "bash.autoBackground.enabled": z
    .boolean()
    .default(false)
    .describe("Whether a call that takes long becomes a job by itself."),
  "bash.autoBackground.thresholdMs": z
    .number()
    .int()
    .min(0)
    .default(DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS)
    .describe("How long it stays in the foreground, in milliseconds; 0: not at all. Capped at the deadline minus 1 s."),

  "bash.onInputWait": z
    .enum(["end", "note"])
    .default("end")
    .describe(
      "What happens to a command one of whose programs waits for a person's input, which it cannot get without a terminal: it is ended after two seconds, or goes on and its result says so.",
    ),

  "bash.usage": z
    .boolean()
    .default(false)
    .describe("Whether results say what a command used: processor time and peak memory."),

  "bash.timeoutAction": z
    .enum(["kill", "background"])
    .default("kill")
    .describe("What happens to a command at its deadline, where it can go on as a job: it is ended, or goes on."),

  "task.autoBackground": z
    .boolean()
    .default(true)
    .describe("Whether a task's command that takes long goes on in the background by itself."),
  "task.blockingBudgetMs": z
    .number()
    .int()
    .min(0)
    .default(ASSISTANT_BLOCKING_BUDGET_MS)
    .describe("How long it may block its agent before, in milliseconds."),
  "task.neverBackground": names
    .default(["sleep"])
    .describe("Programs whose commands stay in the foreground: their end is what the agent waits for."),
  "task.maxDepth": z
    .number()
    .int()
    .min(0)
    .default(1)
    .describe("How deep agents may start agents: 1 lets the first one start some, which start none."),

  "bash.stripTrailingHeadTail": z
    .boolean()
    .default(true)
    .describe("Whether a trailing `| head` or `| tail` may hide output from the artifact. On: it may not."),
  "bash.stripTrailingHeadTailMode": z
    .enum(["tee", "strip"])
    .default("tee")
    .describe(
      "How that is done. `tee`: the pipeline runs as it is and its input is copied to the artifact. `strip`: the stage is removed, which shows more than was asked for and can change the exit status.",
    ),
  "bash.outputMaxBytes": z
    .number()
    .int()
    .min(MIN_OUTPUT_BYTES)
    .max(MAX_OUTPUT_BYTES)
    .default(DEFAULT_MAX_BYTES)
    .describe(
      "Bytes of output that a result shows. Notices and the status have up to 2 KiB more. `pi-bash mcp` chooses it by its client where no one sets it.",
    ),
  "bash.outputMaxLines": z
    .number()
    .int()
    .min(MIN_OUTPUT_LINES)
    .optional()
    .describe(
      "Lines of output that a result shows, notices and status not counted. Absent: any number within the bytes.",
    ),
  "bash.outputHeadBytes": z
    .number()
    .int()
    .min(0)
    .max(MAX_OUTPUT_BYTES)
    .default(0)
    .describe("Bytes of the output's beginning that are kept beside its end. At most half of the window is used."),
  "bash.outputHeadLines": z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Lines of that beginning, where `bash.outputMaxLines` is met. At most half of them. Absent: half."),

  "bash.directoryPersists": z
    .boolean()
    .default(false)
    .describe(
      "Whether a `cd` lasts: a call without a `cwd` starts where the last one ended. Off: each starts in the workspace. On in `pi-bash mcp`, `rpc`, `console` and `tasks`.",
    ),

  "bash.environment.withhold": z
    .enum(["provider", "secrets", "none"])
    .default("provider")
    .describe(
      "Variables of the agent's environment that commands do not see. `provider`: the agent's own model-provider keys. `secrets`: everything whose name or value looks like a secret. `none`: nothing is withheld.",
    ),
  "bash.environment.allow": names
    .default([])
    .describe("Names that are passed on in spite of that; `*` stands for any run of characters."),
  "bash.ptyEnvironment": z
    .enum(["hardened", "user"])
    .default("hardened")
    .describe("Environment of a pseudoterminal: no pagers and editors, or the person's own."),
  "bash.ptyEscape": z
    .enum(["kill", "program"])
    .default("kill")
    .describe(
      "What Esc does while a program has a person's console: it ends the program, or goes to it and ctrl+] ends it.",
    ),

  "tty.record": z
    .boolean()
    .default(false)
    .describe(
      "Whether a task on a terminal is recorded, in the form asciicast v2, as an artifact beside its output: what was written, what was typed and by whom. `pi-bash replay` plays it.",
    ),

  "tty.modelSecrets": z
    .enum(["refuse", "ask"])
    .default("refuse")
    .describe(
      "What becomes of text that a model sends to a task whose program does not show what is typed. `refuse`: a person has to type it; `ask`: the person is asked whether the model may.",
    ),

  "secrets.mask": z
    .boolean()
    .default(true)
    .describe(
      "Whether secrets are masked in what a model reads: values of withheld variables, tokens of well-known forms, private keys and passwords in URLs.",
    ),
  "secrets.maskArtifacts": z
    .boolean()
    .default(false)
    .describe(
      "Whether they are masked in the files of artifacts too, which then differ from what the command wrote. Off: the files are exact, and what is read of them by address is masked.",
    ),
  "secrets.names": names
    .default([])
    .describe(
      "Variables of the agent's environment whose values are masked although commands see them; `*` stands for any run of characters.",
    ),
  "secrets.allow": names
    .default([])
    .describe(
      "Names of variables and forms (`jwt`, `url-password`) that are not masked; `*` stands for any run of characters.",
    ),

  limits: ResourceLimits.optional().describe("Bounds of what a session uses up."),
  sandboxMode: SandboxMode.default("full").describe(
    "What commands can write. `full`: whatever the user can. Anything else runs them in a sandbox or not at all.",
  ),
  "sandbox.network": SandboxNetwork.default(false).describe(
    "What of the network commands in a sandbox can reach. `true`: the host's. `false`: none. `allow`: hosts, by rules.",
  ),
  "sandbox.backend": SandboxBackend.optional().describe("Who holds the sandbox; none means the first that works."),
  "sandbox.writablePaths": names
    .default([])
    .describe("Folders that can be written besides the workspace. Absolute paths."),
  "sandbox.protectedPaths": names.default([]).describe("What stays read-only in them, besides what always does."),
  "sandbox.hiddenPaths": names.default([]).describe("Files and folders that commands cannot see. Absolute paths."),
  "sandbox.allowDegraded": z
    .boolean()
    .default(false)
    .describe("Whether a sandbox that lacks something is used, its lacks named in each result, instead of refused."),

  "readOnly.enforce": z
    .enum(["off", "available", "required"])
    .default("available")
    .describe(
      "Whether the kernel holds a command that is allowed because it only reads. `available`: where it can; elsewhere the strict half of the tables decides. `required`: elsewhere such commands ask. `off`: the tables alone decide.",
    ),
  "readOnly.onRefusal": z
    .enum(["report", "ask"])
    .default("report")
    .describe(
      "What happens after such a command was refused something. `report`: the result says so. `ask`: the host's approval is asked, and an approved command runs once more, without confinement.",
    ),

  "bashInterceptor.enabled": z
    .boolean()
    .default(false)
    .describe("Whether commands that have a better tool are refused."),
  "bashInterceptor.patterns": z.array(InterceptorRule).default([]).describe("The rules; none means the default ones."),

  "shellMinimizer.enabled": z.boolean().default(true).describe("Whether verbose output is shortened for the model."),
  "shellMinimizer.settingsPath": z
    .string()
    .min(1)
    .optional()
    .describe("A TOML file with rules of one's own; they go before the built-in ones."),
  "shellMinimizer.settingsHash": Sha256.optional().describe(
    "SHA-256 of that file; another content is not used. Absent: any.",
  ),
  "shellMinimizer.approvedRules": z
    .array(Sha256)
    .default([])
    .describe("SHA-256 of projects' rule files that may be used; none means that no project's file is."),
  "shellMinimizer.only": names.default([]).describe("Only these filters; none means all."),
  "shellMinimizer.except": names.default([]).describe("Not these filters."),
  "shellMinimizer.maxCaptureBytes": z
    .number()
    .int()
    .min(0)
    .default(DEFAULT_MINIMIZER_CAPTURE_BYTES)
    .describe("Longest output that is looked at, in bytes."),
  "shellMinimizer.sourceOutlineLevel": z
    .enum(["off", "default", "aggressive"])
    .default("off")
    .describe(
      "How much of printed source code is reduced to an outline. `off`: nothing, because edits depend on every character; `default`: long bodies; `aggressive`: all bodies.",
    ),
});
/** All settings with their values. */
export type Settings = z.infer<typeof Settings>;
/** What a host may give: any part of them. */
export type SettingsInput = z.input<typeof Settings>;
