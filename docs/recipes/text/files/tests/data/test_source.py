"""A table of texts is read as it stands. This file is yours to change with `data/source.py`."""

import csv
from pathlib import Path

import numpy as np
import pytest
from drawn import write_table

from myproj.base.errors import DataError, UserError
from myproj.data import source
from myproj.data.source import (
    PACKAGES,
    SHORTEST,
    check_rest,
    checked,
    counted,
    describe_targets,
    draw_demo,
    encode,
    find_splits,
    passages,
    scan,
)


def write(root: Path, *lines: str, header: str = "text,label") -> Path:
    root.mkdir(parents=True, exist_ok=True)
    text = "\n".join([header, *lines]) + "\n"
    (root / "texts.csv").write_text(text, encoding="utf-8", newline="")
    return root


def test_each_text_has_the_class_of_its_line(tmp_path: Path) -> None:
    lines = ["ü 1,b", "", '"two, and\na ""third""",a', "4, b ", "   ,a"]
    tree = scan(write(tmp_path, *lines))
    assert tree.classes == ["a", "b"]
    assert tree.targets.dtype == np.int64 and tree.targets.tolist() == [0, 0, 1, 1]
    assert tree.texts == ['two, and\na "third"', "   ", "ü 1", "4"]
    places = [tree.path(index) for index in range(4)]
    assert places == [str(tmp_path / f"texts.csv, line {line}") for line in (4, 7, 2, 6)]
    assert describe_targets(tree) == ["2 classes: a, b"]
    part = tree.select(np.array([2, 0]))
    assert (part.texts, part.targets.tolist()) == (["ü 1", 'two, and\na "third"'], [1, 0])
    assert part.path(0) == places[2] and len(part) == 2


@pytest.mark.parametrize(
    ("header", "lines", "said"),
    [
        ("label,text", ["a,b"], " has to begin with the line text,label"),
        ("text,label", ["one,a", "no label"], ", line 3: not a text and its class"),
        ("text,label", ["one, two,a"], ", line 2: not a text and its class; has it a comma?"),
        ("text,label", ["one, "], ", line 2: not a text and its class"),
        ("text,label", ["one,a", '"open,a'], ", line 3: unexpected end of data"),
        ("text,label", [], " has no text"),
    ],
)
def test_a_table_that_cannot_be_understood_is_refused(
    header: str, lines: list[str], said: str, tmp_path: Path
) -> None:
    write(tmp_path, *lines, header=header)
    with pytest.raises(DataError) as error:
        scan(tmp_path)
    assert str(error.value).startswith(f"{tmp_path / 'texts.csv'}{said}")


def test_a_table_that_is_not_utf_8_or_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"texts\.csv: No such file"):
        scan(tmp_path)
    (tmp_path / "texts.csv").write_bytes(b"text,label\n\xff,cat\n")
    with pytest.raises(DataError, match=r"texts\.csv: .*can't decode"):
        scan(tmp_path)


def test_a_split_is_made_class_by_class_unless_there_is_one(tmp_path: Path) -> None:
    write_table(tmp_path, [(f"{n}", "ab"[n % 10 == 0]) for n in range(100)])
    train, val = find_splits(tmp_path, 0.2, 0)
    assert np.bincount(val.targets).tolist() == [18, 2]
    assert sorted(train.texts + val.texts) == sorted(scan(tmp_path).texts)
    assert find_splits(tmp_path, 0.2, 1)[1].texts != val.texts
    for split, count in (("train", 6), ("val", 2)):
        write_table(tmp_path / "parts" / split, [(f"{n}", "ab"[n % 2]) for n in range(count)])
    assert [len(tree) for tree in find_splits(tmp_path / "parts", 0.2, 0)] == [6, 2]
    write_table(tmp_path / "parts/val", [("1", "a"), ("2", "c")])
    with pytest.raises(DataError, match="different classes: only one of them has b, c"):
        find_splits(tmp_path / "parts", 0.2, 0)
    with pytest.raises(DataError, match="--leaves is for class folders"):
        find_splits(tmp_path, 0.2, 0, leaves=True)


def test_a_text_becomes_its_bytes_and_is_cut_between_two_characters() -> None:
    assert encode("aü", 5).tolist() == [97, 0xC3, 0xBC, 0, 0]
    assert encode("aü", 3).tolist() == [97, 0xC3, 0xBC]
    assert encode("aü", 2).tolist() == [97, 0]
    for wrong, said in ((" \n", "the text is empty"), ("a\0b", "has a NUL character")):
        with pytest.raises(DataError, match=said):
            encode(wrong, 5)


