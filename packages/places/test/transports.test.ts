/** The words of each transport, and options that are refused. `kubectl` is a stand-in that takes exactly these words. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { command, container, kubernetes, PlaceOptionError, slurm, ssh } from "../src/index.ts";
import { slurmTransport } from "../src/slurm.ts";
import { containerTransport, kubernetesTransport, sshTransport } from "../src/transports.ts";

const WORDS = ["/bin/sh", "-c", "echo $1", "pi-host"];

describe("the words of", () => {
  it("ssh keep terminals, questions and forwardings out, and end with one line for the remote shell", () => {
    const { argv } = sshTransport("me@build7", { configFile: "/c", port: 2222, identityFile: "/k", options: ["A=b"] });
    expect(argv(WORDS)).toEqual([
      ...["ssh", "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15", "-o", "ClearAllForwardings=yes"],
      ...["-o", "EscapeChar=none", "-F", "/c", "-p", "2222", "-i", "/k", "-o", "A=b", "--", "me@build7"],
      "exec /bin/sh -c 'echo $1' pi-host",
    ]);
  });

  it("a container that runs, and of one that is made, leave the words as they are", () => {
    const running = containerTransport({ runtime: "docker", name: "web", user: "app" });
    expect(running.argv(WORDS)).toEqual(["docker", "exec", "-i", "--user", "app", "web", ...WORDS]);
    const made = containerTransport({ runtime: "podman", image: "debian:13" });
    expect(made.argv(WORDS)).toEqual([
      "podman",
      "run",
      "--rm",
      "-i",
      "--init",
      "--entrypoint",
      "/bin/sh",
      "debian:13",
      ...WORDS.slice(1),
    ]);
  });

  it("kubectl name context, namespace, pod and container", () => {
    const { argv, name } = kubernetesTransport({ pod: "web-0", namespace: "shop", container: "app", context: "prod" });
    expect(name).toBe("kubectl:shop/web-0/app");
    expect(argv(WORDS)).toEqual([
      "kubectl",
      "--context",
      "prod",
      "--namespace",
      "shop",
      "exec",
      "--stdin",
      "web-0",
      "--container",
      "app",
      "--",
      ...WORDS,
    ]);
  });

  it("srun ask for one task of one node, and for a login environment", () => {
    const { argv } = slurmTransport({ partition: "gpu", time: "2:00:00", cpus: 4, memory: "8G", gres: "gpu:1" });
    const words = argv(WORDS);
    expect(words.slice(0, words.indexOf("--"))).toEqual([
      ...[
        "srun",
        expect.stringMatching(/^--job-name=pi-bash-[0-9a-f]{8}$/),
        "--nodes=1",
        "--ntasks=1",
        "--export=PI_HOST_CACHE",
        "--input=0",
      ],
      ...["--partition=gpu", "--time=2:00:00", "--cpus-per-task=4", "--mem=8G", "--gres=gpu:1"],
    ]);
    expect(words.slice(-WORDS.length)).toEqual(WORDS);
  });
});

describe("a host that is in a job of Slurm", () => {
  it("asks for another job, without the sizes of its own", () => {
    const { environment } = slurmTransport({});
    const own = { SLURM_JOB_ID: "7", SLURM_NTASKS: "4", SLURM_CONF: "/c", PATH: "/bin" };
    expect(environment?.(own)).toEqual({ SLURM_CONF: "/c", PATH: "/bin" });
    // What a person set for `srun` outside of any job is theirs.
    expect(environment?.({ SLURM_PARTITION: "gpu" })).toEqual({ SLURM_PARTITION: "gpu" });
  });
});

describe("a Slurm job that waits", () => {
  it("is reported, and what ended it is not made up", async () => {
    const heard: string[] = [];
    const transport = slurmTransport({ onQueue: (text) => heard.push(text) });
    for (const words of ["17 queued and waiting for", "17 has been allocated"]) {
      transport.hearError?.(`srun: job ${words} resources`);
    }
    transport.hearError?.("something else");
    expect(heard).toEqual(["job 17 waits in the queue", "job 17 has its resources"]);
    expect(await slurmTransport({}).explain?.({ kind: "cut", reason: "x" })).toBeUndefined();
  });
});

describe("options that are refused", () => {
  it.each([
    ["an unknown one, with the one that was meant", () => ssh("h", { prot: 1 } as never), /port/],
    ["a destination that is an option", () => ssh("-oX"), /does not begin with `-`/],
    ["no destination", () => ssh(""), /not empty/],
    ["a container and an image", () => container({ runtime: "podman", name: "a", image: "b" }), /either/],
    ["a container that is an option", () => container({ runtime: "podman", name: "--privileged" }), /name/],
    ["a pod that is an option", () => kubernetes({ pod: "-x" }), /pod/],
    ["a time limit with other words", () => slurm({ time: "1;id" }), /time/],
    ["no words", () => command([]), /words/],
    ["a lease of nothing", () => command(["x"], { leaseMs: 1 }), /leaseMs/],
  ])("%s", (_, make, words) => {
    expect(make).toThrow(PlaceOptionError);
    expect(make).toThrow(words);
  });
});

describe("a pod", () => {
  it("is reached by a program that takes the words of `kubectl exec` and nothing else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pi-kubectl-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const [kubectl, host, log] = [join(folder, "kubectl"), join(folder, "pi-host"), join(folder, "log")];
    const fake = fileURLToPath(new URL("fake-host.mjs", import.meta.url));
    writeFileSync(host, `#!/bin/sh\nexec "${process.execPath}" "${fake}" '{}'\n`, { mode: 0o755 });
    const script = `#!/bin/sh
printf '%s\\n' "$1" "$2" "$3" "$4" "$5" "$6" "$7" "$8" > "${log}"
[ "$3 $4 $5 $6 $7 $8" = "exec --stdin web-0 --container app --" ] || { echo "error: unknown command" >&2; exit 1; }
shift 8; exec "$@"
`;
    writeFileSync(kubectl, script, { mode: 0o755 });

    const place = kubernetes({ pod: "web-0", namespace: "shop", container: "app", program: [kubectl], hostPath: host });
    onTestFinished(() => place.close());
    const { facts } = await place.open();

    expect(facts.host).toBe("faraway");
    expect(readFileSync(log, "utf8").split("\n").slice(0, 2)).toEqual(["--namespace", "shop"]);
  });
});
