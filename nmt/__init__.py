"""Neural machine translation as in Sutskever, Vinyals and Le (2014).

Importing the package loads nothing: import the module that has what you need, for
example `from nmt.layers.lstm import LSTM`. README.md has the order to read them in.
"""

__version__ = "0.1.0"
