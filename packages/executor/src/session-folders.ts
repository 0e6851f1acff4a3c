/**
 * Where the sessions of an executor stand: the folder in which the next command of each is to start.
 *
 * A shell stands wherever its last command has left it, also one that named a folder for itself alone. What lasts is
 * decided by those who run commands (a person's shell, the bash tool); this only remembers it.
 */

/** Sessions that are remembered; of more the one that moved longest ago starts where it did at first. */
const MAX_REMEMBERED = 4_096;

/** The folders of sessions, by their keys. */
export class SessionFolders {
  readonly #folders = new Map<string, string>();

  /** The folder of a session; undefined: it stands where it began. */
  get(sessionKey: string): string | undefined {
    return this.#folders.get(sessionKey);
  }

  /** Remembers where a session stands. Absolute path. */
  set(sessionKey: string, folder: string): void {
    this.#folders.delete(sessionKey);
    this.#folders.set(sessionKey, folder);
    const [oldest] = this.#folders.keys();
    if (this.#folders.size > MAX_REMEMBERED && oldest !== undefined) this.#folders.delete(oldest);
  }

  /** Forgets it: the session starts where it began. */
  delete(sessionKey: string): void {
    this.#folders.delete(sessionKey);
  }
}
