/**
 * The options of git's showing commands that only read, spelled out.
 *
 * `--output`, `--ext-diff`, `--textconv`, `--show-signature` and `--remerge-diff` are missing on purpose: they write a
 * file or run a program. Which subcommand takes which list is in `git.ts`.
 */

/** Builds the set; `_` at the end of a name stands for "takes the next word". */
export function names(...lists: string[]): ReadonlySet<string> {
  return new Set(
    lists
      .flatMap((list) => list.split(" "))
      .filter((name) => name !== "")
      .map((name) => name.replace("_", " ")),
  );
}

/** Options that only change how differences are shown. */
export const DIFF =
  "--stat= --numstat --shortstat --dirstat= --summary --name-only --name-status --patch --no-patch --raw --patch-with-stat --patch-with-raw --compact-summary --color= --no-color --word-diff= --word-diff-regex= --color-words= --color-moved= --no-color-moved --unified= --minimal --patience --histogram --diff-algorithm= --anchored= --no-renames --find-renames= --find-copies= --find-copies-harder --no-ext-diff --no-textconv --ignore-space-at-eol --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines= --inter-hunk-context= --function-context --exit-code --quiet --check --full-index --abbrev= --binary --text --cached --staged --merge-base --relative= --no-relative --diff-filter= --pickaxe-regex --pickaxe-all --no-prefix --src-prefix= --dst-prefix= --default-prefix --line-prefix= --ignore-submodules= --submodule=short --ita-invisible-in-index --no-index --base --ours --theirs --cc --combined-all-paths --no-indent-heuristic --indent-heuristic --ws-error-highlight= --irreversible-delete --skip-to= --rotate-to= -z -p -u -s -w -b -a -R -W -c -m -t -r -D -S_ -G_ -O_ -C -M -B -X";
/** Short options of `git diff`: clusters and attached values. */
export const DIFF_SHORT = /^-(?:U\d+|[MCB]\d*%?|S.+|G.+|\d+|l\d+|[pusawbRWcmtrzB]+)$/;
/** Options that choose and show commits; `%G` formats run gpg and are refused by `formatsAreHarmless`. */
export const LOG =
  "--oneline --graph --decorate= --no-decorate --all --branches= --tags= --remotes= --glob= --exclude= --not --reflog --walk-reflogs --first-parent --merges --no-merges --min-parents= --max-parents= --max-count= --skip= --since= --after= --until= --before= --author= --committer= --grep= --all-match --invert-grep --regexp-ignore-case --basic-regexp --extended-regexp --fixed-strings --perl-regexp --reverse --date-order --topo-order --author-date-order --date= --relative-date --parents --children --left-right --cherry --cherry-mark --cherry-pick --left-only --right-only --boundary --simplify-by-decoration --simplify-merges --full-history --dense --sparse --show-pulls --ancestry-path= --abbrev-commit --no-abbrev-commit --format= --pretty= --notes= --no-notes --follow --full-diff --log-size --source --mailmap --use-mailmap --no-mailmap --clear-decorations --decorate-refs= --decorate-refs-exclude= --encoding= --expand-tabs= --no-expand-tabs --no-show-signature --diff-merges=off --diff-merges=none --diff-merges=on --diff-merges=m --diff-merges=first-parent --diff-merges=1 --diff-merges=separate --diff-merges=c --diff-merges=combined --diff-merges=cc --diff-merges=dense-combined --no-diff-merges --ignore-missing --count --objects --objects-edge --no-walk= --do-walk --in-commit-order --timestamp --header --bisect --group= --email --numbered --summary -n_ -i -E -F -P -g -L_";
/** Short options of `git log`. */
export const LOG_SHORT = /^-(?:n\d+|\d+|L.+|U\d+|[MCB]\d*%?|S.+|G.+|[iEFPgpuscmwbatzR]+)$/;
