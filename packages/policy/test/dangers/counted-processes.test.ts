/** Ending processes by numbers that are counted or listed. */
import { describe, expect, it } from "vitest";
import { answerOf } from "../support/danger-answer.ts";

describe("a line that ends counted processes", () => {
  it.each([
    "kill -9 $(seq 1 65535)",
    "kill -9 `seq 2 99999`",
    "kill -9 {1..65535}",
    "kill {1..9}{0..9}{0..9}{0..9}",
    "sudo kill -9 {2..99999}",
    "for i in {1..99999}; do kill -9 $i; done",
    'for i in $(seq 2 99999); do kill -9 "$i"; done',
    "for ((i=2;i<99999;i++)); do kill -9 $i; done",
    "cd /proc; kill -9 [0-9]*",
    "cd /proc && for p in [0-9]*; do kill $p; done",
    "for p in /proc/[0-9]*; do kill -9 ${p#/proc/}; done",
    "for p in /proc/[0-9]*; do kill $(basename $p); done",
    "P=$(seq 2 99999); kill $P",
    "seq 65535 | xargs kill -9",
    "echo {2..40000} | xargs kill",
    "ls -d /proc/[0-9]* | cut -d/ -f3 | xargs kill -9",
    "printf '%s\\n' {2..40000} | xargs -n1 kill -9",
    "seq 2 65535 | while read p; do kill $p; done",
    "while read p; do kill $p; done < <(seq 2 99999)",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each([
    "for i in $(seq 2 $MAX); do kill $i; done",
    "for ((i=2;;i++)); do kill -9 $i; done",
    "for ((i=2;i<$n;i++)); do kill -9 $i; done",
    "i=2; while [ $i -lt 65536 ]; do kill -9 $i; i=$((i+1)); done",
    "i=2; while ((i<65536)); do kill -9 $i; ((i++)); done",
    "for i in {2..99999}; do kill -0 $i && kill -9 $i; done",
    "kill -9 $(ls /proc | grep -E '^[0-9]+$')",
    "for p in $(ls /proc); do kill -9 $p; done",
    "ls /proc | while read p; do kill $p; done",
    "(cd /proc; echo [0-9]*) | xargs kill -9",
  ])("cannot be decided: %s", (line) => {
    expect(answerOf(line)).toBe("undecided");
  });

  it.each([
    "kill -0 $(seq 1 65535)",
    "kill 1234 1235",
    "kill {1234..1240}",
    "kill $(lsof -ti:3000)",
    "kill $(cat *.pid)",
    "for port in {3000..5000}; do kill $(lsof -ti:$port); done",
    "for p in /proc/[0-9]*; do if grep -q app $p/cmdline; then kill ${p#/proc/}; fi; done",
    'for p in /proc/[0-9]*; do [ "$(readlink $p/exe)" = /usr/bin/x ] && kill ${p##*/}; done',
    "kill $(grep -l app /proc/[0-9]*/comm | cut -d/ -f3)",
    'for ((i=0; i<${#pids[@]}; i++)); do kill "${pids[$i]}"; done',
    "for i in {1..5}; do kill %$i; done",
    "for ((i=1;i<5;i++)); do kill %$i; done",
    "for i in $(seq 1 5000); do curl localhost; done; kill $PID",
    "sleep 5 & P=$!; for i in {1..2000}; do :; done; kill $P",
    "for pid in $(pgrep node); do kill $pid; i=$((i+1)); done",
    "cat app.pid | xargs kill",
  ])("is let through: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});

describe("a line that ends groups of processes", () => {
  it.each([
    "echo 1 > /sys/fs/cgroup/user.slice/cgroup.kill",
    "echo 1 | sudo tee /sys/fs/cgroup/system.slice/cgroup.kill",
    "echo 1 > /sys/fs/cgroup/unified/init.scope/cgroup.freeze",
    "echo 1 > /sys/fs/cgroup/*/cgroup.kill",
    "cd /sys/fs/cgroup/user.slice; echo 1 > cgroup.kill",
    "systemctl stop basic.target",
    "systemctl kill sysinit.target",
    "systemctl stop '*.target'",
  ])("is blocked: %s", (line) => {
    expect(answerOf(line)).toBe("blocked");
  });

  it.each(["systemctl stop multi-user.target", "sudo systemctl stop graphical.target"])(
    "cannot be decided: %s",
    (line) => {
      expect(answerOf(line)).toBe("undecided");
    },
  );

  it.each([
    "echo 1 > /sys/fs/cgroup/system.slice/docker-1.scope/cgroup.kill",
    "echo 1 > /sys/fs/cgroup/group/cgroup.kill",
    "systemctl stop my-app.target",
    "systemctl --user stop default.target",
    "systemctl restart network.target",
    "systemctl isolate multi-user.target",
  ])("is let through: %s", (line) => {
    expect(answerOf(line)).toBe("neither");
  });
});
