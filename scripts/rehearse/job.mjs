/**
 * Plays one job for one entry of its matrix: in a folder of its own, step by step, as a runner does.
 *
 * A step that fails fails the job; the steps after it run when their condition asks for that. Each step's output goes into
 * a file, and to the terminal when it failed.
 */
import { spawn } from "node:child_process";
import { appendFileSync, createWriteStream, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { interpolate, isWanted, textOf } from "./expression.mjs";
import { baseEnvironment, whyNotHere } from "./machine.mjs";
import { standInOf } from "./stand-ins.mjs";

/** GitHub's own limit of a job without one. */
const DEFAULT_LIMIT_MINUTES = 360;

const SHELLS = {
  bash: ["bash", "--noprofile", "--norc", "-eo", "pipefail"],
  // What GitHub takes where no shell is named.
  undefined: ["bash", "-e"],
};

/** The runner's files by which a step tells the steps that follow: lines of `name=value`, or texts between two marks. */
export function readCommands(text) {
  const values = {};
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const [, name, sign, rest] = /^([\w-]+)(<<|=)(.*)$/.exec(lines[at]) ?? [];
    if (name === undefined) {
      if (lines[at] !== "") throw new Error(`a step wrote \`${lines[at]}\`, which is not \`name=value\``);
      continue;
    }
    if (sign === "=") {
      values[name] = rest;
      continue;
    }
    const end = lines.indexOf(rest, at + 1);
    if (end === -1) throw new Error(`a step wrote \`${name}\` without its end \`${rest}\``);
    values[name] = lines.slice(at + 1, end).join("\n");
    at = end;
  }
  return values;
}

/** The programs that run now. Each leads a group of its own, which a rehearsal that is broken off takes along. */
const running = new Set();

/** Ends what runs. */
export function endSteps() {
  for (const { pid } of running) process.kill(-pid, "SIGKILL");
}

/** Runs a program to its end with its output in a file. Resolves to its status; its whole group ends at the deadline. */
function runToFile([command, ...rest], { cwd, env, log, limitMs }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
    running.add(child);
    const file = createWriteStream(log, { flags: "a" });
    for (const stream of [child.stdout, child.stderr]) stream.pipe(file, { end: false });
    const timer = setTimeout(() => {
      file.write(`\nthe job took longer than its limit and was ended\n`);
      process.kill(-child.pid, "SIGKILL");
    }, limitMs);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      running.delete(child);
      file.end(() => resolve(code ?? signal));
    });
  });
}

/**
 * @typedef {object} Played
 * @property {"success" | "failure"} result
 * @property {Record<string, string>} outputs
 * @property {Array<{ step: string, why: string }>} notPlayed
 * @property {Set<string>} standIns
 */

/** One job while it is played. */
export class Job {
  /** Of the expressions: what earlier steps have left. */
  #steps = {};
  #status = "success";
  #variables = {};
  #paths = [];
  #afterwards = [];
  #instance;
  #workflow;
  #context;
  #folder;
  #workspace;
  #base;
  #deadline;
  #say;

  /** @type {Played} */
  played = { result: "success", outputs: {}, notPlayed: [], standIns: new Set() };

  /**
   * @param {import("./workflow.mjs").Instance} instance
   * @param {object} context `{ place, workflow, needs, github, secrets, registry, say }`
   */
  constructor(instance, context) {
    this.#instance = instance;
    this.#workflow = context.workflow;
    this.#context = context;
    this.#say = context.say;
    this.#folder = join(context.place.run, "jobs", `${instance.workflow}-${instance.label}`.replace(/[^\w.-]+/g, "-"));
    this.#workspace = join(this.#folder, "workspace");
  }

