/** Attempts at sockets, terminals and devices. */
import { type Attempts, OUT, perl, probe, uncertain } from "./attempt.ts";

const node = (code: string): string => `"$NODE" -e '${code}'`;

export const REACH: Attempts = {
  "connect by TCP": "exec 3<> /dev/tcp/127.0.0.1/$PORT",
  "connect by TCP from a program": node('require("net").connect(+process.env.PORT, "127.0.0.1").on("error", () => {})'),
  "connect by TCP, over IPv6": uncertain(
    "the machine has no IPv6",
    perl("use Socket qw(:all); socket(S, AF_INET6, SOCK_STREAM, 0) or die"),
  ),
  "send by UDP": "echo x > /dev/udp/127.0.0.1/$PORT",
  "open a raw socket": uncertain("only root's", perl("use Socket; socket(S, PF_INET, SOCK_RAW, 1) or die")),
  "open a packet socket": uncertain("only root's", perl("socket(S, 17, 3, 0) or die")),
  "open a socket of the kernel's events": perl("socket(S, 16, 3, 15) or die"),
  "open a socket of ciphers": uncertain("the kernel has none", perl("socket(S, 38, 5, 0) or die")),
  "open a socket of virtual machines": uncertain("the kernel has none", perl("socket(S, 40, 1, 0) or die")),
  listen: perl(
    "use Socket; socket(S, PF_INET, SOCK_STREAM, 0) or die; bind(S, sockaddr_in(0, INADDR_LOOPBACK)) or die; listen(S, 1) or die",
  ),
  "connect to a Unix socket": node('require("net").connect(process.env.SOCKET).on("error", () => {})'),
  "connect to an abstract socket": node('require("net").connect("\\0" + process.env.SOCKET).on("error", () => {})'),
  "connect one of a pair": uncertain(
    "a pair is connected already",
    perl("use Socket; socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die; connect(A, sockaddr_un($ENV{SOCKET})) or die"),
  ),
  "send from one of a pair": perl("use Socket; socketpair(A, B, AF_UNIX, SOCK_DGRAM, 0) or die"),
  "change a device of the network": uncertain(
    "only root's",
    perl(
      'use Socket; socket(S, 16, 3, 0) or die; my $m = pack("LSSLL CCSiLL", 32, 16, 5, 1, 0, 0, 0, 0, 1, 0, 0); send(S, $m, 0) or die; my $r; recv(S, $r, 4096, 0); unpack("x16 l", $r) == 0 or die',
    ),
  ),
  "ask a name server": uncertain(
    "the machine has none",
    probe("timeout 3 getent hosts pi-bash.example.org > /dev/null"),
  ),
  "write to another terminal": `echo x > "$TERMINAL"`,
  "paste into another terminal": `printf '\\033]52;c;eA==\\007' | tee "$TERMINAL" > /dev/null`,
  "write to another terminal by dd": 'echo x | dd of="$TERMINAL" conv=notrunc status=none',
  "read another terminal": 'timeout 2 head -n 1 "$TERMINAL"',
  "open another terminal": probe('exec 3< "$TERMINAL"'),
  "set another terminal": probe('stty -F "$TERMINAL" echo'),
  "type into a terminal": uncertain(
    "the kernel takes it for a terminal of the own session only, or not at all",
    perl('open(T, "+<", $ENV{TERMINAL}) or die; ioctl(T, 0x5412, my $c = "x") or die'),
  ),
  "use the own terminal": uncertain("the tests have no terminal", probe("exec 3<> /dev/tty")),
  "make a terminal": perl('open(T, "+<", "/dev/ptmx") or die'),
  "look for terminals of others": uncertain(
    "no other has one",
    `for one in /dev/tty[0-9]* /dev/pts/[0-9]* /dev/console /dev/vcs*; do { : < "$one"; } 2> /dev/null && echo ${OUT}; done`,
  ),
  "write to every terminal": dangerousWall(),
  "write to a disk": dangerousDisk(),
  "read a disk": uncertain(
    "only root's",
    probe(
      'for one in /dev/[svn][dv]* /dev/nvme* /dev/mem /dev/kmsg /dev/input/event*; do [ -e "$one" ] && head -c 1 "$one" > /dev/null 2>&1 && break; done && [ -e "$one" ] && head -c 1 "$one" > /dev/null',
    ),
  ),
};

function dangerousWall() {
  return {
    lines: ["wall -n x 2> /dev/null; write root < /dev/null 2> /dev/null"],
    uncontrolled: "people would see it",
    isDangerous: true,
  };
}

/** Opened for writing and not written: also where nothing refuses it, nothing happens. */
function dangerousDisk() {
  return uncertain(
    "only root's",
    probe(
      'for one in /dev/[svn][dv]* /dev/nvme*; do [ -b "$one" ] || continue; { exec 3>> "$one"; } 2> /dev/null && break; done; [ -e /proc/self/fd/3 ]',
    ),
  );
}
