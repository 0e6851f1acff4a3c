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
    ["shell", "sh", ["sh", "+x"]],
    ["shell", "bash", ["bash", "-o", "posix"]],
    ["shell", "bash", ["bash", "-O", "extglob", "-i"]],
    ["shell", "bash", ["bash", "--init-file", "x"]],
    ["shell", "bash", ["bash", "-li", "x.sh"]],
    ["shell", "bash", ["bash", "-s", "x.sh"]],
    ["shell", "bash", ["bash"]],
    ["shell", "busybox", ["busybox", "sh", "-i"]],
    ["data", "busybox", ["busybox", "sh", "x.sh"]],
    ["data", "busybox", ["busybox", "ls"]],
    ["data", "bash", ["bash", "-x", "script.sh"]],
    ["data", "bash", ["bash", "-o", "posix", "script.sh"]],
    ["data", "bash", ["bash", "--rcfile", "x", "script.sh"]],
    ["data", "bash", ["bash", "-xc", "read x"]],
    ["data", "bash", ["bash", "a-s", "-i"]],
    ["data", "bash", ["bash", "a+i"]],
    ["shell", "-bash", ["-bash"]],
    ["shell", "/bin/bash", ["/bin/bash"]],
    ["shell", "ksh93", ["ksh93"]],
    ["data", "x-bash", ["x-bash"]],
    ["commands", "python3", ["python3", "-q"]],
    ["commands", "python", ["python", "--interactive", "x.py"]],
    ["commands", "python-3.12", ["python-3.12"]],
    ["commands", "python312", ["python312"]],
    ["commands", "python3.exe", ["python3.exe"]],
    ["data", "python3", ["python3", "-m", ""]],
    ["commands", "python3", ["python3", "-i", "-c", "input()"]],
    ["data", "python3", ["python3", "-u", "x.py", "-i"]],
    ["commands", "perl", ["perl", "-d", "x.pl"]],
    ["data", "perl", ["perl", "-ne", "print"]],
    ["commands", "ruby", ["ruby", "/usr/bin/irb"]],
    ["commands", "node", ["node", "/usr/bin/bash"]],
    ["data", "node", ["node", "--eval", "x"]],
    ["commands", "node", []],
    ["data", "x3", ["x3"]],
    ["data", "3", ["3"]],
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
    expect(typedKind({ names: ["harmless", "python3"], argv: ["python3"] })).toBe("commands");
    expect(typedKind({ names: ["harmless", "psql"], argv: ["harmless"] })).toBe("commands");
    expect(typedKind({ names: ["psql", "harmless"], argv: undefined })).toBe("commands");
  });
});
