/**
 * Ways to have a proxy connect where it should not, as bytes that a program sends to it; and a naive proxy that believes
 * whatever it is sent, which shows that each of them is one.
 */
import { connect, createServer, type Server, type Socket } from "node:net";

/** One attempt: bytes, each part sent when the one before was answered. */
export interface Attempt {
  readonly name: string;
  readonly parts: readonly Buffer[];
}

/** What attempts are directed at: servers of the host. */
export interface Targets {
  /** Port of the server that a rule names as `127.0.0.1:port`. */
  readonly allowed: number;
  /** Port of a server on all addresses that no rule names by an address. */
  readonly forbidden: number;
  /** Names that rules allow with the forbidden port, and that stand for this machine. */
  readonly names: readonly string[];
}

/** Ways to write this machine: as resolvers and C libraries read it. */
const SPELLINGS = [
  "127.0.0.1",
  "127.0.0.2",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "0.0.0.0",
  "0",
  "localhost",
  "LOCALHOST",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[::]",
];

const text = (...lines: string[]) => Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");

/** Everything that is tried. The request of each attempt asks for the path of its number, as `/3`. */
export function attempts(targets: Targets): Attempt[] {
  return untagged(targets).map(({ name, parts }, number) => {
    const tag = (part: Buffer) => Buffer.from(part.toString("latin1").replaceAll(TAG, `/${number}`), "latin1");
    return { name, parts: parts.map(tag) };
  });
}

/** Stands for the number. */
const TAG = "/@";

function untagged({ allowed, forbidden, names }: Targets): Attempt[] {
  const [good, bad] = [`127.0.0.1:${allowed}`, `127.0.0.1:${forbidden}`];
  const get = (url: string, host: string, ...more: string[]) =>
    text(`GET ${url} HTTP/1.1`, `Host: ${host}`, ...more, "Connection: close");
  const plain = get("/@", bad);
  const spelled = [...SPELLINGS, ...names].flatMap((host) => {
    const target = `${host}:${forbidden}`;
    return [
      { name: `CONNECT ${host}`, parts: [text(`CONNECT ${target} HTTP/1.1`, `Host: ${target}`), plain] },
      { name: `GET http://${host}`, parts: [get(`http://${target}/@`, target)] },
    ];
  });
  const bySocks = [...SPELLINGS.filter((host) => !host.startsWith("[")), ...names].map((host) => ({
    name: `SOCKS ${host}`,
    parts: [...socksName(host, forbidden), plain],
  }));
  return [
    ...spelled,
    ...bySocks,
    {
      name: "CONNECT with the Host of the allowed one",
      parts: [text(`CONNECT ${bad} HTTP/1.1`, `Host: ${good}`), plain],
    },
    { name: "CONNECT of HTTP 1.0 without a Host", parts: [text(`CONNECT ${bad} HTTP/1.0`), plain] },
    { name: "CONNECT with a user", parts: [text(`CONNECT ${good}@${bad} HTTP/1.1`), plain] },
    { name: "a request with the Host of the allowed one", parts: [get(`http://${bad}/@`, good)] },
    { name: "a request to the allowed one with another Host", parts: [get(`http://${good}/@`, bad)] },
    { name: "a request with a user", parts: [get(`http://${good}@${bad}/@`, good)] },
    { name: "a request of HTTP 1.0 without a Host", parts: [text(`GET http://${bad}/@ HTTP/1.0`)] },
    { name: "a request with nothing but a Host", parts: [get("/@", bad)] },
    {
      name: "a second request after an allowed one",
      parts: [text(`GET http://${good}/ HTTP/1.1`, `Host: ${good}`), get(`http://${bad}/@`, bad)],
    },
    {
      name: "two requests at once",
      parts: [Buffer.concat([text(`GET http://${good}/ HTTP/1.1`, `Host: ${good}`), get(`http://${bad}/@`, bad)])],
    },
    {
      name: "CONNECT after an allowed request",
      parts: [text(`GET http://${good}/ HTTP/1.1`, `Host: ${good}`), text(`CONNECT ${bad} HTTP/1.1`), plain],
    },
    ...["Transfer-Encoding: chunked\r\nContent-Length: 4", "Content-Length: 0\r\nContent-Length: 90"].map(
      (lengths) => ({
        name: `a request within another one's body: ${lengths.replace("\r\n", ", ")}`,
        parts: [
          Buffer.concat([text(`POST http://${good}/ HTTP/1.1`, `Host: ${good}`, lengths), get(`http://${bad}/@`, bad)]),
        ],
      }),
    ),
    { name: "SOCKS with a NUL byte", parts: [...socksName(`127.0.0.1\0.example.com`, forbidden), plain] },
    { name: "SOCKS with a line break", parts: [...socksName(`127.0.0.1\r\n.example.com`, forbidden), plain] },
    { name: "SOCKS with an IPv4 address", parts: [...socksAddress(1, [127, 0, 0, 1], forbidden), plain] },
    { name: "SOCKS with an IPv6 address", parts: [...socksAddress(4, [...Array(15).fill(0), 1], forbidden), plain] },
    {
      name: "SOCKS with an IPv4 address within an IPv6 one",
      parts: [...socksAddress(4, [...Array(10).fill(0), 255, 255, 127, 0, 0, 1], forbidden), plain],
    },
  ];
}

