/**
 * Asks a port of the loopback whether it answers a GET. No redirect is followed, no credential sent, and
 * no body kept. On a place a bash over there asks.
 */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { ServiceReady } from "@pi-bash/contract";
import type { BashToolSession } from "../session.ts";
import { ToolError } from "../tool-error.ts";

/** Most time of one question, in milliseconds. */
const PROBE_MS = 2_000;
const LOOPBACK: RegExp = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** What is asked, and which answers count. */
export interface HttpTarget {
  url: URL;
  /** Absent: 200 to 399. */
  status: number | undefined;
}

/** Reads a readiness's `http`. Throws `ToolError` for what is not on the loopback. */
export function httpTarget({ url: text, status }: NonNullable<ServiceReady["http"]>): HttpTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined)
    throw new ToolError("Invalid ready.http.url: it is not a URL. Use e.g. http://127.0.0.1:5173/");
  const isLocal = LOOPBACK.test(url.hostname) && (url.protocol === "http:" || url.protocol === "https:");
  if (!isLocal) {
    throw new ToolError(
      "Invalid ready.http.url: only http and https of localhost, 127.0.0.1 and [::1] are asked. Use ready.log for others.",
    );
  }
  if (url.port === "0")
    throw new ToolError("Invalid ready.http.url: nothing can listen on port 0. Name the server's port.");
  if (url.username !== "" || url.password !== "") {
    throw new ToolError("Invalid ready.http.url: a URL with a user name or a password is not asked.");
  }
  return { url, status };
}

/** What came of a question. */
export interface Probed {
  isMet: boolean;
  /** In a few words. */
  why: string;
}

/** Asks. Never rejects. */
export async function probeHttp({ url, status }: HttpTarget, session: BashToolSession): Promise<Probed> {
  const answer = session.place === undefined ? await askHere(url) : await askThere(url, session);
  if (typeof answer === "string") return { isMet: false, why: answer };
  const isMet = status === undefined ? answer >= 200 && answer < 400 : answer === status;
  return { isMet, why: `status ${answer}` };
}

function askHere(url: URL): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { method: "GET", agent: false, timeout: PROBE_MS, headers: { accept: "*/*", connection: "close" } };
    const take = (response: IncomingMessage): void => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    };
    // A development server's certificate is its own; nothing secret is sent to it.
    const asked =
      url.protocol === "https:"
        ? httpsRequest(url, { ...options, rejectUnauthorized: false }, take)
        : httpRequest(url, options, take);
    const timer = setTimeout(() => {
      resolve("no answer");
      asked.destroy();
    }, PROBE_MS);
    asked.on("error", (error) => resolve("code" in error && error.code === "ECONNREFUSED" ? "refused" : "no answer"));
    asked.on("close", () => clearTimeout(timer));
    asked.end();
  });
}

async function askThere(url: URL, session: BashToolSession): Promise<number | string> {
  const host = url.hostname === "[::1]" ? "::1" : url.hostname;
  const port = url.port === "" ? "80" : url.port;
  // The parts of a parsed URL have no quote, no space and no control character.
  const path = `${url.pathname}${url.search}`.replaceAll("'", "%27").replaceAll("%", "%%").replaceAll("\\", "%%5C");
  const line = `GET ${path} HTTP/1.0\\r\\nHost: ${url.host}\\r\\nConnection: close\\r\\n\\r\\n`;
  const script = `exec 3<>'/dev/tcp/${host}/${port}' && printf '${line}' >&3 && IFS=' ' read -r -t 2 _ status _ <&3 && echo "$status"`;
  const answer = await bashThere(script, session);
  return /^[1-5][0-9]{2}$/.test(answer) ? Number(answer) : "no answer";
}

async function bashThere(script: string, session: BashToolSession): Promise<string> {
  const key = session.getSessionId?.();
  const own = { sessionKey: `${key ?? ""}:probe`, isEphemeral: true, ...(key === undefined ? {} : { placeKey: key }) };
  try {
    const { output } = await session.executor.executeBash(`( ${script} ) 2>/dev/null`, {
      ...own,
      timeoutMs: 2 * PROBE_MS,
      artifact: false,
    });
    return output.trim();
  } catch {
    return "";
  }
}
