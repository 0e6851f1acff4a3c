/** News and results on their way to owners, without a manager: what waits, what is taken, what an answer does. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { JobDelivery, JobEnd } from "../src/jobs/job.ts";
import { JobDeliveries } from "../src/jobs/job-deliveries.ts";
import type { JobEntry } from "../src/jobs/job-entry.ts";
import { JobNews } from "../src/jobs/job-news.ts";
import { job } from "./support/entry.ts";

const END: JobEnd = { text: "the result", exitCode: 0 };

/** Jobs by id: two of "me", one of "you". */
function jobs() {
  const made = [job({ id: "bg_1" }), job({ id: "bg_2" }), job({ id: "bg_3", owner: "you" })];
  const all = new Map<string, JobEntry>(made.map(({ entry }) => [entry.view.id, entry]));
  return { all, made };
}
const texts = (batch: readonly JobDelivery[]) => batch.map(({ text }) => text);

describe("news", () => {
  it("of one subject replace each other until they are sent, and those of another or of another job do not", () => {
    const { all } = jobs();
    const news = new JobNews();
    news.put("bg_1", { key: "a", text: "1" });
    news.put("bg_1", { key: "b", text: "2" });
    news.put("bg_2", { key: "a", text: "3" });
    news.put("bg_1", { key: "a", text: (earlier) => `${earlier}+4` });
    const pending = news.pending("me", all);
    expect(texts(pending)).toEqual(["1+4", "2", "3"]);
    expect(pending.map(({ job: view }) => view.id)).toEqual(["bg_1", "bg_1", "bg_2"]);
    const [first] = pending;
    if (first !== undefined) expect(news.mark(first, "sending")).toBe(true);
    news.put("bg_1", { key: "a", text: (earlier) => `${earlier}+5` });

    expect(texts(news.pending("me", all))).toEqual(["2", "3", "undefined+5"]);
  });

  it("are their owner's alone, and none where the job is gone", () => {
    const { all } = jobs();
    const news = new JobNews();
    for (const id of ["bg_1", "bg_3", "bg_9"]) news.put(id, { key: "a", text: id });

    expect([texts(news.pending("me", all)), texts(news.pending("you", all)), news.pending(undefined, all)]).toEqual([
      ["bg_1"],
      ["bg_3"],
      [],
    ]);
    expect([news.isUrgent("me", all), news.isUrgent("you", all), news.isUrgent("them", all)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("that are quiet start nothing, unless something of the same subject is not quiet", () => {
    const { all } = jobs();
    const news = new JobNews();
    news.put("bg_1", { key: "a", text: "1", isQuiet: true });
    expect(news.isUrgent("me", all)).toBe(false);
    news.put("bg_1", { key: "a", text: "2", isQuiet: true });
    expect(news.isUrgent("me", all)).toBe(false);
    news.put("bg_1", { key: "a", text: "3" });
    expect(news.isUrgent("me", all)).toBe(true);
    news.put("bg_1", { key: "a", text: "4", isQuiet: true });

    expect([news.isUrgent("me", all), news.takeQuiet("me", all)]).toEqual([true, []]);
  });

  it("that are quiet are taken once by their owner, as far as no sink has them", () => {
    const { all } = jobs();
    const news = new JobNews();
    news.put("bg_1", { key: "a", text: "1", isQuiet: true });
    news.put("bg_1", { key: "b", text: "2" });
    news.put("bg_3", { key: "a", text: "3", isQuiet: true });
    news.put("bg_2", { key: "c", text: "4", isQuiet: true });
    const sent = news.pending("me", all).find(({ text }) => text === "4");
    if (sent !== undefined) news.mark(sent, "sending");

    expect([news.takeQuiet("me", all), news.takeQuiet("me", all)]).toEqual([["1"], []]);
    expect(texts(news.pending("me", all))).toEqual(["2"]);
    expect(news.takeQuiet("you", all)).toEqual(["3"]);
    expect(news.isUrgent("me", all)).toBe(true);
  });

  it("are taken back by subject or all of a job, as far as no sink has them", () => {
    const { all } = jobs();
    const news = new JobNews();
    for (const key of ["a", "b", "c"]) news.put("bg_1", { key, text: key });
    news.put("bg_2", { key: "a", text: "other" });
    const [first] = news.pending("me", all);
    if (first !== undefined) news.mark(first, "sending");
    news.withdraw("bg_1", "b");
    expect(texts(news.pending("me", all))).toEqual(["c", "other"]);
    news.withdraw("bg_1", "a");
    news.withdraw("bg_1");
    expect(texts(news.pending("me", all))).toEqual(["other"]);
    if (first !== undefined) expect(news.mark(first, "queued")).toBe(true);

    expect(texts(news.pending("me", all))).toEqual(["a", "other"]);
  });

  it("are sent again with the same id where they were refused, and are gone where they were taken", () => {
    const { all } = jobs();
    const news = new JobNews();
    news.put("bg_1", { key: "a", text: "1" });
    const [first] = news.pending("me", all);
    if (first === undefined) throw new Error("nothing is pending");
    news.mark(first, "sending");
    expect([news.pending("me", all), news.isUrgent("me", all)]).toEqual([[], false]);
    news.mark(first, "queued");
    expect(news.pending("me", all)).toEqual([first]);
    news.mark(first, "delivered");

    expect([news.pending("me", all), news.mark(first, "queued")]).toEqual([[], false]);
  });
});

describe("deliveries", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function scene() {
    const { all, made } = jobs();
    const save = vi.fn();
    const deliveries = new JobDeliveries(all, save);
    const batches: string[][] = [];
    const receive = (owner = "me") =>
      deliveries.subscribe(owner, (batch) => {
        batches.push(texts(batch).map((text) => text.replace(/[\s\S]*\n/, "")));
      });
    const turn = () => vi.advanceTimersByTimeAsync(1);
    return { all, made, save, deliveries, batches, receive, turn };
  }

  it("bring a result once, and save what became of it", async () => {
    const { made, save, deliveries, batches, receive, turn } = scene();
    const [one] = made;
    one?.end(END);
    if (one !== undefined) for (let call = 0; call < 2; call += 1) deliveries.offer(one.entry);
    expect([one?.entry.delivery, save.mock.calls.length]).toEqual(["queued", 1]);
    receive();
    await turn();
    expect([batches, one?.entry.delivery, save.mock.calls.length]).toEqual([[["the result"]], "delivered", 3]);
    if (one !== undefined) deliveries.offer(one.entry);
    await turn();

    expect(batches).toHaveLength(1);
  });

  it.each<[string, (entry: JobEntry) => unknown]>([
    ["is not a job", (entry) => Object.assign(entry.view, { id: "" })],
    ["is waited for by a call", (entry) => entry.watch()],
    ["is not wanted", (entry) => Object.assign(entry, { isQuiet: true })],
    ["was taken", (entry) => entry.consume(1)],
    ["is with a sink", (entry) => Object.assign(entry, { delivery: "sending" })],
  ])("do not offer what %s", (_, change) => {
    const { made, save, deliveries } = scene();
    const [one] = made;
    if (one === undefined) throw new Error("there is no job");
    one.end(END);
    change(one.entry);
    const before = one.entry.delivery;
    deliveries.offer(one.entry);

    expect([one.entry.delivery, save.mock.calls.length]).toEqual([before, 0]);
  });

  it("do not offer a job that runs", () => {
    const { made, deliveries, save } = scene();
    if (made[0] !== undefined) deliveries.offer(made[0].entry);
    expect([made[0]?.entry.delivery, save.mock.calls.length]).toEqual(["none", 0]);
  });

  it("bring what was said of a job before results, quiet news with the next thing that is not", async () => {
    const { made, deliveries, batches, receive, turn } = scene();
    receive();
    deliveries.announce("bg_2", { key: "a", text: "quiet", isQuiet: true });
    await turn();
    expect(batches).toEqual([]);
    deliveries.announce("bg_1", { key: "a", text: "news" });
    await turn();
    expect(batches).toEqual([["quiet", "news"]]);
    deliveries.announce("bg_2", { key: "a", text: "last words", isQuiet: true });
    made[0]?.end(END);
    if (made[0] !== undefined) deliveries.offer(made[0].entry);
    await turn();

    expect(batches[1]).toEqual(["last words", "the result"]);
  });

  it("take quiet news for an answer, and nothing back that was withdrawn", () => {
    const { deliveries } = scene();
    deliveries.announce("bg_1", { key: "a", text: "one", isQuiet: true });
    deliveries.announce("bg_1", { key: "b", text: "two", isQuiet: true });
    deliveries.withdraw("bg_1", "a");
    expect(deliveries.takeQuiet("me")).toEqual(["two"]);
  });

  it("say nothing of an unknown, ended or unwanted job, but the last words of one that just ended", async () => {
    const { made, deliveries, batches, receive, turn } = scene();
    receive();
    const [one, two] = made;
    one?.end(END);
    deliveries.announce("bg_1", { key: "a", text: "late" });
    deliveries.announce("bg_9", { key: "a", text: "of nothing" });
    if (two !== undefined) two.entry.isQuiet = true;
    deliveries.announce("bg_2", { key: "a", text: "unwanted" });
    await turn();
    expect(batches).toEqual([]);
    if (one !== undefined) deliveries.put(one.entry, { key: "a", text: "last" });
    await turn();

    expect(batches).toEqual([["last"]]);
  });

  it("of a sink that refused wait for the next try, and of one that left for the next sink", async () => {
    const { made, deliveries, batches, receive, turn } = scene();
    const [one] = made;
    one?.end(END);
    if (one !== undefined) deliveries.offer(one.entry);
    const leave = deliveries.subscribe("me", () => Promise.reject(new Error("no")));
    await turn();
    expect(one?.entry.delivery).toBe("queued");
    leave();
    receive();
    await turn();
    expect([batches, one?.entry.delivery]).toEqual([[["the result"]], "delivered"]);
    deliveries.close();
    deliveries.announce("bg_2", { key: "a", text: "late" });
    await turn();

    expect(batches).toHaveLength(1);
  });
});
