"""Wrong flags of each command, and images that `predict` cannot read."""

from .bad import (
    BEST,
    EVALUATE,
    PREDICT,
    PREPARE,
    RESUME,
    SMALL,
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
    (TRAINING, "--seed -1", "--seed"),
    (TRAINING, "--num-workers -1", "--num-workers"),
    (TRAINING, "--checkpoint-every 5x", "--checkpoint-every"),
    (TRAINING, "--device tpu", "--device"),
    (TRAINING, "--device cuda:99", "--device"),
    (TRAINING, "--data-dir", "--data-dir"),
    (TRAINING, "surplus", "surplus"),
    ("train --data-dir data", "--resume", "--run-dir"),
    (f"train --data-dir data {SMALL}", "--run-dir run", "--resume"),
    (RESUME, "--lr 0.5", "--lr"),
    (RESUME, "--batch-size 4", "--batch-size"),
    (RESUME, "--epochs 1", "--epochs"),
    (EVALUATE, "--split tset", "--split"),
    (EVALUATE, "--device tpu", "--device"),
    (EVALUATE, "--jsonl", "--json"),
    ("evaluate", f"--jsn {BEST}", "checkpoint"),
    ("predict", f"--devcie cpu {BEST} {IMAGE}", "checkpoint"),
    ("evaluate", "--json", "PATH"),
    (f"predict {BEST}", "--device cpu", "image"),
    (PREDICT, "--batch-size 0", "--batch-size"),
    (PREDICT, "--jason", "--json"),
    ("prepare --data-dir new", "--sauce source", "--source"),
    ("prepare", "--data-dir new", "--source"),
    (PREPARE, "--demo", "--demo"),
    (PREPARE, "--val-fraction 0", "--val-fraction"),
    (PREPARE, "--val-fraction nan", "--val-fraction"),
    (PREPARE, "--image-size 0", "--image-size"),
    ("prepare --source source", "--data-dir source/data", "--data-dir"),
]

# found by tyro
BOXED = {
    *("--batchsize 3", "--epochs ten", "--data-dir", "surplus", "--jsonl", "--json", "--jason"),
    *(f"--jsn {BEST}", f"--devcie cpu {BEST} {IMAGE}", "--split tset", "--sauce source"),
}

PREDICTED = [
    Bad("predict: no file", nothing, f"{PREDICT} nowhere.jpg", ("nowhere.jpg", "No such file")),
    Bad("predict: a folder", nothing, f"{PREDICT} run", ("run", "Is a directory")),
    Bad("predict: an empty file", replace(IMAGE, b""), PREDICT, (IMAGE, "empty")),
    Bad("predict: half an image", cut(IMAGE, 0.5), PREDICT, (IMAGE, "corrupt image")),
    Bad("predict: a text", replace(IMAGE, b"Dear reader"), PREDICT, (IMAGE, "not an image")),
    Bad("predict: may not be read", forbid(IMAGE), PREDICT, (IMAGE, "denied"), unprivileged=True),
]

FLAGS = [
    *(
        Bad(
            f"{command.split()[0]} {flag}",
            nothing,
            f"{command} {flag}",
            (names,),
            2,
            boxed=flag in BOXED,
        )
        for command, flag, names in WRONG
    ),
    *PREDICTED,
]
