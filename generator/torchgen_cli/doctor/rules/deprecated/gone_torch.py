"""Names that torch and its family have removed: the release, and what to use instead.

They are missing in torch 2.13, torchvision 0.29, torchaudio 2.11 and timm 1.0; those of torchtext
follow its release notes.
"""

from .gone_fields import NAMES as CIFAR_FIELDS

REMOVED_IN: dict[str, dict[str, dict[str, str]]] = {
    "torch": {
        "1.0": {
            "torch.distributed.dist_backend": "torch.distributed.get_backend",
            "torch.legacy": "torch.nn",
            "torch.utils.ffi": "torch.utils.cpp_extension",
            "torch.utils.serialization.load_lua": "nothing: convert the file with the older torch",
        },
        "1.2": {
            "torch._jit_internal.weak_module": "nothing: it has no effect",
            "torch._jit_internal.weak_script_method": "nothing: it has no effect",
            "torch.distributed.deprecated": "torch.distributed",
            "torch.jit.weak_module": "nothing: it has no effect",
            "torch.utils.data.dataloader.container_abcs": "collections.abc",
            "torch.utils.data.dataloader.numpy_type_map": "torch.as_tensor",
            "torch.utils.data.dataloader.string_classes": "str",
            **{
                f"torch.utils.data.dataloader.{name}": "torch.utils.data._utils"
                for name in ("_DataLoaderIter", "_use_shared_memory", "pin_memory_batch")
            },
        },
        "1.5": {"torch.jit.get_trace_graph": "torch.jit._get_trace_graph"},
        "1.8": {
            "torch.btrifact": "torch.linalg.lu_factor",
            "torch.gels": "torch.linalg.lstsq",
            "torch.gesv": "torch.linalg.solve, with the matrix first",
            "torch.ifft": "torch.fft.ifftn, whose arguments differ",
            "torch.irfft": "torch.fft.irfftn, whose arguments differ",
            "torch.potrf": "torch.linalg.cholesky",
            "torch.potrs": "torch.cholesky_solve",
            "torch.rfft": "torch.fft.rfftn, whose arguments differ",
            "torch.trtrs": "torch.linalg.solve_triangular",
        },
        "1.9": {
            "torch.autograd.gradcheck.zero_gradients": "the tensor's grad = None",
            "torch.nn.modules.linear._LinearWithBias": "torch.nn.Linear",
            "torch.tensor.Tensor": "torch.Tensor",
            "torch.is_deterministic": "torch.are_deterministic_algorithms_enabled",
            "torch.set_deterministic": "torch.use_deterministic_algorithms",
        },
        "2.0": {
            "torch._six.container_abcs": "collections.abc",
            "torch._six.inf": "math.inf",
            "torch._six.int_classes": "int",
            "torch._six.string_classes": "str",
            "torch._six": "Python's own names",
        },
        # gone by then; which release was the last to have them was not looked up
        "2.13": {
            "torch._utils._accumulate": "itertools.accumulate",
            "torch.onnx._export": "torch.onnx.export",
            "torch.optim.optimizer._params_t": "torch.optim.optimizer.ParamsT",
        },
    },
    "torchvision": {
        "0.2.2": CIFAR_FIELDS,
        "0.11": {"torchvision.models.utils": "torch.hub"},
        "0.12": {
            "torchvision.transforms.RandomSizedCrop": "torchvision.transforms.RandomResizedCrop",
            "torchvision.transforms.Scale": "torchvision.transforms.Resize",
        },
        "0.13": {
            **{
                f"torchvision.models.{name}.model_urls": "the weights' url, as in VGG16_Weights"
                for name in ("alexnet", "densenet", "inception", "resnet", "squeezenet", "vgg")
            },
            **{
                f"torchvision.models.{name}.load_state_dict_from_url": "torch.hub"
                for name in ("alexnet", "densenet", "inception", "resnet", "vgg")
            },
        },
        "0.14": {
            "torchvision.models.mobilenetv2.ConvBNReLU": "torchvision.ops.Conv2dNormActivation",
        },
        "0.15": {
            **{
                f"torchvision.models.{name}.model_urls": "the weights' url, as in VGG16_Weights"
                for name in (
                    *("detection.faster_rcnn", "detection.mask_rcnn", "googlenet", "mobilenetv2"),
                    "shufflenetv2",
                )
            },
        },
        "0.16": {"torchvision.datapoints": "torchvision.tv_tensors"},
        "0.17": {
            "torchvision.transforms.functional_pil": "torchvision.transforms.functional",
            "torchvision.transforms.functional_tensor": "torchvision.transforms.functional",
        },
    },
    "torchtext": {
        "0.12": {
            "torchtext.legacy": "a custom vocabulary and DataLoader",
            **{
                f"torchtext.data.{name}": "a custom vocabulary and DataLoader"
                for name in ("BucketIterator", "Example", "Field", "Iterator", "TabularDataset")
            },
        },
    },
    "torchaudio": {
        "0.9": {
            "torchaudio.functional.istft": "torch.istft",
            "torchaudio.load_wav": "torchaudio.load",
        },
        "0.11": {
            "torchaudio.functional.complex_norm": "torch.abs",
            "torchaudio.functional.create_fb_matrix": "torchaudio.functional.melscale_fbanks",
            "torchaudio.functional.magphase": "torch.abs and torch.angle",
            "torchaudio.transforms.ComplexNorm": "torch.abs",
        },
        "2.9": {
            "torchaudio.get_audio_backend": "nothing: torchaudio selects a backend itself",
            "torchaudio.io": "torchcodec",
            "torchaudio.list_audio_backends": "nothing: torchaudio selects a backend itself",
            "torchaudio.utils.sox_utils": "nothing: torchaudio selects a backend itself",
            "torchaudio.backend": "nothing: torchaudio selects a backend itself",
            "torchaudio.info": "torchcodec.decoders.AudioDecoder(...).metadata",
            "torchaudio.set_audio_backend": "nothing: torchaudio selects a backend itself",
            "torchaudio.sox_effects": "torchaudio.transforms",
        },
    },
    "timm": {
        "0.5": {"timm.optim.novograd": "timm.optim.nvnovograd"},
        "0.6": {
            "timm.models.helpers.overlay_external_default_cfg": "pretrained_cfg_overlay=...",
            "timm.optim.optim_factory.add_weight_decay": "timm.optim.param_groups_weight_decay",
        },
        "0.9": {
            "timm.data.parsers": "timm.data.readers",
            "timm.models.efficientnet_blocks": "timm.models._efficientnet_blocks",
            "timm.models.efficientnet_builder": "timm.models._efficientnet_builder",
            **{
                f"timm.models.layers.{name}": "timm.layers"
                for name in (
                    *("activations", "adaptive_avgmax_pool", "blur_pool", "cbam", "classifier"),
                    *("cond_conv2d", "config", "conv_bn_act", "create_act"),
                    *("create_norm_act", "drop", "eca", "helpers"),
                    *("mlp", "norm", "norm_act", "padding", "patch_embed", "pool2d_same"),
                    *("separable_conv", "squeeze_excite", "std_conv", "weight_init"),
                )
            },
        },
        "1.0.12": {
            "timm.optim.nadam.Nadam": "torch.optim.NAdam",
            "timm.optim.radam.RAdam": "torch.optim.RAdam",
        },
    },
}
