"""How translations are written: what stands in the output for each input line."""

from collections.abc import Callable

from nmt.decoding.translation import Translation


def text_line(number: int, translation: Translation) -> str:
    """Returns the best hypothesis as one line.

    Args:
        number: Of the input line, from 0; not shown.
        translation: Of that line.
    """
    return f"{translation.text}\n"


def moses_lines(number: int, translation: Translation) -> str:
    """Returns an n-best list as Moses writes it, a line a hypothesis, the best first.

        id ||| hypothesis ||| log_prob= x ||| s

    x is the log probability in nats, s the score that the list is sorted by: x itself
    without a length penalty. The hypothesis may contain ` ||| ` itself: the
    first field and the last two are safe to cut at.

    Args:
        number: Of the input line, from 0: the id.
        translation: Of that line.
    """
    return "".join(
        f"{number} ||| {hypothesis.text} ||| log_prob= {hypothesis.log_prob:.6f} ||| "
        f"{hypothesis.score:.6f}\n"
        for hypothesis in translation.n_best
    )


FORMATS: dict[str, Callable[[int, Translation], str]] = {
    "text": text_line,
    "moses": moses_lines,
}
