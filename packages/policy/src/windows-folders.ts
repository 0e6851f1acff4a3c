/**
 * The folders of Windows where Linux sees them: its drives below `/mnt` (WSL) or `/cygdrive` (Cygwin).
 */
import type { Target } from "./danger-paths.ts";

/** Folders of a Windows system, in small letters: names are compared without case. */
const SYSTEM = /^(?:windows|program files(?: \(x86\))?|programdata)$/;

const DRIVE_FOLDERS: ReadonlySet<string> = new Set(["mnt", "cygdrive"]);

/** What a path is whose names are these: a drive, the system of one, or the homes of its users. */
export function windowsTarget(names: readonly string[], shown: string): Target | undefined {
  const [base = "", drive = "", folder = "", ...below] = names.map((name) => name.toLowerCase());
  if (!DRIVE_FOLDERS.has(base) || !/^[a-z]$/.test(drive)) return undefined;
  // Any other letter may as well be a disk of one's own.
  if (names.length === 2 && drive === "c") return { kind: "main", name: `the Windows drive \`${shown}\`` };
  if (folder === "users" && below.length < 2) return { kind: "main", name: `the Windows homes in \`${shown}\`` };
  if (!SYSTEM.test(folder)) return undefined;
  return below.length === 0
    ? { kind: "main", name: `the Windows folder \`${shown}\`` }
    : { kind: "inside", name: `\`${shown}\`, which belongs to Windows` };
}
