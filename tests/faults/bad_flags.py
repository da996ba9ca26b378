"""Wrong flags of each command, and images that `predict` cannot read."""

from .bad import (
    BEST,
    EVALUATE,
    EXPORT,
    PREDICT,
    PREPARE,
    RESUME,
    TRAINING,
    Bad,
    cut,
    forbid,
    nothing,
    replace,
)

IMAGE = "source/val/left/000.jpg"

WRONG = [
    # command, the flag that is wrong, what the message must name
    (TRAINING, "--batchsize 3", "--batch-size"),
    (TRAINING, "--batch-size 0", "--batch-size"),
    (TRAINING, "--accumulate 9", "--accumulate"),
    (TRAINING, "--epochs 0", "--epochs"),
    (TRAINING, "--epochs ten", "--epochs"),
    (TRAINING, "--lr 0", "--lr"),
    (TRAINING, "--lr nan", "--lr"),
    (TRAINING, "--warmup-epochs -1", "--warmup-epochs"),
    (TRAINING, "--clip-norm nan", "--clip-norm"),
    (TRAINING, "--dropout 1.5", "--dropout"),
    (TRAINING, "--image-size 0", "--image-size"),
    (TRAINING, "--seed -2", "--seed"),
    (TRAINING, "--num-workers -1", "--num-workers"),
    (TRAINING, "--start-method thread", "--start-method"),
    (TRAINING, "--checkpoint-every 5x", "--checkpoint-every"),
    (TRAINING, "--device tpu", "--device"),
    (TRAINING, "--device cuda:99", "--device"),
    (TRAINING, "--data-dir", "--data-dir"),
    (TRAINING, "surplus", "surplus"),
    ("train --data-dir data", "--resume", "--run-dir"),
    ("train --data-dir data --device cpu", "--run-dir run", "--resume"),
    (RESUME, "--lr 0.5", "--lr"),
    (RESUME, "--batch-size 4", "--batch-size"),
    (RESUME, "--epochs 1", "--epochs"),
    (EVALUATE, "--split test", "--split"),
    (EVALUATE, "--batch-size 0", "--batch-size"),
    (EVALUATE, "--device tpu", "--device"),
    (EVALUATE, "--jsonl", "--json"),
    ("evaluate", f"--jsn {BEST}", "--json"),
    ("predict", f"--devcie cpu {BEST} {IMAGE}", "--device"),
    ("evaluate", "--json", "A run's folder"),
    (f"predict {BEST}", "--device cpu", "image"),
    (PREDICT, "--batch-size 0", "--batch-size"),
    (PREDICT, "--jason", "--json"),
    ("export", "--output model.pt2", "A run's folder"),
    (EXPORT, "--outptu model.pt2", "--output"),
    ("prepare --data-dir new", "--sauce source", "--source"),
    ("prepare", "--data-dir new", "--source"),
    (PREPARE, "--demo", "--demo"),
    (PREPARE, "--val-fraction 0", "--val-fraction"),
    (PREPARE, "--val-fraction nan", "--val-fraction"),
    (PREPARE, "--image-size 0", "--image-size"),
    ("prepare --source source", "--data-dir source/data", "--data-dir"),
]

PREDICTED = [
    Bad("predict: no file", nothing, f"{PREDICT} nowhere.jpg", ("nowhere.jpg", "No such file")),
    Bad("predict: no image in a folder", nothing, f"{PREDICT} run", ("run", "no image file")),
    Bad("predict: an empty file", replace(IMAGE, b""), PREDICT, (IMAGE, "empty")),
    Bad("predict: half an image", cut(IMAGE, 0.5), PREDICT, (IMAGE, "damaged image")),
    Bad("predict: a text", replace(IMAGE, b"Dear reader"), PREDICT, (IMAGE, "not an image")),
    Bad("predict: may not be read", forbid(IMAGE), PREDICT, (IMAGE, "denied"), unprivileged=True),
]

FLAGS = [
    *(
        Bad(f"{command.split()[0]} {flag}", nothing, f"{command} {flag}", (names,), 2)
        for command, flag, names in WRONG
    ),
    *PREDICTED,
]
