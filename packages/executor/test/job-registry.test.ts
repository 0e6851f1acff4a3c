/** Records of jobs on disk: what another version, a person or a crash has left there is taken as far as it is sound. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { JobRegistry } from "../src/jobs/job-registry.ts";

const JOB = { id: "bg_1", type: "bash", label: "make", state: "completed", startedAtMs: 5, endedAtMs: 9 };
const HOST = { pid: 1, startTime: "77", instance: "a" };
const WHOLE = { version: 1, deliveryId: "d1", job: JOB, delivery: "queued", text: "done\n", host: HOST };

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = join(scratchFolder(), "jobs");
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
  return folder;
}

const load = (record: unknown) => new JobRegistry(folderWith({ "bg_1.json": JSON.stringify(record) })).load();

describe("a record", () => {
  it("that is whole is read as it was written", async () => {
    expect(await load(WHOLE)).toEqual([WHOLE]);
  });

  it.each([
    ["another version", { ...WHOLE, version: 2 }],
    ["no version", { ...WHOLE, version: undefined }],
    ["an unknown state of its delivery", { ...WHOLE, delivery: "lost" }],
    ["no delivery", { ...WHOLE, delivery: undefined }],
    ["a text that is not one", { ...WHOLE, text: 5 }],
    ["no id of its delivery", { ...WHOLE, deliveryId: null }],
    ["no host", { ...WHOLE, host: undefined }],
    ["a host without a process", { ...WHOLE, host: { ...HOST, pid: "1" } }],
    ["a host without a start time", { ...WHOLE, host: { ...HOST, startTime: 77 } }],
    ["a host without an instance", { ...WHOLE, host: { ...HOST, instance: undefined } }],
    ["a job without an id", { ...WHOLE, job: { ...JOB, id: undefined } }],
    ["a job in an unknown state", { ...WHOLE, job: { ...JOB, state: "sleeping" } }],
    ["no job", { ...WHOLE, job: null }],
    ["nothing", null],
    ["a list", [WHOLE]],
  ])("with %s is left alone", async (_, record) => {
    expect(await load(record)).toEqual([]);
  });

  it("keeps what is sound of a job's facts, and drops what has another type", async () => {
    const sound = { owner: "me", title: "t", signal: "SIGKILL", stopped: "deadline", isLost: true };
    const wrong = { owner: 1, title: {}, signal: 9, stopped: "gone", isLost: "yes", survivors: [{ pid: "x" }] };

    expect(await load({ ...WHOLE, job: { ...JOB, ...sound } })).toEqual([{ ...WHOLE, job: { ...JOB, ...sound } }]);
    expect(await load({ ...WHOLE, job: { ...JOB, ...wrong } })).toEqual([WHOLE]);
  });
});

describe("the folder", () => {
  it("may have other files, and files that are not JSON: they stay, and the rest is read by age", async () => {
    const named = (id: string, startedAtMs: number) => ({ ...WHOLE, job: { ...JOB, id, startedAtMs } });
    const folder = folderWith({
      "bg_1.json": "{",
      "bg_2.json": JSON.stringify(named("bg_2", 30)),
      "bg_3.json": JSON.stringify(named("bg_3", 10)),
      "notes.txt": "mine",
    });

    expect((await new JobRegistry(folder).load()).map(({ job }) => job.id)).toEqual(["bg_3", "bg_2"]);
    expect(readdirSync(folder).sort()).toEqual(["bg_1.json", "bg_2.json", "bg_3.json", "notes.txt"]);
  });

  it("has the last of several writes, and nothing after a removal", async () => {
    const folder = folderWith({});
    const registry = new JobRegistry(folder);
    await registry.load();
    for (const text of ["a", "b", "c"]) void registry.write({ ...WHOLE, text } as never);
    await registry.flush();
    expect(JSON.parse(readFileSync(join(folder, "bg_1.json"), "utf8")).text).toBe("c");

    void registry.write(WHOLE as never);
    void registry.remove("bg_1");
    void registry.remove("bg_1"); // What is gone already is not an error.
    await registry.flush();
    expect([readdirSync(folder), registry.error]).toEqual([[], undefined]);
  });

  it("that cannot be written is an error for whoever asks, the first one, and later writes go on", async () => {
    const folder = folderWith({});
    const registry = new JobRegistry(folder);
    expect(registry.error).toBeUndefined();
    mkdirSync(join(folder, "bg_1.json"));
    await registry.write(WHOLE as never);
    const first = registry.error;
    expect(first).toBeInstanceOf(Error);
    await registry.write(WHOLE as never);
    await registry.write({ ...WHOLE, job: { ...JOB, id: "bg_2" } } as never);

    expect([registry.error === first, readdirSync(folder).sort()]).toEqual([true, ["bg_1.json", "bg_2.json"]]);
  });

  it("has records in files of its own names only", async () => {
    const files = ["bg_1.json", "bg_1234567890.json", "xbg_1.json", "bg_1.json.partial", "bg_.json", "bg_a.json"];
    const folder = folderWith(Object.fromEntries(files.map((name) => [name, JSON.stringify(WHOLE)])));

    expect(await new JobRegistry(folder).load()).toEqual([WHOLE]);
  });

  it("is made where it is missing, for this user only", async () => {
    const folder = join(scratchFolder(), "a", "jobs");
    expect(await new JobRegistry(folder).load()).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("has survivors and all that is known of them", async () => {
    const survivors = [{ pid: 9, command: "sleep 300", startedAtMs: 1 }];
    expect(await load({ ...WHOLE, job: { ...JOB, survivors } })).toEqual([{ ...WHOLE, job: { ...JOB, survivors } }]);
  });
});
