/**
 * What well-known programs outside the read-only table do, for a better explanation than "unknown".
 *
 * Only words: none of these is read-only either way.
 */
import { type Refusal, refuse, type Severity } from "./finding.ts";

const KINDS: readonly (readonly [Severity, string, ReadonlySet<string>])[] = [
  [
    "write",
    "changes files",
    words(
      "rm rmdir mv cp mkdir touch ln chmod chown chgrp install truncate shred dd tee patch rsync split csplit mktemp mkfifo mknod unzip zip gzip gunzip bzip2 xz zstd ar",
    ),
  ],
  [
    "network",
    "talks to other hosts",
    words(
      "curl wget ssh scp sftp ftp nc ncat netcat telnet ping dig nslookup host gh aws gcloud az kubectl docker podman",
    ),
  ],
  [
    "exec",
    "runs other code",
    words(
      "make cmake ninja gradle mvn npm npx pnpm yarn bun deno node python python3 ruby perl php lua go cargo rustc java pip pip3 pytest jest tsc awk sed less more man vim vi nano emacs eval source . exec",
    ),
  ],
  [
    "session",
    "changes the session",
    words(
      "export unset set shopt alias unalias declare typeset local readonly trap umask ulimit hash enable let mapfile readarray getopts shift history bind complete compopt dirs disown fg bg wait logout exit return break continue",
    ),
  ],
];

/** Why a program that is in no read-only table is refused. */
export function describeUnknownProgram(name: string): Refusal {
  const kind = KINDS.find(([, , names]) => names.has(name));
  if (kind === undefined) return refuse("unknown-program", "unknown", `\`${name}\` is not known to be read-only`);
  const [severity, does] = kind;
  return refuse(`program-${severity}`, severity, `\`${name}\` ${does}`);
}

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}
