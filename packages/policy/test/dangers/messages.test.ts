/** How a hard block names what a line would hit. */
import { describe, expect, it } from "vitest";
import { classify } from "../../src/classify.ts";
import { PLACE } from "../support/danger-answer.ts";

function messageOf(line: string): string {
  const { class: kind, findings, undecided } = classify(line, PLACE);
  return (kind === "blocked" ? findings[0] : undecided[0])?.message ?? "none";
}

describe("the message of a hard block", () => {
  it.each([
    ["cp a b /dev/sd?", "`cp` overwrites the device `/dev/sd?`"],
    ["cp a b /dev/sd*", "`cp` overwrites the device `/dev/sd*`"],
    ["cp a b /dev/sd$X", "`cp` overwrites the device `/dev/sd…`"],
    ["cp -- -x /dev/sda", "`cp` overwrites the device `/dev/sda`"],
    ["tee a /dev/sdb /dev/sda", "`tee` overwrites the device `/dev/sdb`"],
    ["kill -9 1234 1", "`kill 1` ends init"],
    ["kill -9 -- -01", "`kill -01` ends every process"],
    ["pkill -9 -f .", "`pkill .` ends every process"],
    ["killall -r '.*'", "`killall -r .*` ends every process"],
    ["systemctl -q isolate poweroff.target", "`systemctl isolate` stops the machine"],
    ["loginctl reboot", "`loginctl reboot` stops the machine"],
    ["rm -rf a /usr/../etc", "`rm -r` on the system folder `/etc`"],
    ["rm -rf /e?c", "`rm -r` on the system folder `/e?c`"],
    ["rm -rf /usr/lo*", "`rm -r` on the system folder `/usr/lo*`"],
    ["rm -rf /home/other", "`rm -r` on the home directory `/home/other`"],
    ["rm -rf ..", "`rm -r` on `/home/me/code`, a folder above the workspace"],
    ["rm -rf /etc/x", "`rm -r` on `/etc/x`, which belongs to the system"],
    ["mv a ~ b", "`mv` of the home directory `/home/me`"],
    ["wipefs -a x /dev/sda", "`wipefs` destroys the contents of `/dev/sda`"],
    ["f() { f | f; }", "the function `f` starts itself without end (a fork bomb)"],
    ["perl -e 'fork while 1'", "`perl` starts itself without end (a fork bomb)"],
    ["$0 & $0", "the script starts itself without end (a fork bomb)"],
    ["while :; do x & done", "the loop starts processes without end (a fork bomb)"],
  ])("of %s says: %s", (line, message) => {
    expect(messageOf(line)).toBe(message);
  });

  it.each([
    ['rm -rf "$X"', "`rm -r` on `…`, which may be the root folder `/`"],
    ["rm $X /etc", "`rm` with unknown options on the system folder `/etc`"],
    ["rm -rf /usr/local/go", "`rm -r` on `/usr/local/go`, below a folder of the system"],
    ["dd of=$X", "`dd` to `…`, which may be a device"],
    ["mkfs a /dev/$X", "`mkfs` on `/dev/…`, which may be a device"],
    ["find / -mtime 1 -delete", "`find` that removes what is not named from the root folder `/`"],
  ])("of %s that cannot be decided begins: %s", (line, start) => {
    expect(messageOf(line).startsWith(start)).toBe(true);
    expect(messageOf(line)).toContain("whether this is a hard block cannot be decided");
  });
});
