#!/usr/bin/env bash
# Proves that README.md tells a newcomer everything: makes a bare Debian in a folder, with nothing but what README.md
# says to install, and runs its commands there as an ordinary user, on the commit that is checked out.
#
#   setup/bare_debian.sh [--make "demo quick"] [--mirror URL] [--folder FOLDER] [--jobs N] [SUITE…]
#
#   SUITE…     releases of Debian, by default: bookworm trixie sid
#   --make     targets of the Makefile, one after another, by default: demo test
#   --mirror   where Debian's packages are, by default that of this machine's apt
#   --folder   where the systems are made, by default a temporary folder; a system that is there already is used again
#   --jobs     processes of the tests, by default those of the Makefile
#
# It needs root, debootstrap and unshare (Debian and Ubuntu: apt install debootstrap util-linux). The systems see the
# network and the variables of this machine, and trust the certificates that its administrator trusts. The output of each
# command is in FOLDER/SUITE.log. The exit status is 1 if a command failed.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
targets='demo test' mirror='' folder='' jobs='' suites=()

fail() { echo "bare_debian.sh: $1" >&2; exit 2; }

while [ $# -gt 0 ]; do
    case $1 in
        --make | --mirror | --folder | --jobs)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $1 in
                --make) targets=$2 ;;
                --mirror) mirror=$2 ;;
                --folder) folder=$2 ;;
                --jobs) jobs=$2 ;;
            esac
            shift 2
            ;;
        --help) sed -n '2,/^set -/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
        -*) fail "there is no option $1" ;;
        *) suites+=("$1"); shift ;;
    esac
done
[ ${#suites[@]} -gt 0 ] || suites=(bookworm trixie sid)
for tool in debootstrap unshare; do command -v $tool >/dev/null || fail "$tool is missing"; done
[ "$(id -u)" = 0 ] || fail "only root can make a system in a folder"
# shellcheck disable=SC2016 # apt reads the dollar
mirror=${mirror:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | head -n 1)}
[ -n "$mirror" ] || fail "apt of this machine names no mirror: give one with --mirror"
folder=${folder:-$(mktemp -d)}
mkdir -p "$folder"

# The packages stand in README.md only, in the line that begins with `sudo apt install`.
packages=$(sed -n 's/^sudo apt install \([a-z0-9 -]*\).*/\1/p' "$checkout/README.md" | head -n 1)
[ -n "$packages" ] || fail "README.md has no line that begins with 'sudo apt install'"

make_system() {
    local system=$1 suite=$2
    if [ ! -e "$system/ready" ]; then
        rm -rf "$system"
        debootstrap --variant=minbase "$suite" "$system" "$mirror"
        # Where the network has an authority of its own, nothing can be downloaded without it.
        if [ -n "$(ls /usr/local/share/ca-certificates 2>/dev/null)" ]; then
            inside "$system" apt-get install --yes --quiet --no-install-recommends ca-certificates
            cp -r /usr/local/share/ca-certificates/. "$system/usr/local/share/ca-certificates/"
            inside "$system" update-ca-certificates
        fi
        # shellcheck disable=SC2086 # each package is a word
        inside "$system" apt-get install --yes --quiet $packages
        inside "$system" useradd --create-home --shell /bin/bash newcomer
        touch "$system/ready"
    fi
    rm -rf "$system/home/newcomer/dialer"
    git clone --quiet "file://$checkout" "$system/home/newcomer/dialer"
    inside "$system" chown -R newcomer: /home/newcomer/dialer
}

# What is mounted for a command is gone when it ends, and so are its processes, however it ends.
inside() {
    local system=$1
    shift
    # shellcheck disable=SC2016 # the inner shell expands it
    DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        unshare --mount --pid --fork --kill-child bash -euc '
            mount -t proc proc "$1/proc"
            mount -t tmpfs tmpfs "$1/dev/shm"
            mount -t devpts devpts "$1/dev/pts"
            exec chroot "$@"
        ' inside "$system" "$@" </dev/null
}

as_newcomer() {
    local system=$1 command=$2
    inside "$system" setpriv --reuid newcomer --regid newcomer --init-groups \
        env HOME=/home/newcomer USER=newcomer bash -c "cd ~/dialer && $command"
}

exit_status=0
for suite in "${suites[@]}"; do
    system=$folder/$suite log=$folder/$suite.log
    echo "$suite: making the system in $system" | tee "$log"
    if ! make_system "$system" "$suite" >>"$log" 2>&1; then
        echo "$suite: FAILED to make the system: see $log"
        exit_status=1
        continue
    fi
    python=$(as_newcomer "$system" 'python3 --version')
    echo "$suite: Debian $(cat "$system/etc/debian_version"), $python, commit $(git -C "$checkout" rev-parse --short HEAD)" | tee -a "$log"
    for target in $targets; do
        began=$SECONDS
        result=passed
        arguments=${jobs:+PYTEST_ARGS="'-n $jobs --dist worksteal'"}
        as_newcomer "$system" "make $target $arguments" >>"$log" 2>&1 || { result=FAILED exit_status=1; }
        echo "$suite: make $target $result after $((SECONDS - began)) seconds" | tee -a "$log"
    done
done
echo "The output is in $folder"
exit $exit_status
