#!/usr/bin/env bash
# Runs a program of Rust tests and ends with its first failed test: what the others would say changes nothing, and the test
# programs of pi-shell take most of a minute. The changed module's own tests run first, as they notice most. It is the first
# process of a pid namespace (see rust.mjs), so that the kernel ends whatever still runs with it. Its folders for temporary
# files are its own: a changed sweep of what ended hosts left there removed the copies of the tree, and other users' files.

of_tests=$(mktemp -d -p "$TMPDIR" of-tests.XXXXXX) || exit
chmod 1777 "$of_tests"
mount --bind "$of_tests" /tmp || exit
mount -t tmpfs -o mode=1777 tmpfs /dev/shm || exit
unset TMPDIR XDG_RUNTIME_DIR

# Runs the program with these arguments; ends everything at the first failure.
run() {
  exec 3< <(
    "$@"
    printf '\nended with %d\n' "$?"
  )
  while IFS= read -r line <&3; do
    printf '%s\n' "$line"
    case $line in
      "test "*" ... FAILED") exit 101 ;;
      "ended with 0") return ;;
      "ended with "*) exit "${line##* }" ;;
    esac
  done
  exit 101
}

# cargo-mutants marks what it changed.
changed=$(grep -rl --include='*.rs' 'changed by cargo-mutants' src | head -n 1)
if [[ -n $changed ]]; then
  module=${changed#src/}
  module=${module%.rs}
  module=${module%/mod}
  [[ $module == lib ]] || run "$@" "${module//\//::}::"
fi
run "$@"
