/**
 * The rounds of a client: an ordinary conversation with its end, a huge output, a call that is cancelled, and a client that
 * is killed.
 * Each has a fresh client, engine and place. Which calls are made is in `checks.mjs`.
 */
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cancelledScript, endlessScript, failed, hugeScript, ordinaryScript } from "./checks.mjs";
import { startModelServer } from "./model-server.mjs";
import { clientProcesses, commandLineOf, isAlive, kill, processesWith, until } from "./processes.mjs";

/** A whole conversation with its 15 s command; a busy machine gets several times what a quiet one needs. */
const CONVERSATION_LIMIT_MS = 300_000;
/** A client until it has made its first calls. */
const START_LIMIT_MS = 120_000;
/** What may pass until processes are gone that had to go. */
const GONE_LIMIT_MS = 20_000;
/** Most of a client's last words in a report, in characters. All of them are in `words.txt` of its round. */
const MAX_WORDS = 200;
/** The columns that the ordinary conversation fills. */
const IN_CONVERSATION = ["tools", "call", "failure", "long", "parallel", "background", "state"];

/**
 * @typedef {object} Started a client that runs
 * @property {number | undefined} pid of its first process, which leads a session; undefined where each call has one
 * @property {Promise<string>} ended resolves with how it ended
 * @property {() => string} words what it has written so far
 * @property {() => void} cancel presses what cancels a call
 * @property {() => void} [goOn] asks once more after a cancelled call, where the client waits to be asked
 * @property {() => void} release releases what it writes
 *
 * @typedef {object} Driver one client
 * @property {string} id of `VERSIONS`
 * @property {string} way how the engine is reached, for the table
 * @property {(name: string) => string} toolName
 * @property {Record<string, string>} cannot columns that it has no way to fill, with the reason
 * @property {boolean} isHost the engine runs in the client's own process
 * @property {boolean} goesOn after a cancelled call it makes others; or else the cancel is its end
 * @property {boolean} [isDirect] it has no model: its calls are made by `call` of what `start` gives
 * @property {string[]} [notes] known limits, for the page
 * @property {(context: Context) => Promise<Started>} start
 *
 * @typedef {object} Context what a driver is given for one start
 * @property {string} round `ordinary`, `huge`, `cancel` or `kill`
 * @property {import("./place.mjs").Place} place
 * @property {string} folder where the client is installed
 * @property {string} bin with Node for clients
 * @property {string} url of the model
 * @property {Promise<void> | undefined} over resolves when the model has nothing more to say
 */

/**
 * Plays all rounds.
 * @param {Driver} driver
 * @param {{ makePlace: (round: string) => import("./place.mjs").Place, folder: string, bin: string }} context
 * @returns {Promise<Map<string, import("./checks.mjs").Cell>>}
 */
export async function playRounds(driver, context) {
  const cells = new Map(Object.entries(driver.cannot).map(([column, why]) => [column, { state: "none", why }]));
  await playOrdinary(driver, context, cells);
  if (!("huge" in driver.cannot)) await playHuge(driver, context, cells);
  if (!("cancel" in driver.cannot)) cells.set("cancel", await playCancel(driver, context));
  if (!("kill" in driver.cannot)) cells.set("kill", await playKill(driver, context));
  return cells;
}

/** Whether a file of a client's project is there. */
const isThere = ({ place }, name) => existsSync(join(place.project, name));

async function playOrdinary(driver, context, cells) {
  const script = ordinaryScript(driver.cannot, cells, driver.toolName);
  const round = await begin(driver, context, "ordinary", script);
  try {
    const how = await within(round.ended, CONVERSATION_LIMIT_MS);
    const words = `${how ?? `it has not ended in ${CONVERSATION_LIMIT_MS / 1000} s`}; ${lastWords(round.client)}`;
    const missed = IN_CONVERSATION.filter((column) => !cells.has(column));
    for (const column of missed)
      cells.set(column, failed(column === missed[0] ? words : "the client did not get here"));
    if ("end" in driver.cannot) return;
    if (how === undefined) cells.set("end", failed(words));
    // Where a `cd` lasts, the task began in the folder that an earlier call has gone to.
    else if (!("background" in driver.cannot) && !["left", "below/left"].some((name) => isThere(round, name)))
      cells.set("end", failed(`no task was left running: ${words}`));
    else cells.set("end", await nothingLeft(round));
  } finally {
    await round.finish();
  }
}

async function playHuge(driver, context, cells) {
  const round = await begin(driver, context, "huge", hugeScript(cells));
  try {
    const how = await within(round.ended, CONVERSATION_LIMIT_MS);
    if (!cells.has("huge")) cells.set("huge", failed(`${how ?? "it has not ended"}; ${lastWords(round.client)}`));
  } finally {
    await round.finish();
  }
}

