/** Many at once: how long all take together, in milliseconds, how many answers are right, and the threads of the host. */
import type { Contender } from "../contender.ts";
import type { Measured } from "../measured.ts";
import { threads } from "./processes.ts";

/** How often threads are counted, in milliseconds. */
const LOOK_MS = 20;

/** Runs `count` commands at once, each in a runner of its own: it sleeps, and prints its number. */
export async function many(contender: Contender, count: number): Promise<Measured> {
  const runners = Array.from({ length: count }, () => contender.open());
  let most = threads();
  const look = setInterval(() => {
    most = Math.max(most, threads());
  }, LOOK_MS);
  const start = performance.now();
  const answers = await Promise.all(
    runners.map(async (runner, id) => {
      let text = "";
      const command = `/bin/sleep 0.2; echo number ${id}`;
      const ended = await runner
        .run(command, {
          take: (piece) => {
            text += piece;
            return undefined;
          },
        })
        .catch(() => ({ exitCode: -1, totalBytes: undefined }));
      const answer = `number ${id}\n`;
      const isRight =
        ended.totalBytes === undefined ? text.replace("\r\n", "\n") === answer : ended.totalBytes >= answer.length;
      return isRight && ended.exitCode === 0;
    }),
  );
  const wall = performance.now() - start;
  clearInterval(look);
  await Promise.all(runners.map((runner) => runner.close()));
  const wrong = answers.filter((isRight) => !isRight).length;
  return {
    samples: { wall: [wall], threads: [most] },
    faults: wrong > 0 ? [{ kind: "answers", amount: wrong }] : [],
  };
}
