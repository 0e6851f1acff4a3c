/**
 * The folder of a user's host: where it is, and that no other user can have a hand in it.
 *
 * Node cannot ask a Unix socket who is at its other end, so the folder's owner and mode carry the whole proof: whoever
 * can reach the socket is this user, and whoever listens on it is, too. Both sides look before they trust it.
 */
import { lstatSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { ensurePrivateFolder } from "@pi-bash/executor/internal";
import { HostError } from "./host-error.ts";

/** Longest path of a Unix socket, in bytes: `sun_path` has 104 on macOS and 108 on Linux, with a zero at the end. */
const MAX_SOCKET_PATH_BYTES = 103;
const OTHERS = 0o077;

/** Where a host's files are. */
export interface HostFolder {
  readonly folder: string;
  /** The socket that clients connect to. */
  readonly socket: string;
  /** What a host without a terminal has to say. */
  readonly log: string;
  /** The folder above is pi-bash's as well. */
  readonly hasOwnParent: boolean;
}

/**
 * The files of this user's host. Nothing is looked at: `$XDG_RUNTIME_DIR/pi-bash`, or `pi-bash-UID/host` below the temporary
 * folder where the system gives the user no such folder.
 *
 * @throws HostError `PI_HOST_FOLDER` where the path is too long for a socket
 */
export function hostFolder(env: Readonly<Record<string, string | undefined>>): HostFolder {
  const runtime = env["XDG_RUNTIME_DIR"];
  const isUsable = runtime !== undefined && isAbsolute(runtime);
  const folder = isUsable ? join(runtime, "pi-bash") : join(tmpdir(), `pi-bash-${userInfo().uid}`, "host");
  const socket = join(folder, "host.sock");
  if (Buffer.byteLength(socket) > MAX_SOCKET_PATH_BYTES) {
    throw new HostError(
      "PI_HOST_FOLDER",
      `the path \`${socket}\` is too long for a socket (at most ${MAX_SOCKET_PATH_BYTES} bytes); set XDG_RUNTIME_DIR to a shorter folder`,
    );
  }
  return { folder, socket, log: join(folder, "host.log"), hasOwnParent: !isUsable };
}

/**
 * Makes the folder where it is missing, closed to other users.
 *
 * @throws HostError `PI_HOST_FOLDER` where it is a link, or not this user's
 */
export async function makeHostFolder({ folder, hasOwnParent }: HostFolder): Promise<void> {
  try {
    if (hasOwnParent) await ensurePrivateFolder(dirname(folder));
    checkParent(folder);
    await ensurePrivateFolder(folder);
  } catch (error) {
    if (error instanceof HostError) throw error;
    throw refusal(folder, error instanceof Error ? error.message : String(error), error);
  }
}

/**
 * Whether there is a folder of a host. A client looks before it sends anything: a stranger's socket would get its environment.
 *
 * @throws HostError `PI_HOST_FOLDER` where there is one that this user does not have alone
 */
export function hasHostFolder({ folder }: HostFolder): boolean {
  checkParent(folder);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return false;
  if (!found.isDirectory()) throw refusal(folder, "is not a folder; remove it");
  checkOwner(folder, found.uid);
  if ((found.mode & OTHERS) !== 0) throw refusal(folder, "is open to other users; `chmod 700` closes it");
  return true;
}

/** The folder above: another user who owns it, or may write to it, could put another one in its place. */
function checkParent(folder: string): void {
  const parent = dirname(folder);
  const found = lstatSync(parent, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw refusal(parent, "is not a folder; set XDG_RUNTIME_DIR to one");
  checkOwner(parent, found.uid);
  if ((found.mode & 0o022) !== 0) throw refusal(parent, "can be written to by other users; `chmod go-w` closes it");
}

function checkOwner(path: string, owner: number): void {
  const { uid } = userInfo();
  // Windows has no such numbers.
  if (uid === -1 || owner === uid) return;
  throw refusal(path, `belongs to user ${owner}, not to ${uid}; set XDG_RUNTIME_DIR to a folder of your own`);
}

function refusal(path: string, problem: string, cause?: unknown): HostError {
  return new HostError("PI_HOST_FOLDER", `\`${path}\` ${problem}`, cause === undefined ? {} : { cause });
}