def test_a_class_is_not_skipped_away(tmp_path: Path) -> None:
    tree = scan(write(tmp_path, "1,a", "2,b", "3,b"))
    check_rest("train", tree, {1: "bad"})
    check_rest("val", tree, {1: "bad", 2: "bad"})
    with pytest.raises(DataError, match="class 'a' has no readable text to train on"):
        check_rest("train", tree, {0: "bad"})
    with pytest.raises(DataError, match="no readable text is left for val"):
        check_rest("val", tree, dict.fromkeys(range(3), "bad"))


def test_classes_are_counted_and_the_first_shown(tmp_path: Path) -> None:
    assert counted(["a"]) == "1 class"
    tree = scan(write(tmp_path, *(f"1,{name}" for name in "abcdefg")))
    assert describe_targets(tree) == ["7 classes: a, b, c, d, e and 2 more"]


def test_labels_of_any_whole_type_are_taken_and_what_is_no_class_refused() -> None:
    found = checked(np.array([2, 0, 1], np.uint8), ["a", "b", "c"], "train: labels")
    assert found.dtype == np.int64 and found.tolist() == [2, 0, 1]
    for wrong, said in (
        ([0.0, 1.0], r"labels is float64 \(2,\), not one integer per text"),
        ([[0], [1]], r"labels is int64 \(2, 1\), not one integer"),
        ([0, -1], r"labels\[1\] is -1, which does not fit 3 classes, 0 to 2"),
        ([3, 0], r"labels\[0\] is 3, .* fit 3 classes"),
    ):
        with pytest.raises(DataError, match=f"^train: {said}"):
            checked(np.array(wrong), ["a", "b", "c"], "train: labels")


def test_passages_are_paragraphs_of_docstrings_and_comments() -> None:
    code = '''
"""The first paragraph, on
two lines of code.

Short.
"""
# A comment that goes on
#   for two lines.
def f():
    """A docstring of a function, long enough."""
    x = 1  # behind code
    """No docstring, but a string that stands alone."""
'''
    assert list(passages(code)) == [
        "The first paragraph, on two lines of code.",
        "A docstring of a function, long enough.",
        "A comment that goes on for two lines.",
    ]


@pytest.mark.slow
def test_the_demo_has_no_text_in_both_splits_and_is_the_same_each_time(tmp_path: Path) -> None:
    splits = find_splits(draw_demo(tmp_path / "a"), 0.2, 0)
    train, val = splits
    assert train.classes == val.classes == sorted(PACKAGES)
    assert len({*train.texts, *val.texts}) == len(train) + len(val)
    assert 0.1 < len(val) / len(train) < 0.4 and np.bincount(val.targets).min() >= 10
    assert min(map(len, train.texts + val.texts)) >= SHORTEST
    draw_demo(tmp_path / "b")
    for split in ("train", "val"):
        one, other = (tmp_path / name / split / "texts.csv" for name in "ab")
        assert one.read_bytes() == other.read_bytes()


def test_the_demo_keeps_the_texts_of_a_file_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source.sysconfig, "get_path", lambda _: str(tmp_path))
    monkeypatch.setattr(source, "PACKAGES", ("one", "two"))
    for package in ("one", "two"):
        (tmp_path / package).mkdir()
        for file in range(8):
            comments = [f"# This is a comment of {package} {file}, number {n}" for n in range(3)]
            comments.append("# This is a comment of all the files")
            code = "\n\n".join(comments) + "\n"
            (tmp_path / package / f"{file}.py").write_text(code, encoding="utf-8")
    draw_demo(tmp_path / "demo")
    texts = {}
    for split in ("train", "val"):
        with (tmp_path / "demo" / split / "texts.csv").open(encoding="utf-8", newline="") as file:
            texts[split] = [tuple(row) for row in csv.reader(file)][1:]
    both = texts["train"] + texts["val"]
    assert len({text for text, _ in both}) == len(both) == 2 * 8 * 3 + 1
    files = {split: {text.partition(",")[0] for text, _ in texts[split]} for split in texts}
    assert not files["train"] & files["val"]
    counts = [sum(name == package for _, name in texts["val"]) for package in ("one", "two")]
    assert all(3 <= count <= 25 / 4 for count in counts)


def test_a_demo_without_the_source_files_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source.sysconfig, "get_path", lambda _: str(tmp_path))
    with pytest.raises(UserError, match="the demo needs the source files of Python's library"):
        draw_demo(tmp_path / "demo")
