"""The example of docs/migration.md does what the page says."""

import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "migration.md"


def test_the_complete_example_runs_as_typed(tmp_path: pathlib.Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (tmp_path / "example.py").write_text(code)
    result = subprocess.run(
        [sys.executable, "example.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert len(re.findall(r"^\[\[8 7 6 5 2[ 0]*\]\]$", result.stdout, re.M)) == 2
    assert (tmp_path / "reverse.keras").exists()


def test_every_name_of_the_page_exists() -> None:
    import nmt.decoding
    import nmt.layers

    text = PAGE.read_text()
    for module in (nmt.layers, nmt.decoding):
        names = re.findall(rf"{module.__name__}\.(\w+)", text)
        assert names
        for name in names:
            assert name in module.__all__
