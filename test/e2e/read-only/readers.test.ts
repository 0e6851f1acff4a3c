/**
 * Usual readers print and end as they do without being confined, in a project whose index is out of date,
 * with a home that has no caches; and docs/read-only.md lists them, with those that differ and why.
 */
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { capabilities } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Answers } from "../../programs/read-only-readers.ts";
import { startHost } from "../../support/host.ts";
import { OTHER_USER, USERS } from "../../support/sandbox-ways.ts";
import { READERS, tableOfReaders } from "./readers/reader.ts";

/** Time for some 400 commands, some of which start a package manager. */
const SLOW_MS = 240_000;

const { available, reason: unavailable } = capabilities().readOnly;
const lack = available ? "" : ` (${unavailable})`;

describe(`usual readers${lack}`, () => {
  it("stand in docs/read-only.md", () => {
    const page = readFileSync(new URL("../../../docs/read-only.md", import.meta.url), "utf8");

    expect(page).toContain(tableOfReaders());
    expect(Object.values(READERS).flat().length).toBeGreaterThanOrEqual(60);
  });

  for (const { user, options, works } of USERS) {
    const reason = works ? "" : " (needs root and setpriv)";
    const title = `of ${user} print and end as without${reason}`;
    it(title, { skip: !available || !works, timeout: SLOW_MS }, async () => {
      const folder = mkdtempSync("/var/tmp/pi-bash-readers-");
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      if (options.wrapper !== undefined) chownSync(folder, OTHER_USER, OTHER_USER);
      chmodSync(folder, 0o755);
      const host = startHost("read-only-readers", {
        ...options,
        copiesAddon: true,
        args: [folder],
        longestMs: SLOW_MS,
      });
      const end = await host.ended();
      expect(end.code, host.stderr()).toBe(0);
      const { compared, missing } = JSON.parse(host.stdout()) as Answers;

      const readers = Object.values(READERS).flat();
      process.stdout.write(
        `readers of ${user}: ${Object.keys(compared).length} compared; missing: ${JSON.stringify(missing)}\n`,
      );
      expect(Object.keys({ ...compared, ...missing }).toSorted()).toEqual(readers.map(({ line }) => line).toSorted());
      for (const { line, differs, always = true } of readers) {
        const both = compared[line];
        if (both === undefined) continue;
        if (differs === undefined) expect(both.readOnly, line).toEqual(both.without);
        else if (always) expect(both.readOnly, `${line} does not differ`).not.toEqual(both.without);
      }
    });
  }
});
