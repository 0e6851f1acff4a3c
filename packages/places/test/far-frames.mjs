/** What the far sides of these tests share: a frame's bytes and a sound `Hello`. It shares no code with the near side. */

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
