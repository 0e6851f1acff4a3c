/**
 * Free ports, and programs that listen on one.
 */
import { createServer } from "node:net";

/** A port that nothing of this machine has. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}

/** As bash text: becomes a web server on a port of the loopback, of files in the folder. A place has busybox or python3. */
export function listenerOnPlace(port: number): string {
  const python = `exec python3 -m http.server --bind 127.0.0.1 ${port}`;
  return `if command -v python3 >/dev/null; then ${python}; else exec busybox httpd -f -p 127.0.0.1:${port}; fi`;
}
