#!/usr/bin/env bash
# Installs the Debian packages that tests and benchmarks make use of where they are there. None is required: a test that
# lacks its program is skipped and says so in its title. Run it as root; with `--windows` also what the stand-in for
# Windows is built and run with.
set -euo pipefail

packages=(
  bash-static        # a bash that cannot load the driver
  bubblewrap         # sandboxes of the first backend, and the fixture of the differential harness
  # Programs of the read-only tables that a small machine lacks, and shells: the harness tries each of them.
  bsdextrautils binutils fd-find file fish gawk iproute2 jq ksh mawk ncal net-tools python-is-python3 ripgrep ruby
  silversearcher-ag systemd time tree unzip xxd zsh
  dbus               # a message bus that a sandbox must keep commands from
  gcc libc6-dev      # the benchmarks' reader in C
  asciinema          # plays the record of a terminal
  less procps vim    # programs on a terminal: a pager, `top`, an editor
  man-db             # a program that starts a pager
  openssh-client openssh-server # a password prompt on a terminal, and a far place; no daemon of the machine's is started for it
  busybox-static catatonit conmon podman runc # a container as a far place
  munge slurm-wlm slurmctld slurmd # a Slurm of one node as a far place
  libc6-arm64-cross libstdc++6-arm64-cross # an arm64 Node under qemu, for `npm run package -- --all`
  python3            # an interpreter's prompt, daemons that fork twice
)
# Half a gigabyte that nothing but `npm run package -- --all` makes use of.
if [[ ${1-} == --windows ]]; then
  packages+=(
    gcc-mingw-w64-x86-64 # builds the stand-in for Windows
    wine wine64          # runs it
  )
fi

# Installing a daemon's package would start the daemon: not where tests run.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' > "$policy"
  chmod 755 "$policy"
  trap 'rm -f "$policy"' EXIT
fi

export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends "${packages[@]}"
