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
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is not a SHA-256 in lower-case hexadecimal digits");

export const Settings = z.object({
  shellPath: z.string().min(1).optional().describe("Absolute path of the shell to run. Absent: the first one found."),
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
    .describe("Most bytes of one artifact. A longer output is kept up to here, and its result says so."),
  "artifacts.quotaBytes": z
    .number()
    .int()
    .min(0)
    .default(DEFAULT_ARTIFACT_QUOTA_BYTES)
    .describe("Most bytes of all artifacts of an executor. Beyond it the oldest finished ones are removed."),
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
    .describe("Deadline of a call that sets none, in milliseconds."),
  maxTimeout: z
    .number()
    .int()
    .min(1_000)
    .max(MAX_TIMEOUT_MS)
    .default(MAX_TIMEOUT_MS)
    .describe("Longest deadline that a call may set, in milliseconds; longer ones are lowered to it."),

  blockedCommands: names
    .default([])
    .describe(
      "Commands that never run, compared by their words wherever they stand: `git push --force` blocks `cd x && git push --force origin`, and neither `git push` nor `echo 'git push --force'`. Wiping the system, devices and fork bombs are blocked without being listed.",
    ),
  askUndecidedBlocks: z
    .boolean()
    .default(true)
    .describe(
      'Whether a session with a policy asks, in every mode including `yolo`, about a command that may be one of those that never run: `rm -rf "$X"`, if the line does not say what `X` is.',
    ),
  requireDescription: z
    .boolean()
    .default(false)
    .describe("Whether a call must say what its command does (`description`)."),
  "bash.allowUnasked": z
    .array(UnaskedKind)
    .default([])
    .describe(
      "Kinds of commands that otherwise always need approval and need none here: `download-to-shell` (`curl … | sh`), `system-write` (below `/etc`), `open-modes` (`chmod -R 777`). Rules and modes then decide about them as about any command.",
    ),
  "bash.approvalTimeoutMs": z
    .number()
    .int()
    .min(1)
    .max(MAX_APPROVAL_MS)
    .optional()
    .describe(
      "How long a request for approval waits for an answer, in milliseconds; then the call is refused. Absent: no limit.",
    ),

  "async.enabled": z.boolean().default(false).describe("Whether a call may ask for a background job (`async: true`)."),
  "async.maxJobs": z
    .number()
    .int()
    .min(1)
    .default(DEFAULT_MAX_JOBS)
    .describe("Most jobs that run at the same time in a session."),

  "bash.autoBackground.enabled": z
    .boolean()
    .default(false)
    .describe("Whether a long call becomes a background job by itself."),
  "bash.autoBackground.thresholdMs": z
    .number()
    .int()
    .min(0)
    .default(DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS)
    .describe("How long it stays in the foreground, in milliseconds; 0: not at all. At most the deadline minus 1 s."),

  "bash.onInputWait": z
    .enum(["end", "note"])
    .default("end")
    .describe(
      "What happens to a command that waits for a person's input and has no terminal to get it from. `end`: it is ended after two seconds. `note`: it goes on and its result says so.",
    ),

  "bash.usage": z.boolean().default(false).describe("Whether results include processor time and peak memory."),

  "bash.timeoutAction": z
    .enum(["kill", "background"])
    .default("kill")
    .describe(
      "What happens at the deadline of a command that can go on as a job. `kill`: it is ended. `background`: it becomes a job.",
    ),

  "task.autoBackground": z.boolean().default(true).describe("Whether a long task moves to the background by itself."),
  "task.blockingBudgetMs": z
    .number()
    .int()
    .min(0)
    .default(ASSISTANT_BLOCKING_BUDGET_MS)
    .describe("How long it may block its agent before that, in milliseconds."),
  "task.neverBackground": names
    .default(["sleep"])
    .describe("Programs that always stay in the foreground, because the agent waits for their end."),
  "task.maxDepth": z
    .number()
    .int()
    .min(0)
    .default(1)
    .describe("How deep agents may start agents. 1: the first agent may, those that it starts may not."),

  "bash.stripTrailingHeadTail": z
    .boolean()
    .default(true)
    .describe("Whether the artifact also gets what a trailing `| head` or `| tail` cuts off."),
  "bash.stripTrailingHeadTailMode": z
    .enum(["tee", "strip"])
    .default("tee")
    .describe(
      "How that is done. `tee`: the pipeline runs unchanged and its input is copied to the artifact. `strip`: the stage is removed, which shows more than the command asked for and can change the exit status.",
    ),
  "bash.outputMaxBytes": z
    .number()
    .int()
    .min(MIN_OUTPUT_BYTES)
    .max(MAX_OUTPUT_BYTES)
    .default(DEFAULT_MAX_BYTES)
    .describe(
      "Most bytes of output in a result. Notices and the status add up to 2 KiB. If it is not set, `pi-bash mcp` chooses it to suit its client.",
    ),
  "bash.outputMaxLines": z
    .number()
    .int()
    .min(MIN_OUTPUT_LINES)
    .optional()
    .describe(
      "Most lines of output in a result, not counting notices and status. Absent: any number within the bytes.",
    ),
  "bash.outputHeadBytes": z
    .number()
    .int()
    .min(0)
    .max(MAX_OUTPUT_BYTES)
    .default(0)
    .describe("Bytes of the output's beginning that are shown as well as its end. At most half of the window is used."),
  "bash.outputHeadLines": z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Lines of that beginning when `bash.outputMaxLines` cuts. At most half of them. Absent: half."),

  "bash.directoryPersists": z
    .boolean()
    .default(false)
    .describe(
      "Whether a `cd` lasts. On: a call without `cwd` starts where the last one ended. Off: each call starts in the workspace. On in `pi-bash mcp`, `rpc`, `console` and `tasks`.",
    ),

  "bash.environment.withhold": z
    .enum(["provider", "secrets", "none"])
    .default("provider")
    .describe(
      "Variables of the agent's environment that commands do not see. `provider`: the agent's own model-provider keys. `secrets`: everything whose name or value looks like a secret. `none`: nothing is withheld.",
    ),
  "bash.environment.allow": names
    .default([])
    .describe("Names that are passed on all the same; `*` matches any characters."),
  "bash.ptyEnvironment": z
    .enum(["hardened", "user"])
    .default("hardened")
    .describe("Environment of a pseudoterminal. `hardened`: without pagers and editors. `user`: the person's own."),
  "bash.ptyEscape": z
    .enum(["kill", "program"])
    .default("kill")
    .describe(
      "What Esc does while a program runs in a person's console. `kill`: it ends the program. `program`: the program gets it, and ctrl+] ends the program.",
    ),

  "tty.record": z
    .boolean()
    .default(false)
    .describe(
      "Whether a terminal task is also recorded as an artifact in asciicast v2 format: what was written, what was typed and by whom. `pi-bash replay` plays it.",
    ),

  "tty.modelSecrets": z
    .enum(["refuse", "ask"])
    .default("refuse")
    .describe(
      "What happens when a model types into a program that hides its input, such as a password prompt. `refuse`: a person has to type it. `ask`: the person is asked whether the model may.",
    ),

  "secrets.mask": z
    .boolean()
    .default(true)
    .describe(
      "Whether secrets are masked in what a model reads: values of withheld variables, tokens in well-known forms, private keys and passwords in URLs.",
    ),
  "secrets.maskArtifacts": z
    .boolean()
    .default(false)
    .describe(
      "Whether they are also masked in artifact files, which then differ from what the command wrote. Off: the files are exact, and reading them by address masks.",
    ),
  "secrets.names": names
    .default([])
    .describe(
      "Variables of the agent's environment that commands see and whose values are masked all the same; `*` matches any characters.",
    ),
  "secrets.allow": names
    .default([])
    .describe("Names of variables and forms (`jwt`, `url-password`) that are not masked; `*` matches any characters."),

  limits: ResourceLimits.optional().describe("Limits on the resources of a session."),
  sandboxMode: SandboxMode.default("full").describe(
    "What commands can write to. `full`: whatever the user can. Any other value runs them in a sandbox, or not at all.",
  ),
  "sandbox.network": SandboxNetwork.default(false).describe(
    "Which network commands in a sandbox can reach. `true`: the host's. `false`: none. `allow`: the listed hosts.",
  ),
  "sandbox.backend": SandboxBackend.optional().describe(
    "Which backend enforces the sandbox. Absent: the first that works.",
  ),
  "sandbox.writablePaths": names
    .default([])
    .describe("Folders besides the workspace that commands can write to. Absolute paths."),
  "sandbox.protectedPaths": names
    .default([])
    .describe("What stays read-only in them, in addition to the built-in list."),
  "sandbox.hiddenPaths": names.default([]).describe("Files and folders that commands cannot see. Absolute paths."),
  "sandbox.allowDegraded": z
    .boolean()
    .default(false)
    .describe("Whether to use a sandbox that lacks something and name that in each result, instead of refusing."),

  "readOnly.enforce": z
    .enum(["off", "available", "required"])
    .default("available")
    .describe(
      "Whether the kernel enforces that a command approved as read-only only reads. `available`: where it can; elsewhere the stricter tables decide. `required`: elsewhere such commands need approval. `off`: the tables alone decide.",
    ),
  "readOnly.onRefusal": z
    .enum(["report", "ask"])
    .default("report")
    .describe(
      "What happens when the kernel refuses something to such a command. `report`: the result says so. `ask`: approval is requested, and an approved command runs once more without confinement.",
    ),

  "bashInterceptor.enabled": z
    .boolean()
    .default(false)
    .describe("Whether commands are refused if a better tool exists."),
  "bashInterceptor.patterns": z.array(InterceptorRule).default([]).describe("The rules. Empty: the default ones."),

  "shellMinimizer.enabled": z.boolean().default(true).describe("Whether verbose output is shortened for the model."),
  "shellMinimizer.settingsPath": z
    .string()
    .min(1)
    .optional()
    .describe("A TOML file with your own rules, which come before the built-in ones."),
  "shellMinimizer.settingsHash": Sha256.optional().describe(
    "SHA-256 of that file. If set, a file with another hash is ignored.",
  ),
  "shellMinimizer.approvedRules": z
    .array(Sha256)
    .default([])
    .describe("SHA-256 of each project rule file that may be used. Empty: none is."),
  "shellMinimizer.only": names.default([]).describe("Use only these filters. Empty: all."),
  "shellMinimizer.except": names.default([]).describe("Do not use these filters."),
  "shellMinimizer.maxCaptureBytes": z
    .number()
    .int()
    .min(0)
    .default(DEFAULT_MINIMIZER_CAPTURE_BYTES)
    .describe("Longest output that is minimized, in bytes."),
  "shellMinimizer.sourceOutlineLevel": z
    .enum(["off", "default", "aggressive"])
    .default("off")
    .describe(
      "How much printed source code is reduced to an outline. `off`: none, because edits depend on every character. `default`: long bodies. `aggressive`: all bodies.",
    ),
});
/** All settings with their values. */
export type Settings = z.infer<typeof Settings>;
/** What a host may give: any part of them. */
export type SettingsInput = z.input<typeof Settings>;
