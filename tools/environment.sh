# Sourced by the other scripts: makes or reuses .venv with this checkout installed.
#   PYTHON   the interpreter to build it with (default: the first of 3.10 to 3.13 found)

fail() {
    echo "error: $*" >&2
    exit 1
}

# Prints the first interpreter that can build the environment.
find_python() {
    local candidate
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.10}; do
        if "$candidate" -c 'import ensurepip, sys, venv
sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    fail "${PYTHON:-python3} is no Python 3.10 to 3.13 with the venv module;" \
        "install one and name it: PYTHON=/path/to/python3 $0"
}

# Installs the checkout with the extras named in $1 ("" or "[dev]"), unless a run with
# the same requirements has done so already. Leaves $root and $python behind.
prepare_environment() {
    local extras=$1 wanted
    root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
    python=$root/.venv/bin/python
    # A virtual environment holds absolute paths: one that was moved is made anew.
    if [ "$(cat "$root/.venv/made-in" 2>/dev/null)" != "$root" ] ||
        ! "$python" -c '' 2>/dev/null; then
        local base
        base=$(find_python) || exit 1
        echo "Making .venv with $("$base" --version)."
        "$base" -m venv --clear "$root/.venv" || fail "could not make $root/.venv"
        echo "$root" >"$root/.venv/made-in"
    fi
    wanted=$(cat "$root/setup.cfg" "$root/pyproject.toml" | cksum)
    if [ "$(cat "$root/.venv/installed$extras" 2>/dev/null)" != "$wanted" ]; then
        echo "Installing nmt$extras and what it needs into .venv (a few minutes)."
        "$python" -m pip install --disable-pip-version-check \
            --editable "$root$extras" >"$root/.venv/pip.log" 2>&1 ||
            fail "pip could not install nmt$extras:" \
                "$(grep ERROR "$root/.venv/pip.log" | tail -n 1 | cut -c 1-200);" \
                "its whole output is in .venv/pip.log"
        echo "$wanted" >"$root/.venv/installed$extras"
        # What the extras need includes what the bare package needs.
        echo "$wanted" >"$root/.venv/installed"
    fi
}
