"""The shell scripts, as far as they go without installing anything."""

import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def run(
    script: pathlib.Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", str(script), *arguments],
        capture_output=True,
        text=True,
        env=os.environ | environment,
        timeout=60,
    )


@pytest.fixture
def checkout(tmp_path: pathlib.Path) -> pathlib.Path:
    """A checkout without an environment: the scripts and what they read."""
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    for name in ("setup.cfg", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("script", ["test.sh", "quickstart.sh"])
def test_unknown_argument_is_one_line(checkout: pathlib.Path, script: str) -> None:
    done = run(checkout / "tools" / script, "nonsense")
    assert done.returncode == 1
    assert done.stderr.startswith("error: unknown arguments: nonsense; usage: tools/")
    assert done.stderr.count("\n") == 1
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("script", ["test.sh", "quickstart.sh"])
def test_missing_python_is_one_line(checkout: pathlib.Path, script: str) -> None:
    environment = {"PYTHON": "/nowhere/python3", "NMT_HOME": str(checkout / "home")}
    done = run(checkout / "tools" / script, **environment)
    assert done.returncode == 1
    assert done.stderr.startswith("error: /nowhere/python3 is no Python 3.10 to 3.13")
    assert done.stderr.count("\n") == 1


def test_folder_that_cannot_be_made_is_one_line(checkout: pathlib.Path) -> None:
    done = run(checkout / "tools" / "quickstart.sh", NMT_HOME="/dev/null/nmt")
    assert done.returncode == 1
    assert done.stderr.startswith("error: cannot use the folder /dev/null/nmt; ")
    assert done.stderr.count("\n") == 1


def test_data_folder_that_is_missing_is_one_line(checkout: pathlib.Path) -> None:
    environment = {"NMT_DATA": "/nowhere", "NMT_HOME": str(checkout / "home")}
    done = run(checkout / "tools" / "quickstart.sh", **environment)
    assert (done.returncode, done.stderr) == (
        1,
        "error: NMT_DATA: no folder /nowhere\n",
    )


def prepare(checkout: pathlib.Path, extras: str) -> str:
    """Runs prepare_environment with a pip that only notes that it was called."""
    program = checkout / "prepare.sh"
    program.write_text(
        f'source "{checkout}/tools/environment.sh"\nprepare_environment "{extras}"\n'
    )
    done = run(program, PYTHON=str(checkout / "python"))
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def fake_python(checkout: pathlib.Path) -> None:
    """An interpreter whose venv module links to itself and whose pip does nothing."""
    interpreter = checkout / "python"
    interpreter.write_text(
        "#!/bin/bash\n"
        'case "$1 $2" in\n'
        f'"-m venv") mkdir -p "$4/bin" && ln -s "{interpreter}" "$4/bin/python" ;;\n'
        '"-m pip") ;;\n'
        f'*) exec "{sys.executable}" "$@" ;;\n'
        "esac\n"
    )
    interpreter.chmod(0o755)


@pytest.mark.usefixtures("fake_python")
def test_environment_is_installed_once(checkout: pathlib.Path) -> None:
    assert "Making .venv" in prepare(checkout, "[dev]")
    assert prepare(checkout, "[dev]") == ""
    # The bare package came with the extras.
    assert prepare(checkout, "") == ""


@pytest.mark.usefixtures("fake_python")
def test_extras_are_added_to_the_bare_package(checkout: pathlib.Path) -> None:
    assert "Installing nmt and" in prepare(checkout, "")
    assert "Installing nmt[dev] and" in prepare(checkout, "[dev]")


@pytest.mark.usefixtures("fake_python")
def test_changed_requirements_are_installed(checkout: pathlib.Path) -> None:
    prepare(checkout, "")
    with (checkout / "setup.cfg").open("a") as file:
        file.write("# changed\n")
    assert "Installing nmt and" in prepare(checkout, "")
    assert prepare(checkout, "") == ""


@pytest.mark.usefixtures("fake_python")
def test_moved_checkout_gets_a_new_environment(
    checkout: pathlib.Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    prepare(checkout, "")
    moved = tmp_path_factory.mktemp("moved") / "checkout"
    shutil.copytree(checkout, moved, symlinks=True)
    shutil.rmtree(moved / ".venv" / "bin")
    assert "Making .venv" in prepare(moved, "")
