#!/bin/bash
# A Slurm of one node on 127.0.0.1: `eval "$(LAB=… slurm.sh env)"; srun command`. munged, slurmctld and slurmd by hand.
set -u; . "$(dirname "$(readlink -f "$0")")/common.sh"
host=$(hostname -s); user=$(id -un)
export SLURM_CONF=$LAB/slurm.conf
idle() { timeout 5 sinfo -h -o %T | grep -Eq '^(idle|mixed|allocated)$'; }
case ${1-} in
start)
  [ -f "$LAB/pids" ] && idle && exit 0
  end_all; make_lab; mkdir -p "$LAB"/{state,spool,log,munge}; chmod 755 "$LAB/munge"
  [ -f "$LAB/key" ] || { (umask 077; head -c 128 /dev/urandom >"$LAB/key"); }
  munged --force --key-file="$LAB/key" --socket="$LAB/munge/s" --pid-file="$LAB/munge.pid" --log-file="$LAB/log/munged" \
    --seed-file="$LAB/munge.seed" --num-threads=2 2>"$LAB/log/munged.err" || { cat "$LAB/log/munged.err" >&2; exit 1; }
  wait_for 30 test -s "$LAB/munge.pid" || exit 1; remember "$(cat "$LAB/munge.pid")"
  cpus=${LAB_CPUS:-16} # more than there are, so that jobs stand beside each other
  lock
  base=${LAB_PORT:-$(cat "$LAB/port" 2>/dev/null || free_port 26817 2)}; echo "$base" >"$LAB/port"
  cat >"$LAB/slurm.conf" <<C
ClusterName=lab
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$base
SlurmdPort=$((base + 1))
AuthType=auth/munge
AuthInfo=socket=$LAB/munge/s
CryptoType=crypto/munge
StateSaveLocation=$LAB/state
SlurmdSpoolDir=$LAB/spool
SlurmctldPidFile=$LAB/slurmctld.pid
SlurmdPidFile=$LAB/slurmd.pid
SlurmctldLogFile=$LAB/log/slurmctld
SlurmdLogFile=$LAB/log/slurmd
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=${LAB_KILL_WAIT:-3}
InactiveLimit=0
MailProg=/bin/true
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=1000 State=UNKNOWN
PartitionName=lab Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=60 State=UP OverSubscribe=NO
C
  [ "${LAB_EXTRA:-}" = "" ] || echo "$LAB_EXTRA" >>"$LAB/slurm.conf"
  slurmctld -D -c 2>>"$LAB/log/slurmctld.err" 9<&- & remember $!
  slurmd -D 2>>"$LAB/log/slurmd.err" 9<&- & remember $!
  disown -a
  wait_for 50 taken "$base"; wait_for 50 taken $((base + 1)); unlock
  wait_for 150 idle || { tail -5 "$LAB"/log/* >&2; "$0" stop; exit 1; } ;;
stop)
  if [ -f "$LAB/slurm.conf" ]; then
    timeout 5 scancel --user="$user" 2>/dev/null && wait_for 60 sh -c '[ -z "$(timeout 5 squeue -h)" ]'
    # The daemon of a step is not a child of ours: its configuration identifies it.
    for s in "$LAB"/spool/*_*.*; do [ -S "$s" ] || continue
      for p in /proc/[0-9]*; do [ "$(cat "$p/comm" 2>/dev/null)" = slurmstepd ] && tr '\0' '\n' <"$p/environ" 2>/dev/null | grep -qx "SLURM_CONF=$SLURM_CONF" && remember "${p#/proc/}"; done
    done
  fi
  end_all; drop_lab ;;
env) echo "export SLURM_CONF=$SLURM_CONF" ;;
*) usage ;;
esac
