"""Which device holds what: the only package that names devices."""
