/**
 * Registries of other package managers than npm on loopback, each with one real package that its own tools can install:
 * pip's simple index, cargo's sparse index, Go's module proxy. npm's is `registry.ts`.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { listenOnLoopback, type Registry } from "./registry.ts";
import { scratchFolder } from "./scratch.ts";

/** Module that Go's registry has. */
export const GO_MODULE = "example.org/real";

/** Files by path, as a registry of that kind serves them at this address. */
type Contents = (url: string) => Readonly<Record<string, string | Buffer>>;

/** Starts a registry, which ends with the test. */
export async function startPackageRegistry(kind: "pip" | "cargo" | "go"): Promise<Registry> {
  const asked: string[] = [];
  let files: ReturnType<Contents> = {};
  const server = createServer((request, answer) => {
    const path = request.url ?? "";
    asked.push(path);
    const found = files[path];
    if (found === undefined) answer.writeHead(404).end();
    else
      answer
        .setHeader("content-type", typeof found === "string" ? typeOf(found) : "application/octet-stream")
        .end(found);
  });
  const port = await listenOnLoopback(server);
  const url = `http://127.0.0.1:${port}/`;
  files = { pip, cargo, go }[kind](url);
  return { port, url, asked };
}

function typeOf(text: string): string {
  if (text.startsWith("<")) return "text/html";
  return text.startsWith("{") ? "application/json" : "text/plain";
}

/** A wheel is an archive of modules beside a folder that describes them. */
const pip: Contents = () => {
  const name = "pi_bash_real-1.2.3-py3-none-any.whl";
  const info = "pi_bash_real-1.2.3.dist-info";
  const wheel = zipped({
    "pi_bash_real.py": 'value = "real"\n',
    [`${info}/METADATA`]: "Metadata-Version: 2.1\nName: pi-bash-real\nVersion: 1.2.3\n",
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/RECORD`]: `pi_bash_real.py,,\n${info}/METADATA,,\n${info}/WHEEL,,\n${info}/RECORD,,\n`,
  });
  const digest = createHash("sha256").update(wheel).digest("hex");
  return {
    "/simple/pi-bash-real/": `<a href="/files/${name}#sha256=${digest}">${name}</a>`,
    [`/files/${name}`]: wheel,
  };
};

/** A crate is a packed folder; its line in the index has the digest. */
const cargo: Contents = (url) => {
  const folder = filled({
    "pi-bash-real-1.2.3/Cargo.toml": '[package]\nname = "pi-bash-real"\nversion = "1.2.3"\nedition = "2021"\n',
    "pi-bash-real-1.2.3/src/lib.rs": "pub fn value() {}\n",
  });
  run("tar", ["-czf", "real.crate", "pi-bash-real-1.2.3"], folder);
  const crate = readFileSync(join(folder, "real.crate"));
  const cksum = createHash("sha256").update(crate).digest("hex");
  return {
    "/config.json": JSON.stringify({ dl: `${url}crates/{crate}-{version}.crate` }),
    "/pi/-b/pi-bash-real": `${JSON.stringify({ name: "pi-bash-real", vers: "1.2.3", deps: [], cksum, features: {}, yanked: false })}\n`,
    "/crates/pi-bash-real-1.2.3.crate": crate,
  };
};

/** A module's archive has its name and version before each path. */
const go: Contents = () => {
  const mod = `module ${GO_MODULE}\n\ngo 1.18\n`;
  const at = `/${GO_MODULE}/@v/v1.2.3`;
  return {
    [`/${GO_MODULE}/@v/list`]: "v1.2.3\n",
    [`${at}.info`]: JSON.stringify({ Version: "v1.2.3", Time: "2024-01-01T00:00:00Z" }),
    [`${at}.mod`]: mod,
    [`${at}.zip`]: zipped({
      [`${GO_MODULE}@v1.2.3/go.mod`]: mod,
      [`${GO_MODULE}@v1.2.3/real.go`]: 'package real\n\nconst Value = "real"\n',
    }),
  };
};

/** A folder with these files, gone when the test is over. */
function filled(files: Readonly<Record<string, string>>): string {
  const folder = scratchFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** An archive of these files. Python has what makes one. */
function zipped(files: Readonly<Record<string, string>>): Buffer {
  const folder = filled(files);
  const code =
    'import sys, zipfile; z = zipfile.ZipFile("made.zip", "w"); [z.write(p) for p in sys.argv[1:]]; z.close()';
  run("python3", ["-c", code, ...Object.keys(files)], folder);
  return readFileSync(join(folder, "made.zip"));
}

function run(program: string, words: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(program, words, { cwd });
  if (status !== 0) throw new Error(`${program}: ${stderr}`);
}
