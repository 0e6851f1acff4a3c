/** Batches on their way to a sink: one at a time, again after a failure, and to no one who has left. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { DeliveryQueue, type DeliverySink } from "../src/jobs/delivery-queue.ts";
import type { JobDelivery } from "../src/jobs/job.ts";
import { deferred } from "./support/waiting.ts";

const delivery = (deliveryId: string) => ({ deliveryId, text: deliveryId }) as JobDelivery;

/** A queue whose owner is "me". */
function queueOf(...waiting: string[]) {
  let queued = waiting.map(delivery);
  const log: string[] = [];
  const note = (name: string) => (batch: readonly JobDelivery[]) =>
    void log.push(`${name} ${batch.map(({ deliveryId }) => deliveryId).join("+")}`);
  const queue = new DeliveryQueue({
    pending: (owner) => (owner === "me" ? queued : []),
    sending: (batch) => {
      note("sending")(batch);
      queued = queued.filter((one) => !batch.includes(one));
    },
    delivered: note("delivered"),
    failed: (batch) => {
      note("failed")(batch);
      queued = [...batch, ...queued];
    },
  });
  const put = (id: string) => {
    queued = [...queued, delivery(id)];
    queue.wake("me");
  };
  return { queue, log, put };
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a queue of deliveries", () => {
  it("sends what comes in one turn in one batch, and what comes meanwhile after it", async () => {
    const { queue, log, put } = queueOf("a");
    const answers = [deferred<void>(), deferred<void>()];
    let calls = 0;
    queue.subscribe("me", () => answers[calls++]?.promise);
    put("b");
    await vi.advanceTimersByTimeAsync(0);
    put("c");
    await vi.advanceTimersByTimeAsync(1_000);
    expect(log).toEqual(["sending a+b"]);
    answers[0]?.resolve();
    await vi.advanceTimersByTimeAsync(0);

    expect(log).toEqual(["sending a+b", "delivered a+b", "sending c"]);
  });

  it("tries again after pauses that grow up to 30 seconds, and begins with short ones after a success", async () => {
    const { queue, log, put } = queueOf("a");
    const tries: number[] = [];
    let isTaking = false;
    queue.subscribe("me", () => {
      tries.push(Date.now());
      if (!isTaking) throw new Error("not now");
    });
    await vi.advanceTimersByTimeAsync(120_000);
    const pauses = tries.slice(1).map((at, index) => at - (tries[index] ?? 0));
    expect(pauses.slice(0, 8)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);

    isTaking = true;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(log.at(-1)).toBe("delivered a");
    isTaking = false;
    tries.length = 0;
    put("b");
    await vi.advanceTimersByTimeAsync(600);
    expect(tries.length).toBe(2);
  });

  it("gives a batch to the sink that came while the one before had it and refused it", async () => {
    const { queue, log } = queueOf("a");
    const first = deferred<void>();
    queue.subscribe("me", () => first.promise);
    await vi.advanceTimersByTimeAsync(0);
    const second = vi.fn<DeliverySink>();
    queue.subscribe("me", second);
    await vi.advanceTimersByTimeAsync(0);
    expect(second).not.toHaveBeenCalled();
    first.reject(new Error("gone"));
    await vi.advanceTimersByTimeAsync(0);

    expect(second.mock.calls).toEqual([[[delivery("a")]]]);
    expect(log).toEqual(["sending a", "failed a", "sending a", "delivered a"]);
  });

  it.each<[string, (queue: DeliveryQueue, leave: () => void) => void]>([
    ["its owner has left", (_, leave) => leave()],
    ["it is closed", (queue) => queue.close()],
  ])("sends nothing where %s", async (_, end) => {
    const { queue, log, put } = queueOf("a");
    const sink = vi.fn<DeliverySink>();
    end(queue, queue.subscribe("me", sink));
    put("b");
    await vi.advanceTimersByTimeAsync(60_000);

    expect({ log, calls: sink.mock.calls.length }).toEqual({ log: [], calls: 0 });
  });

  it("goes on with a newer sink where an older one leaves", async () => {
    const { queue, log } = queueOf("a");
    const leave = queue.subscribe("me", () => undefined);
    queue.subscribe("me", () => undefined);
    leave();
    await vi.advanceTimersByTimeAsync(0);

    expect(log).toEqual(["sending a", "delivered a"]);
  });
});
