/** What the far sides of these tests share: a frame's bytes, how frames are read, and a sound `Hello`. It shares no code with the near side. */

/** The bytes of a frame. */
export function frame(kind, channel, payload, flags = 0) {
  const body = Buffer.from(payload);
  const bytes = Buffer.alloc(11 + body.length);
  bytes.writeUInt32LE(7 + body.length, 0);
  bytes[4] = kind;
  bytes[5] = flags;
  bytes.writeUInt32LE(channel, 6);
  body.copy(bytes, 10);
  bytes[bytes.length - 1] = 0x0a;
  return bytes;
}

/** Gives each frame on standard input to `take`, by kind, channel and payload. The end of the input ends the program. */
export function readFrames(take) {
  let held = Buffer.alloc(0);
  process.stdin.on("data", (bytes) => {
    held = Buffer.concat([held, bytes]);
    while (held.length >= 4 && held.length >= 4 + held.readUInt32LE(0)) {
      const length = held.readUInt32LE(0);
      const body = held.subarray(4, 4 + length);
      held = held.subarray(4 + length);
      take(body[0], body.readUInt32LE(2), body.subarray(6, -1));
    }
  });
  process.stdin.on("end", () => process.exit(0));
}

/** A `Hello` with nothing wrong in it. */
export const HELLO = {
  protocol: 1,
  build: { version: "0.1.0" },
  instance: "i",
  pid: process.pid,
  os: "linux",
  arch: "x86_64",
  cwd: "/far",
  host: "faraway",
  env: { PATH: "/usr/bin:/bin", HOME: "/far" },
  bash: { path: "/bin/bash", version: "5.2" },
  capabilities: {
    platform: "linux",
    session: "persistent",
    supervisor: true,
    pty: true,
    clone: true,
    sandbox: [],
    readOnly: { available: false, degraded: [] },
  },
  folder: "/far/folder",
  drivers: [],
};