async function playCancel(driver, context) {
  const seen = {};
  const { promise: looked, resolve: haveLooked } = withResolvers();
  const round = await begin(driver, context, "cancel", cancelledScript(seen, looked));
  try {
    const pid = await pidIn(round, "pid");
    if (pid === undefined) return failed(`the call did not start: ${lastWords(round.client)}`);
    round.skip();
    round.client.cancel();
    const isGone = await until(() => !isAlive(pid), GONE_LIMIT_MS);
    haveLooked();
    round.client.goOn?.();
    if (!isGone) return failed("the command went on");
    const how = await within(round.ended, START_LIMIT_MS);
    if (how === undefined) return failed(`the client has not ended: ${lastWords(round.client)}`);
    if (driver.goesOn && seen.isKept === undefined)
      return failed(`no call was made after it: ${lastWords(round.client)}`);
    if (driver.goesOn && !seen.isKept) return failed("the shell has lost its state");
    const left = await nothingLeft(round);
    return left.state === "ok" && !driver.goesOn ? { state: "ends" } : left;
  } finally {
    haveLooked();
    await round.finish();
  }
}

async function playKill(driver, context) {
  const round = await begin(driver, context, "kill", endlessScript(driver.cannot));
  try {
    const pid = await pidIn(round, "pid");
    if (pid === undefined) return failed(`the call did not start: ${lastWords(round.client)}`);
    const { clientMark, engineMark } = round.place;
    kill(driver.isHost ? [round.client.pid] : clientProcesses(round.client.pid, clientMark, engineMark));
    return await nothingLeft(round);
  } finally {
    await round.finish();
  }
}

/** A client that runs, and what has to be cleared away after it. */
async function begin(driver, context, name, script) {
  const place = context.makePlace(name);
  const log = (line) =>
    appendFileSync(join(place.folder, "model.jsonl"), `${JSON.stringify({ at: new Date().toISOString(), ...line })}\n`);
  const server = driver.isDirect ? undefined : await startModelServer(script, { toolName: driver.toolName, log });
  const { folder, bin } = context;
  const client = await driver.start({ round: name, place, folder, bin, url: server?.url ?? "", over: server?.over });
  const ended = driver.isDirect ? converse(client, script, log) : client.ended;
  // What a round does not wait for may end in any way.
  ended.catch(() => undefined);
  return {
    place,
    client,
    ended,
    skip: () => server?.skip(),
    finish: async () => {
      kill(processesOf({ place, client }));
      appendFileSync(join(place.folder, "words.txt"), client.words());
      client.release();
      await server?.close();
    },
  };
}

/** The calls of a script, made by a client that has no model. @returns {Promise<string>} how it ended */
async function converse(client, script, log) {
  const telling = script(await client.list());
  for (let step = await telling.next(); !step.done; ) {
    log({ calls: step.value });
    const texts = await client.call(step.value);
    log({ texts });
    step = await telling.next(texts);
  }
  client.close();
  return await client.ended;
}

/** Those of the client and of the engine. */
function processesOf({ place: { clientMark, engineMark }, client }) {
  return [...new Set([...clientProcesses(client.pid, clientMark, engineMark), ...processesWith(engineMark)])];
}

/** Nothing of the engine, nor of the client, is there any more. */
async function nothingLeft(round) {
  const left = () => processesOf(round);
  if (await until(() => left().length === 0, GONE_LIMIT_MS)) return { state: "ok" };
  return failed(`left behind: ${left().map(commandLineOf).join(", ")}`);
}

/** The process id that a command has written into a file of the project. */
async function pidIn({ place, ended }, name) {
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  ended.then(over, over);
  const path = join(place.project, name);
  const read = () => (existsSync(path) ? Number(readFileSync(path, "utf8")) : 0);
  await until(() => read() > 0 || isOver, START_LIMIT_MS);
  return read() > 0 ? read() : undefined;
}

/** A promise with what resolves it. Node 20 has no `Promise.withResolvers`. */
function withResolvers() {
  let resolve = () => undefined;
  const promise = new Promise((take) => {
    resolve = take;
  });
  return { promise, resolve };
}

/** @returns what the promise gives; undefined where it takes longer */
function within(promise, limitMs) {
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(() => resolve(undefined), limitMs);
  });
  return Promise.race([promise.catch((error) => `it failed: ${error.message}`), late]).finally(() =>
    clearTimeout(timer),
  );
}

function lastWords(client) {
  const words = client.words().replace(/\s+/g, " ").trim().slice(-MAX_WORDS);
  return `its last words: ${words || "none"}`;
}
