/** Programs that write into the folder they run in: below `/etc` they ask, elsewhere and with another target they do not. */
import { describe, expect, it } from "vitest";
import { findUnasked } from "../src/unasked/find-unasked.ts";

function kindsOf(command: string, cwd: string): string[] {
  return findUnasked({ command, cwd, home: "/home/u", workspace: "/home/u/p" }).map(({ code }) => code);
}

describe.each([
  "ln -s /tmp/a",
  "ln -sf /tmp/a",
  "ln -s /tmp/a-t",
  "tar -xf /tmp/a.tar",
  "tar xzf /tmp/a.tgz",
  "tar --extract --file=/tmp/a.tar",
  "bsdtar -xf /tmp/a.tar",
  "unzip -o /tmp/a.zip",
  "7z x /tmp/a.7z",
  "7z e /tmp/a.7z",
  "7z x /tmp/a-old.7z",
  "cpio -i < /tmp/a.cpio",
  "cpio -idm < /tmp/a.cpio",
  "ar x /tmp/a.a",
  "curl -fsSLO https://example.org/a",
  "curl --remote-name https://example.org/a",
  "curl -O https://example.org/a--output-dir",
  "wget -q https://example.org/a",
  "aria2c https://example.org/a",
  "split -b 10 /tmp/a",
  "csplit /tmp/a 10",
  "csplit /tmp/a--prefix 10",
  "patch -p1 < /tmp/a.diff",
  "git clone https://example.org/a.git",
  "git init",
  "git -c a=b clone https://example.org/a.git",
])("%s", (line) => {
  it("writes below /etc where it runs there", () => {
    expect(kindsOf(line, "/etc")).toEqual(["system-write"]);
    expect(kindsOf(line, "/etc/ssh")).toEqual(["system-write"]);
    expect(kindsOf(line, "/private/etc")).toEqual(["system-write"]);
    expect(kindsOf(`cd /etc && ${line}`, "/home/u/p")).toEqual(["system-write"]);
  });

  it("asks nothing elsewhere", () => {
    expect(kindsOf(line, "/home/u/p")).toEqual([]);
    expect(kindsOf(`cd /etc; cd /tmp && ${line}`, "/home/u/p")).toEqual([]);
  });
});

describe("a program that runs below /etc and writes elsewhere, or nothing", () => {
  it.each([
    "ln -s /tmp/a /tmp/b",
    "ln -t /tmp a",
    "tar -tf /tmp/a.tar",
    "tar -tf /tmp/x.tar",
    "tar -xf /tmp/a.tar -C /tmp",
    "tar -xOf /tmp/a.tar",
    "tar -cf /tmp/a.tar .",
    "unzip -l /tmp/a.zip",
    "unzip /tmp/a.zip -d /tmp",
    "7z",
    "7z l /tmp/a.7z",
    "7z ex /tmp/a.7z",
    "7z update /tmp/a.7z",
    "7z x -so /tmp/a.7z",
    "7z x /tmp/a.7z -o/tmp",
    "cpio -t < /tmp/a.cpio",
    "cpio -o < /tmp/names",
    "ar t /tmp/a.a",
    "curl https://example.org/a",
    "curl -O --output-dir /tmp https://example.org/a",
    "wget -qO- https://example.org/a",
    "wget -P /tmp https://example.org/a",
    "wget --spider https://example.org/a",
    "split /tmp/a /tmp/part",
    "split -b10 /tmp/a /tmp/part",
    "patch --dry-run -p1 < /tmp/a.diff",
    "git clone https://example.org/a.git /tmp/a",
    "git status",
    "git -c a=b clone https://example.org/a.git /tmp/a",
    "git init /tmp/a",
  ])("%s", (line) => {
    expect(kindsOf(line, "/etc")).toEqual([]);
  });
});
