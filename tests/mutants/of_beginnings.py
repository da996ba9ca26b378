"""Mutants of how weights begin, of products in 8 bits, and of the check of own functions."""

from .mutant import Mutant

INIT, FP8, CHECK = "toolbox/initialization.py", "toolbox/fp8.py", "tools/gradcheck.py"
OF_INIT, OF_FP8, OF_CHECK = (
    "toolbox/test_initialization.py::",
    "toolbox/test_fp8.py::",
    "tools/test_gradcheck.py::",
)
VARIANCE = f"{OF_INIT}test_weights_have_the_variance_that_each_name_stands_for"

SMALL = tuple(
    Mutant(id, "Options", rule, file, old, new, test)
    for id, rule, file, old, new, test in (
        (
            "biases-stay-when-weights-are-drawn",
            "--init sets biases to zero.",
            INIT,
            "                nn.init.zeros_(module.bias)\n",
            "                pass\n",
            VARIANCE,
        ),
        (
            "weights-in-another-layout",
            "Weights that --init draws keep their memory format.",
            INIT,
            "            module.weight.copy_(drawn)",
            "            module.weight.data = drawn",
            VARIANCE,
        ),
        (
            "orthogonal-without-its-gain",
            "--init orthogonal makes up for what a rectifier cuts off.",
            INIT,
            "nn.init.orthogonal_(weight, math.sqrt(2))",
            "nn.init.orthogonal_(weight)",
            VARIANCE,
        ),
        (
            "the-next-layer-sees-the-old-outputs",
            "--init lsuv scales each layer on what the scaled ones before it give.",
            INIT,
            "        return outputs / deviation",
            "        return outputs",
            f"{OF_INIT}test_lsuv_gives_each_layer_a_variance_of_one",
        ),
        (
            "the-spread-counts-as-a-batch",
            "Norms do not learn from the batch that the spread is measured on.",
            INIT,
            "            buffer.copy_(buffers[name])\n",
            "            assert name in buffers\n",
            f"{OF_INIT}test_spreads_are_those_of_the_outputs_and_nothing_of_the_model_changes",
        ),
        (
            "what-vanishes-is-not-said",
            "A layer whose activations vanish is named.",
            INIT,
            "if not NARROW <= spread <= WIDE]",
            "if not spread <= WIDE]",
            f"{OF_INIT}test_the_widest_and_the_narrowest_layer_are_named_and_what_vanishes",
        ),
        (
            "any-size-in-8-bits",
            "--fp8 leaves layers alone whose sizes its kernels cannot do.",
            FP8,
            "module.in_features % MULTIPLE == 0 and module.out_features % MULTIPLE == 0",
            "module.in_features % MULTIPLE == 0",
            f"{OF_FP8}test_layers_of_fitting_sizes_round_to_8_bits_and_keep_their_names",
        ),
        (
            "any-device-in-8-bits",
            "--fp8 is refused where the hardware has no such products.",
            FP8,
            'if device.type != "cuda" or',
            'if device.type == "cuda" and',
            f"{OF_FP8}test_a_device_without_8_bits_is_refused",
        ),
        (
            "a-wrong-backward-pass-ends-well",
            "The check of own functions exits with 1 where a backward pass is wrong.",
            CHECK,
            "    return 1 if any(wrong.values()) else 0\n",
            "    return 0\n",
            f"{OF_CHECK}test_a_right_function_is_told_from_a_wrong_one",
        ),
    )
)

MUTANTS = (
    *SMALL,
    Mutant(
        "a-resume-draws-anew",
        "Options",
        "--init and its lines are for a fresh start alone.",
        "engine/assemble.py",
        'if fresh and config.init != "model"',
        'if config.init != "model"',
        "engine/test_engine_settings.py::test_each_setting_changes_what_it_says[init]",
    ),
)
