#!/bin/sh
# Builds .venv with the locked dependencies, or brings it up to date: `make setup` runs this in the root of the checkout.
#
#   UV_VERSION        the uv that is installed into .venv
#   PYTHON            the interpreter to build it with, in place of those that are looked for
#   PYTHON_DOWNLOADS  `yes`: where none fits, uv downloads one into the folder of its own below the home folder
set -eu
venv=.venv stamp=.venv/.ready

fail() { echo "make: $1" >&2; exit 1; }

# The versions stand in pyproject.toml only.
bounds=$(sed -n 's/^requires-python = ">=3\.\([0-9]*\),<3\.\([0-9]*\)"$/\1 \2/p' pyproject.toml)
[ -n "$bounds" ] || fail "pyproject.toml has no requires-python of the form >=3.11,<3.15"
oldest=${bounds% *} newest=$((${bounds#* } - 1))
needed="Python 3.$oldest to 3.$newest"

candidates() {
    if [ -n "${PYTHON:-}" ]; then echo "$PYTHON"; return; fi
    minor=$newest
    while [ "$minor" -ge "$oldest" ]; do echo "python3.$minor"; minor=$((minor - 1)); done
    printf '%s\n' python3 python
}

version_of() { "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null; }
fits() { [ "${1%%.*}" = 3 ] && [ "${1#*.}" -ge "$oldest" ] && [ "${1#*.}" -le "$newest" ]; }
can_build() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

# Sets python to an interpreter that fits. Otherwise incomplete is one that fits and cannot build an environment, other
# is one that does not fit and can, and found is the version of the last one that does not fit.
find_python() {
    python='' incomplete='' other='' found=''
    # shellcheck disable=SC2046 # each candidate is a word
    for candidate in $(candidates); do
        version=$(version_of "$candidate") || continue
        if ! fits "$version"; then
            found=$version
            if [ "${version%%.*}" = 3 ] && can_build "$candidate"; then other=$candidate; fi
        elif can_build "$candidate"; then
            python=$candidate
            return
        else
            incomplete=${incomplete:-$candidate}
        fi
    done
}

way_out="install one of them, name it with PYTHON=/path/to/python3.$newest, or let uv download one: make setup PYTHON_DOWNLOADS=yes"

explain() {
    [ -z "$incomplete" ] || fail "$incomplete comes without ensurepip, which builds $venv: install it (Debian and Ubuntu: apt install python3-venv)"
    [ -n "$found" ] || fail "$needed is missing (tried: $(candidates | tr '\n' ' ' | sed 's/ $//')): $way_out"
    age=older
    if [ "${found%%.*}" = 3 ] && [ "${found#*.}" -gt "$newest" ]; then age=newer; fi
    fail "dialer runs on $needed, and ${PYTHON:-this machine} has Python $found, which is $age: $way_out"
}

# Any Python 3 can run uv, whose package is a program.
download_python() {
    echo "Downloading Python 3.$newest with uv, as PYTHON_DOWNLOADS=yes says"
    uv=uv
    if ! command -v uv >/dev/null; then
        [ -n "$other" ] || fail "to download a Python, uv or any Python 3 with venv is needed: install one of them"
        temporary=$(mktemp -d)
        trap 'rm -rf "$temporary"' EXIT
        "$other" -m venv "$temporary" || fail "$other cannot build an environment for uv"
        install_uv "$temporary"
        uv=$temporary/bin/uv
    fi
    UV_PYTHON_INSTALL_BIN=0 "$uv" python install "3.$newest" || fail "uv cannot download Python 3.$newest"
    python=$("$uv" python find --managed-python "3.$newest") || fail "uv does not find the Python that it downloaded"
}

install_uv() {
    "$1/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: "uv==$UV_VERSION" \
        || fail "uv $UV_VERSION cannot be installed from the Python package index"
}

is_whole() {
    [ "$(cat "$stamp" 2>/dev/null)" = "$PWD" ] \
        && [ "$("$venv/bin/uv" --version 2>/dev/null | cut -d ' ' -f 2)" = "$UV_VERSION" ]
}

command -v git >/dev/null || fail "git is missing: install it, then run make again"
if is_whole; then
    echo "Bringing $venv up to date"
else
    find_python
    if [ -z "$python" ]; then
        [ "${PYTHON_DOWNLOADS:-}" = yes ] || explain
        download_python
    fi
    echo "Building $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv" || fail "$python cannot build $venv"
    install_uv "$venv"
fi
# uv keeps itself and pip when it syncs, although they are not in the lock file, as long as the environment was
# made by the standard library's venv: which it always is, here. It compiles everything at once, in some seconds, as
# whoever may not write bytecode, or runs for the first time, would otherwise wait three times as long for each start.
rm -f "$stamp"
UV_PROJECT_ENVIRONMENT="$PWD/$venv" VIRTUAL_ENV="$PWD/$venv" UV_PYTHON="$PWD/$venv/bin/python" UV_PYTHON_DOWNLOADS=never \
    "$venv/bin/uv" sync --frozen --compile-bytecode --quiet || fail "the locked dependencies cannot be installed"
echo "$PWD" > "$stamp"
