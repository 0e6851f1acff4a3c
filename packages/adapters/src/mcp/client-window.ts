/**
 * How much of an output each MCP client lets its model read, and the window that stays within it.
 *
 * What a client cuts off, it cuts without knowing that the status and the artifact's address stand at the end. So a
 * result is made to fit: window, notices and status together. Figures are of the versions named; a client that is not
 * named gets the smallest of each.
 */
import { DEFAULT_MAX_BYTES, type OutputWindowSettings } from "@pi-bash/contract";
import { INLINE_SLACK_BYTES } from "@pi-bash/contract/internal";

/** In a tool's `_meta`: how long a result may be for Claude Code to pass it on whole. It obeys since 2.1.91. */
export const RESULT_SIZE_KEY = "anthropic/maxResultSizeChars";
/**
 * Characters that are asked for under that key. Without it Claude Code 2.1.197 put the first 2 KB in the place of a result
 * of 54,510 characters, with 100,000 it passed on all of them. Source: tried with a scripted model server.
 */
export const DEFAULT_RESULT_CHARS = 100_000;
/** Most that the key takes. Source: Claude Code, "Raise the limit for a specific tool". */
export const MAX_RESULT_CHARS = 500_000;

/** Lines that notices and status may take beside the output, with room to spare. */
const NOTICE_LINES = 100;

/** What a client passes on of one result. */
interface ClientLimits {
  /** Bytes of the whole answer. */
  readonly bytes: number;
  /** Lines of the whole answer. */
  readonly lines?: number;
}

/** By the beginning of the name in `initialize`. */
const CLIENTS: readonly (readonly [name: string, limits: ClientLimits])[] = [
  // `claude-code`. With the key above a result of the default size passes.
  ["claude-code", { bytes: DEFAULT_MAX_BYTES + INLINE_SLACK_BYTES }],
  // `codex-mcp-client` 0.169. It drops the middle of what exceeds the model's truncation policy, for some models 10,000
  // bytes. Source: openai/codex, issue 7906, `TruncationPolicy::Bytes(10_000)`.
  ["codex", { bytes: 10_000 }],
  // `gemini-cli-mcp-client` 0.61. Of more than 40,000 characters it keeps the first fifth and the last four fifths.
  // Source: google-gemini/gemini-cli, `truncateToolOutputThreshold`, `formatTruncatedToolOutput`.
  ["gemini-cli", { bytes: 40_000 }],
  // `opencode` 1.18. It keeps the first 2,000 lines and the first 50 KiB. Source: anomalyco/opencode, `truncate.ts`.
  ["opencode", { bytes: 50 * 1024, lines: 2_000 }],
];

const LIMITS = CLIENTS.map(([, limits]) => limits);

/** Of a client that no one knows: what passes all of those above. */
const UNKNOWN: ClientLimits = {
  bytes: Math.min(...LIMITS.map(({ bytes }) => bytes)),
  lines: Math.min(...LIMITS.flatMap(({ lines }) => (lines === undefined ? [] : [lines]))),
};

/** Settings of a window whose results pass a client whole. `name`: what it calls itself; absent: unknown. */
export function clientWindow(name: string | undefined): OutputWindowSettings {
  const known = CLIENTS.find(([beginning]) => name?.toLowerCase().startsWith(beginning) === true);
  const { bytes, lines } = known?.[1] ?? UNKNOWN;
  return {
    "bash.outputMaxBytes": bytes - INLINE_SLACK_BYTES,
    ...(lines === undefined ? {} : { "bash.outputMaxLines": lines - NOTICE_LINES }),
  };
}

/** What to ask of Claude Code so that results of a window of so many bytes pass. */
export function resultChars(maxBytes: number): number {
  return Math.min(MAX_RESULT_CHARS, Math.max(DEFAULT_RESULT_CHARS, maxBytes + INLINE_SLACK_BYTES));
}
