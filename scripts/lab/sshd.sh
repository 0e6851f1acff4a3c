#!/bin/bash
# A private sshd on 127.0.0.1, at $LAB_PORT or the first free port from 2222 on: `eval "$(LAB=… sshd.sh env)"; $LAB_SSH command`.
set -u; . "$(dirname "$(readlink -f "$0")")/common.sh"
# Root's sshd needs this folder, whose name is compiled in. The last lab removes it, where a lab made it.
shared=/run/sshd own=/run/sshd/$(printf %s "$LAB" | cksum | cut -d' ' -f1)
take_shared() {
  [ -d $shared ] || { mkdir -m 755 $shared && : >$shared/of-labs; }
  [ ! -e $shared/of-labs ] || : >"$own"
}
give_shared() {
  rm -f "$own"
  [ "$(ls $shared 2>/dev/null)" != of-labs ] || rm -r $shared
}
ready() { ssh -F "$LAB/ssh_config" -o ControlPath=none lab true; }
case ${1-} in
start)
  [ -f "$LAB/pids" ] && ready 2>/dev/null && exit 0
  end_all; make_lab; lock
  port=${LAB_PORT:-$(cat "$LAB/port" 2>/dev/null || free_port 2222 1)}; echo "$port" >"$LAB/port"
  for key in host user; do [ -f "$LAB/$key" ] || ssh-keygen -q -t ed25519 -N '' -C "$key" -f "$LAB/$key" || exit 1; done
  cp "$LAB/user.pub" "$LAB/authorized"; chmod 600 "$LAB/authorized"
  echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$LAB/host.pub")" >"$LAB/known"
  [ "$(id -u)" != 0 ] || take_shared
  cat >"$LAB/sshd_config" <<C
ListenAddress 127.0.0.1:$port
HostKey $LAB/host
PidFile $LAB/sshd.pid
AuthorizedKeysFile $LAB/authorized
AuthenticationMethods publickey
PermitRootLogin prohibit-password
UsePAM no
StrictModes no
AcceptEnv PI_*
MaxSessions 200
MaxStartups 200
PrintMotd no
PermitUserRC no
Subsystem sftp internal-sftp
LogLevel INFO
C
  cat >"$LAB/ssh_config" <<C
Host lab
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  IdentityFile $LAB/user
  IdentitiesOnly yes
  UserKnownHostsFile $LAB/known
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
  BatchMode yes
  ForwardX11 no
  LogLevel ERROR
  ServerAliveInterval 15
  ServerAliveCountMax 3
  ControlPath $LAB/master
C
  "$(command -v sshd || echo /usr/sbin/sshd)" -f "$LAB/sshd_config" -E "$LAB/sshd.log" 9<&- || { give_shared; exit 1; }
  wait_for 30 test -s "$LAB/sshd.pid" || exit 1
  unlock
  remember "$(cat "$LAB/sshd.pid")"
  wait_for 30 ready || { tail -5 "$LAB/sshd.log" >&2; "$0" stop; exit 1; } ;;
stop)
  ssh -F "$LAB/ssh_config" -O exit lab 2>/dev/null
  end_all; lock; give_shared; unlock; drop_lab ;;
env) echo "LAB_SSH='ssh -F $LAB/ssh_config lab'"; echo "LAB_SSH_CONFIG=$LAB/ssh_config" ;;
*) usage ;;
esac
