/**
 * Names that keep their plain meaning whatever the user's rc makes of them.
 *
 * `alias ls='ls --color=always'`, `alias cat=bat` or a `cd` that lists the folder are made for eyes; a command that
 * expects the tool of that name must get the tool.
 */

/** Programs and builtins whose aliases and functions stay out of a snapshot. */
export const COMMON_TOOLS: ReadonlySet<string> = new Set(
  (
    "[ alias awk basename bat bg break builtin bzip2 cat cd chgrp chmod chown command continue cp curl cut date dd declare df " +
    "diff dir dirname du echo egrep enable env eval exec exit export expr false fd fg fgrep find git grep gunzip gzip " +
    "hash head hostname id install jobs kill less ln local locate ls make mkdir mktemp more mv node npm paste perl " +
    "popd printenv printf ps pushd pwd python python3 read readlink readonly realpath return rg rm rmdir rsync scp sed " +
    "seq set shift shopt sleep sort source split ssh stat sudo tail tar tee test time touch tr trap true type ulimit " +
    "umask unalias uname uniq unset unzip vdir wait watch wc wget which whoami xargs xz yes zip"
  ).split(" "),
);

/** Words of the grammar: an alias of that name would change every command. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set(
  "if then else elif fi case esac for select while until do done in function time coproc { } ! [[ ]]".split(" "),
);
