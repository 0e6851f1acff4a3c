/** What a service's call gets wrong: each is answered with one sentence that says what to write, and nothing is started. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ToolError } from "../../src/tool-error.ts";
import { service } from "../support/services.ts";
import { textOf, thrown } from "../support/session.ts";
import { taskScene } from "../support/tasks.ts";

const NAME =
  /^Invalid task parameters: `name`: begin it with a letter of a-z; then at most 31 of a-z, 0-9, `\.`, `_` and `-`, e\.g\. `web`$/;
const NOT_LOCAL =
  /^Invalid ready\.http\.url: only http and https of localhost, 127\.0\.0\.1 and \[::1\] are asked\. Use ready\.log for others\.$/;
const url = (text: string) => ({ ready: { http: { url: text } } });

/** A web server that answers as it is asked to. */
async function server(answer: RequestListener): Promise<number> {
  const made = createServer(answer).listen(0, "127.0.0.1");
  onTestFinished(() => void made.close());
  await once(made, "listening");
  const address = made.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("a service's call", () => {
  it.each<[string, object, RegExp]>([
    ["a name with a space", { name: "Web Server" }, NAME],
    ["a name that is a path", { name: "../web" }, NAME],
    ["a name with a line break", { name: "web\n" }, NAME],
    ["a name of every object", { name: "__proto__" }, NAME],
    ["a name of 33 characters", { name: "a".repeat(33) }, NAME],
    [
      "a script with a NUL",
      { script: "touch begun\0" },
      /^The command has a NUL character at offset 11, which bash cannot take\. Remove it\.$/,
    ],
    ["a folder that is not there", { cwd: "missing" }, /^Working directory does not exist: .*missing$/],
    [
      "an expression that does not compile",
      { ready: { log: "(" } },
      /^Invalid ready\.log: pattern `\(` is not valid RE2 syntax/,
    ],
    [
      "an expression that looks ahead",
      { ready: { log: "(?=x)" } },
      /^Invalid ready\.log: pattern .* is not valid RE2 syntax/,
    ],
    [
      "an expression that is too long",
      { ready: { log: "a".repeat(1_025) } },
      /^Invalid ready\.log: pattern is longer than 1024 characters$/,
    ],
    [
      "two lines where one is looked at",
      { ready: { log: "one\ntwo" } },
      /^Invalid ready\.log: pattern has a line break, and no line has one: give the text of one line$/,
    ],
    [
      "a port that there is not",
      { ready: { port: 65_536 } },
      /^Invalid task parameters: `ready\.port` is at most 65535, not 65536$/,
    ],
    [
      "no time to become ready",
      { ready: { timeout_secs: 0 } },
      /^Invalid task parameters: `ready\.timeout_secs` is above 0, not 0$/,
    ],
    ["a URL that is none", url("web"), /^Invalid ready\.http\.url: it is not a URL\. Use e\.g\. http:/],
    ["a URL of another machine", url("http://example.com/"), NOT_LOCAL],
    ["a URL that begins like this machine's", url("http://127.0.0.1.example.com/"), NOT_LOCAL],
    ["a URL of a cloud's metadata", url("http://169.254.169.254/latest"), NOT_LOCAL],
    ["a URL of a file", url("file:///etc/passwd"), NOT_LOCAL],
    [
      "a URL with a password",
      url("http://user:word@127.0.0.1/"),
      /^Invalid ready\.http\.url: a URL with a user name or a password is not asked\.$/,
    ],
    [
      "a URL with a user name",
      url("http://user@localhost/"),
      /^Invalid ready\.http\.url: a URL with a user name or a password is not asked\.$/,
    ],
    [
      "a URL of port 0",
      url("http://localhost:0/"),
      /^Invalid ready\.http\.url: nothing can listen on port 0\. Name the server's port\.$/,
    ],
    [
      "a status that there is not",
      { ready: { http: { url: "http://localhost/", status: 99 } } },
      /^Invalid task parameters: `ready\.http\.status` is at least 100, not 99$/,
    ],
    [
      "a field that there is not",
      { ready: { prot: 80 } },
      /^Invalid task parameters: there is no field `ready\.prot`$/,
    ],
  ])("with %s is refused in a sentence, and nothing is started", async (_, params, sentence) => {
    const scene = await taskScene();

    const refused = await thrown(service(scene, { script: "touch begun; sleep 60", ...params }));

    expect(refused).toBeInstanceOf(ToolError);
    expect(refused.message).toMatch(sentence);
    expect(await scene.list({ statuses: ["queued", "running", "reported"] })).toEqual([]);
    expect(existsSync(join(scene.folder, "begun"))).toBe(false);
  });

  it("for a seventeenth is refused with the names of those that run, and starts nothing", async () => {
    const scene = await taskScene();
    const names = Array.from({ length: 16 }, (_, at) => `s${at}`);
    await Promise.all(names.map((name) => service(scene, { name, script: "echo up; sleep 60", ready: { log: "up" } })));

    const refused = await thrown(service(scene, { name: "s16", script: "touch begun; sleep 60" }));

    expect(refused.message).toBe(`16 services run already: ${names.join(", ")}. End one with task_terminate first.`);
    expect(await scene.list()).toHaveLength(16);
    expect(existsSync(join(scene.folder, "begun"))).toBe(false);
  });

  it("with a URL follows no redirect and sends no credential", async () => {
    const scene = await taskScene();
    const seen: string[] = [];
    const elsewhere = await server((_, answer) => {
      seen.push("elsewhere");
      answer.end();
    });
    const port = await server(({ headers }, answer) => {
      seen.push(Object.keys(headers).sort().join(" "));
      answer.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/` }).end();
    });

    const ready = { http: { url: `http://127.0.0.1:${port}/`, status: 200 }, timeout_secs: 1 };
    const late = await service(scene, { script: "sleep 60", ready });

    expect(textOf(late)).toContain(`Not met: http http://127.0.0.1:${port}/ (status 302).`);
    expect(new Set(seen)).toEqual(new Set(["accept connection host"]));
  });

  it("repeats no more than a line of what it named", async () => {
    const scene = await taskScene();
    const long = "a".repeat(10_000);

    const late = await service(scene, {
      script: "sleep 60",
      ready: { http: { url: `http://127.0.0.1:1/${long}` }, log: `x${"b".repeat(1_000)}`, timeout_secs: 0.2 },
    });

    expect(late.details).toMatchObject({ service: "not_ready" });
    expect(textOf(late).length).toBeLessThan(1_000);
  });
});
