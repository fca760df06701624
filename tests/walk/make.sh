#!/bin/sh
# make.sh FOLDER SUITE ARCHIVE: a clean system, as a rented machine has one, and with it the packages that the walk installs
# later, when there is no network. Run it in new namespaces, so that its mounts end with it.
set -eu
root=$1
suite=$2
mount -t tmpfs -o mode=755 tmpfs "$root"
export DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8
debootstrap --variant=minbase --include=systemd-sysv "$suite" "$root"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# It need not survive a power cut.
echo force-unsafe-io > "$root/etc/dpkg/dpkg.cfg.d/walk"
chroot "$root" apt-get update
chroot "$root" apt-get clean
chroot "$root" apt-get install --yes --download-only --no-install-recommends postfix ca-certificates
# The machine's own name and names, which it has got from here, are not its.
: > "$root/etc/resolv.conf"
: > "$root/etc/machine-id"
echo vps.example.org > "$root/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 vps.example.org vps\n::1 localhost\n' > "$root/etc/hosts"
tar --numeric-owner -C "$root" -cf "$3" .
