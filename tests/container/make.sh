#!/bin/sh
# make.sh FOLDER SUITE ARCHIVE: a small Debian, in the place of the base image of a registry. Run it in a new mount namespace.
set -eu
root=$1
mount -t tmpfs -o mode=755 tmpfs "$root"
export DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8
debootstrap --variant=minbase "$2" "$root"
chroot "$root" apt-get clean
rm -rf "$root"/var/lib/apt/lists/*
# As in the base image: apt leaves no cache in a layer.
echo 'Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache ""; Binary::apt::APT::Keep-Downloaded-Packages "false";' > "$root/etc/apt/apt.conf.d/container"
: > "$root/etc/resolv.conf"
tar --numeric-owner -C "$root" -cf "$3" .
umount "$root"
