#!/usr/bin/env bash
# Runs a program of Rust tests and ends with its first failed test: what the others would say changes nothing, and the test
# programs of pi-shell take most of a minute. It is the first process of a pid namespace (see rust.mjs), so that the kernel
# ends whatever still runs with it.
exec 3< <(
  "$@"
  printf '\nended with %d\n' "$?"
)
while IFS= read -r line <&3; do
  printf '%s\n' "$line"
  case $line in
    "test "*" ... FAILED") exit 101 ;;
    "ended with "*) exit "${line##* }" ;;
  esac
done
exit 101
