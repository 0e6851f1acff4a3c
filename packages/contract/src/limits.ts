/**
 * The numbers that bound a command: time, memory, text, jobs, terminal size.
 *
 * Each carries its unit in its name and its source beside it, because a limit that no one can trace is a limit that
 * no one dares to change. Settings that a person may change are in `settings.ts`; these are the ones they start from
 * or that stay fixed. "Specification" means the published bash-tool specification, kept compatible on purpose.
 */

/** Deadline of a tool call that names none, in seconds. Source: specification, `TOOL_TIMEOUTS.bash.default`. */
export const DEFAULT_TIMEOUT_SECONDS = 300;
/** Shortest deadline, in seconds; smaller requests (0 too) are raised to it. Source: `TOOL_TIMEOUTS.bash.min`. */
export const MIN_TIMEOUT_SECONDS = 1;
/** Longest deadline, in seconds; larger requests are lowered to it. Source: `TOOL_TIMEOUTS.bash.max`. */
export const MAX_TIMEOUT_SECONDS = 3600;
/** Most time past the deadline until a call settles, in milliseconds. Source: `HARD_TIMEOUT_GRACE_MS`. */
export const HARD_TIMEOUT_GRACE_MS = 5_000;

/** Bytes of output kept in memory for the model, counted in UTF-8. Source: `DEFAULT_MAX_BYTES`, 50 KiB. */
export const DEFAULT_MAX_BYTES = 50 * 1024;
/** Smallest window that `bash.outputMaxBytes` takes, in bytes: less has no room for a line and its marker. */
export const MIN_OUTPUT_BYTES = 1024;
/** Largest window that `bash.outputMaxBytes` takes, in bytes: twice as much is held in memory for each command. */
export const MAX_OUTPUT_BYTES = 1024 * 1024;
/** Fewest lines that `bash.outputMaxLines` takes: a beginning, a marker and an end that say something. */
export const MIN_OUTPUT_LINES = 10;
/** Room for notices and the exit line on top of the window, in bytes: a status is never cut off. */
export const INLINE_SLACK_BYTES = 2 * 1024;
/** Longest line a model is shown, in bytes; longer ones are cut in the middle, never in the artifact. */
export const MAX_SHOWN_LINE_BYTES = 4 * 1024;
/** Least time between two live updates, in milliseconds. Source: specification, `executeBash` throttle. */
export const UPDATE_INTERVAL_MS = 50;

/** Time a call stays in the foreground before it becomes a job, in milliseconds. */
export const DEFAULT_AUTO_BACKGROUND_THRESHOLD_MS = 60_000;
/** The wait for a job in the foreground ends this long before its deadline, in milliseconds. */
export const AUTO_BACKGROUND_MARGIN_MS = 1_000;
/** Jobs running at one time in a session. */
export const DEFAULT_MAX_JOBS = 100;
/** Longest label of a job, in UTF-16 units, the closing `...` included. */
export const MAX_JOB_LABEL_CHARS = 120;
/** Time a finished job's result is kept, in milliseconds. */
export const JOB_RETENTION_MS = 5 * 60_000;
/** Time a result is kept after it was read, in milliseconds. */
export const JOB_CONSUMED_RETENTION_MS = 30_000;

/** Bytes of one artifact: a command that never stops printing must not fill the disk. 8 GiB. */
export const DEFAULT_ARTIFACT_MAX_BYTES = 8 * 1024 ** 3;
/** Bytes of all artifacts of a store; past it the oldest go. 16 GiB: room for two whole 5 GiB logs and the rest. */
export const DEFAULT_ARTIFACT_QUOTA_BYTES = 16 * 1024 ** 3;
/** Time an artifact is kept, in milliseconds: seven days, longer than a session is resumed after. */
export const DEFAULT_ARTIFACT_MAX_AGE_MS = 7 * 24 * 3_600_000;
/** Time a call blocks an agent before its command goes on as a task, in milliseconds. Source: `ASSISTANT_BLOCKING_BUDGET_MS`. */
export const ASSISTANT_BLOCKING_BUDGET_MS = 15_000;
/** Wait of a `task_await` that names none, in seconds. */
export const DEFAULT_TASK_AWAIT_SECONDS = 600;
/** Longest life of a background task, in seconds: seven days. */
export const MAX_TASK_SECONDS = 7 * 24 * 3_600;
/** Time a result that a `task_await` has given out is kept for another one, in milliseconds. */
export const TASK_RETENTION_MS = 60 * 60_000;
/** Most time ending one task takes, in milliseconds; what is not gone by then is ended further on. */
export const TASK_TERMINATE_MS = 15_000;

/** Most output the minimizer looks at, in bytes; a longer capture stays as it is. */
export const DEFAULT_MINIMIZER_CAPTURE_BYTES = 4 * 1024 * 1024;
/** Longest file of minimizer rules, in bytes; real ones have a few thousand, and each is compiled. */
export const MAX_RULE_FILE_BYTES = 256 * 1024;

/** Width of a pseudoterminal whose size no one gave, in columns. */
export const DEFAULT_PTY_COLUMNS = 120;
/** Height of a pseudoterminal whose size no one gave, in rows. */
export const DEFAULT_PTY_ROWS = 40;
/** Range a pseudoterminal's width is clamped to, in columns. */
export const PTY_COLUMNS_RANGE = { min: 20, max: 400 } as const;
/** Range a pseudoterminal's height is clamped to, in rows. */
export const PTY_ROWS_RANGE = { min: 5, max: 200 } as const;

/** Time between two looks at a client terminal's output, in milliseconds. */
export const CLIENT_TERMINAL_POLL_MS = 250;
/** Most time a client terminal gets to kill or release, each, in milliseconds. */
export const CLIENT_TERMINAL_STOP_MS = 1_000;
/** Most time a client terminal gets for its last output, in milliseconds; then the last look counts. */
export const CLIENT_TERMINAL_FINAL_OUTPUT_MS = 2_000;
/** Exit code of a client terminal's command that died of a signal: the protocol tells no number. */
export const CLIENT_TERMINAL_SIGNAL_EXIT_CODE = 137;

/** Visual lines of a collapsed tool result. Source: `BASH_DEFAULT_PREVIEW_LINES`. */
export const RESULT_PREVIEW_LINES = 10;
/** Logical lines of a collapsed `!` command. */
export const BANG_PREVIEW_LINES = 20;
/** Longest line of a `!` command on the screen, in characters. */
export const BANG_LINE_CHARS = 4_000;
