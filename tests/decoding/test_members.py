"""Models that make no ensemble are refused with the first difference."""

import dataclasses
import re
from typing import Any

import pytest

from nmt.data.codec import TextCodec
from nmt.data.tokenizers import CharacterTokenizer, WordTokenizer
from nmt.data.vocabulary import SPECIAL_TOKENS, Vocabulary
from nmt.decoding.members import check_members, normalized_weights
from nmt.errors import UserError
from nmt.models.run_folder import LoadedModel
from tests import tiny_models

NAMES = ["runs/a", "runs/b", "runs/c"]


@pytest.fixture(scope="module")
def member() -> LoadedModel:
    codec = codec_of("the dog barks")
    loaded = tiny_models.copy_model()
    return dataclasses.replace(loaded, source_codec=codec, target_codec=codec)


def codec_of(words: str, tokenizer: Any = None) -> TextCodec:
    vocabulary = Vocabulary([*SPECIAL_TOKENS, *words.split()])
    return TextCodec(tokenizer or WordTokenizer(), vocabulary)


class OtherRules(TextCodec):
    """As sentencepiece models with equal pieces and other scores would be."""

    def digest(self) -> str:
        return "0123"


def test_equal_content_is_enough(member: LoadedModel) -> None:
    equal = codec_of("the dog barks")
    other = dataclasses.replace(member, source_codec=equal, target_codec=equal)
    check_members([member, other, member], NAMES)
    check_members([member], NAMES[:1])


@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize(
    ("codec", "difference"),
    [
        (
            codec_of("the cat barks"),
            "vocabularies differ first in row 6: 'dog' and 'cat'",
        ),
        (
            codec_of("the dog barks loudly"),
            "vocabularies differ first in row 8: missing and 'loudly'",
        ),
        (
            codec_of("the dog"),
            "vocabularies differ first in row 7: 'barks' and missing",
        ),
        (
            codec_of("the dog barks", CharacterTokenizer()),
            "tokenizers are 'words' and 'characters'",
        ),
        (
            OtherRules(WordTokenizer(), codec_of("the dog barks").vocabulary),
            f"tokenizer models have the digests {codec_of('the dog barks').digest()} "
            "and 0123",
        ),
    ],
)
def test_first_difference_is_named(
    member: LoadedModel, side: str, codec: TextCodec, difference: str
) -> None:
    other = dataclasses.replace(member, **{f"{side}_codec": codec})
    message = f"runs/a and runs/c make no ensemble: their {side} {difference}; "
    with pytest.raises(UserError, match=re.escape(message)):
        check_members([member, member, other], NAMES)


def test_weights_sum_to_one() -> None:
    assert normalized_weights(None, 4) == [0.25] * 4
    assert normalized_weights([1, 3, 4], 3) == [0.125, 0.375, 0.5]
    assert normalized_weights([1e308, 1e308], 2) == [0.5, 0.5]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], "got 1 for 2 models"),
        ([1.0, 0.0], "0.0 is not a positive number"),
        ([-1.0, 2.0], "-1.0 is not a positive number"),
        ([1.0, float("nan")], "nan is not a positive number"),
        ([1.0, float("inf")], "inf is not a positive number"),
    ],
)
def test_other_weights_are_refused(weights: list[float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        normalized_weights(weights, 2)