function socksName(name: string, port: number): Buffer[] {
  const bytes = Buffer.from(name, "latin1");
  return socksAddress(3, [bytes.length, ...bytes], port);
}

function socksAddress(kind: number, address: number[], port: number): Buffer[] {
  return [Buffer.from([5, 1, 0]), Buffer.from([5, 1, 0, kind, ...address, port >> 8, port & 255])];
}

/**
 * A program for Node that makes the attempts of a file: `node -e PROGRAM FILE PORT`. It prints what was answered as an
 * object of texts.
 */
export const PROGRAM = `
const net = require("node:net");
const [file, port] = process.argv.slice(1);
const attempts = JSON.parse(require("node:fs").readFileSync(file, "utf8"));
const make = (parts) => new Promise((resolve) => {
  let answer = "";
  const left = parts.map((part) => Buffer.from(part, "base64"));
  const socket = net.connect(Number(port), "127.0.0.1");
  const next = () => { const part = left.shift(); if (part) socket.write(part); if (left.length === 0) socket.end(); };
  socket.on("connect", next).on("data", (bytes) => { answer += bytes.toString("latin1"); if (left.length > 0) next(); });
  socket.on("error", () => undefined).on("close", () => resolve(answer)).setTimeout(10000, () => socket.destroy());
});
(async () => {
  const answers = {};
  for (const { name, parts } of attempts) answers[name] = await make(parts);
  process.stdout.write(JSON.stringify(answers) + "\\n");
})();
`;

/** The file that the program reads. */
export function written(all: readonly Attempt[]): string {
  return JSON.stringify(all.map(({ name, parts }) => ({ name, parts: parts.map((part) => part.toString("base64")) })));
}

/** A proxy without rules that reads as carelessly as it can: whatever could be meant as a target is connected to. */
export function naiveProxy(): Server {
  return createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (first: Buffer) => (first[0] === 5 ? bySocks(socket) : byHttp(socket, first)));
  });
}

function bySocks(socket: Socket): void {
  socket.write(Buffer.from([5, 0]));
  socket.once("data", (request: Buffer) => {
    const port = request.readUInt16BE(request.length - 2);
    const address = request.subarray(4, -2);
    const kind = request[3];
    const groups = Array.from({ length: 8 }, (_, at) => address.subarray(at * 2, at * 2 + 2).toString("hex"));
    const host =
      kind === 1 ? [...address].join(".") : kind === 4 ? groups.join(":") : address.subarray(1).toString("latin1");
    // As a C library ends a name.
    pass(socket, host.split(/[\0\s]/)[0] ?? "", port, Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  });
}

function byHttp(socket: Socket, first: Buffer): void {
  const serve = (bytes: Buffer) => {
    for (const head of bytes.toString("latin1").split("\r\n\r\n")) {
      const connected = /^CONNECT (\S+)/m.exec(head)?.[1];
      const granted = Buffer.from("HTTP/1.1 200 OK\r\n\r\n");
      if (connected !== undefined) return void passTo(socket, connected, granted);
      const request = Buffer.from(`${head}\r\n\r\n`, "latin1");
      const targets = [/^\w+ http:\/\/([^/\s]+)/m.exec(head)?.[1], /^Host: *(\S+)/im.exec(head)?.[1]];
      for (const target of new Set(targets)) if (target !== undefined) passTo(socket, target, undefined, request);
    }
  };
  serve(first);
  socket.on("data", serve);
}

function passTo(socket: Socket, target: string, granted?: Buffer, first?: Buffer): void {
  const [, host = "", port = "80"] = /^(?:.*@)?(\[.*\]|[^:]*)(?::(\d+))?$/.exec(target) ?? [];
  pass(socket, host.replaceAll(/[[\]]/g, ""), Number(port), granted, first);
}

function pass(socket: Socket, host: string, port: number, granted?: Buffer, first?: Buffer): void {
  const server = connect({ host, port });
  server.on("error", () => socket.destroy());
  server.once("connect", () => {
    if (granted !== undefined) {
      socket.removeAllListeners("data");
      socket.write(granted);
      socket.pipe(server);
    }
    if (first !== undefined) server.write(first);
    server.pipe(socket, { end: granted !== undefined });
  });
}
