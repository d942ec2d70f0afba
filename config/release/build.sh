#!/usr/bin/env bash
# Builds what a release has for this system, in target/release-files: the program in an archive, and the Python wheel
# with the program. Needs Rust, a C compiler, and Python 3.9 or later with pip.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
host=$(rustc -vV | sed -n 's/^host: //p')
files=target/release-files
name=gleaner-$version-$host

rm -rf "$files" crates/python/data
mkdir -p "$files/$name" crates/python/data/scripts
cargo build --release --locked --package gleaner
cp "target/release/gleaner" "$files/$name/"
cp "target/release/gleaner" crates/python/data/scripts/
cp -r README.md LICENSE CHANGELOG.md docs config seeds "$files/$name/"
tar -C "$files" -czf "$files/$name.tar.gz" "$name"
rm -rf "${files:?}/$name"

python3 -m venv target/release-tools
tools=target/release-tools/bin
"$tools/python" -m pip install --quiet "maturin>=1.9,<2"
"$tools/maturin" build --release --locked --manifest-path crates/python/Cargo.toml --out "$files"

# The wheel brings the command: check it in an environment of its own.
python3 -m venv --clear target/release-check
check=target/release-check/bin
"$check/python" -m pip install --quiet "$files"/*.whl
"$check/gleaner" --version
"$check/python" -c 'import gleaner; assert gleaner.extract("<p>" + "A paragraph of a text. " * 40) is not None'
ls -l "$files"
