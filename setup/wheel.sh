#!/bin/sh
# Builds the wheel of this checkout, and the versions of the locked libraries as constraints: `make wheel`.
#
#   sh setup/wheel.sh [FOLDER]    writes into FOLDER, or into dist/, whose older wheels of dialer are removed
#
# The version of the wheel ends with the number and the name of the commit, as 0.1.0+4321.g1ef23857. So a newer checkout
# makes a newer version, and an installer does not take it for the one that is there. Without git or without a history the
# version is the plain one.
set -eu
folder=${1:-dist}
uv=$PWD/.venv/bin/uv

fail() { echo "make: $1" >&2; exit 1; }

[ -x "$uv" ] || fail "$uv is missing: run make setup"
local=''
if [ -e .git ] && count=$(git rev-list --count HEAD 2>/dev/null) && commit=$(git rev-parse --short=8 HEAD 2>/dev/null); then
    local="+$count.g$commit"
    git diff --quiet HEAD -- src pyproject.toml || echo "make: the wheel has changes that are not committed: its version does not show them" >&2
fi

sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
cp -R pyproject.toml README.md LICENSE src "$sources"
if [ -d docs ]; then
    mkdir -p "$sources/src/dialer/help"
    cp docs/*.md "$sources/src/dialer/help"
fi
sed "s/^version = \"\\([^+\"]*\\)\"/version = \"\\1$local\"/" pyproject.toml > "$sources/pyproject.toml"
mkdir -p "$folder"
rm -f "$folder"/dialer-*.whl
"$uv" build --quiet --wheel --out-dir "$folder" "$sources"
"$uv" export --quiet --frozen --no-dev --all-extras --no-emit-project --no-hashes --output-file "$folder/constraints.txt"
ls "$folder"/dialer-*.whl "$folder/constraints.txt"
