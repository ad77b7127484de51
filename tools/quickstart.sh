#!/usr/bin/env bash
# From a fresh checkout to a trained and scored model on real data, on two CPU cores in
# under 15 minutes.
#   tools/quickstart.sh            English to French on Multi30k; where that cannot be
#                                  had, spelling to pronunciation on CMUdict
#   tools/quickstart.sh multi30k   the first, or an error
#   tools/quickstart.sh cmudict    the second
# Environment:
#   NMT_HOME   where data and trained models go (default: ~/.cache/nmt)
#   NMT_DATA   a folder that may hold the data already
#   PYTHON     the interpreter to build .venv with
set -u
source "$(dirname "$0")/environment.sh"

task=${1:-}
case "$#$task" in
0 | 1multi30k | 1cmudict) ;;
*) fail "unknown arguments: $*; usage: tools/quickstart.sh [multi30k|cmudict]" ;;
esac


wanted=${NMT_HOME:-${HOME:?}/.cache/nmt}
home=$(mkdir -p "$wanted" 2>/dev/null && cd "$wanted" && pwd) ||
    fail "cannot use the folder $wanted; name another: NMT_HOME=FOLDER $0"
data=$home/data
if [ -n "${NMT_DATA:-}" ]; then
    wanted=$NMT_DATA
    NMT_DATA=$(cd "$wanted" 2>/dev/null && pwd) || fail "NMT_DATA: no folder $wanted"
fi

# Prints the command as one would type it, then runs it.
run() {
    echo "\$ $*"
    "$@"
}

# Sets `task` to what there is data for.
get_data() {
    local reason
    echo "Getting the data into $data."
    if [ "$task" != cmudict ]; then
        if reason=$("$python" tools/fetch_multi30k.py "$data/multi30k" 2>&1 >&3); then
            task=multi30k
            return
        fi
        [ "$task" = multi30k ] && fail "$reason"
        echo "Falling back to spelling-to-pronunciation on CMUdict: $reason."
    fi
    task=cmudict
    reason=$("$python" tools/prepare_cmudict.py "$data/cmudict" 2>&1 >&3) ||
        fail "$reason"
} 3>&1

# Control-C ends this script too, once the program that it reached has ended.
trap 'exit 130' INT

prepare_environment ""
cd "$root" || exit 1
get_data

run_dir=$home/runs/quickstart_$task
config=configs/quickstart_$task.py
case $task in
multi30k)
    source=$data/multi30k/test_2016_flickr.en.gz
    reference=$data/multi30k/test_2016_flickr.fr.gz
    metric=bleu,chrf
    ;;
cmudict)
    source=$data/cmudict/test.words
    reference=$data/cmudict/test.phones
    metric=word_error_rate,phone_error_rate
    ;;
esac
export NMT_DATA=$data
PATH=$root/.venv/bin:$PATH

if [ "$run_dir/test.output" -nt "$config" ]; then
    echo "An earlier run has trained and decoded; remove $run_dir to start afresh."
else
    echo "Training (about 8 minutes; Ctrl-C saves, the same command goes on)."
    run nmt-train --config="$config" --run_dir="$run_dir" || exit 1
    echo "Decoding the test set."
    run nmt-decode --run_dir="$run_dir" --input="$source" \
        --output="$run_dir/test.output" || exit 1
fi
echo "Scoring the output."
run nmt-evaluate --hypotheses="$run_dir/test.output" --reference="$reference" \
    --source="$source" --metric="$metric" --output="$run_dir/test.score" || exit 1
cat "$run_dir/test.score"
echo
"$python" tools/quickstart_report.py "$task" "$run_dir" "$source" "$reference"
