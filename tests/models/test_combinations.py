"""Settings of a model that do not go together."""

import pytest

from nmt.config import ModelConfig
from nmt.errors import UserError
from nmt.models import build_model
from nmt.models.combinations import attends_with_new_state, check_model

LUONG = {
    "attention": "luong_general",
    "attention_layer": "top",
    "attention_query": "new",
    "deep_output": "tanh",
}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bidirectional": True}, "bidirectional=True: needs a model.attention"),
        ({"input_feeding": True}, "input_feeding=True: needs a model.attention"),
        ({"tied_embeddings": True}, "tied_embeddings=True: needs a model.attention"),
        ({"deep_output": "tanh"}, "deep_output='tanh': needs a model.attention"),
        ({"output_state": "previous"}, "output_state='previous': needs a model.att"),
        (
            LUONG | {"attention_layer": "bottom"},
            "attention_query='new': needs model.attention_layer='top'",
        ),
        (
            LUONG | {"deep_output": "maxout"},
            "attention_query='new': needs model.deep_output='tanh'",
        ),
        (
            LUONG | {"output_state": "previous"},
            "needs .*model.output_state='new'",
        ),
        (
            {"attention": "luong_dot", "bidirectional": True},
            "luong_dot.*twice as wide.*choose 'luong_general'",
        ),
        (
            {"attention": "bahdanau", "input_feeding": True},
            "input_feeding=True: needs .*model.attention_query='new'",
        ),
        (
            LUONG | {"attention": "last_state", "input_feeding": True},
            "input_feeding=True: needs a model.attention other than 'last_state'",
        ),
        (
            {"attention": "bahdanau", "tied_embeddings": True, "hidden_size": 8},
            "the softmax is 8 wide, the embeddings 256; make model.output_size",
        ),
        (
            LUONG | {"tied_embeddings": True, "output_size": 8},
            "the softmax is 8 wide, the embeddings 256",
        ),
        (
            {"attention": "bahdanau", "output_state": "previous"},
            "output_state='previous': needs model.deep_output",
        ),
        (
            {
                "attention": "bahdanau",
                "deep_output": "maxout",
                "output_state": "previous",
                "residual": True,
            },
            "output_state='previous': not with model.residual=True",
        ),
    ],
)
def test_what_means_nothing_is_refused(
    settings: dict[str, object], message: str
) -> None:
    config = ModelConfig(**settings)
    with pytest.raises(UserError, match=message):
        check_model(config)
    with pytest.raises(UserError, match=message):
        build_model(config, 9, 8)


@pytest.mark.parametrize(
    "settings",
    [
        # What the messages above ask for.
        {"attention": "bahdanau", "bidirectional": True},
        LUONG,
        LUONG | {"input_feeding": True},
        LUONG | {"tied_embeddings": True, "hidden_size": 8},
        {"attention": "luong_general", "bidirectional": True},
        {"attention": "bahdanau", "tied_embeddings": True},
        {"attention": "bahdanau", "deep_output": "maxout", "output_state": "previous"},
        # A single layer has no residual connection.
        {
            "attention": "last_state",
            "deep_output": "maxout",
            "output_state": "previous",
            "residual": True,
            "num_layers": 1,
        },
    ],
)
def test_what_the_messages_ask_for_passes(settings: dict[str, object]) -> None:
    check_model(ModelConfig(**settings))


def test_new_state_attends_only_where_there_is_attention() -> None:
    assert attends_with_new_state(ModelConfig(**LUONG))
    for attention in ("none", "last_state"):
        config = ModelConfig(attention=attention, attention_query="new")
        assert not attends_with_new_state(config)
