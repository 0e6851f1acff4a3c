/**
 * The file tree of the fixture: laid out from a template, compared after each line.
 *
 * A change of content, mode, owner, extended attribute or name moves a file's change time, which programs cannot set
 * back; so one `lstat` for each path tells whether anything was touched.
 */
import { spawnSync } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { GLOB_FOLDER } from "../case.ts";

/** What is compared. The rest of the fixture cannot be written, or belongs to the runner. */
const ROOTS = ["/place", "/home", "/tmp", "/etc", "/var", "/root", "/srv", "/run", "/dev/shm"];
/** Laid out from the template; `/run` keeps the sockets of the traps. */
const TEMPLATE = "/template";
/** Mounted, and the same in every sandbox. */
const MOUNTED = "/etc/alternatives";

/** Folders for scratch files: one that is made and gone again does not count as a change. */
const SCRATCH = ["/tmp", "/dev/shm"];
/** Java's folder for what it measures of itself, which every start of it makes. */
const MEASURES = /^\/tmp\/hsperfdata_/;

/** Remembers every path below the roots. */
export class Tree {
  private readonly seen = new Map<string, string>();
  private readonly own: RegExp | undefined;

  /** `own`: paths that the runner itself writes to, which are left alone. Default: none. */
  constructor(own?: RegExp) {
    this.own = own;
  }

  /** Makes the tree as the template has it. */
  layOut(): void {
    for (const root of ROOTS) {
      mkdirSync(root, { recursive: true });
      if (root === "/run") continue;
      for (const name of readdirSync(root)) {
        const path = join(root, name);
        if (!this.isLeftOut(path)) rmSync(path, { recursive: true, force: true });
      }
    }
    // Node copies no FIFO.
    const copied = spawnSync("cp", ["-dR", "--preserve=mode", `${TEMPLATE}/.`, "/"], { encoding: "utf8" });
    if (copied.status !== 0) throw new Error(`the template cannot be copied: ${copied.stderr}`);
    mkdirSync(GLOB_FOLDER, { recursive: true });
    this.remember();
  }

  /** Takes what is there now as the state to compare with. */
  remember(): void {
    this.seen.clear();
    for (const root of ROOTS) this.walk(root, (path, mark) => this.seen.set(path, mark));
  }

  /** Paths that are new, gone or changed. */
  differences(): string[] {
    let isSame = true;
    for (const [path, mark] of this.seen) {
      if (markOf(path) !== mark) {
        isSame = false;
        break;
      }
    }
    return isSame ? [] : this.compare();
  }

  private compare(): string[] {
    const found: string[] = [];
    const now = new Set<string>();
    for (const root of ROOTS) {
      this.walk(root, (path, mark) => {
        now.add(path);
        const before = this.seen.get(path);
        if (MEASURES.test(path)) return;
        if (before === undefined) found.push(`created \`${path}\``);
        else if (before !== mark && !SCRATCH.includes(path)) found.push(`changed \`${path}\``);
      });
    }
    for (const path of this.seen.keys()) if (!now.has(path)) found.push(`removed \`${path}\``);
    return found;
  }

  private isLeftOut(path: string): boolean {
    return path === MOUNTED || this.own?.test(path) === true;
  }

  private walk(path: string, visit: (path: string, mark: string) => void): void {
    if (this.isLeftOut(path)) return;
    const mark = markOf(path);
    if (mark === "") return;
    visit(path, mark);
    if (!mark.startsWith("d")) return;
    for (const name of readdirSync(path)) this.walk(join(path, name), visit);
  }
}

/** Kind, identity, mode, size and change time; empty for what is not there. */
function markOf(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  if (stat === undefined) return "";
  return `${stat.isDirectory() ? "d" : "f"}${stat.ino} ${stat.mode} ${stat.size} ${stat.ctimeNs}`;
}
