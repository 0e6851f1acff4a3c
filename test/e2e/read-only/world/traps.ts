/**
 * Sockets that count what arrives: TCP, UDP, Unix by path and by abstract name.
 *
 * What was sent may be on its way when its sender has ended. So before a look each trap is sent something by its own, and
 * whatever was sent earlier has arrived when that has.
 */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { until } from "../../../support/patience.ts";

/** Traps that are set. */
export interface Traps {
  readonly port: number;
  /** What arrived that was not sent by `look` itself, by trap. */
  look(): Promise<Map<string, string>>;
  close(): void;
}

/** Sets them: the Unix ones at `path` and at the abstract name of the same letters. */
export async function setTraps(path: string): Promise<Traps> {
  const counts = new Map<string, number>();
  let own = 0;
  const count = (name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1);
  const listen = async (name: string, where: object): Promise<Server> => {
    const server = createServer((socket) => {
      count(name);
      socket.on("error", () => undefined).destroy();
    }).listen(where);
    await once(server, "listening");
    return server;
  };
  const tcp = await listen("tcp", { port: 0, host: "127.0.0.1" });
  const { port } = tcp.address() as AddressInfo;
  const unix = await listen("unix", { path });
  const abstract = await listen("abstract", { path: `\0${path}` });
  const udp = createSocket("udp4").on("message", () => count("udp"));
  udp.bind(port, "127.0.0.1");
  await once(udp, "listening");
  return {
    port,
    look: async () => {
      own++;
      const before = new Map(counts);
      for (const where of [{ port, host: "127.0.0.1" }, { path }, { path: `\0${path}` }]) {
        connect(where).on("error", () => undefined);
      }
      const sender = createSocket("udp4");
      sender.send("own", port, "127.0.0.1", () => sender.close());
      const names = ["tcp", "unix", "abstract", "udp"];
      await until("the traps take what they are sent", () =>
        names.every((name) => (counts.get(name) ?? 0) > (before.get(name) ?? 0)),
      );
      return new Map(names.map((name) => [`socket ${name}`, String((counts.get(name) ?? 0) - own)]));
    },
    close: () => {
      for (const server of [tcp, unix, abstract]) server.close();
      udp.close();
    },
  };
}
