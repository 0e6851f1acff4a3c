#!/bin/bash
# One container of busybox, bash and its libraries: `eval "$(LAB=… podman.sh env)"; $LAB_EXEC command`. No registry.
set -u; . "$(dirname "$(readlink -f "$0")")/common.sh"
export CONTAINERS_CONF=$LAB/containers.conf CONTAINERS_STORAGE_CONF=$LAB/storage.conf
pod="podman --runtime runc --root $LAB/store --runroot $LAB/run --tmpdir $LAB/tmp --storage-driver vfs --cgroup-manager cgroupfs --events-backend none"
group=/pi-lab-$(printf %s "$LAB" | cksum | cut -d' ' -f1) # of our own, so that it can be removed
runs() { [ "$($pod inspect -f '{{.State.Running}}' lab 2>/dev/null)" = true ]; }
rootfs() { # busybox, bash and what they load
  local r=$LAB/rootfs f; rm -rf "$r"; mkdir -p "$r"/{bin,usr/bin,etc,tmp,root,proc,sys,dev,lib,lib64,opt}
  cp "$(command -v busybox)" "$r/bin/busybox"
  for f in $("$r/bin/busybox" --list); do [ "$f" = busybox ] || ln -s busybox "$r/bin/$f"; done
  for f in "$(readlink -f "$(command -v bash)")" ${LAB_FILES:-}; do
    [ "$(basename "$f")" != bash ] || cp --remove-destination "$f" "$r/bin/bash"
    [ "$(basename "$f")" = bash ] || cp "$f" "$r/opt/"
    ldd "$f" 2>/dev/null | grep -o '/[^ ]*' | while read -r lib; do mkdir -p "$r$(dirname "$lib")"; cp -L "$lib" "$r$lib"; done
  done
  echo root:x:0:0:root:/root:/bin/bash >"$r/etc/passwd"; echo root:x:0: >"$r/etc/group"; chmod 1777 "$r/tmp"
  tar -C "$r" -cf "$LAB/rootfs.tar" . && rm -rf "$r"
}
case ${1-} in
start)
  runs && exit 0
  make_lab; mkdir -p "$LAB"/{share,net}
  printf '[containers]\ndefault_ulimits=["nofile=1024:1024","nproc=1000:1000"]\n[engine]\nlock_type="file"\nruntime="runc"\ncgroup_manager="cgroupfs"\n[network]\nnetwork_config_dir="%s/net"\n' "$LAB" >"$CONTAINERS_CONF"
  printf '[storage]\ndriver="vfs"\ngraphroot="%s/store"\nrunroot="%s/run"\n' "$LAB" "$LAB" >"$CONTAINERS_STORAGE_CONF"
  if ! $pod image exists lab; then rootfs && $pod import -q "$LAB/rootfs.tar" lab >/dev/null || exit 1; rm -f "$LAB/rootfs.tar"; fi
  $pod rm -f -t 0 lab >/dev/null 2>&1
  # --init: process 1 reaps what an exec leaves. $LAB/share is /share inside.
  # A container that shares the host's processes (LAB_INIT=no) has no process 1 of its own.
  init=; [ "${LAB_INIT:-yes}" = no ] || ! command -v catatonit >/dev/null || init=--init
  $pod run -d --name lab --cgroup-parent "$group" $init --network none --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 ${LAB_RUN_OPTIONS:-} \
    -v "$LAB/share:/share" lab /bin/sh -c 'trap exit TERM; while :; do sleep 1000 & wait $!; done' >"$LAB/id" || exit 1
  wait_for 30 runs || exit 1
  remember "$($pod inspect -f '{{.State.ConmonPid}}' lab)"; remember "$($pod inspect -f '{{.State.Pid}}' lab)" ;;
stop)
  # The conmon of an exec is not a child of ours: the folder in its command line identifies it.
  if [ -e "$LAB/.lab" ]; then
    for p in /proc/[0-9]*; do [ "$(cat "$p/comm" 2>/dev/null)" = conmon ] && tr '\0' '\n' <"$p/cmdline" | grep -q "^$LAB/" && remember "${p#/proc/}"; done
    [ ! -e "$LAB/store" ] || { $pod rm -f -t 0 lab; $pod rmi -f lab; } >/dev/null 2>&1
    end_all
    grep -o " $LAB/[^ ]*" /proc/self/mounts | sort -r | while read -r m; do umount "$m"; done
    find /sys/fs/cgroup -depth -type d -path "*$group*" -exec rmdir {} + 2>/dev/null
    drop_lab
  fi ;;
env) echo "LAB_POD='$pod'"; echo "LAB_EXEC='$pod exec -i lab'"; echo "export CONTAINERS_CONF=$CONTAINERS_CONF CONTAINERS_STORAGE_CONF=$CONTAINERS_STORAGE_CONF"; echo "LAB_SHARE=$LAB/share" ;;
*) usage ;;
esac
