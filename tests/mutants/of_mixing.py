"""Mutants of what makes training harder: mixed images, boxes of noise, colors, skipped blocks."""

from .mutant import Mutant

OWN = "experiment/test_settings.py::test_each_setting_changes_what_it_says"

MIXING = tuple(
    Mutant(id, "Options", rule, "toolbox/mixing.py", old, new, f"toolbox/test_mixing.py::{test}")
    for id, rule, old, new, test in (
        (
            "mixup-forgets-the-other-class",
            "Mixup mixes the classes as it mixes the images.",
            "return share * targets + (1 - share) * targets[order]",
            "return share * targets + (1 - share) * targets",
            "test_mixup_is_the_sum_of_two_images_and_of_their_classes",
        ),
        (
            "the-share-before-the-edge",
            "The share of a class in CutMix is that of the pixels, cut off at the edges.",
            "1 - pasted / (height * width))",
            "share)",
            "test_the_share_of_a_class_is_that_of_its_pixels_in_cutmix",
        ),
        (
            "a-share-that-is-even",
            "The share is drawn from the Beta distribution that --mixup names.",
            "torch.full((2,), alpha, dtype=torch.float64)",
            "torch.full((2,), 1.0, dtype=torch.float64)",
            "test_the_share_follows_its_beta_distribution",
        ),
        (
            "each-image-is-erased",
            "--erasing is the probability of a box.",
            "(chosen < probability)",
            "(chosen < 1)",
            "test_a_box_of_noise_has_the_size_and_place_that_it_should",
        ),
        (
            "boxes-in-a-corner",
            "A box of noise may be anywhere in the image.",
            "(top * (height - tall + 1)).floor()",
            "(top * 0).floor()",
            "test_a_box_of_noise_has_the_size_and_place_that_it_should",
        ),
        (
            "colors-out-of-bounds",
            "Changed colors stay between 0 and 255.",
            "return images.clamp(0, 255)",
            "return images",
            "test_colors_keep_within_their_bounds",
        ),
        (
            "brightness-goes-up-alone",
            "--color lowers and raises.",
            "1 + strength * (2 * torch.rand(3, len(images), 1, 1, 1) - 1)",
            "1 + strength * torch.rand(3, len(images), 1, 1, 1)",
            "test_colors_keep_within_their_bounds",
        ),
    )
)

MUTANTS = (
    *MIXING,
    Mutant(
        "blocks-are-skipped-in-evaluation",
        "Options",
        "Blocks are skipped in training alone.",
        "model.py",
        "if self.drop and self.training:",
        "if self.drop:",
        f"{OWN}[drop_path]",
    ),
    Mutant(
        "every-block-is-skipped-as-often",
        "Options",
        "Later blocks are skipped more often, the last one with the probability that is named.",
        "model.py",
        "drop = config.drop_path * (len(stages) + 1) / (3 * config.blocks)",
        "drop = config.drop_path",
        f"{OWN}[drop_path]",
    ),
    Mutant(
        "vectors-are-pulled",
        "Options",
        "--l1 pulls matrices and kernels, and no vector.",
        "engine/step.py",
        "if weight.ndim > 1 and weight.grad is not None:",
        "if weight.grad is not None:",
        "engine/test_engine_settings.py::test_each_setting_changes_what_it_says[l1]",
    ),
)
