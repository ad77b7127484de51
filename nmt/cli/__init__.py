"""The command-line binaries: flags and one library call each."""
