"""RNNsearch-50 of Bahdanau, Cho and Bengio (2015), whole: WMT'14 English to French.

    nmt-train --config=configs/bahdanau15_search.py --run_dir=RUN

With `--config.data.max_source_length=30 --config.data.max_target_length=30` it is
RNNsearch-30.

`$NMT_DATA/wmt14` holds the selected 12 million tokenised sentence pairs, and as the
paper does it, newstest2012 and newstest2013 in one file. 80,401,000 parameters and
41,000 biases. The paper reports on newstest2014 (tables 1 and 2):

    RNNsearch-30    3.6 epochs    113 hours    BLEU 21.50
    RNNsearch-50    2.2 epochs    111 hours    BLEU 26.75
    RNNsearch-50*   5.0 epochs    252 hours    BLEU 28.45

on one GPU of 2014 (Quadro K6000; TITAN Black for sentences of 30 words). Nobody has
trained this configuration here: all figures are the paper's.
"""

import os

from nmt.config import (
    BatchingConfig,
    Config,
    DataConfig,
    DecodingConfig,
    EvaluationConfig,
    ModelConfig,
    TrainingConfig,
)


def get_config() -> Config:
    """Returns the settings of section 4.2 and of appendices A and B of the paper."""
    folder = os.path.expandvars("$NMT_DATA/wmt14")
    return Config(
        data=DataConfig(
            train_source=f"{folder}/train.tok.en.gz",
            train_target=f"{folder}/train.tok.fr.gz",
            validation_source=f"{folder}/newstest2012-2013.tok.en.gz",
            validation_target=f"{folder}/newstest2012-2013.tok.fr.gz",
            source_tokenizer="words",
            target_tokenizer="words",
            # 29,996 words and four special tokens: the paper's 30,000 rows.
            source_vocabulary_size=30_000,
            target_vocabulary_size=30_000,
            minimum_count=1,
            max_source_length=50,
            max_target_length=50,
            reverse_source=False,
        ),
        # Every 20 updates 1,600 pairs are sorted by length and cut into 20 batches.
        batching=BatchingConfig(batch_by="sentences", batch_size=80, pool_batches=20),
        model=ModelConfig(
            cell="gru",
            embedding_size=620,
            hidden_size=1000,
            num_layers=1,
            bidirectional=True,
            attention="bahdanau",
            attention_size=1000,
            attention_query="previous",
            deep_output="maxout",
            output_size=500,
            output_state="previous",
            dropout=0.0,
            initializer="bahdanau",
        ),
        training=TrainingConfig(
            # With rho 0.95 and epsilon 1e-6, and no other rate.
            optimizer="adadelta",
            learning_rate=1.0,
            schedule="constant",
            warmup_updates=0,
            # The paper does not say what the gradient is of; its authors' GroundHog
            # takes the mean over the sentences of a batch.
            divide_by="sentences",
            max_gradient_norm=1.0,
            label_smoothing=0.0,
            max_epochs=5.0,
            patience=0,
            # An epoch is about 130,000 updates; a checkpoint takes 1 GB.
            evaluate_every=10_000,
            checkpoint_every=5_000,
            log_every=100,
        ),
        # The paper gives no width; 12 is that of Sutskever et al. (2014).
        decoding=DecodingConfig(beam_size=12),
        # Cased, tokenised text, as multi-bleu.pl scores it.
        evaluation=EvaluationConfig(metric="bleu", bleu_tokenizer="none"),
    )
