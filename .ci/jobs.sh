# Jobs of continuous integration that run beside each other: source this file, start jobs with `beside`, and end with
# `report`. Where one of them failed, the output of every job is printed.
declare -A jobs logs
followed=
undo=(:)
trap 'for action in "${undo[@]}"; do $action || true; done' EXIT

# beside NAME COMMAND...: start a command in the background.
beside() {
    local name=$1
    shift
    logs[$name]=$(mktemp)
    # A job in the background ignores SIGINT, and so would the programs that its tests interrupt.
    env --default-signal=INT "$@" >"${logs[$name]}" 2>&1 &
    jobs[$name]=$!
    undo+=("pkill --parent $!" "rm -f ${logs[$name]}")
}

# follow NAME: print what a job prints, until it ends.
follow() {
    followed=$1
    tail --lines=+1 --follow --pid="${jobs[$1]}" "${logs[$1]}"
}

# report NAME...: wait for these jobs, and print their last lines; where a job failed, all lines of every job, but of the
# one that was followed, and at the very end the tests that failed. The status is 1 then.
report() {
    local name lines=60 failed=()
    for name in "$@"; do
        wait "${jobs[$name]}" || failed+=("$name")
    done
    [ ${#failed[@]} = 0 ] || lines=+1
    for name in "$@"; do
        echo "=== $name"
        if [ "$name" = "$followed" ]; then echo "(above)"; else tail --lines="$lines" "${logs[$name]}"; fi
    done
    [ ${#failed[@]} = 0 ] && return
    echo "=== failed: ${failed[*]}"
    # A record that keeps only the end of a long output still names every one of them.
    for name in "${failed[@]}"; do grep --extended-regexp '^(FAILED|ERROR) tests/' "${logs[$name]}" | cut --characters=-200 || true; done
    return 1
}
