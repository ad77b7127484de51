#!/usr/bin/env bash
# Runs every check: style, types, import floors, examples in docstrings, tests.
#   tools/test.sh          all but the slow tests; under 20 minutes on 2 cores
#   tools/test.sh --slow   the slow tests alone
# Makes .venv at the first run and reuses it afterwards.
set -u
source "$(dirname "$0")/environment.sh"

case "$*" in
"" | --slow) ;;
*) fail "unknown arguments: $*; usage: tools/test.sh [--slow]" ;;
esac

prepare_environment "[dev]"
cd "$root" || exit 1
PATH=$root/.venv/bin:$PATH
# Two test processes share two cores; TensorFlow's start-up notes are noise here.
export OMP_NUM_THREADS=1 TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1
export TF_CPP_MIN_LOG_LEVEL=${TF_CPP_MIN_LOG_LEVEL:-2}

failed=()
check() {
    local name=$1 start=$SECONDS
    shift
    echo "== $name: $*"
    if "$@"; then
        echo "== $name: ok, $((SECONDS - start)) s"
    else
        echo "== $name: FAILED, $((SECONDS - start)) s"
        failed+=("$name")
    fi
}

if [ "$*" = --slow ]; then
    check "slow tests" pytest -q -n 2 -m "slow and not gpu" tests
else
    check lint ruff check .
    check format ruff format --check .
    check types mypy
    check floors lint-imports --no-logo
    check doctests pytest -q --doctest-modules nmt
    check tests pytest -q -n 2 -m "not slow and not gpu" tests
fi

if [ ${#failed[@]} -gt 0 ]; then
    echo "FAILED: ${failed[*]} (after $SECONDS s)"
    exit 1
fi
echo "All checks passed in $SECONDS s."
