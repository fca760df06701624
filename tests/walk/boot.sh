#!/bin/sh
# boot.sh FOLDER: becomes the first process of the system in the folder. Run it in new namespaces: its mounts are private, and
# end with this process.
set -eu
cd "$1"
mount --bind . .
cd "$1"
mount -t proc -o nosuid,nodev,noexec proc proc
# Kernel settings belong to the machine, so they are read-only here.
mount --bind proc/sys proc/sys
mount -o remount,bind,ro proc/sys
mount -t sysfs -o ro,nosuid,nodev,noexec sysfs sys
mount -t cgroup2 -o nosuid,nodev,noexec cgroup2 sys/fs/cgroup
mount -t tmpfs -o nosuid,mode=755 tmpfs dev
for device in null zero full random urandom tty; do
    : > "dev/$device"
    mount --bind "/dev/$device" "dev/$device"
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620,gid=5 devpts dev/pts
mount -t tmpfs -o nosuid,nodev,mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o nosuid,nodev,mode=755 tmpfs run
mkdir -p mnt/machine
pivot_root . mnt/machine
cd /
umount -l /mnt/machine
# No access to the machine's clock, modules, devices and log.
exec setpriv --bounding-set -sys_time,-sys_module,-sys_rawio,-syslog \
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin container=walk /lib/systemd/systemd
