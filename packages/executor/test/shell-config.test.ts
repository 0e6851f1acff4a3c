/**
 * Which shell is found, and what stands before a command.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { scratchFolder } from "../../../test/support/scratch.ts";
import { isBash, prefixedCommand, type ShellConfigOptions, shellConfig } from "../src/shell-config.ts";

function find(settings: ShellConfigOptions["settings"], hostEnv: Record<string, string> = {}) {
  return shellConfig({ settings, hostEnv, configName: "settings.json" });
}

describe("shell discovery", () => {
  it("EV-09: finds bash without PATH and SHELL, and with a shell that is none", () => {
    expect(find({}).shell).toMatch(/\/bash$/);
    expect(find({}, { SHELL: "/usr/bin/fish" }).shell).toMatch(/\/bash$/);
    expect(find({}, { SHELL: "/nonexistent/bash" }).shell).not.toBe("/nonexistent/bash");
  });

  it("takes the person's own bash first", () => {
    const own = join(scratchFolder(), "bash");
    writeFileSync(own, "#!/bin/sh\n");
    chmodSync(own, 0o755);

    expect(find({}, { SHELL: own }).shell).toBe(own);
  });

  it("ignores relative folders of PATH", () => {
    expect(find({}, { PATH: ".:bin" }).shell).toMatch(/^\//);
  });

  it("RS-04: names a configured shell that is missing, and the setting", () => {
    expect(() => find({ shellPath: "/nope/bash" })).toThrowError(
      "Custom shell path not found: /nope/bash\nPlease update shellPath in settings.json",
    );
  });

  it("RS-04: refuses a folder and a file that cannot be run, by path", () => {
    const folder = scratchFolder();
    const plain = join(folder, "bash");
    writeFileSync(plain, "");
    mkdirSync(join(folder, "dir"));

    expect(() => find({ shellPath: plain })).toThrowError(`Custom shell path is not executable: ${plain}`);
    expect(() => find({ shellPath: join(folder, "dir") })).toThrowError("is not a file");
    expect(() => find({ shellPath: plain })).toThrowError(expect.objectContaining({ code: "PI_UNUSABLE_SHELL" }));
  });

  describe("on Windows", () => {
    it.each([
      ["GIT_INSTALL_ROOT", ""],
      ["ProgramFiles", "Git"],
      ["ProgramFiles(x86)", "Git"],
      ["LOCALAPPDATA", "Programs/Git"],
      ["USERPROFILE", "scoop/apps/git/current"],
    ])("finds the bash of Git for Windows by %s", (name, below) => {
      const root = scratchFolder();
      const bin = join(root, below, "bin");
      mkdirSync(bin, { recursive: true });
      writeFileSync(join(bin, "bash.exe"), "", { mode: 0o755 });

      expect(shellConfig({ settings: {}, hostEnv: { [name]: root }, platform: "win32" }).shell).toBe(
        join(bin, "bash.exe"),
      );
    });

    it("looks only where the environment leads, and says where that was", () => {
      const hostEnv = { PATH: "/on/path", GIT_INSTALL_ROOT: "", ProgramFiles: "/programs" };

      expect(() => shellConfig({ settings: {}, hostEnv, platform: "win32" })).toThrowError(
        expect.objectContaining({
          code: "PI_SHELL_NOT_FOUND",
          message: expect.stringContaining("(looked in /on/path, /programs/Git/bin)"),
        }),
      );
    });
  });

  it("takes the prefix from settings, then from the environment", () => {
    expect(find({ shellPrefix: "nice" }, { PI_SHELL_PREFIX: "env" }).prefix).toBe("nice");
    expect(find({}, { PI_SHELL_PREFIX: "env", CLAUDE_CODE_SHELL_PREFIX: "x" }).prefix).toBe("env");
    expect(find({}, { CLAUDE_CODE_SHELL_PREFIX: "x" }).prefix).toBe("x");
    expect(find({}, { PI_SHELL_PREFIX: " " })).not.toHaveProperty("prefix");
  });

  it("RC-06: puts the prefix and one space before the command, and changes nothing else", () => {
    expect(prefixedCommand("cd /usr && pwd", "env X=1")).toBe("env X=1 cd /usr && pwd");
    expect(prefixedCommand("  a\nb", undefined)).toBe("  a\nb");
  });

  it("knows a bash by its name", () => {
    expect(isBash("/opt/bash-5.3/bin/bash")).toBe(true);
    expect(isBash("/bin/zsh")).toBe(false);
  });

  it("finds the first bash on the path that can be run, after the person's own", () => {
    const root = scratchFolder();
    const file = (name: string, mode: number): string => {
      const path = join(root, name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, "");
      chmodSync(path, mode);
      return path;
    };
    file("plain/bash", 0o644);
    mkdirSync(join(root, "folder", "bash"), { recursive: true });
    const [first, second, own] = [file("first/bash", 0o755), file("second/bash", 0o755), file("own/bash", 0o755)];
    const PATH = ["plain", "folder", "first", "second"].map((name) => join(root, name)).join(":");

    expect(find({}, { PATH }).shell).toBe(first);
    expect(find({}, { PATH: join(root, "second") }).shell).toBe(second);
    expect(find({}, { PATH, SHELL: own }).shell).toBe(own);
    for (const SHELL of [join(root, "plain/bash"), file("own/bash-static", 0o755), file("own/rbash", 0o755), "bash"]) {
      expect(find({}, { PATH, SHELL }).shell, SHELL).toBe(first);
    }
    expect(find({ shellPath: second }, { PATH, SHELL: own }).shell).toBe(second);
  });

  it("names the settings where the host has no name for them, and a path through a file as missing", () => {
    const file = join(scratchFolder(), "file");
    writeFileSync(file, "");
    expect(() => shellConfig({ settings: { shellPath: join(file, "bash") }, hostEnv: {} })).toThrow(
      `Custom shell path not found: ${join(file, "bash")}\nPlease update shellPath in settings`,
    );
    const long = `/${"x".repeat(5_000)}`;
    expect(() => shellConfig({ settings: { shellPath: long }, hostEnv: {} })).toThrow("cannot be read");
  });

  it("knows a bash by a part of its name, in any case, and not by its folder", () => {
    expect(["/bin/bash", "/x/BASH.EXE", "/x/bash-5.3", "/x/rbash"].map(isBash)).toEqual([true, true, true, true]);
    expect(["/bash/zsh", "/bin/sh", ""].map(isBash)).toEqual([false, false, false]);
  });
});
