/**
 * What usual programs reach of a network that has rules, and what results say of the rest. Ways past the
 * rules: `network-bypass.test.ts`; much at once and sudden ends: `network-load.test.ts`; rules that cannot be had:
 * `network-rules.test.ts`.
 */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { join, resolve } from "node:path";
import type { SandboxNetwork } from "@pi-bash/contract";
import { capabilities, PtySession, Shell } from "@pi-bash/natives";
import { describe, expect, it, onTestFinished, type TestContext } from "vitest";
import { openNetworkSandbox, visibleFolder } from "../../support/network-sandbox.ts";
import { listenOnLoopback, PACKAGE, startRegistry } from "../../support/registry.ts";

/** Time for a proof of a sandbox and some commands, an installation among them. */
const SLOW_MS = 60_000;

const has = (program: string) => spawnSync("which", [program]).status === 0;

/** A server that answers each request with `served` and its path. */
async function startServer(): Promise<number> {
  return await listenOnLoopback(createServer((request, answer) => answer.end(`served ${request.url}`)));
}

describe.each(["bubblewrap", "landlock"] as const)("in %s", (backend) => {
  // A kernel or a machine without it; the first command finds out whether this user has namespaces.
  const when = { skip: !capabilities().sandbox.includes(backend), timeout: SLOW_MS };

  const open = (test: TestContext, network: SandboxNetwork, cwd?: string) =>
    openNetworkSandbox(test, backend, network, cwd);

  it("npm installs from a registry that is allowed, and one that is not is refused and named", when, async (test) => {
    const [allowed, other] = [await startRegistry(), await startRegistry()];
    const cwd = visibleFolder();
    // Without one npm looks for a project in the folders above.
    writeFileSync(join(cwd, "package.json"), "{}");
    const executor = await open(test, { allow: [`127.0.0.1:${allowed.port}`] }, cwd);
    const install = (url: string) =>
      `npm install --no-audit --no-fund --no-update-notifier --cache "$TMPDIR/npm" --logs-max 0 --fetch-retries 0 --registry ${url} ${PACKAGE} && node -p 'require("${PACKAGE}")'`;

    const installed = await executor.executeBash(install(allowed.url));
    expect(installed.output).toMatch(/added 1 package[\s\S]*\nreal\n$/);
    expect(installed).toMatchObject({ exitCode: 0, sandbox: { network: { allow: [`127.0.0.1:${allowed.port}`] } } });
    expect(installed.sandbox).not.toHaveProperty("refusals");
    expect(allowed.asked.some((path) => path.endsWith(".tgz"))).toBe(true);

    rmSync(join(cwd, "node_modules"), { recursive: true });
    const refused = await executor.executeBash(`rm -f package-lock.json; echo {} >package.json; ${install(other.url)}`);
    expect(refused.exitCode).toBe(1);
    const target = `127.0.0.1:${other.port}`;
    expect(refused.sandbox?.refusals?.[0]).toEqual({
      kind: "network",
      target,
      rule: target,
      evidence: `\`${target}\`, which no rule allows`,
    });
    expect(other.asked).toEqual([]);
  });

  it("curl, git, wget and Python go through the proxy, also one that speaks SOCKS", when, async (test) => {
    const folder = visibleFolder();
    const repository = join(folder, "repository.git");
    const git = (...words: string[]) => spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words]);
    git("init", "-q", join(folder, "source"));
    git("-C", join(folder, "source"), "commit", "-q", "--allow-empty", "-m", "one");
    git("clone", "-q", "--bare", join(folder, "source"), repository);
    git("-C", repository, "update-server-info");
    const files = createServer((request, answer) => {
      try {
        answer.end(readFileSync(join(repository, resolve("/", (request.url ?? "").split("?")[0] ?? ""))));
      } catch {
        answer.writeHead(404).end();
      }
    });
    const port = await listenOnLoopback(files);
    const executor = await open(test, { allow: [`127.0.0.1:${port}`] });
    const address = `http://127.0.0.1:${port}/HEAD`;
    const lines = [
      `curl -sS ${address}`,
      `curl -sS --proxytunnel ${address}`,
      `curl -sS --noproxy '' --proxy socks5h://127.0.0.1:3128 ${address}`,
      ...(has("wget") ? [`wget -qO- ${address}`] : []),
      ...(has("python3")
        ? [`python3 -c 'import urllib.request as u; print(u.urlopen("${address}").read().decode())'`]
        : []),
      `git clone -q http://127.0.0.1:${port} cloned && cat cloned/.git/HEAD`,
    ];

    for (const line of lines) {
      const { output, exitCode, sandbox } = await executor.executeBash(line);
      expect([output.trim(), exitCode], line).toEqual([expect.stringMatching(/^ref: refs\/heads\/\w+$/), 0]);
      expect(sandbox, line).not.toHaveProperty("refusals");
    }
  });

  it("a program that ignores the variables has no network, and neither has a datagram", when, async (test) => {
    const port = await startServer();
    const executor = await open(test, { allow: [`127.0.0.1:${port}`] });
    const lines = [
      `curl -sS --noproxy '*' http://127.0.0.1:${port}/`,
      `env -i PATH="$PATH" curl -sS http://127.0.0.1:${port}/`,
      `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`,
      `getent hosts example.com && echo found`,
      `${process.execPath} -e 'const s = require("dgram").createSocket("udp4"); s.send("x", 53, "8.8.8.8", (error) => { if (!error) console.log("sent"); s.close(); process.exit(error ? 1 : 0); })'`,
    ];

    for (const line of lines) {
      const { output, exitCode } = await executor.executeBash(`unset HISTFILE; (${line})`);
      expect(output, line).not.toMatch(/served|connected|found|sent/);
      expect(exitCode, line).not.toBe(0);
    }
    const devices = await executor.executeBash("tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '");
    expect(devices.output).toBe("lo\n");
    // The proxy itself is what the sandbox has.
    const listening = await executor.executeBash("grep -c ' 0A ' /proc/net/tcp; cat /proc/net/tcp6 | grep -c ' 0A '");
    expect(listening.output).toBe("1\n0\n");
  });

  it("servers of the sandbox are reached beside the proxy, by a name that no rule has", when, async (test) => {
    const port = await startServer();
    const executor = await open(test, { allow: [`127.0.0.1:${port}`] });
    const serve = `require("http").createServer((_, answer) => answer.end("inside")).listen(0, "127.0.0.1", function () { require("fs").writeFileSync("port", String(this.address().port)); })`;
    await executor.executeBash(`${process.execPath} -e '${serve}' > /dev/null 2>&1 &
      for i in {1..200}; do [ -s port ] && break; sleep 0.05; done`);

    const inner = await executor.executeBash("curl -sS http://localhost:$(cat port)/");
    expect(inner.output).toBe("inside");
    const outer = await executor.executeBash("curl -sS http://127.0.0.1:$(cat port)/");
    expect(outer.output).toContain("the sandbox refused");
  });

  it(
    "a redirect to another host is refused and named, and so is what a background process asks for",
    when,
    async (test) => {
      const other = await startServer();
      const redirect = createServer((_, answer) => {
        answer.writeHead(302, { location: `http://127.0.0.1:${other}/` }).end();
      });
      const port = await listenOnLoopback(redirect);
      const executor = await open(test, { allow: [`127.0.0.1:${port}`] });

      const followed = await executor.executeBash(`curl -sSL http://127.0.0.1:${port}/`);
      expect(followed.output).toBe(
        `pi-bash: the sandbox refused \`127.0.0.1:${other}\`, which no rule allows; the user can add \`127.0.0.1:${other}\` to \`sandbox.network.allow\`\n`,
      );
      expect(followed.exitCode).toBe(0);
      expect(followed.sandbox?.refusals?.map(({ target }) => target)).toEqual([`127.0.0.1:${other}`]);
      const begun = await executor.executeBash("{ curl -s http://later.example/; : > done; } > /dev/null &");
      const next = await executor.executeBash("for i in {1..200}; do [ -e done ] && break; sleep 0.05; done");
      // Once: in the result of the command during which it asked, which may be its own.
      const refusals = [begun, next].flatMap(({ sandbox }) => sandbox?.refusals ?? []);
      expect(refusals.map(({ target }) => target)).toEqual(["later.example:80"]);
      expect((await executor.executeBash("true")).sandbox).not.toHaveProperty("refusals");
    },
  );

  it("a relay inside the sandbox reaches what its programs reach, and no more", when, async (test) => {
    const [allowed, other] = [await startServer(), await startServer()];
    const executor = await open(test, { allow: [`127.0.0.1:${allowed}`] });
    const relay = `const net = require("net"); net.createServer((from) => { const to = net.connect(3128, "127.0.0.1"); from.pipe(to).pipe(from); for (const end of [from, to]) end.on("error", () => undefined); }).listen(9128, "127.0.0.1", () => require("fs").writeFileSync("ready", ""))`;
    await executor.executeBash(`${process.execPath} -e '${relay}' > /dev/null 2>&1 &
      for i in {1..200}; do [ -e ready ] && break; sleep 0.05; done`);

    for (const how of ["", "--proxytunnel"]) {
      const through = (port: number) =>
        executor.executeBash(`curl -sS ${how} --proxy http://127.0.0.1:9128 http://127.0.0.1:${port}/`);
      expect((await through(allowed)).output, how).toBe("served /");
      const refused = await through(other);
      expect(refused.output, how).not.toContain("served");
      expect(refused.sandbox?.refusals?.[0]?.target, how).toBe(`127.0.0.1:${other}`);
    }
  });

  it("no rule at all refuses everything, and names it", when, async (test) => {
    const executor = await open(test, { allow: [] });

    const { sandbox } = await executor.executeBash(
      "curl -s https://registry.npmjs.org/; curl -s https://registry.npmjs.org/; curl -s http://169.254.169.254/; false",
    );

    expect(sandbox).toMatchObject({ network: { allow: [] } });
    expect(sandbox?.refusals?.map(({ target, rule }) => [target, rule])).toEqual([
      ["registry.npmjs.org:443", "registry.npmjs.org"],
      ["169.254.169.254:80", "169.254.169.254:80"],
    ]);
  });

  it("real clients of TLS are let through for the name they connect to, and for no other", when, async (test) => {
    const port = 443;
    const [key, cert] = certificate();
    const server = createTlsServer({ key, cert }, (_, answer) => answer.end("served by TLS"));
    const failure = await new Promise<Error | undefined>((done) => {
      server.once("error", done).listen(port, "127.0.0.1", () => done(undefined));
    });
    if (failure !== undefined) test.skip(`the port of TLS is taken or not for this user: ${failure.message}`);
    onTestFinished(() => {
      server.close().closeAllConnections();
    });
    const executor = await open(test, { allow: ["localhost:443"] });
    const openssl = (name: string) =>
      `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | openssl s_client -quiet -proxy 127.0.0.1:3128 -connect localhost:443 ${name} 2>&1`;
    const node = `${process.execPath} -e 'const http = require("http"), https = require("https"); http.request({ port: 3128, host: "127.0.0.1", method: "CONNECT", path: "localhost:443" }).on("connect", (_, socket) => https.get({ socket, agent: false, servername: "localhost", rejectUnauthorized: false, path: "/" }, (answer) => answer.pipe(process.stdout))).end()'`;
    const python = `python3 -c 'import ssl, urllib.request as u; c = ssl._create_unverified_context(); print(u.build_opener(u.ProxyHandler({"https": "http://127.0.0.1:3128"}), u.HTTPSHandler(context=c)).open("https://localhost/").read().decode())'`;

    const through = [
      "curl -sSk https://localhost/",
      "curl -sSk --tls-max 1.2 https://localhost/",
      node,
      openssl("-servername localhost"),
    ];
    for (const line of has("python3") ? [...through, python] : through) {
      expect((await executor.executeBash(line)).output, line).toContain("served by TLS");
    }
    for (const name of ["-servername other.example", "-noservername", "-servername localhost.other.example"]) {
      const { output, sandbox } = await executor.executeBash(openssl(name));
      expect(output, name).not.toContain("served by TLS");
      expect(sandbox?.refusals?.[0], name).toMatchObject({ kind: "network", target: "localhost:443" });
    }
  });

  it("a proxy of the host and its password stay outside, and a terminal has the same proxy", when, async (test) => {
    const port = await startServer();
    const cwd = visibleFolder();
    await open(test, { allow: [] }, cwd);
    const secret = "http://ann:secret@proxy.example:8080";
    const names = ["HTTPS_PROXY", "http_proxy", "npm_config_proxy", "ALL_PROXY", "CARGO_HTTP_PROXY", "FTP_PROXY"];
    const proxies = Object.fromEntries(names.map((name) => [name, secret]));
    const baseEnv = { PATH: process.env["PATH"] ?? "", ...proxies };
    const network = { allow: [`127.0.0.1:${port}`] };
    const sandbox = { mode: "read-only", backend, network } as const;
    const command = `env; curl -sS http://127.0.0.1:${port}/; curl -sS http://terminal.example/`;

    const shell = new Shell({ cwd, baseEnv, sessionEnv: proxies, sandbox });
    onTestFinished(() => shell.close());
    const run = await shell.run({ command, sink: { maxBytes: 100_000 } });
    let printed = "";
    const ran = await new PtySession().start({ command, cwd, baseEnv, sandbox }, (_, chunk) => {
      printed += chunk;
    });

    for (const [text, result] of [[run.output?.text ?? "", run] as const, [printed, ran] as const]) {
      expect(text).toMatch(/^HTTPS_PROXY=http:\/\/127\.0\.0\.1:3128\r?$/m);
      expect(text).toContain("served /");
      expect(text).not.toContain("secret");
      expect(result.sandbox).toMatchObject({
        network,
        networkRefusals: [{ target: "terminal.example:80", reason: "no rule allows", rule: "terminal.example" }],
      });
    }
  });
});

function certificate(): [Buffer, Buffer] {
  const folder = visibleFolder();
  const words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  const made = spawnSync("openssl", [...words, "-keyout", "key.pem", "-out", "cert.pem"], { cwd: folder });
  if (made.status !== 0) throw new Error(made.stderr.toString());
  return [readFileSync(join(folder, "key.pem")), readFileSync(join(folder, "cert.pem"))];
}
