/**
 * A disk that is full soon: a file system of a few mebibytes in memory.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { onTestFinished } from "vitest";

/** A file system with little room, where this machine lets us have one; otherwise the disk is as large as it is. */
export function smallDisk(folder: string, mebibytes: number): { folder: string; free(): void } {
  mkdirSync(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${mebibytes}m,mode=0700`, "pi-bash-storm", folder], {
      stdio: "ignore",
    });
  } catch {
    return { folder, free: () => undefined };
  }
  let isMounted = true;
  const free = (): void => {
    if (isMounted) execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    isMounted = false;
  };
  onTestFinished(free);
  return { folder, free };
}
