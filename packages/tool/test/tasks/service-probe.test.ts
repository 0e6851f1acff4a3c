/** The question over HTTP itself: what is sent, to whom, and by which bash on a place. */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { scratchFolder } from "../../../../test/support/scratch.ts";
import type { BashToolSession } from "../../src/session.ts";
import { httpTarget, type Probed, probeHttp } from "../../src/tasks/service-probe.ts";
import { playedScene } from "../support/played-executor.ts";
import { farPlace } from "../support/preparing.ts";
import { thrown } from "../support/session.ts";

const HERE = { cwd: "/" } as BashToolSession;

/** Asks on this machine. */
const ask = (url: string): Promise<Probed> => probeHttp(httpTarget({ url }), HERE);

/** A server of the test; its port. */
async function listening(made: ReturnType<typeof createServer | typeof createSecureServer>): Promise<number> {
  onTestFinished(() => {
    made.closeAllConnections();
    made.close();
  });
  made.listen(0, "127.0.0.1");
  await once(made, "listening");
  return (made.address() as AddressInfo).port;
}

const server = (listener: RequestListener): Promise<number> => listening(createServer(listener));

describe("a question on this machine", () => {
  it("is a GET that keeps no connection and sends nothing that is known of the user", async () => {
    const asked: object[] = [];
    const port = await server(({ method, url, headers }, answer) => {
      asked.push({ method, url, headers });
      answer.writeHead(204).end();
    });
    expect(await ask(`http://127.0.0.1:${port}/a%20b?c=d#e`)).toStrictEqual({ isMet: true, why: "status 204" });
    expect(asked).toStrictEqual([
      {
        method: "GET",
        url: "/a%20b?c=d",
        headers: { accept: "*/*", connection: "close", host: `127.0.0.1:${port}` },
      },
    ]);
  });

  it("follows no redirect, and waits for no body", async () => {
    const asked: (string | undefined)[] = [];
    const port = await server(({ url }, answer) => {
      asked.push(url);
      answer.writeHead(302, { location: "/other" });
      answer.write("a beginning without an end");
    });
    expect(await ask(`http://127.0.0.1:${port}/`)).toStrictEqual({ isMet: true, why: "status 302" });
    expect(asked).toEqual(["/"]);
  });

  it("over TLS to a server without TLS has no answer", async () => {
    const port = await server((_, answer) => answer.end());
    expect(await ask(`https://127.0.0.1:${port}/`)).toStrictEqual({ isMet: false, why: "no answer" });
  });

  it.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
    "over TLS takes a certificate that no one vouches for (needs openssl)",
    async () => {
      const [key, cert] = ["key", "cert"].map((name) => join(scratchFolder(), name)) as [string, string];
      const made = spawnSync(
        "openssl",
        ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", key, "-out", cert],
        { timeout: 20_000 },
      );
      expect(made.status).toBe(0);
      const port = await listening(
        createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, answer) =>
          answer.writeHead(201).end(),
        ),
      );
      expect(await ask(`https://127.0.0.1:${port}/`)).toStrictEqual({ isMet: true, why: "status 201" });
    },
  );
});

describe("where a question may go", () => {
  it.each(["http://127.10.200.30/", "http://localhost:81/", "https://[::1]/"])("%s is this machine", (url) => {
    expect(httpTarget({ url }).url.href).toBe(url);
    expect(httpTarget({ url, status: 204 })).toStrictEqual({ url: new URL(url), status: 204 });
  });

  it.each([
    ["http://notlocalhost/", "only http and https of localhost"],
    ["http://1270.0.0.1.example/", "only http and https of localhost"],
    ["http://x[::1]/", "it is not a URL"],
    ["http://[::1:1]/", "only http and https of localhost"],
    ["ws://127.0.0.1/", "only http and https of localhost"],
    ["https://:@localhost:0/", "nothing can listen on port 0"],
  ])("%s is not, or cannot be asked", async (url, why) => {
    const refused = await thrown(Promise.resolve().then(() => httpTarget({ url })));
    expect(refused.message).toMatch(new RegExp(`^Invalid ready\\.http\\.url: ${why}`));
  });
});

describe("a question on a place", () => {
  /** What a bash over there is to run. */
  async function script(url: string): Promise<string | undefined> {
    const { runs, session } = playedScene({ answer: async () => ({ output: "200\n" }) }, { place: farPlace() });
    expect(await probeHttp(httpTarget({ url }), session)).toStrictEqual({ isMet: true, why: "status 200" });
    expect(runs).toHaveLength(1);
    return runs[0]?.command;
  }
  const whole = (device: string, host: string, path: string) =>
    `( exec 3<>'/dev/tcp/${device}' && printf 'GET ${path} HTTP/1.0\\r\\nHost: ${host}\\r\\nConnection: close\\r\\n\\r\\n' >&3 && IFS=' ' read -r -t 2 _ status _ <&3 && echo "$status" ) 2>/dev/null`;

  it.each([
    ["http://127.0.0.1:5173/", "127.0.0.1/5173", "127.0.0.1:5173", "/"],
    ["http://localhost", "localhost/80", "localhost", "/"],
    ["http://[::1]:8080/a/b?c=d#e", "::1/8080", "[::1]:8080", "/a/b?c=d"],
    ["http://127.0.0.1:81/it's%20'x'?y='z'", "127.0.0.1/81", "127.0.0.1:81", "/it%%27s%%20%%27x%%27?y=%%27z%%27"],
    ["http://127.0.0.1:81/?a\\b\\c", "127.0.0.1/81", "127.0.0.1:81", "/?a%%5Cb%%5Cc"],
  ])("%s is one line for the shell, whatever is in the URL", async (url, device, host, path) => {
    expect(await script(url)).toBe(whole(device, host, path));
  });

  it.each([
    ["100", true],
    ["599", true],
    ["099", false],
    ["1000", false],
    ["2 0", false],
    ["x200", false],
  ])("the answer %j is one of a server: %s", async (output, isOne) => {
    const { session } = playedScene({ answer: async () => ({ output }) }, { place: farPlace() });
    const target = httpTarget({ url: "http://localhost/", status: Number(output) });
    expect(await probeHttp(target, session)).toStrictEqual(
      isOne ? { isMet: true, why: `status ${output}` } : { isMet: false, why: "no answer" },
    );
  });
});
