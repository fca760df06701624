#!/bin/sh
# Makes all files of a release in target/dist: the Debian package, a tar for other systems, the list of parts (SBOM), checksums, and
# with SIGN=KEY a signature; `deploy/dist.sh apt FOLDER` makes the folder of an apt repository of the packages in it.
# Needs cargo-deb and cargo-cyclonedx (cargo install), dpkg-dev, and for `apt` apt-utils. docs/releasing.md says when and how.
set -eu
cd "$(dirname "$0")/.."

sign() {
    [ -n "${SIGN:-}" ] || { echo "not signed: SIGN=KEY names the key" >&2; return 0; }
    gpg --batch --yes --local-user "$SIGN" "$@"
}

if [ "${1:-}" = apt ]; then
    cd "$2"
    apt-ftparchive packages . >Packages
    gzip --keep --force --no-name Packages
    apt-ftparchive -o APT::FTPArchive::Release::Origin=pbmserv -o APT::FTPArchive::Release::Suite=stable release . >Release.new
    mv Release.new Release
    sign --clearsign --output InRelease Release
    exit
fi

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
# The same sources give the same bytes, wherever and whenever they are built.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
sysroot=$(rustc --print sysroot)
RUSTFLAGS="--remap-path-prefix=$PWD=pbmserv --remap-path-prefix=$cargo_home=cargo --remap-path-prefix=$sysroot=rust"
CFLAGS="-ffile-prefix-map=$PWD=pbmserv -ffile-prefix-map=$cargo_home=cargo"
export SOURCE_DATE_EPOCH RUSTFLAGS CFLAGS CARGO_INCREMENTAL=0
target=${CARGO_TARGET_DIR:-target}

cargo build --locked --profile dist
out=target/dist-files
rm -rf "$out"
mkdir -p "$out"
program=$target/dist/pbmserv
arch=$(uname -m)

# The package takes the program where a release build puts it.
mkdir -p target/packed/release
cp -p "$program" target/packed/release/pbmserv
make --no-print-directory pack BUILT=target/packed
mv target/debian/*.deb "$out"

# For systems without dpkg. The program needs glibc and libgcc_s alone.
name=pbmserv-$version-$arch-linux
tree=target/dist-tree/$name
rm -rf target/dist-tree
mkdir -p "$tree/man" "$tree/completions"
cp "$program" README.md CHANGELOG.md LICENSE LICENSE-APACHE LICENSE-MIT "$tree"
cp target/deb/man/*.1 "$tree/man"
cp target/deb/pbmserv.bash target/deb/_pbmserv target/deb/pbmserv.fish "$tree/completions"
mkdir "$tree/deploy"
cp deploy/*.md deploy/*.toml deploy/*.service deploy/*.timer deploy/*.conf deploy/alerts.yml deploy/grafana.json "$tree/deploy"
tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=go=rX \
    -C target/dist-tree -c "$name" | gzip --no-name -9 >"$out/$name.tar.gz"

cargo cyclonedx --format json --spec-version 1.5 --override-filename pbmserv.cdx >/dev/null
mv pbmserv.cdx.json "$out/pbmserv-$version.cdx.json"
find crates tests -name pbmserv.cdx.json -delete

(cd "$out" && sha256sum -- * >SHA256SUMS)
sign --armor --detach-sign "$out/SHA256SUMS"
ls -l "$out"
