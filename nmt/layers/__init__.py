"""Keras layers and losses of the papers: plain arguments, usable without the rest."""

from nmt.layers.attention_memory import AttentionMemory
from nmt.layers.attention_state import AttentionOutputs, AttentionState
from nmt.layers.attention_wrapper import AttentionWrapper
from nmt.layers.bahdanau_attention import BahdanauAttention
from nmt.layers.bidirectional_stack import (
    STACKS,
    BidirectionalStack,
    BidirectionalState,
)
from nmt.layers.cross_entropy import token_cross_entropy, token_losses
from nmt.layers.gru import GRU
from nmt.layers.gru_cell import GRUState, GRUWeights, gru_step
from nmt.layers.gru_kernel import gru_sequence
from nmt.layers.gru_stack import GRUStack
from nmt.layers.logit_shards import (
    Logits,
    join_shards,
    largest_logits,
    log_normalizer,
    log_softmax,
    logits_at,
    map_shards,
    vocabulary_size,
)
from nmt.layers.lstm import LSTM
from nmt.layers.lstm_cell import LSTMState, LSTMWeights, lstm_step
from nmt.layers.lstm_kernel import lstm_sequence
from nmt.layers.lstm_stack import LSTMStack
from nmt.layers.luong_attention import LuongAttention
from nmt.layers.matrix_product import pad_columns, product
from nmt.layers.maxout import Maxout
from nmt.layers.recomputed import recomputed
from nmt.layers.recurrent_stack import RecurrentStack
from nmt.layers.reseeding import reseeded
from nmt.layers.sharded_embedding import ShardedEmbedding
from nmt.layers.sharded_softmax import ShardedSoftmax
from nmt.layers.vocabulary_shards import (
    VocabularyShard,
    slice_name,
    vocabulary_shards,
)

__all__ = [
    "GRU",
    "LSTM",
    "STACKS",
    "AttentionMemory",
    "AttentionOutputs",
    "AttentionState",
    "AttentionWrapper",
    "BahdanauAttention",
    "BidirectionalStack",
    "BidirectionalState",
    "GRUStack",
    "GRUState",
    "GRUWeights",
    "LSTMStack",
    "LSTMState",
    "LSTMWeights",
    "Logits",
    "LuongAttention",
    "Maxout",
    "RecurrentStack",
    "ShardedEmbedding",
    "ShardedSoftmax",
    "VocabularyShard",
    "gru_sequence",
    "gru_step",
    "join_shards",
    "largest_logits",
    "log_normalizer",
    "log_softmax",
    "logits_at",
    "lstm_sequence",
    "lstm_step",
    "map_shards",
    "pad_columns",
    "product",
    "recomputed",
    "reseeded",
    "slice_name",
    "token_cross_entropy",
    "token_losses",
    "vocabulary_shards",
    "vocabulary_size",
]
