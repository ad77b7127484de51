"""Rules of the source that neither the linter nor the import floors can express."""

import ast
import functools
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
MODULES = sorted((ROOT / "nmt").rglob("*.py"))
SCRIPTS = sorted([*(ROOT / "configs").glob("*.py"), *(ROOT / "tools").glob("*.py")])
NAMES = {path: path.relative_to(ROOT).as_posix() for path in [*MODULES, *SCRIPTS]}

MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 80
DUSTBINS = {"utils", "util", "helpers", "helper", "misc", "common", "base"}
# Modules that hold no more than names and values.
WITHOUT_LOGIC = {"__init__", "default_config", "errors"}
# Abbreviations of words that the code spells out.
BANNED_NAMES = {
    "src",
    "tgt",
    "trg",
    "sos",
    "nbest",
    "workdir",
    "model_dir",
    "beam_width",
}


@functools.cache
def tree(path: pathlib.Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: pathlib.Path) -> set[str]:
    names = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def is_in(path: pathlib.Path, package: str) -> bool:
    return path.is_relative_to(ROOT / "nmt" / package)


@pytest.mark.parametrize("path", NAMES, ids=NAMES.get)
def test_files_and_functions_are_small(path: pathlib.Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_FILE_LINES
    long = [
        node.name
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef)
        and (node.end_lineno or 0) - node.lineno + 1 > MAX_FUNCTION_LINES
    ]
    assert long == []


@pytest.mark.parametrize("path", NAMES, ids=NAMES.get)
def test_names_are_those_of_the_glossary(path: pathlib.Path) -> None:
    assert path.stem not in DUSTBINS
    used = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.arg):
            used.add(node.arg)
        elif isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.Attribute):
            used.add(node.attr)
    assert used & BANNED_NAMES == set()


def test_flags_are_only_in_the_binaries() -> None:
    users = {
        path
        for path in MODULES
        if imported(path) & {"absl.flags", "ml_collections.config_flags"}
    }
    assert {path for path in users if not is_in(path, "cli")} == set()


def names_a_device(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.upper().removeprefix("/").startswith(("CPU:", "GPU:"))
    return isinstance(node, ast.Attribute) and ast.unparse(node) == "tf.device"


def test_device_names_are_only_in_distribution() -> None:
    users = {path for path in MODULES if any(map(names_a_device, ast.walk(tree(path))))}
    assert {path for path in users if not is_in(path, "distribution")} == set()


@pytest.mark.parametrize("path", NAMES, ids=NAMES.get)
def test_module_has_its_tests(path: pathlib.Path) -> None:
    if path.stem in WITHOUT_LOGIC or path.parent.name == "configs":
        return
    folder = ROOT / "tests" / path.relative_to(ROOT).parent
    if is_in(path, ""):
        folder = ROOT / "tests" / path.relative_to(ROOT / "nmt").parent
    assert (folder / f"test_{path.name}").is_file()


def test_importing_the_package_loads_nothing_heavy() -> None:
    program = (
        "import sys, nmt, nmt.config, nmt.errors;"
        "print({'tensorflow', 'keras', 'numpy', 'sacrebleu'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


def test_python_3_10_can_read_every_file() -> None:
    for path in NAMES:
        ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 10))
