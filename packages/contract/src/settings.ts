/**
 * Every setting of the bash tool: its name, its type and the value it has when nobody set it.
 *
 * Keys are the full names (`bash.outputHeadBytes`), not nested objects: one spelling in configuration files, code,
 * messages and documents, which a search finds. `Settings.parse({})` gives the defaults; keys that are not ours are
 * dropped, so a host can hand over its whole configuration.
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
  MAX_TIMEOUT_SECONDS,
} from "./limits.ts";
import { ResourceLimits, SandboxBackend, SandboxMode } from "./sandbox.ts";

const MAX_TIMEOUT_MS = MAX_TIMEOUT_SECONDS * 1_000;
/** Longest wait for an answer: a day. */
const MAX_APPROVAL_MS = 86_400_000;
const names = z.array(z.string().min(1));
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, "is no SHA-256 in lower-case hexadecimal digits");

export const Settings = z.object({
  /** The shell to run instead of the one that is found. Absolute path. */
  shellPath: z.string().min(1).optional(),
  /** Text put before every command, with a space between: `<prefix> <command>`. */
  shellPrefix: z.string().min(1).optional(),

  /** Bytes of one artifact; a longer output is kept up to here, and its result says so. */
  "artifacts.maxBytes": z.number().int().min(1).default(DEFAULT_ARTIFACT_MAX_BYTES),
  /** Bytes of all artifacts of an executor; past it the oldest that nobody writes are removed. */
  "artifacts.quotaBytes": z.number().int().min(0).default(DEFAULT_ARTIFACT_QUOTA_BYTES),
  /** How long an artifact is kept, in milliseconds. */
  "artifacts.maxAgeMs": z.number().int().min(0).default(DEFAULT_ARTIFACT_MAX_AGE_MS),

  /** Deadline of a call that names none, in milliseconds. */
  defaultTimeout: z
    .number()
    .int()
    .min(1_000)
    .max(MAX_TIMEOUT_MS)
    .default(DEFAULT_TIMEOUT_SECONDS * 1_000),
  /** Longest deadline a call may name, in milliseconds; longer ones are lowered to it. */
  maxTimeout: z.number().int().min(1_000).max(MAX_TIMEOUT_MS).default(MAX_TIMEOUT_MS),

  /**
   * Commands that never run, compared by their words wherever they stand: `git push --force` blocks
   * `cd x && git push --force origin`, and neither `git push` nor `echo 'git push --force'`. Wiping the system, devices
   * and fork bombs are blocked without being listed.
   */
  blockedCommands: names.default([]),
  /**
   * Whether a session with a policy asks in every mode, `yolo` included, where it cannot be told that a command is not
   * one of those that never run: `rm -rf "$X"` where nothing says what `X` is.
   */
  askUndecidedBlocks: z.boolean().default(true),
  /** Whether a call must say what its command does (`description`). */
  requireDescription: z.boolean().default(false),
  /**
   * What may run unasked though it otherwise never does: `download-to-shell` (`curl … | sh`), `system-write` (below
   * `/etc`), `open-modes` (`chmod -R 777`). Rules and modes decide about it then as about any command.
   */
  "bash.allowUnasked": z.array(UnaskedKind).default([]),
  /** How long a question about a call waits for its answer, in milliseconds; without one it is refused. Absent: no bound. */
  "bash.approvalTimeoutMs": z.number().int().min(1).max(MAX_APPROVAL_MS).optional(),

  /** Whether a call may ask for a background job (`async: true`). */
  "async.enabled": z.boolean().default(false),
  /** Jobs that may run at one time in a session. */
  "async.maxJobs": z.number().int().min(1).default(DEFAULT_MAX_JOBS),

  /** Whether a call that takes long becomes a job by itself. */
  "bash.autoBackground.enabled": z.boolean().default(false),
  /** How long it stays in the foreground, in milliseconds; 0: not at all. Capped at the deadline minus 1 s. */
  "bash.autoBackground.thresholdMs": z.number().int().min(0).default(DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS),

  /** What happens to a command at its deadline, where it can go on as a job: it is ended, or goes on. */
  "bash.timeoutAction": z.enum(["kill", "background"]).default("kill"),

  /** Whether a task's command that takes long goes on in the background by itself. */
  "task.autoBackground": z.boolean().default(true),
  /** How long it may block its agent before, in milliseconds. */
  "task.blockingBudgetMs": z.number().int().min(0).default(ASSISTANT_BLOCKING_BUDGET_MS),
  /** Programs whose commands stay in the foreground: their end is what the agent waits for. */
  "task.neverBackground": names.default(["sleep"]),
  /** How deep agents may start agents: 1 lets the first one start some, which start none. */
  "task.maxDepth": z.number().int().min(0).default(1),

  /** Whether a trailing `| head` or `| tail` may hide output from the artifact. On: it may not. */
  "bash.stripTrailingHeadTail": z.boolean().default(true),
  /**
   * How that is done. `tee`: the pipeline runs as it is and its input is copied to the artifact. `strip`: the stage is
   * removed, which shows more than was asked for and can change the exit status.
   */
  "bash.stripTrailingHeadTailMode": z.enum(["tee", "strip"]).default("tee"),
  /** Bytes of the output's beginning that are kept beside its end. At most half of the window is used. */
  "bash.outputHeadBytes": z.number().int().min(0).max(DEFAULT_MAX_BYTES).default(0),

  /**
   * Variables of the agent's environment that commands do not see. `provider`: the agent's own model-provider keys.
   * `secrets`: everything whose name or value looks like a secret. `none`: nothing is withheld.
   */
  "bash.environment.withhold": z.enum(["provider", "secrets", "none"]).default("provider"),
  /** Names that are passed on in spite of that; `*` stands for any run of characters. */
  "bash.environment.allow": names.default([]),
  /** Environment of a pseudoterminal: no pagers and editors, or the person's own. */
  "bash.ptyEnvironment": z.enum(["hardened", "user"]).default("hardened"),
  /** What Esc does while a program has a person's console: it ends the program, or goes to it and ctrl+] ends it. */
  "bash.ptyEscape": z.enum(["kill", "program"]).default("kill"),

  /** Bounds of what a session uses up. */
  limits: ResourceLimits.optional(),
  /** What commands can write. `full`: whatever the user can. Anything else runs them in a sandbox or not at all. */
  sandboxMode: SandboxMode.default("full"),
  /** Whether commands in a sandbox can use the network. */
  "sandbox.network": z.boolean().default(false),
  /** Who holds the sandbox; none means the first that works. */
  "sandbox.backend": SandboxBackend.optional(),
  /** Folders that can be written besides the workspace. Absolute paths. */
  "sandbox.writablePaths": names.default([]),
  /** What stays read-only in them, besides what always does. */
  "sandbox.protectedPaths": names.default([]),
  /** Files and folders that commands cannot see. Absolute paths. */
  "sandbox.hiddenPaths": names.default([]),
  /** Whether a sandbox that lacks something is used, its lacks named in each result, instead of refused. */
  "sandbox.allowDegraded": z.boolean().default(false),

  /** Whether commands that have a better tool are refused. */
  "bashInterceptor.enabled": z.boolean().default(false),
  /** The rules; none means the default ones. */
  "bashInterceptor.patterns": z.array(InterceptorRule).default([]),

  /** Whether verbose output is shortened for the model. */
  "shellMinimizer.enabled": z.boolean().default(true),
  /** A TOML file with rules of one's own; they go before the built-in ones. */
  "shellMinimizer.settingsPath": z.string().min(1).optional(),
  /** SHA-256 of that file; another content is not used. Absent: any. */
  "shellMinimizer.settingsHash": Sha256.optional(),
  /** SHA-256 of projects' rule files that may be used; none means that no project's file is. */
  "shellMinimizer.approvedRules": z.array(Sha256).default([]),
  /** Only these filters; none means all. */
  "shellMinimizer.only": names.default([]),
  /** Not these filters. */
  "shellMinimizer.except": names.default([]),
  /** Longest output that is looked at, in bytes. */
  "shellMinimizer.maxCaptureBytes": z.number().int().min(0).default(DEFAULT_MINIMIZER_CAPTURE_BYTES),
  /**
   * How much of printed source code is reduced to an outline. `off`: nothing, because edits depend on every character;
   * `default`: long bodies; `aggressive`: all bodies.
   */
  "shellMinimizer.sourceOutlineLevel": z.enum(["off", "default", "aggressive"]).default("off"),
});
/** All settings with their values. */
export type Settings = z.infer<typeof Settings>;
/** What a host may give: any part of them. */
export type SettingsInput = z.input<typeof Settings>;
