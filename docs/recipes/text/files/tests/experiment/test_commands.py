"""The commands on your own code, each run once as a user runs it, and the library below it.

This file is yours to change. Most of these tests are slow: `pytest -m slow` runs them.
"""

from json import loads
from pathlib import Path

import numpy as np
import pytest
import torch
from conftest import (
    CPU,
    PACKAGE,
    SETTINGS,
    SMALL,
    assert_same_run,
    read_metrics,
    run,
    train_as,
)

from myproj import predict, train
from myproj.base.errors import CheckpointError, DataError
from myproj.config import Config
from myproj.data.source import encode, scan
from myproj.engine.forward import forward
from myproj.engine.trained import Trained, load_trained


@pytest.fixture(scope="module")
def trained_run(image_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run of your package."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    config = Config(data_dir=image_data, run_dir=folder, **SETTINGS)
    assert train_as(config, train.main) == 0
    return folder


@pytest.fixture
def trained(trained_run: Path) -> Trained:
    """In training mode, which no command may leave it in."""
    trained = load_trained(trained_run, CPU)
    trained.model.train()
    return trained


@pytest.fixture
def texts(image_data: Path) -> list[str]:
    """Texts of all classes, in no order."""
    found = scan(image_data.parent / "source" / "val").texts
    return [found[number] for number in np.random.default_rng(0).permutation(len(found))]


def tokens_of(trained: Trained, texts: list[str]) -> torch.Tensor:
    """The bytes of texts, as the model takes them."""
    (length,) = trained.facts.shape
    return torch.from_numpy(np.stack([encode(text, length) for text in texts]))


def answers_of(trained: Trained, texts: list[str], batch_size: int) -> list[dict]:
    """What the library says of texts."""
    found = []
    trained.model.eval()
    with torch.no_grad():
        for part in tokens_of(trained, texts).split(batch_size):
            found += trained.task.predictions(trained.task.activate(forward(trained.model, part)))
    return [{"text": text} | answer for text, answer in zip(texts, found, strict=True)]


@pytest.mark.parametrize("json", [True, False])
def test_predict_says_what_the_library_says_in_the_order_asked(
    trained_run: Path,
    trained: Trained,
    texts: list[str],
    capsys: pytest.CaptureFixture[str],
    json: bool,
) -> None:
    config = predict.PredictConfig(
        trained_run, text=tuple(texts), device="cpu", batch_size=4, json=json
    )
    assert predict.main(config) == 0
    expected = answers_of(trained, texts, 4)
    assert len({str(trained.task.in_words(answer)) for answer in expected}) > 1
    said = capsys.readouterr().out
    if json:
        assert loads(said) == {"predictions": expected}
    else:
        words = [f"{answer['text']}: {trained.task.in_words(answer)}" for answer in expected]
        assert said.splitlines() == words


def test_predict_puts_a_model_into_evaluation_mode(trained: Trained, texts: list[str]) -> None:
    expected = answers_of(trained, texts, len(texts))
    trained.model.train()
    found = predict.predict(trained, tokens_of(trained, texts).numpy(), CPU)
    assert [{"text": text} | a for text, a in zip(texts, found, strict=True)] == expected


def test_a_file_is_one_text_and_what_cannot_be_read_is_named(
    trained_run: Path, texts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / f"{name}.txt" for name in ("good", "empty", "latin", "missing")]
    files[0].write_text(texts[0], encoding="utf-8")
    files[1].touch()
    files[2].write_bytes("größe".encode("latin-1"))
    asked = {"files": tuple(files), "text": (texts[0], "  "), "json": True}
    config = predict.PredictConfig(trained_run, device="cpu", batch_size=2, **asked)
    assert predict.main(config) == 1
    printed = capsys.readouterr()
    first, second = loads(printed.out)["predictions"]
    assert (first.pop("file"), second.pop("text")) == (str(files[0]), texts[0])
    assert first["class"] == second["class"]
    errors = printed.err.splitlines()
    assert errors[0] == f"error: {files[1]}: the text is empty"
    assert errors[1].startswith(f"error: {files[2]}: 'utf-8' codec can't decode")
    assert errors[2] == f"error: {files[3]}: No such file or directory"
    assert errors[3:] == ["error: --text '  ': the text is empty"]
    with pytest.raises(DataError, match=r"missing\.txt: No such file"):
        predict.main(predict.PredictConfig(trained_run, (files[3],), device="cpu"))
    with pytest.raises(ValueError, match="name at least one file, or give a --text"):
        predict.PredictConfig(trained_run)


@pytest.mark.slow
def test_train_as_a_user_starts_it_does_what_it_does_here(
    trained_run: Path, image_data: Path, tmp_path: Path
) -> None:
    flags = ["--data-dir", image_data, "--run-dir", tmp_path / "run", *SMALL]
    said = run("train", *flags, package=PACKAGE)
    assert said.splitlines()[-1].startswith("done: 2 epochs")
    assert_same_run(tmp_path / "run", trained_run)


@pytest.mark.slow
def test_predict_as_a_user_starts_it_says_what_the_library_says(
    trained_run: Path, trained: Trained, texts: list[str]
) -> None:
    flags = ["--text", *texts, "--device=cpu", "--batch-size=4", "--json"]
    said = loads(run("predict", trained_run, *flags, package=PACKAGE))
    assert said["predictions"] == answers_of(trained, texts, 4)


@pytest.mark.slow
def test_evaluate_prints_what_training_logged(trained_run: Path) -> None:
    last = trained_run / "checkpoints" / "last.pt"
    found = loads(run("evaluate", last, "--json", "--device=cpu", package=PACKAGE))
    logged = read_metrics(trained_run)[-1]
    metrics = {name: v for name, v in logged.items() if name not in ("split", "epoch", "step")}
    assert found == metrics | {"samples": 15}


@pytest.mark.slow
def test_the_exported_model_gives_what_the_checkpoint_gives_in_evaluation_mode(
    trained_run: Path, trained: Trained, texts: list[str], tmp_path: Path
) -> None:
    output = tmp_path / "model.pt2"
    said = run("export", trained_run, "--output", output, package=PACKAGE)
    assert "checked on 10 samples" in said
    program = torch.export.load(output).module()
    tokens = tokens_of(trained, texts)
    trained.model.eval()
    with torch.no_grad():
        expected = trained.task.activate(trained.model(tokens))
        for batch in (1, 2, len(texts)):
            found = program(tokens[:batch])
            assert torch.allclose(found, expected[:batch], rtol=0, atol=1e-5)
    flags = ["--text", *texts, "--json"]
    said = loads(run("predict", output, *flags, package=PACKAGE))["predictions"]
    assert [answer.pop("text") for answer in said] == texts
    words = [trained.task.in_words(answer) for answer in said]
    assert words == [trained.task.in_words(p) for p in trained.task.predictions(expected)]


def test_predict_refuses_an_exported_file_that_is_none(tmp_path: Path) -> None:
    broken = tmp_path / "model.pt2"
    config = predict.PredictConfig(broken, text=("a",), device="cpu")
    with pytest.raises(CheckpointError, match=r"model\.pt2 cannot be read: No such file"):
        predict.main(config)
    broken.write_bytes(b"no archive")
    with pytest.raises(CheckpointError, match=r"model\.pt2 is not a model that this project"):
        predict.main(config)


@pytest.mark.slow
def test_a_replayed_step_ends_with_the_bits_of_the_checkpoint(trained_run: Path) -> None:
    found = loads(run("replay", trained_run, "--step=12", "--json", package=PACKAGE))
    assert found["same_bits_as"]["last.pt"] is True
