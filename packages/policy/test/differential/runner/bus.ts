/**
 * Stands where systemd and the message bus listen, and writes down what is asked of them.
 *
 * It speaks as much D-Bus as `systemctl` needs to send its calls: it accepts whoever connects and answers each call with
 * an error. A call that only asks is fine; every other one is an effect.
 */
import { mkdirSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { dirname } from "node:path";

const BUS_SOCKETS = [
  "/run/systemd/private",
  "/run/dbus/system_bus_socket",
  "/run/user/0/systemd/private",
  "/run/user/0/bus",
];
/** Whoever connects here wants the journal to do something. */
const ACTING_SOCKETS = ["/run/systemd/journal/io.systemd.journal", "/run/systemd/io.system.ManagedOOM"];

/** Calls that only ask. */
const ASKS =
  /^(?:Hello|Get|GetAll|Introspect|Ping|AddMatch|RemoveMatch|GetNameOwner|NameHasOwner|List\w*|Get\w+|LoadUnit|Subscribe|GetMachineId)$/;

/** Listens, and hands over what is asked. */
export async function listenAsBus(report: (effect: string) => void): Promise<void> {
  const handlers: [string, (socket: Socket) => void][] = [
    ...BUS_SOCKETS.map((path): [string, (socket: Socket) => void] => [path, (socket) => speak(socket, report)]),
    ...ACTING_SOCKETS.map((path): [string, (socket: Socket) => void] => [
      path,
      (socket) => {
        report(`asked \`${path}\` to act`);
        socket.destroy();
      },
    ]),
  ];
  for (const [path, handle] of handlers) {
    mkdirSync(dirname(path), { recursive: true });
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      handle(socket);
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
  }
}

function speak(socket: Socket, report: (effect: string) => void): void {
  let waiting: Buffer = Buffer.alloc(0);
  let isBinary = false;
  socket.on("data", (chunk: Buffer) => {
    waiting = Buffer.concat([waiting, chunk]);
    if (!isBinary) {
      const text = waiting.toString("latin1");
      if (/DATA\r\n/.test(text)) socket.write("DATA\r\n");
      if (text.includes("AUTH ")) socket.write(`OK ${"0".repeat(32)}\r\n`);
      if (text.includes("NEGOTIATE_UNIX_FD")) socket.write("AGREE_UNIX_FD\r\n");
      const begin = text.indexOf("BEGIN\r\n");
      if (begin === -1) {
        waiting = Buffer.alloc(0);
        return;
      }
      isBinary = true;
      waiting = waiting.subarray(begin + 7);
    }
    waiting = readMessages(waiting, (serial, member) => {
      if (!ASKS.test(member)) report(`called \`${member}\` of systemd`);
      socket.write(errorFor(serial));
    });
  });
}

/** Takes whole messages off the buffer; the rest waits. */
function readMessages(buffer: Buffer, onCall: (serial: number, member: string) => void): Buffer {
  let at = 0;
  while (buffer.length - at >= 16) {
    const bodyLength = buffer.readUInt32LE(at + 4);
    const fields = buffer.readUInt32LE(at + 12);
    const length = Math.ceil((16 + fields) / 8) * 8 + bodyLength;
    if (buffer.length - at < length) break;
    // Field 3 is the member: its code, the signature `s`, a length, the name.
    const header = buffer.subarray(at + 16, at + 16 + fields);
    const field = header.indexOf(Buffer.from([3, 1, 115, 0]));
    const name = field === -1 ? "?" : header.toString("latin1", field + 8, field + 8 + header.readUInt32LE(field + 4));
    if (buffer[at + 1] === 1) onCall(buffer.readUInt32LE(at + 8), name);
    at += length;
  }
  return buffer.subarray(at);
}

/** An error as the answer to a call. */
function errorFor(serial: number): Buffer {
  const name = "org.freedesktop.DBus.Error.AccessDenied";
  const nameField = Buffer.concat([Buffer.from([4, 1, 115, 0]), stringOf(name)]);
  const padded = Buffer.concat([nameField, Buffer.alloc((8 - (nameField.length % 8)) % 8)]);
  const replyField = Buffer.alloc(8);
  replyField.set([5, 1, 117, 0]);
  replyField.writeUInt32LE(serial, 4);
  const fields = Buffer.concat([padded, replyField]);
  const head = Buffer.alloc(16);
  head.set([108, 3, 1, 1]);
  head.writeUInt32LE(serial, 8);
  head.writeUInt32LE(fields.length, 12);
  return Buffer.concat([head, fields, Buffer.alloc((8 - (fields.length % 8)) % 8)]);
}

function stringOf(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  return Buffer.concat([length, Buffer.from(text), Buffer.from([0])]);
}
