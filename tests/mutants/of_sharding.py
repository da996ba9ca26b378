"""Breakages of a model in shards, and of the part of its checkpoints that stays sharded."""

from .mutant import Mutant

FSDP = {"parallelism": "fsdp"}
KEPT = "engine/test_sharded.py::test_each_checkpoint_has_a_folder_and_no_other_is_kept"
BACK = "engine/test_sharded.py::test_what_was_taken_out_is_put_back_and_is_that_of_its_moment"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "each-rank-keeps-all",
        "FSDP",
        "Each process keeps its part of the weights and of the optimizer's state.",
        "engine/strategy.py",
        "for part in (*units(model), model):",
        "for part in ():",
        "engine/test_distributed.py::"
        "test_each_rank_keeps_its_part_of_the_weights_and_of_the_optimizers_state[2]",
        FSDP,
    ),
    Mutant(
        "tied-layers-apart",
        "FSDP",
        "Layers that share a tensor share it in shards, too.",
        "engine/strategy.py",
        "if own and alone and",
        "if own and",
        "engine/test_distributed.py::test_a_model_of_any_build_computes_the_same_in_parts[2]",
        FSDP,
    ),
    Mutant(
        "a-container-is-waited-for",
        "FSDP",
        "What has no forward pass of its own comes together with the model.",
        "engine/strategy.py",
        " and type(layer).forward is not nn.Module.forward",
        "",
        "engine/test_distributed.py::test_a_model_of_any_build_computes_the_same_in_parts[2]",
        FSDP,
    ),
    Mutant(
        "gradients-cross-with-each-pass",
        "FSDP",
        "Gradients cross the network once per step, also of a model in shards.",
        "engine/strategy.py",
        "model.set_requires_gradient_sync(now)",
        "model.set_requires_gradient_sync(True)",
        "engine/test_distributed.py::test_gradients_cross_the_network_once_per_step[2]",
        FSDP,
    ),
    Mutant(
        "shards-are-not-copied",
        "FSDP",
        "The sharded part of a checkpoint is that of its moment, though the training goes on.",
        "engine/sharded.py",
        'to("cpu", copy=True)',
        'to("cpu")',
        BACK,
        FSDP,
    ),
    Mutant(
        "shards-are-not-read",
        "FSDP",
        "What the optimizer knew comes back out of the sharded part of a checkpoint.",
        "engine/sharded.py",
        "    dcp.load(wanted, storage_reader=reader)\n",
        "",
        BACK,
        FSDP,
    ),
    Mutant(
        "shards-without-a-name",
        "FSDP",
        "The sharded part of a checkpoint has its name before the file that needs it.",
        "engine/checkpoint.py",
        "        if with_parts:\n",
        "        if not with_parts:\n",
        KEPT,
        FSDP,
    ),
    Mutant(
        "shards-pile-up",
        "FSDP",
        "A sharded part that no checkpoint needs any more is removed.",
        "engine/sharded.py",
        "if path.name not in kept:",
        'if path.name == "partial":',
        KEPT,
        FSDP,
    ),
    Mutant(
        "the-same-shards-are-lost",
        "FSDP",
        "The same checkpoint, saved once more, keeps its sharded part.",
        "engine/sharded.py",
        "        shutil.rmtree(partial)\n",
        "        shutil.rmtree(final)\n",
        "engine/test_sharded.py::test_the_same_checkpoint_once_more_keeps_its_folder",
        FSDP,
    ),
    Mutant(
        "damaged-shards-are-read",
        "FSDP",
        "A flipped bit in the sharded part of a checkpoint is noticed.",
        "engine/sharded.py",
        "if digest(folder / name) != sums[name]",
        "if not digest(folder / name)",
        "engine/test_sharded.py::"
        "test_damage_is_noticed_and_the_checkpoint_before_is_used[__0_0.distcp]",
        FSDP,
    ),
)
