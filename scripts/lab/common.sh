# Sourced by the lab scripts. All files of a lab are in $LAB. $LAB/pids lists its processes: id and start time of each.
: "${LAB:?set LAB to a folder of its own, with a short path (a socket in it may have 107 bytes)}"
usage() { echo "usage: LAB=/folder $0 start|stop|env" >&2; exit 2; }
started_at() { # pid → start time in ticks, empty when gone; a name may hold blanks and parentheses
  local stat; { stat=$(<"/proc/$1/stat"); } 2>/dev/null || return 0
  set -- ${stat##*) }; echo "${20}"
}
remember() { echo "$1 $(started_at "$1")" >>"$LAB/pids"; }
descendants() { # of the pids given, themselves included
  local all="$*" next="$*" found p
  while [ -n "$next" ]; do
    found=; for p in $next; do found="$found $(cat /proc/"$p"/task/*/children 2>/dev/null)"; done
    next=$(echo $found); all="$all $next"
  done; echo $all
}
end_all() { # ends what was remembered and what is below it: TERM, 3 s, KILL
  [ -f "$LAB/pids" ] || return 0
  local pid start roots= tree list= n
  while read -r pid start; do [ -n "$start" ] && [ "$(started_at "$pid")" = "$start" ] && roots="$roots $pid"; done <"$LAB/pids"
  tree=$(descendants $roots)
  for pid in $tree; do list="$list $pid:$(started_at "$pid")"; done
  [ -z "$tree" ] || kill $tree 2>/dev/null
  for n in $(seq 30); do alive $list >/dev/null || break; sleep .1; done
  for pid in $(alive $list); do kill -9 "$pid" 2>/dev/null; done
  rm -f "$LAB/pids"
}
alive() { local e some=1; for e; do [ -n "${e#*:}" ] && [ "$(started_at "${e%%:*}")" = "${e#*:}" ] && { echo "${e%%:*}"; some=0; }; done; return $some; }
wait_for() { local n; for n in $(seq "$1"); do "${@:2}" >/dev/null 2>&1 && return 0; sleep .1; done; echo "$0: '${*:2}' did not come true" >&2; return 1; }
drop_lab() { case $LAB in /|/tmp|"$HOME") exit 2;; esac; [ ! -e "$LAB/.lab" ] || rm -rf --one-file-system "$LAB"; }
make_lab() { mkdir -p "$LAB" && chmod 755 "$LAB" && : >"$LAB/.lab"; }
taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
free_port() { # from, how many in a row
  local port=$1 n; while :; do for n in $(seq 0 $(($2 - 1))); do taken $((port + n)) && { port=$((port + 200 + n)); continue 2; }; done; echo "$port"; return; done
}
# Labs that begin and end at the same time share the ports and what a daemon's name is compiled in for. On a folder, so that no file is
# left. A daemon that is started meanwhile must not have it: 9<&-.
lock() { exec 9</run; flock 9; }
unlock() { exec 9<&-; }
