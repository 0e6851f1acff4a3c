/** The ways in which a sandbox of Linux works, and how a program is kept to the last of them; and users to try them as. */
import { spawnSync } from "node:child_process";
import type { HostOptions } from "./host.ts";

/** What holds the sandbox, and what it then says that it lacks. */
export const WAYS = [
  { way: "bubblewrap", backend: "bubblewrap", degraded: [] },
  { way: "landlock", backend: "landlock", degraded: [] },
  { way: "landlock without namespaces", backend: "landlock", degraded: ["protected-paths", "file-metadata"] },
] as const;

/** Words that leave a program no namespace to make. */
export const WITHOUT_NAMESPACES = [
  ...["unshare", "--user", "--map-root-user", "sh", "-c"],
  'echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" "$@"',
];

/** The other user's number, and the group's. */
export const OTHER_USER = 65_533;

/** Words that make a program another user's. */
const OTHER = ["setpriv", `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, "--clear-groups"];
const canBeOther = process.getuid?.() === 0 && spawnSync(OTHER[0] ?? "", [...OTHER.slice(1), "true"]).status === 0;

/** Users that a host runs as; `works` is false where this one cannot become another. */
export const USERS = [
  { user: "this user", options: {} satisfies HostOptions, works: true },
  { user: "another user", options: { wrapper: OTHER, copiesAddon: true } satisfies HostOptions, works: canBeOther },
];

/** Whether programs that are started so can have namespaces of their own. */
export function canHaveNamespaces({ wrapper = [] }: HostOptions): boolean {
  const [program = "", ...words] = [...wrapper, "unshare", "--user", "--map-root-user", "--mount", "true"];
  return spawnSync(program, words).status === 0;
}
