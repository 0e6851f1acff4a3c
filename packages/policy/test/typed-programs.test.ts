/** What becomes of a text that is typed to a program. */
import { describe, expect, it } from "vitest";
import { type TypedKind, typedKind } from "../src/typed-programs.ts";

describe("a program that is typed to", () => {
  it.each<[TypedKind, string, string[] | undefined]>([
    ["shell", "bash", ["bash", "--norc", "-i"]],
    ["shell", "bash", ["-bash"]],
    ["shell", "zsh", undefined],
    ["shell", "busybox", ["busybox", "sh"]],
    ["shell", "sh", ["sh", "-s"]],
    ["shell", "bash", ["bash", "--rcfile", "x", "-i"]],
    ["shell", "bash", ["bash", "-ic", "read x"]],
    ["data", "bash", ["bash", "-c", "read x"]],
    ["data", "bash", ["bash", "script.sh"]],
    ["data", "dash", ["sh", "-ec", "read x"]],
    ["commands", "python3", ["python3", "-q"]],
    ["commands", "python3.12", ["/usr/bin/python3.12"]],
    ["commands", "python3", ["python3", "-i", "x.py"]],
    ["commands", "python3", ["python3", "-m", "pdb", "x.py"]],
    ["commands", "python3", ["/usr/bin/python3", "/usr/bin/ipython"]],
    ["commands", "python3", undefined],
    ["data", "python3", ["python3", "x.py"]],
    ["data", "python3", ["python3", "-c", "input()"]],
    ["data", "python3", ["python3", "-m", "http.server"]],
    ["commands", "node", ["node"]],
    ["commands", "node", ["node", "inspect", "x.js"]],
    ["data", "node", ["npm init"]],
    ["data", "node", ["node", "server.js"]],
    ["commands", "perl", ["perl", "-de0"]],
    ["commands", "vim.basic", ["vim", "f"]],
    ["commands", "less", ["less", "f"]],
    ["commands", "gdb", ["gdb"]],
    ["commands", "ssh", ["ssh", "host"]],
    ["commands", "sudo", ["sudo", "cat"]],
    ["data", "git", ["git", "add", "-p"]],
    ["data", "cat", ["cat"]],
    ["data", "whiptail", ["whiptail", "--yesno"]],
  ])("has it as %s: %s %j", (kind, name, argv) => {
    const names = name === "vim.basic" ? ["vim", name] : [name];
    expect(typedKind({ names, argv })).toBe(kind);
  });

  it("is what the more dangerous of its names is", () => {
    expect(typedKind({ names: ["harmless", "bash"], argv: ["harmless"] })).toBe("shell");
    expect(typedKind({ names: ["psql", "harmless"], argv: undefined })).toBe("commands");
  });
});
