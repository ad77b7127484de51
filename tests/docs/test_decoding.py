"""docs/decoding.md: its example runs, and every promise has its test."""

import ast
import pathlib
import re
import subprocess
import sys

from absl import flags

from nmt.cli import decode

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "decoding.md"
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


def test_the_example_runs_as_typed(tmp_path: pathlib.Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (tmp_path / "example.py").write_text(code, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout == "[5 4 3 2 1 0]\n[2 1 0]\n[ True  True]\n"
    for line in result.stdout.splitlines():
        assert f"`{line}`" in PAGE.read_text("utf-8")


def test_every_promise_has_a_test() -> None:
    promises = PAGE.read_text("utf-8").split("## What nmt-decode promises")[1]
    promises = promises.split("\n## ")[0]
    items = re.split(r"(?m)^- ", promises)[1:]
    assert len(items) > 40
    assert [item for item in items if not TEST.search(item)] == []


def test_every_test_of_the_page_exists() -> None:
    named = TEST.findall(PAGE.read_text("utf-8"))
    assert named
    for path, name in named:
        tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
        functions = {each.name for each in tree.body if hasattr(each, "name")}
        assert name in functions, f"{path} has no {name}"


def test_every_flag_of_the_page_exists() -> None:
    values = flags.FlagValues()
    decode.define_flags(values)
    named = set(re.findall(r"--(\w+)", PAGE.read_text("utf-8"))) - {"help"}
    assert named <= set(values)
