/**
 * A client without a model that is a program of ours on its SDK: it reads the calls of a turn from a line of JSON, and
 * answers each line with one. SIGINT cancels the calls that are under way; its input's end is its own.
 */
import { startChild } from "../child.mjs";

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env: Record<string, string> }} options
 * @returns {import("../rounds.mjs").Started & { list: () => Promise<{ name: string }[]>, call: (calls: object[]) => Promise<string[] | undefined>, close: () => void }}
 */
export function startLineClient(command, args, options) {
  const client = startChild(command, args, { ...options, input: "pipe" });
  let take = () => undefined;
  client.lines((line) => take(line));
  const ask = (question) =>
    new Promise((resolve, reject) => {
      take = (line) => {
        // What an SDK prints beside is no answer.
        if (line.startsWith("{")) resolve(JSON.parse(line).answer ?? undefined);
      };
      void client.ended.then((how) => reject(new Error(how)));
      client.child.stdin.write(`${JSON.stringify(question)}\n`);
    });
  return {
    ...client,
    list: async () => (await ask({ list: true })).map((name) => ({ name })),
    call: (calls) => ask({ calls }),
    close: () => client.child.stdin.end(),
  };
}
