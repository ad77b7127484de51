"""Finished scores survive any end of the program."""

import pathlib

import numpy as np
import pytest

from nmt.decoding import ListScores
from nmt.errors import UserError
from nmt.rescoring.journal import Journal, ScoredList, digest

ABOUT = {"models": "abc", "weights": [1.0]}
SCORED = [
    ScoredList(0, ((-1.25, 0.1), (-3.0, -0.000001)), (0, 2), 3, 4),
    ScoredList(5, ((-7.0,), (-1e-6,)), (0,), 1, 1),
    ScoredList(6, ((-8.0,), (-2.5,)), (1,), 2, 2),
]


def write(path: pathlib.Path) -> None:
    with Journal(path, ABOUT) as journal:
        for scored in SCORED:
            journal.append(scored)


def test_what_is_written_is_read_back_equal(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "scores"
    write(path)
    with Journal(path, ABOUT) as journal:
        assert journal.done == 3
        assert list(journal.read()) == SCORED
        journal.remove()
    assert not path.exists()


def test_any_torn_end_is_cut_off_and_gone_on_from(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "scores"
    write(path)
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for length in range(len(whole) + 1):
        path.write_bytes(whole[:length])
        done = max(whole[:length].count(b"\n") - 1, 0)
        with Journal(path, ABOUT) as journal:
            assert journal.done == done
            assert path.read_bytes() == b"".join(lines[: done + 1])
            for scored in SCORED[done:]:
                journal.append(scored)
            assert list(journal.read()) == SCORED
        assert path.read_bytes() == whole


def test_damage_in_the_middle_ends_what_is_kept(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "scores"
    write(path)
    header, first, _, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + first + b'{"id": 5}\n' + last)
    with Journal(path, ABOUT) as journal:
        assert journal.done == 1
        assert list(journal.read()) == SCORED[:1]


def test_journal_of_another_rescoring_is_begun_anew(
    tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "scores"
    write(path)
    with Journal(path, {**ABOUT, "models": "abd"}) as journal:
        assert journal.done == 0
        assert list(journal.read()) == []
        journal.append(SCORED[0])
    assert "scores is of another rescoring" in caplog.text


def test_journal_without_lists_leaves_no_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "scores"
    with Journal(path, ABOUT):
        assert path.exists()
    assert not path.exists()
    with pytest.raises(UserError, match="nowhere/scores: cannot be written"):
        Journal(tmp_path / "nowhere" / "scores", ABOUT)


def test_only_one_process_writes(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "scores"
    with Journal(path, ABOUT) as journal:
        journal.append(SCORED[0])
        with pytest.raises(UserError, match="another nmt-rescore is writing"):
            Journal(path, ABOUT)
        journal.append(SCORED[1])
    with Journal(path, ABOUT) as journal:
        assert journal.done == 2


def test_scores_are_rounded_once() -> None:
    log_probs = np.array([[-1.23456789, -2e-9], [-3.0, -4.5]])
    scores = ListScores(log_probs, np.array([0, 1]), 7, 9)
    scored = ScoredList.of(4, scores)
    assert scored == ScoredList(4, ((-1.234568, -3.0), (0.0, -4.5)), (0, 1), 7, 9)
    assert str(scored.log_probs[1][0]) == "0.0"


def test_digest_depends_on_contents_and_order(tmp_path: pathlib.Path) -> None:
    paths = [tmp_path / name for name in "abc"]
    for path, content in zip(paths, ["xy", "z", "xyz"], strict=True):
        path.write_text(content)
    a, b, c = paths
    assert digest(a, b) == digest(a, b)
    assert len({digest(a, b), digest(b, a), digest(c), digest(a)}) == 4


@pytest.mark.parametrize("content", ["precious", "3\n", "[]\n", '{"a": 1}\n'])
def test_files_of_others_are_left_alone(tmp_path: pathlib.Path, content: str) -> None:
    path = tmp_path / "journal"
    path.write_text(content)
    with pytest.raises(UserError, match="journal: is no file of scores; move it"):
        Journal(path, {"models": "a"})
    assert path.read_text() == content
