# What the tests of the packages share. Sourced, not run.
#
# tools/test-packages sets $packages, the folder with the packages, and $base, the Debian to copy; fresh-root sets
# $debian, the copy, and $work, a folder for everything else.
# shellcheck shell=bash disable=SC2154

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/kaisatsu

fail() { # the sentence that says what is wrong
    echo "test-packages: $*" >&2
    exit 1
}

say() {
    printf 'test-packages: %-10s %s\n' "$1" "$2"
}

# Installs the Debian packages of the programs that are missing.
need() { # program:package...
    local missing=() pair
    for pair in "$@"; do
        command -v "${pair%%:*}" >/dev/null || missing+=("${pair#*:}")
    done
    "$root/tools/install-packages" test-packages ${missing[@]+"${missing[@]}"}
}

# Seconds since a moment that $EPOCHREALTIME gave.
since() {
    awk -v from="$1" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f", to - from }'
}

# Waits until the command succeeds, at most 30 seconds.
until_true() { # sentence, log to show if it does not, command...
    local sentence=$1 log=$2 end=$((SECONDS + 30))
    shift 2
    while [ "$SECONDS" -lt "$end" ]; do
        ! "$@" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    tail -n 20 "$log" >&2
    fail "$sentence"
}

answer() { # address: prints the status
    curl --silent --max-time 5 --output /dev/null --write-out '%{http_code}' "$1"
}

is_alive() { # address of a server
    [ "$(answer "$1/healthz")" = 200 ]
}

# Stops a process that was started here and checks that it ends with success.
stops_cleanly() { # what, process id
    kill -TERM "$2"
    local code=0
    wait "$2" || code=$?
    [ "$code" = 0 ] || fail "$1 ended with $code after SIGTERM"
}

# Prints the address that the server's message at start names, once it is there.
started_address() { # file with the standard output
    until_true "the server printed no address" "$1" grep -q '^  address ' "$1"
    awk '$1 == "address" { print $2; exit }' "$1"
}
