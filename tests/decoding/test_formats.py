"""What stands in the output."""

from nmt.decoding.formats import moses_lines, text_line
from nmt.decoding.translation import BLANK, Hypothesis, Translation

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
