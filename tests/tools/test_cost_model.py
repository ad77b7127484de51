"""The tool: its rate, its table and its plot."""

import json
import pathlib
import sys

import pytest
from cost_model import fitted_flops, main
from stage_times import Sizes


def test_one_device_is_as_quick_as_the_papers(
    capsys: pytest.CaptureFixture[str],
) -> None:
    main([])
    lines = capsys.readouterr().out.splitlines()
    one = next(line for line in lines if line.startswith("| 1 device "))
    assert one.split("|")[2:4] == [" 1,700 ", " 1.00 "]
    eight = next(line for line in lines if line.startswith("| 8, chunks of 1 "))
    # The paper's is 3.7.
    assert 3.3 < float(eight.split("|")[3]) < 4.1


def test_speeds_that_no_rate_gives_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^no rate gives 1,000,000,000 words/s"):
        fitted_flops(Sizes(), 288e9, 5e-5, 1e9)


def test_measured_times_make_the_table(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ["layer_forward", "layer_backward", "softmax_forward", "softmax_backward"]
    path = tmp_path / "times.json"
    path.write_text(json.dumps(dict.fromkeys(names, 1.0)))
    main([f"--times={path}", "--batch=2"])
    # 4 layers x 56 steps x 2 and 30 steps x 2 seconds for 2 x 54 words.
    assert f"| 1 device | {108 / 508:,.0f} | 1.00 |" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--times=/nowhere"], "/nowhere: not the times of stages"),
        (["--batch=0"], "sizes and rates must be above zero"),
        (["--chunk=-1"], "sizes and rates"),
        (["--times=x", "--flops=1e9"], "give either --times or --flops"),
    ],
)
def test_errors_are_one_line(flags: list[str], said: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(flags)
    assert str(ended.value).startswith("error: ")
    assert said in str(ended.value)
    assert "\n" not in str(ended.value)


def test_plot_is_drawn(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    main([f"--plot={tmp_path / 'plot.png'}"])
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(SystemExit, match=r"^error: .*/nowhere/a\.png"):
        main(["--plot=/nowhere/a.png"])


def test_missing_matplotlib_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SystemExit, match=r"^error: --plot: matplotlib is not there"):
        main(["--plot=a.png"])
