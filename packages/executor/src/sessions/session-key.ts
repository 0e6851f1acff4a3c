/**
 * What makes two calls share a shell: the specified key.
 *
 * Shell, prefix, snapshot, environment and the agent's session key. Written as JSON, so that no two different keys read
 * the same, and hashed, because the environment is in it and keys end up in maps, logs and error reports.
 */
import { createHash } from "node:crypto";

export interface SessionKeyParts {
  shell: string;
  prefix: string | undefined;
  snapshotPath: string | undefined;
  env: Readonly<Record<string, string>>;
  /** The agent's session; absent: all calls without one share a shell. */
  sessionKey: string | undefined;
}

/** The key of a session, 64 hexadecimal digits. */
export function sessionKey(parts: SessionKeyParts): string {
  const env = Object.entries(parts.env).sort(([left], [right]) => (left < right ? -1 : 1));
  const text = JSON.stringify([
    parts.shell,
    parts.prefix ?? null,
    parts.snapshotPath ?? null,
    env,
    parts.sessionKey ?? null,
  ]);
  return createHash("sha256").update(text).digest("hex");
}
