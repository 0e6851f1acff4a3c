/** `--on PLACE`: what names a place, and what is refused before anything is started. */
import { describe, expect, it } from "vitest";
import { absenceOfPlace } from "../../../test/support/places.ts";
import { parsePlace, placeOption } from "../src/place-option.ts";
import { UsageError } from "../src/usage.ts";
import { runProgram } from "./built-program.ts";

describe("--on", () => {
  it.each([
    ["ssh:me@build7", "ssh:me@build7"],
    ["podman:web", "podman:web"],
    ["docker:web", "docker:web"],
    ["kubectl:web-0", "kubectl:web-0"],
    ["kubectl:shop/web-0", "kubectl:shop/web-0"],
    ["kubectl:shop/web-0/app", "kubectl:shop/web-0/app"],
    ["kubectl:/web-0/app", "kubectl:web-0/app"],
    ["slurm", "slurm"],
    ["slurm:gpu", "slurm:gpu"],
    ["command:sudo -n -u build", "command:sudo"],
    ["command:'/a path/to' \"x y\"", "command:/a path/to"],
  ])("takes `%s`", (text, name) => {
    expect(parsePlace(text).name).toBe(name);
  });

  it.each([
    "build7",
    "ssh:",
    "ssh:-oProxyCommand=x",
    "podman:",
    "docker:--privileged",
    "kubectl:",
    "kubectl:a/b/c/d",
    "slurm:-x",
    "command:",
    "command:env | cat",
    "command:env > /tmp/x",
    "command:$SHELL",
    "command:A=1 env",
    "command:env; id",
    "command:env $(id)",
  ])("refuses `%s`", (text) => {
    expect(() => parsePlace(text)).toThrow(UsageError);
  });

  it("takes the time for which a place is kept, and refuses it where it says nothing", async () => {
    expect(placeOption({ on: "ssh:build7", keep: "1.5" })?.name).toBe("ssh:build7");
    expect(placeOption({})).toBeUndefined();
    for (const keep of ["0", "-1", "1e3", "soon", "604801", ""]) {
      expect(() => placeOption({ on: "ssh:build7", keep })).toThrow(/`--keep` takes 1 to 604800 seconds/);
    }
    expect(() => placeOption({ keep: "60" })).toThrow("give one with `--on`");
    expect(() => placeOption({ on: "slurm", keep: "60" })).toThrow(/`--on slurm`: .*Slurm ends a job's step/);
    const { status, stderr } = await runProgram(["tool", "--keep", "60", "true"]);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("give one with `--on`") });
  });

  it("ends with the status of what could not be started where the place cannot be reached", async () => {
    const { status, stderr, stdout } = await runProgram(
      ["run", "--on", "command:/nowhere/at/all", "echo x"],
      "",
      undefined,
      {
        PI_HOST_BINARY: "/bin/sh",
      },
    );
    expect({ status, stdout }).toEqual({ status: 125, stdout: "" });
    expect(stderr).toMatch(/^pi-bash: command:\/nowhere\/at\/all cannot be reached: .*ENOENT/);
  });

  const absence = absenceOfPlace("command");
  const why = absence === undefined ? "" : ` (skipped: ${absence})`;
  it.skipIf(absence !== undefined)(`names the place in what \`--json\` prints${why}`, async () => {
    const { status, stdout } = await runProgram(["run", "--json", "--on", "command:env", "echo over there"]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ place: "command:env", exitCode: 0, output: { text: "over there\n" } });
  });
});
