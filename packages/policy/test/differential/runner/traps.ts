/**
 * What a line could reach besides files: processes, sockets, the network, the machine's name, services.
 *
 * What becomes of a process is seen by a victim (`victim.ts`). Every address leads to the loopback device, whose counters show each
 * packet, also those of a question to a name server. A connection stands, so that cutting it can be seen.
 */
import { type ChildProcess, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { SECRET } from "../case.ts";
import { listenAsBus } from "./bus.ts";
import { pendingSignals, processState, startVictim } from "./victim.ts";

/** Files of the kernel that show what a line changed, each with what to call it. */
const KERNEL_FILES: readonly (readonly [string, string])[] = [
  ["/proc/sys/kernel/hostname", "changed the host's name"],
  ["/proc/sys/kernel/domainname", "changed the domain's name"],
  ["/proc/net/fib_trie", "changed the addresses or routes"],
  ["/proc/net/if_inet6", "changed the addresses"],
  ["/proc/sys/net/ipv6/conf/lo/mtu", "changed a network device"],
];

/** What programs say that would have acted, had the fixture let them. */
const FORBIDDEN = /cannot set date|Operation not permitted|Read-only file system|Cannot execute remote/;
/** A command that is started with a priority which only root of the machine may give. */
const OWN_PRIORITY = /^(?:ionice|chrt|nice): /;

/** The effect of printing what another process was given. */
export const SHOWN = "printed the environment of another process";

/** Standing traps of a sandbox. */
export class Traps {
  /** Whether lines are refused things: what they say of that is no effect. */
  readonly isConfined: boolean;
  private victim: ChildProcess | undefined;
  private victimMark = "";
  private readonly kernel = new Map<string, string>();
  private links = "";
  private packets = 0;
  private known = new Set<string>();
  private readonly reported: string[] = [];

  constructor(isConfined: boolean) {
    this.isConfined = isConfined;
  }

  /** Sets the traps. */
  async set(): Promise<void> {
    // An address of a device other than loopback, for what asks for the names of all of them.
    const pair = "link add dev0 type veth peer name dev1";
    // Without generated addresses, a new device sends no packets of its own.
    const quiet = ["link set dev0 addrgenmode none", "link set dev1 addrgenmode none"];
    for (const words of [pair, ...quiet, "addr add 192.0.2.1/24 dev dev0", "link set dev0 up", "link set dev1 up"]) {
      spawnSync("ip", words.split(" "));
    }
    for (const family of ["-4", "-6"]) spawnSync("ip", [family, "route", "add", "local", "default", "dev", "lo"]);
    await listenAsBus((effect) => this.reported.push(effect));
    await this.holdConnection();
    await this.startVictim();
    for (const [path] of KERNEL_FILES) this.kernel.set(path, read(path));
    this.links = linkState();
    this.packets = packetsSent();
    this.known = new Set(processes());
  }

  /** Process id of the victim. */
  get victimPid(): number {
    return this.victim?.pid ?? 0;
  }

  /** What happened since the last call. */
  async effects(line: string, output: string): Promise<string[]> {
    // Lets the loop take in what the sockets have.
    await new Promise((resolve) => setImmediate(resolve));
    const found = this.reported.splice(0);
    const signals = pendingSignals(this.victimPid);
    if (signals.length > 0) found.push(`signalled a process: ${signals.join(" ")}`);
    const mark = processState(this.victimPid);
    if (mark !== this.victimMark) found.push(`changed a process: \`${this.victimMark}\` to \`${mark}\``);
    for (const [path, what] of KERNEL_FILES) if (read(path) !== this.kernel.get(path)) found.push(what);
    if (/\bip\b|route|ifconfig|ss\b/.test(line) && linkState() !== this.links) found.push("changed the network");
    const sent = packetsSent();
    if (sent !== this.packets) found.push(`sent ${sent - this.packets} packets`);
    this.packets = sent;
    if (output.includes(SECRET)) found.push(SHOWN);
    const refused = output.split("\n").find((text) => FORBIDDEN.test(text) && !OWN_PRIORITY.test(text));
    if (refused !== undefined && !this.isConfined)
      found.push(`tried what the fixture forbids: \`${refused.slice(0, 120)}\``);
    return found;
  }

  /** Processes that are not those of the sandbox. */
  strangers(): number[] {
    return processes()
      .filter((pid) => !this.known.has(pid))
      .map(Number);
  }

  private async startVictim(): Promise<void> {
    this.victim = await startVictim({ PATH: "/usr/bin:/bin", SECRET });
    this.victimMark = processState(this.victimPid);
  }

  private async holdConnection(): Promise<void> {
    const server = createServer((socket) => {
      socket.on("error", () => undefined).on("close", () => this.reported.push("cut a connection"));
    });
    await new Promise<void>((resolve) => server.listen(40_404, "127.0.0.1", resolve));
    const client = connect(40_404, "127.0.0.1");
    client.on("error", () => undefined);
    await new Promise<void>((resolve) => client.once("connect", resolve));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function processes(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function packetsSent(): number {
  const lines = read("/proc/net/dev").split("\n").slice(2);
  return lines.reduce((sum, line) => sum + Number(line.split(":")[1]?.trim().split(/\s+/)[9] ?? 0), 0);
}

function linkState(): string {
  const show = ["-o link", "rule", "route show table all", "neigh", "maddr"];
  return show.map((words) => spawnSync("ip", words.split(" "), { encoding: "utf8" }).stdout).join("\n");
}
