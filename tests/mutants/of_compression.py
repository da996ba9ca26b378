"""What must hold where a model is made smaller, or given to others."""

from .mutant import Mutant

PRUNE, INT8, PORTABLE = "tools/prune.py", "tools/train_int8.py", "engine/portable.py"
OF_PRUNE, OF_INT8 = "tools/test_prune.py::", "tools/test_train_int8.py::"
OF_FILE = "tools/test_export_safetensors.py::"

MUTANTS = tuple(
    Mutant(name, "Tools", rule, file, old, new, test)
    for name, rule, file, old, new, test in (
        (
            "zeros-are-trained",
            "A weight that was set to zero stays zero in training.",
            PRUNE,
            "        trainer.step(batch)\n        apply(masks)\n",
            "        trainer.step(batch)\n",
            f"{OF_PRUNE}test_zeros_stay_zeros_in_training_and_the_file_is_what_was_measured",
        ),
        (
            "all-weights-of-a-size-go",
            "As many weights become zero as were asked for, also where many have one size.",
            PRUNE,
            "stays[order[: round(sparsity * len(sizes))]] = False",
            "stays = sizes > sizes[order[round(sparsity * len(sizes))]]",
            f"{OF_PRUNE}test_the_smallest_weights_of_all_layers_together_go",
        ),
        (
            "frozen-weights-are-pruned",
            "What is frozen is left as it is.",
            PRUNE,
            "if weight.requires_grad]",
            "if weight.numel()]",
            f"{OF_PRUNE}test_the_smallest_weights_of_all_layers_together_go",
        ),
        (
            "the-smallest-of-four-stay",
            "Of each four weights in a row the two largest stay.",
            PRUNE,
            "groups.topk(2)",
            "groups.topk(2, largest=False)",
            f"{OF_PRUNE}test_two_of_each_four_in_a_row_stay",
        ),
        (
            "rounded-weights-are-updated",
            "The optimizer changes the exact weights, not the rounded ones.",
            INT8,
            "            weight.copy_(exact)\n",
            "            pass\n",
            f"{OF_INT8}test_the_gradient_is_that_at_rounded_weights_and_moves_the_exact_ones",
        ),
        (
            "one-scale-for-all-outputs",
            "Each output of a layer has a scale of its own.",
            INT8,
            "rows.abs().amax(1, keepdim=True)",
            "rows.abs().amax()",
            f"{OF_INT8}test_each_output_has_255_levels_of_its_own",
        ),
        (
            "activations-of-seven-bits",
            "An activation has 256 levels.",
            INT8,
            "((high - low) / 255)",
            "((high - low) / 127)",
            f"{OF_INT8}test_inputs_have_256_levels_and_zero_is_one_of_them",
        ),
        (
            "a-tensor-has-one-name",
            "A tensor of two names is written under both.",
            PORTABLE,
            "trained.model.state_dict().items()",
            "trained.model.named_parameters()",
            f"{OF_FILE}test_a_tensor_of_two_names_is_there_under_both",
        ),
    )
)