  get #permissions() {
    return this.#instance.job.permissions ?? this.#workflow.permissions;
  }

  #scope(extra = {}) {
    const { github, secrets, needs } = this.#context;
    const runner = { os: "Linux", arch: "X64", temp: this.#base?.RUNNER_TEMP ?? "" };
    const contexts = { github, secrets, needs, runner, matrix: this.#instance.matrix, steps: this.#steps, ...extra };
    return { contexts, status: this.#status };
  }

  #environment(step) {
    const scope = this.#scope();
    const given = { ...this.#workflow.env, ...this.#instance.job.env, ...step.env };
    const own = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, textOf(interpolate(value, scope))]),
    );
    const env = { ...this.#base, ...this.#variables, ...own };
    env.PATH = [...this.#paths, env.PATH].join(delimiter);
    return env;
  }

  /** Plays all steps. */
  async play() {
    const { place, registry, github } = this.#context;
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#workspace, { recursive: true });
    const contents = this.#permissions.contents ?? "none";
    this.#base = {
      ...baseEnvironment(place, { folder: this.#folder, registry, contents }),
      GITHUB_WORKSPACE: this.#workspace,
      GITHUB_SHA: github.sha,
      GITHUB_REF: github.ref,
      GITHUB_EVENT_NAME: github.event_name,
    };
    const minutes = this.#instance.job["timeout-minutes"] ?? DEFAULT_LIMIT_MINUTES;
    this.#deadline = Date.now() + minutes * 60_000;
    for (const [at, step] of this.#instance.job.steps.entries()) await this.#playStep(step, at);
    if (this.#status === "success") for (const task of this.#afterwards) this.#say(`       ${task()}`);
    const outputs = Object.entries(this.#instance.job.outputs ?? {});
    if (this.#status === "success")
      for (const [name, value] of outputs) this.played.outputs[name] = textOf(interpolate(value, this.#scope()));
    this.played.result = this.#status;
    if (this.#status === "success") rmSync(this.#folder, { recursive: true, force: true });
    return this.played;
  }

  async #playStep(step, at) {
    const what = step.name ?? step.uses ?? step.run.trim().split("\n")[0];
    const log = join(
      this.#context.place.logs,
      `${this.#instance.workflow}-${this.#instance.label}-${at + 1}.log`.replace(/[^\w.-]+/g, "-"),
    );
    const started = Date.now();
    const seconds = () => `${((Date.now() - started) / 1000).toFixed(0)} s`;
    // A step that is left out has outputs, all of them empty.
    if (step.id !== undefined) this.#steps[step.id] = { outputs: {} };
    try {
      writeFileSync(log, "");
      if (!isWanted(step.if, this.#scope({ env: this.#environment({}) }))) {
        this.#say(`  -    ${what} (left out by its condition)`);
        return;
      }
      const done = step.uses === undefined ? await this.#playScript(step, log) : await this.#playAction(step, log);
      if (done.notPlayed !== undefined) {
        this.played.notPlayed.push({ step: what, why: done.notPlayed });
        this.#say(`  -    ${what} (not played: ${done.notPlayed})`);
        return;
      }
      if (step.id !== undefined) Object.assign(this.#steps[step.id].outputs, done.outputs);
      this.#say(`  ok   ${what} (${seconds()})${done.says ? `: ${done.says}` : ""}`);
    } catch (error) {
      this.#status = "failure";
      appendFileSync(log, `\n${error instanceof Error ? error.message : String(error)}\n`);
      this.#say(`  FAIL ${what} (${seconds()})`);
      this.#say(readFileSync(log, "utf8").trimEnd().split("\n").slice(-60).join("\n").replace(/^/gm, "       | "));
    }
  }

  async #playAction(step, log) {
    const scope = this.#scope();
    const inputs = Object.fromEntries(
      Object.entries(step.with ?? {}).map(([name, value]) => [name, interpolate(value, scope)]),
    );
    const standIn = standInOf(step.uses, inputs);
    this.played.standIns.add(standIn.name);
    if (standIn.notPlayed !== undefined) return { notPlayed: standIn.notPlayed };
    const done = await standIn.play(inputs, {
      place: this.#context.place,
      workspace: this.#workspace,
      env: this.#environment(step),
      permissions: this.#permissions,
      run: (script) => this.#runScript(script, step, log),
      addPath: (folder) => this.#paths.unshift(folder),
      setVariable: (name, value) => {
        this.#variables[name] = value;
      },
      afterwards: (task) => this.#afterwards.push(task),
    });
    return done;
  }

  async #playScript(step, log) {
    const script = textOf(interpolate(step.run, this.#scope({ env: this.#environment(step) })));
    const why = whyNotHere(script);
    if (why !== undefined) return { notPlayed: why };
    for (const name of script.match(/\b(?:sudo|gh)\b/g) ?? []) this.played.standIns.add(name);
    return { outputs: await this.#runScript(script, step, log) };
  }

  async #runScript(script, step, log) {
    const shell = step.shell ?? this.#instance.job.defaults?.run?.shell ?? this.#workflow.defaults.run?.shell;
    if (!Object.hasOwn(SHELLS, String(shell))) throw new Error(`the rehearsal has no shell \`${shell}\``);
    const env = this.#environment(step);
    const fileOf = (name) => join(env.RUNNER_TEMP, name);
    for (const name of ["output", "env", "path", "summary", "script.sh"]) writeFileSync(fileOf(name), "");
    writeFileSync(fileOf("script.sh"), script);
    const files = {
      GITHUB_OUTPUT: fileOf("output"),
      GITHUB_ENV: fileOf("env"),
      GITHUB_PATH: fileOf("path"),
      GITHUB_STEP_SUMMARY: fileOf("summary"),
    };
    const status = await runToFile([...SHELLS[String(shell)], fileOf("script.sh")], {
      cwd: join(this.#workspace, step["working-directory"] ?? ""),
      env: { ...env, ...files },
      log,
      limitMs: Math.max(this.#deadline - Date.now(), 1),
    });
    if (status !== 0) throw new Error(`ended with ${status}`);
    Object.assign(this.#variables, readCommands(readFileSync(files.GITHUB_ENV, "utf8")));
    this.#paths.unshift(
      ...readFileSync(files.GITHUB_PATH, "utf8")
        .split("\n")
        .filter((line) => line !== ""),
    );
    return readCommands(readFileSync(files.GITHUB_OUTPUT, "utf8"));
  }
}

/** The system that a job asks for, e.g. `ubuntu-24.04`. */
export function systemOf({ job, matrix }) {
  return textOf(interpolate(job["runs-on"], { contexts: { matrix }, status: "success" }));
}
