/**
 * Copies that are to give up their rights: one that cannot runs nothing. What is refused to those that can is the
 * engine's to test (crates/pi-shell/tests/driven/read_only_attempts.rs).
 */
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../test/support/scratch.ts";
import { build, canBuild, startHost } from "./support/driver-host.ts";

describe.skipIf(!canBuild)(`a copy to be confined${canBuild ? "" : " (Linux and a C compiler needed)"}`, () => {
  const built = canBuild ? build() : "";

  it.for([
    ["a descriptor that is not a ruleset", "file 8", "said 5 5 77 and ended"],
    ["a program that the kernel does not take", "ruleset 8", "said 5 6 22 and ended"],
    ["half of an instruction", "ruleset 12", "said 5 6 22 and ended"],
    ["no program", "ruleset 0", "said 5 6 22 and ended"],
    ["no ruleset", "none 8", "refused 24"],
  ])("ends where it is given %s, and says at which step", async ([_title, asked, said], { skip }) => {
    const host = await startHost(built, scratchFolder());

    const answer = await host.ask(`confine ${asked}`);

    if (answer === "no Landlock") skip("this kernel has no Landlock");
    // EBADFD; a kernel without Landlock says ENOSYS or EOPNOTSUPP.
    expect(answer.replace(/ (38|95) /, " 77 ")).toBe(said);
    expect((await host.run("echo here")).output).toBe("here\n");
  });
});
