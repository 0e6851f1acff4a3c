/** Containers that reach this machine: their command is read as one of this machine as well. */
import { describe, expect, it } from "vitest";
import { analyzeCommand } from "../src/analyze.ts";

/** What a line may run on this machine, beside what it says. */
function here(line: string): string[] {
  return analyzeCommand(line)
    .perhaps.filter(({ contained }) => !contained)
    .map(({ argv }) => argv.map(({ display }) => display).join(" "));
}

describe("a container's command", () => {
  it.each([
    ["docker run --rm -v /:/host alpine rm -rf /host", "rm -rf /"],
    ["docker run -itv /:/host alpine rm -rf /host", "rm -rf /"],
    ["podman run -tiv/:/host alpine rm -rf /host", "rm -rf /"],
    ["docker run -v /:/mnt:rw busybox sh -c 'rm -rf /mnt/*'", "rm -rf /*"],
    ["docker run -v /:/host alpine chroot /host rm -rf /etc", "rm -rf /etc"],
    ["podman run --volume=/home:/h x rm -rf /h/me", "rm -rf /home/me"],
    ['docker run -v "$HOME":/h x rm -rf /h', "rm -rf $HOME"],
    ['docker run -v "$(pwd)":/w -w /w x rm -rf /w/build', "rm -rf $PWD/build"],
    ["docker run --mount type=bind,source=/,target=/host x rm -rf /host/usr", "rm -rf /usr"],
    ["docker run --mount type=bind,src=~,dst=/h x rm -rf /h", "rm -rf ~"],
    ["docker compose run -v /:/host app rm -rf /host", "rm -rf /"],
    ["docker run -v /:/host --entrypoint rm alpine -rf /host", "rm alpine -rf /"],
    ["docker run --device /dev/sda x mkfs.ext4 /dev/sda", "mkfs.ext4 /dev/sda"],
    ["docker run --device=/dev/sda:/dev/disk x mkfs.ext4 /dev/disk", "mkfs.ext4 /dev/sda"],
    ["docker run --privileged x dd of=/dev/sda", "dd of=/dev/sda"],
    ["docker run --privileged --pid=host alpine nsenter -t 1 -m rm -rf /", "rm -rf /"],
  ])("%s may run `%s`", (line, command) => {
    expect(here(line)).toContain(command);
  });

  it.each(["rm -rf ~", "rm -rf $HOME/x", "rm -rf /home/me", "rm -rf /", "rm -rf /*"])(
    "is one of this machine where the home folder is shared: %s",
    (command) => {
      for (const launcher of [
        "toolbox run",
        "distrobox enter box --",
        "apptainer exec x.sif",
        "orb",
        "colima ssh --",
      ]) {
        expect(here(`${launcher} ${command}`), launcher).toContain(command);
        expect(here(`docker run x ${command}`)).toEqual([]);
      }
      expect(here("toolbox run rm -rf /usr/x /opt~ x/home")).toEqual([]);
    },
  );

  it.each([
    ["docker run -v /etc:/e -w /e alpine rm -rf x", ["/etc"]],
    ["docker run -v /:/host --workdir=/host/home alpine rm -rf x", ["/home"]],
    ["docker run -v ~:/h -w /h alpine rm -rf x", ["~"]],
    ['docker run -v "$PWD":/w -w /w alpine rm -rf x', []],
    ['docker run -v "$PWD":/w -w /w/sub alpine rm -rf x', ["$PWD/sub"]],
  ])("%s starts in its folder here", (line, folders) => {
    const [found] = analyzeCommand(line).perhaps.filter(({ contained }) => !contained);

    expect(found?.argv.map(({ display }) => display)).toEqual(["rm", "-rf", "x"]);
    expect(found?.movedTo.map(({ display }) => display)).toEqual(folders);
  });

  it.each([
    "docker run --rm alpine rm -rf /",
    "docker run -v /:/host:ro alpine rm -rf /host",
    "docker run --mount type=bind,source=/,target=/host,readonly x rm -rf /host",
    "docker run -v data:/host alpine rm -rf /host",
    "docker run -v /:/host alpine rm -rf /hostname /other",
    "docker run -v /:/host alpine ls /var/host",
    "docker run --pid=host alpine ps",
    "docker run -w /app alpine rm -rf x",
    "docker exec web rm -rf /host",
    "docker run alpine",
  ])("is nothing of this machine: %s", (line) => {
    expect(here(line)).toEqual([]);
  });
});
