import gzip
import pathlib

import pytest

from tools import quickstart_report


@pytest.mark.parametrize("total", [1, 9, 10, 11, 999, 1000])
def test_samples_are_distinct_lines_of_the_file(total: int) -> None:
    chosen = quickstart_report.choose(10, total)
    assert len(set(chosen)) == min(10, total)
    assert all(0 <= line < total for line in chosen)
    assert chosen == sorted(chosen)


def test_report_has_score_published_figure_samples_and_commands(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, reference = tmp_path / "test.en.gz", tmp_path / "test.fr"
    english = "".join(f"en {line}\n" for line in range(40))
    source.write_bytes(gzip.compress(english.encode()))
    reference.write_text(english.replace("en", "fr"))
    (tmp_path / "test.output").write_text(english.replace("en", "made"))
    (tmp_path / "test.score").write_text("bleu = 12.34  signature\n40 lines\n")
    task = quickstart_report.TASKS["multi30k"]

    quickstart_report.main(task, tmp_path, source, reference)

    printed = capsys.readouterr().out
    assert "This run:   bleu = 12.34  signature\nPublished:  BLEU 52.5" in printed
    assert printed.count("  output     made ") == 10
    assert "  source     en 2\n  output     made 2\n  reference  fr 2\n" in printed
    assert f"nmt-decode --run_dir={tmp_path} --input=FILE --output=FILE" in printed
    assert "nmt-train --source=FILE --target=FILE --run_dir=FOLDER" in printed


def test_empty_output_line_is_kept(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "test.output"
    path.write_text("a\n\nb\n")
    assert quickstart_report.read(path) == ["a", "", "b"]
