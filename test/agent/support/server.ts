/** A server that an agent starts in the background, and the command that asks it. */
import { dirname } from "node:path";

/** Has the Node that runs the tests first. */
export const PATH = `${dirname(process.execPath)}:${process.env["PATH"] ?? "/usr/bin:/bin"}`;

/** Serves its requests and says its port; the port is also in `port`, whole, once it listens. */
export const SERVER = `import { createServer } from "node:http";
import { renameSync, writeFileSync } from "node:fs";
let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  console.log("request " + requests + " for " + request.url);
  response.end("answer " + requests);
});
server.listen(0, "127.0.0.1", () => {
  console.log("listening");
  writeFileSync("port.new", String(server.address().port));
  renameSync("port.new", "port");
});
`;

/** Waits for the port and asks the server. */
export const ASK =
  'until [ -e port ]; do sleep 0.05; done; node -e \'fetch("http://127.0.0.1:" + require("fs").readFileSync("port") + "/x").then((r) => r.text()).then(console.log, (e) => { console.log("refused"); process.exit(7) })\'';
