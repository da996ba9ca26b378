"""Mutants of what saves memory: activations computed again, or overwritten."""

from .mutant import Mutant

FILE = "toolbox/activations.py"
TESTS = "toolbox/test_activations.py::"

MUTANTS = (
    Mutant(
        "a-batch-counts-twice",
        "Options",
        "What is computed again does not count in a norm's statistics.",
        FILE,
        "None if b is None else b.clone()",
        "b",
        f"{TESTS}test_a_norm_counts_each_batch_once",
    ),
    Mutant(
        "statistics-in-the-copy-for-ever",
        "Options",
        "After the backward pass a norm has its own statistics again.",
        FILE,
        "            norm._buffers.update(buffers)\n",
        "            assert buffers is not None\n",
        f"{TESTS}test_a_norm_counts_each_batch_once",
    ),
    Mutant(
        "nothing-is-forgotten",
        "Options",
        "Activations that are computed again are not kept.",
        FILE,
        "not (layer.training and torch.is_grad_enabled())",
        "layer.training",
        f"{TESTS}test_a_step_has_the_same_bits_and_keeps_less",
    ),
    Mutant(
        "other-masks-the-second-time",
        "Options",
        "What is computed again drops out the same features.",
        FILE,
        "        use_reentrant=False,\n",
        "        use_reentrant=False,\n        preserve_rng_state=False,\n",
        f"{TESTS}test_a_step_has_the_same_bits_and_keeps_less",
    ),
    Mutant(
        "a-copy-computes-with-the-original",
        "Options",
        "A copy of a model that recomputes is a model of its own.",
        FILE,
        "layer.forward = MethodType(forward_twice, layer)",
        "layer.forward = lambda *inputs, one=layer: forward_twice(one, *inputs)",
        f"{TESTS}test_a_copy_computes_with_its_own_weights",
    ),
    Mutant(
        "nothing-is-overwritten",
        "Options",
        "--inplace reaches each activation function.",
        FILE,
        "module.inplace = True",
        "module.inplace = module.inplace",
        f"{TESTS}test_only_functions_that_can_overwrite_do",
    ),
)
