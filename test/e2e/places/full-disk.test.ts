/**
 * A place whose disk is full: what does not fit there is said, and nothing else fails. Its folder is a small file system in
 * memory, mounted in a namespace of its own.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createExecutor, type Executor } from "@pi-bash/executor";
import { command } from "@pi-bash/places";
import { describe, expect, it, onTestFinished } from "vitest";
import { PLACE_LIMIT_MS } from "../../support/place-suite.ts";
import { absenceOfPlace, hostBinary } from "../../support/places.ts";

const canMount = spawnSync("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
const absence = absenceOfPlace("command") ?? (canMount ? undefined : "`unshare -rm` and `mount` are not permitted");

/** Lines of about 22 MB. */
const LINES = 3_000_000;
const BYTES = Array.from({ length: 7 }, (_, digits) => {
  const from = 10 ** digits;
  return Math.max(0, Math.min(LINES, 10 * from - 1) - from + 1) * (digits + 2);
}).reduce((sum, bytes) => sum + bytes, 0);

/** An executor on a place whose folder has so many MiB. */
function on(mebibytes: number): Executor {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pi-full-")));
  const mount = `mount -t tmpfs -o size=${mebibytes}m none ${folder} && exec env "$@"`;
  const binary = hostBinary();
  const place = command(["unshare", "-rm", "sh", "-c", mount, "sh"], {
    name: "command:small",
    workspace: "/",
    env: { HOME: folder, TMPDIR: folder, XDG_RUNTIME_DIR: folder, PI_HOST_CACHE: join(folder, "cache") },
    ...(binary === undefined ? {} : { hostBinary: binary }),
  });
  const executor = createExecutor({}, { place, usesSnapshot: false });
  onTestFinished(async () => {
    await executor.dispose();
    await place.close();
    rmSync(folder, { recursive: true, force: true });
  }, PLACE_LIMIT_MS);
  return executor;
}

const title = `a full disk over there${absence === undefined ? "" : ` (skipped: ${absence})`}`;
describe.skipIf(absence !== undefined)(title, { timeout: PLACE_LIMIT_MS }, () => {
  it("ends the artifact and nothing else: the command, its text and its counts are whole, the session goes on", async () => {
    const executor = on(12);
    const result = await executor.executeBash(`seq ${LINES}; kept=yes`);
    expect(result).toMatchObject({ exitCode: 0, truncated: true, totalLines: LINES, totalBytes: BYTES });
    expect(result.output.endsWith(`${LINES}\n`)).toBe(true);
    expect(result.artifactId).toBeUndefined();
    expect(result.artifactError).toMatch(/^cannot write spill file `\/\S+`: No space left on device/);
    expect(await executor.executeBash("echo $kept")).toMatchObject({ exitCode: 0, output: "yes\n" });
    // Half a file is worse than none, and its room is there again.
    const { artifactId } = await executor.executeBash("seq 500000");
    expect((await executor.artifacts.read(`artifact://${artifactId}?lines=1-2`)).text).toBe("1\n2\n");
  });

  it("refuses the place where its program does not fit, and says what to do", async () => {
    await expect(on(1).executeBash("echo x")).rejects.toMatchObject({
      code: "PI_PLACE_REFUSED",
      message: expect.stringMatching(/the disk there may be full\. Make room/),
    });
  });
});
