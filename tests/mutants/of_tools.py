"""What the tools that look at a model and its data must not get wrong."""

from .mutant import Mutant

SUMMARY, SHOW = "tools/summary.py", "tools/show_batch.py"
FINDINGS, ALIKE, DOCTOR = "data/findings.py", "data/alike.py", "data/doctor.py"
PLANTED = "data/test_doctor.py::test_what_was_planted_is_found_and_nothing_else"
MASKS = "data/test_doctor.py::test_masks_on_the_disk_are_compared_and_names_of_files_are_not"
OF_ONNX = "tools/test_export_onnx.py::"
PARTS, TRACE, OF_PROFILE = "tools/parts.py", "tools/trace.py", "tools/test_profile.py::"
LAYERS, CAM, CAPTURE = "tools/check_layers.py", "tools/grad_cam.py", "tools/capture.py"
OF_LAYERS, OF_CAM = "tools/test_check_layers.py::", "tools/test_grad_cam.py::"
OF_FEATURES = "tools/test_features.py::"
OF_SUMMARY, OF_SHOW = "tools/test_summary.py::", "tools/test_show_batch.py::"

MUTANTS = tuple(
    Mutant(name, "Tools", rule, file, old, new, test)
    for name, rule, file, old, new, test in (
        (
            "flops-of-a-batch",
            "The FLOPs are those of one sample.",
            SUMMARY,
            "sum(counts.values()) // len(inputs)",
            "sum(counts.values())",
            f"{OF_SUMMARY}test_parameters_and_flops_are_those_of_a_count_by_hand",
        ),
        (
            "frozen-parameters-are-trained",
            "Frozen parameters are not among those that are trained.",
            SUMMARY,
            "sum(p.numel() for p in parameters if p.requires_grad)",
            "sum(p.numel() for p in parameters)",
            f"{OF_SUMMARY}test_parameters_and_flops_are_those_of_a_count_by_hand",
        ),
        (
            "hooks-stay-in-the-model",
            "The summary leaves the model as it was.",
            SUMMARY,
            "            hook.remove()\n",
            "            pass\n",
            f"{OF_SUMMARY}test_parameters_and_flops_are_those_of_a_count_by_hand",
        ),
        (
            "an-input-is-kept-once-for-each-use",
            "A tensor that several layers need for the backward pass takes its memory once.",
            SUMMARY,
            "self.sizes[storage.data_ptr()] = storage.nbytes()",
            "self.sizes[len(self.sizes)] = storage.nbytes()",
            f"{OF_SUMMARY}test_what_a_backward_pass_needs_counts_once_and_weights_do_not",
        ),
        (
            "backward-begins-before-the-loss",
            "The time of each part of a step is told by itself.",
            PARTS,
            '("loss", "loss", "backward")',
            '("loss", "backward", "backward")',
            f"{OF_PROFILE}test_each_part_has_the_time_that_it_took_and_the_model_is_left_as_it_was",
        ),
        (
            "a-watch-without-an-end",
            "A step that was timed is left as it was.",
            PARTS,
            "            handle.remove()\n",
            "            pass\n",
            f"{OF_PROFILE}test_each_part_has_the_time_that_it_took_and_the_model_is_left_as_it_was",
        ),
        (
            "memory-begins-anew-with-each-part",
            "What a part finds in memory counts among what is in use in it.",
            TRACE,
            "            found[part] = max(found[part], now)\n            while",
            "            while",
            f"{OF_PROFILE}test_what_is_in_use_when_a_part_begins_is_in_use_in_it",
        ),
        (
            "kernels-side-by-side-count-twice",
            "A device that does two things at once is busy once.",
            TRACE,
            "end - max(begin, until)",
            "end - begin",
            f"{OF_PROFILE}test_work_of_an_accelerator_that_overlaps_counts_once",
        ),
        (
            "a-channel-is-dead-in-the-last-batch",
            "A channel is dead if nothing flows back through it for any sample.",
            LAYERS,
            "torch.maximum(largest.get(name, highest), highest)",
            "torch.minimum(largest.get(name, highest), highest)",
            f"{OF_LAYERS}test_a_channel_that_one_sample_needs_is_not_dead",
        ),
        (
            "the-gradient-of-the-summed-loss",
            "The gradient of a layer is that of the mean loss.",
            LAYERS,
            ".square().mean().sqrt()) / samples",
            ".square().mean().sqrt())",
            f"{OF_LAYERS}test_a_sound_model_has_nothing_named_and_its_numbers_are_right",
        ),
        (
            "maps-weigh-by-their-size",
            "A feature map weighs as much as it raises the score.",
            CAM,
            "passed.gradient.mean((2, 3), keepdim=True)",
            "passed.gradient.abs().mean((2, 3), keepdim=True)",
            f"{OF_CAM}test_it_is_the_class_activation_map_of_the_class_asked_for",
        ),
        (
            "an-explanation-in-training-mode",
            "A heat map belongs to what the model predicts, in evaluation mode.",
            CAM,
            "    model.eval()\n",
            "",
            f"{OF_CAM}test_the_map_is_that_of_the_model_in_evaluation_mode",
        ),
        (
            "layers-in-the-order-of-their-definition",
            "Layers are captured in the order in which they are called.",
            CAPTURE,
            "found.pop(name, None)",
            "None",
            f"{OF_FEATURES}test_the_last_call_of_a_layer_is_kept_with_its_gradient",
        ),
        (
            "the-batch-of-another-epoch",
            "The batch shown is that of its step, with the random changes of its epoch.",
            SHOW,
            "progress.step, progress.epoch = step, step // steps",
            "progress.step, progress.epoch = step % steps, 0",
            f"{OF_SHOW}test_it_is_the_batch_of_that_step",
        ),
        (
            "each-picture-has-a-brightness-of-its-own",
            "Pixels keep their brightness in the picture.",
            "tools/pictures.py",
            "(values - lowest) / max(highest - lowest, 1e-12)",
            "(values - values.min()) / max(values.max() - values.min(), 1e-12)",
            f"{OF_SHOW}test_pixels_keep_their_brightness_and_colors",
        ),
        (
            "shares-under-the-wrong-names",
            "The shares of a mixed target stand beside their own classes.",
            SHOW,
            "zip(values, classes, strict=True), reverse=True",
            "zip(values, classes[::-1], strict=True), reverse=True",
            f"{OF_SHOW}test_a_target_is_told_in_words",
        ),
        (
            "a-leak-goes-unseen",
            "A sample of val that is in train as well is found.",
            FINDINGS,
            "return len({self.places[number][0] for number in group}) > 1",
            "return len({self.places[number] for number in group}) < 1",
            f"{PLANTED}[a copy in val]",
        ),
        (
            "details-do-not-count",
            "Images that share a blur alone are not nearly equal.",
            ALIKE,
            "> DETAIL\n",
            "> -2\n",
            "data/test_doctor.py::test_images_of_one_blur_are_told_apart",
        ),
        (
            "names-of-masks-are-compared",
            "Equal images whose masks lie in two files do not disagree for that.",
            DOCTOR,
            'if target.dtype.kind not in "biuf":\n        return b""',
            'if target.dtype.kind not in "biuf":\n        return target.tobytes()',
            MASKS,
        ),
        (
            "a-wrong-model-in-onnx-is-written",
            "The answers of a model in ONNX are compared with those of its checkpoint.",
            "tools/export_onnx.py",
            'if name == "onnx" and compared.worst > TOLERANCE:',
            "if compared.worst < 0:",
            f"{OF_ONNX}test_a_model_that_came_out_wrong_is_not_written",
        ),
        (
            "a-quantized-model-that-is-not-written",
            "The file is the model whose numbers are printed.",
            "tools/export_onnx.py",
            "            content = quantized(",
            "            quantized(",
            f"{OF_ONNX}test_what_is_said_of_a_quantized_model_is_that_of_its_file[static]",
        ),
        (
            "a-bad-mask-is-passed-over",
            "A target that cannot be read is named.",
            DOCTOR,
            "reasons += [",
            "_ = [",
            MASKS,
        ),
    )
)
