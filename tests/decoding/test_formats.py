"""What stands in the output."""

import json

import numpy as np

from nmt.decoding.formats import (
    ALIGNMENT_FORMATS,
    FORMATS,
    json_line,
    matrix_object,
    moses_lines,
    pharaoh_line,
    text_line,
)
from nmt.decoding.translation import BLANK, BLANK_ALIGNED, Hypothesis, Translation

TRANSLATION = Translation(
    ("ein", "Hund"),
    (
        Hypothesis("a ||| dog", ("a", "|||", "dog"), -1.25, True, -0.5),
        Hypothesis("", (), -3.5, True, -3.5),
    ),
    source_tokens=2,
)


def test_text_is_the_best_hypothesis() -> None:
    assert text_line(7, TRANSLATION) == "a ||| dog\n"
    assert text_line(8, BLANK) == "\n"


def test_moses_list_can_be_cut_from_both_ends() -> None:
    assert moses_lines(7, TRANSLATION) == (
        "7 ||| a ||| dog ||| log_prob= -1.250000 ||| -0.500000\n"
        "7 |||  ||| log_prob= -3.500000 ||| -3.500000\n"
    )
    first = moses_lines(7, TRANSLATION).split("\n")[0]
    number, rest = first.split(" ||| ", 1)
    text, features, score = rest.rsplit(" ||| ", 2)
    assert (number, text, features, score) == (
        "7",
        "a ||| dog",
        "log_prob= -1.250000",
        "-0.500000",
    )


def test_blank_line_has_a_list_of_its_own() -> None:
    assert moses_lines(0, BLANK) == "0 |||  ||| log_prob= 0.000000 ||| 0.000000\n"


ALIGNED = Translation(
    ("\u2581ein", "\u2581Hun", "d"),
    (
        Hypothesis(
            "a dog",
            ("\u2581a", "\u2581dog"),
            -1.23456789,
            finished=True,
            score=-0.5,
            alignment=np.array(
                [[0.9, 0.05, 0.0, 0.05], [0.4, 0.3, 0.3, 0.0], [0, 0, 0, 1]], np.float32
            ),
        ),
        Hypothesis(
            "\u2028 \t",
            ("\u2028 \t",),
            -3.5,
            finished=False,
            score=-3.5,
            alignment=np.array([[0.1, 0.2, 0.6, 0.1]], np.float32),
        ),
    ),
    source_tokens=4,
)


def test_json_line_has_all_that_is_known() -> None:
    line = json_line(7, ALIGNED)
    assert line.endswith("}\n")
    assert line.count("\n") == 1
    content = json.loads(line)
    best, other = content.pop("n_best")
    assert content == {"id": 7, "source_tokens": ["\u2581ein", "\u2581Hun", "d"]}
    assert best == {
        "text": "a dog",
        "tokens": ["\u2581a", "\u2581dog"],
        "log_prob": -1.234568,
        "hypothesis_score": -0.5,
        "finished": True,
        "alignment": [
            [0.9, 0.05, 0.0, 0.05],
            [0.4, 0.3, 0.3, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ],
    }
    assert (other["text"], other["finished"]) == ("\u2028 \t", False)


def test_blank_line_has_an_alignment_without_rows() -> None:
    blank = BLANK_ALIGNED.n_best[0]
    assert json.loads(json_line(0, BLANK_ALIGNED))["n_best"][0]["alignment"] == []
    assert pharaoh_line(BLANK_ALIGNED, blank) == "\n"
    assert json.loads(matrix_object(BLANK_ALIGNED, blank)) == {
        "source_tokens": [],
        "target_tokens": [],
        "alignment": [],
    }


def test_json_line_without_attention_and_of_a_blank_line() -> None:
    (first, second) = json.loads(json_line(7, TRANSLATION))["n_best"]
    assert "alignment" not in first
    assert second["tokens"] == []
    assert json.loads(json_line(0, BLANK)) == {
        "id": 0,
        "source_tokens": [],
        "n_best": [
            {
                "text": "",
                "tokens": [],
                "log_prob": 0.0,
                "hypothesis_score": 0.0,
                "finished": True,
            }
        ],
    }


def test_pharaoh_has_words_and_no_ends() -> None:
    # "Hund", two pieces, has more than "ein"; the end is looked at by the end alone.
    assert pharaoh_line(ALIGNED, ALIGNED.n_best[0]) == "0-0 1-1\n"
    assert pharaoh_line(ALIGNED, ALIGNED.n_best[1]) == "1-0\n"
    assert pharaoh_line(BLANK, BLANK.n_best[0]) == "\n"


def test_matrix_has_tokens_and_their_ends() -> None:
    best, cut = (json.loads(matrix_object(ALIGNED, each)) for each in ALIGNED.n_best)
    assert best["source_tokens"] == ["\u2581ein", "\u2581Hun", "d", "</s>"]
    assert best["target_tokens"] == ["\u2581a", "\u2581dog", "</s>"]
    assert best["alignment"][1] == [0.4, 0.3, 0.3, 0.0]
    # What is not finished has no end.
    assert cut["target_tokens"] == ["\u2028 \t"]
    assert len(cut["alignment"]) == 1
    assert json.loads(matrix_object(BLANK, BLANK.n_best[0])) == {
        "source_tokens": [],
        "target_tokens": [],
        "alignment": [],
    }


def test_every_format_has_a_name() -> None:
    assert {"text": text_line, "moses": moses_lines, "jsonl": json_line} == FORMATS
    assert {"pharaoh": pharaoh_line, "matrix": matrix_object} == ALIGNMENT_FORMATS
