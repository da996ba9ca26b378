"""Names that libraries of training programs have removed: the release, and what to use instead.

Each was looked up in the releases of 2026, where it is missing: numpy 2.4, scipy 1.17, pandas 3.1,
scikit-learn 1.9, scikit-image 0.26, networkx 3.6, librosa 0.11, Pillow 11.3, matplotlib 3.11,
torch 2.13, torchvision 0.28, torchaudio 2.11, transformers 5.24, albumentations 2.0, timm 1.0,
gym 0.26 and OpenCV 5.0; those of torchtext and tensorflow follow their release notes. A test looks
up again those of the libraries that are installed.
"""

REMOVED_IN: dict[str, dict[str, dict[str, str]]] = {
    "python": {
        "3.8": {"time.clock": "time.perf_counter"},
        "3.9": {
            "base64.decodestring": "base64.decodebytes",
            "base64.encodestring": "base64.encodebytes",
            "fractions.gcd": "math.gcd",
        },
        "3.10": {
            f"collections.{name}": f"collections.abc.{name}"
            for name in (
                *("Callable", "Hashable", "Iterable", "Iterator", "Mapping", "MutableMapping"),
                *("MutableSequence", "Sequence", "Set", "Sized"),
            )
        },
        "3.11": {"inspect.getargspec": "inspect.getfullargspec"},
    },
    "numpy": {
        "1.18": {"numpy.rank": "numpy.ndim"},
        "1.22": {"numpy.loads": "pickle.loads"},
        "1.23": {"numpy.alen": "len", "numpy.asscalar": "the array's item()"},
        "1.24": {
            "numpy.complex": "complex",
            "numpy.float": "float, or numpy.float64",
            "numpy.int": "int",
            "numpy.object": "object",
            "numpy.str": "str",
            "numpy.unicode": "str",
        },
        "1.25": {"numpy.core.umath_tests": "numpy.einsum"},
        "2.0": {
            "numpy.Inf": "numpy.inf",
            "numpy.Infinity": "numpy.inf",
            "numpy.NINF": "-numpy.inf",
            "numpy.NaN": "numpy.nan",
            "numpy.PINF": "numpy.inf",
            "numpy.RankWarning": "numpy.exceptions.RankWarning",
            "numpy.VisibleDeprecationWarning": "numpy.exceptions.VisibleDeprecationWarning",
            "numpy.alltrue": "numpy.all",
            "numpy.asfarray": "numpy.asarray(..., dtype=float)",
            "numpy.bool8": "numpy.bool_",
            "numpy.cast": "the array's astype(...)",
            "numpy.cfloat": "numpy.complex128",
            "numpy.complex_": "numpy.complex128",
            "numpy.cumproduct": "numpy.cumprod",
            "numpy.disp": "print",
            "numpy.find_common_type": "numpy.result_type, or numpy.promote_types",
            "numpy.float_": "numpy.float64",
            "numpy.infty": "numpy.inf",
            "numpy.int0": "numpy.intp",
            "numpy.lib.pad": "numpy.pad",
            "numpy.longfloat": "numpy.longdouble",
            "numpy.mat": "numpy.asmatrix",
            "numpy.math": "math",
            "numpy.msort": "numpy.sort(..., axis=0)",
            "numpy.obj2sctype": "numpy.dtype(...).type",
            "numpy.product": "numpy.prod",
            "numpy.round_": "numpy.round",
            "numpy.safe_eval": "ast.literal_eval",
            "numpy.sctypes": "the types by name",
            "numpy.singlecomplex": "numpy.complex64",
            "numpy.sometrue": "numpy.any",
            "numpy.source": "inspect.getsource",
            "numpy.string_": "numpy.bytes_",
            "numpy.uint0": "numpy.uintp",
            "numpy.unicode_": "numpy.str_",
            "numpy.who": "locals()",
        },
        "2.4": {
            "numpy.in1d": "numpy.isin",
            "numpy.trapz": "scipy.integrate.trapezoid, or numpy.trapezoid with numpy 2",
        },
    },
    "scipy": {
        "1.2": {
            "scipy.misc.imread": "imageio.imread",
            "scipy.misc.imresize": "PIL.Image.resize",
            "scipy.misc.imrotate": "PIL.Image.rotate",
            "scipy.misc.imsave": "imageio.imwrite",
            "scipy.misc.toimage": "PIL.Image.fromarray",
            "scipy.ndimage.imread": "imageio.imread",
        },
        "1.3": {
            "scipy.misc.comb": "scipy.special.comb",
            "scipy.misc.factorial": "scipy.special.factorial",
            "scipy.misc.logsumexp": "scipy.special.logsumexp",
        },
        "1.6": {
            "scipy.spatial.transform.Rotation.as_dcm": "Rotation.as_matrix",
            "scipy.spatial.transform.Rotation.from_dcm": "Rotation.from_matrix",
        },
        "1.12": {"scipy.array": "numpy.array", "scipy.interp": "numpy.interp"},
        "1.13": {
            f"scipy.signal.{name}": f"scipy.signal.windows.{name}"
            for name in ("blackman", "gaussian", "hamming", "hann", "kaiser")
        },
        "1.14": {
            "scipy.integrate.cumtrapz": "scipy.integrate.cumulative_trapezoid",
            "scipy.integrate.simps": "scipy.integrate.simpson",
            "scipy.integrate.trapz": "scipy.integrate.trapezoid",
        },
    },
    "pandas": {
        "1.2": {"pandas.Panel": "a DataFrame with a MultiIndex"},
        "2.0": {
            "pandas.Float64Index": "pandas.Index",
            "pandas.Int64Index": "pandas.Index",
            "pandas.UInt64Index": "pandas.Index",
            "pandas.datetime": "datetime.datetime",
            "pandas.np": "numpy",
        },
    },
    "sklearn": {
        "0.20": {
            "sklearn.cross_validation": "sklearn.model_selection",
            "sklearn.grid_search": "sklearn.model_selection",
            "sklearn.learning_curve": "sklearn.model_selection",
        },
        "0.22": {
            "sklearn.datasets.fetch_mldata": "sklearn.datasets.fetch_openml",
            "sklearn.preprocessing.Imputer": "sklearn.impute.SimpleImputer",
        },
        "0.23": {
            "sklearn.externals.joblib": "joblib",
            "sklearn.metrics.calinski_harabaz_score": "sklearn.metrics.calinski_harabasz_score",
            "sklearn.metrics.jaccard_similarity_score": "sklearn.metrics.jaccard_score",
            "sklearn.utils.linear_assignment_": "scipy.optimize.linear_sum_assignment",
        },
        "0.24": {
            "sklearn.metrics.classification": "sklearn.metrics",
            "sklearn.metrics.ranking": "sklearn.metrics",
            "sklearn.metrics.scorer": "sklearn.metrics",
            "sklearn.datasets.samples_generator": "sklearn.datasets",
        },
        "1.2": {"sklearn.datasets.load_boston": "another set, such as fetch_california_housing"},
    },
    "skimage": {
        "0.18": {
            "skimage.measure.compare_mse": "skimage.metrics.mean_squared_error",
            "skimage.measure.compare_psnr": "skimage.metrics.peak_signal_noise_ratio",
            "skimage.measure.compare_ssim": "skimage.metrics.structural_similarity",
            "skimage.measure.structural_similarity": "skimage.metrics.structural_similarity",
        },
        "0.19": {
            "skimage.draw.circle": "skimage.draw.disk",
            "skimage.measure.marching_cubes_lewiner": "skimage.measure.marching_cubes",
        },
        "0.25": {"skimage.morphology.skeletonize_3d": "skimage.morphology.skeletonize"},
    },
    "networkx": {
        "2.4": {
            "networkx.connected_component_subgraphs": "networkx.connected_components",
        },
        "3.0": {
            "networkx.from_numpy_matrix": "networkx.from_numpy_array",
            "networkx.from_scipy_sparse_matrix": "networkx.from_scipy_sparse_array",
            "networkx.info": "print(graph)",
            "networkx.read_gpickle": "pickle.load",
            "networkx.to_numpy_matrix": "networkx.to_numpy_array",
            "networkx.to_scipy_sparse_matrix": "networkx.to_scipy_sparse_array",
            "networkx.write_gpickle": "pickle.dump",
        },
    },
    "librosa": {
        "0.6": {"librosa.logamplitude": "librosa.power_to_db"},
        "0.7": {"librosa.feature.rmse": "librosa.feature.rms"},
        "0.8": {"librosa.output": "soundfile.write"},
        "0.10": {"librosa.display.waveplot": "librosa.display.waveshow"},
    },
    "PIL": {
        "10": {
            "PIL.Image.ANTIALIAS": "PIL.Image.LANCZOS",
            "PIL.Image.CUBIC": "PIL.Image.BICUBIC",
            "PIL.Image.LINEAR": "PIL.Image.BILINEAR",
        },
    },
    "matplotlib": {
        "2.2": {
            f"matplotlib.{path}cm.{name}": f"matplotlib.colormaps[{instead!r}]"
            for path in ("", "pyplot.")
            for name, instead in {
                "Vega10": "tab10",
                "Vega20": "tab20",
                "Vega20b": "tab20b",
                "Vega20c": "tab20c",
                "spectral": "nipy_spectral",
            }.items()
        },
        "3.0": {"matplotlib.pyplot.hold": "nothing: plots add up by themselves"},
        "3.4": {"matplotlib.font_manager._rebuild": "nothing: new fonts are found by themselves"},
        "3.9": {
            name: "matplotlib.colormaps.register"
            for name in (
                *("matplotlib.cm.register_cmap", "matplotlib.pyplot.cm.register_cmap"),
                "matplotlib.pyplot.register_cmap",
            )
        },
        "3.11": {
            "matplotlib.cm.get_cmap": "matplotlib.colormaps[...], or matplotlib.pyplot.get_cmap",
            "matplotlib.pyplot.cm.get_cmap": "matplotlib.pyplot.get_cmap",
        },
    },
    "albumentations": {
        "2.0": {
            "albumentations.Cutout": "albumentations.CoarseDropout",
            "albumentations.Flip": "albumentations.HorizontalFlip",
            "albumentations.JpegCompression": "albumentations.ImageCompression",
            "albumentations.RandomBrightness": "albumentations.RandomBrightnessContrast",
            "albumentations.RandomContrast": "albumentations.RandomBrightnessContrast",
            "albumentations.TemplateTransform": "a transform of one's own",
            "albumentations.augmentations.functional": "the functions of OpenCV",
            "albumentations.augmentations.transforms": "albumentations",
            "albumentations.imgaug": "albumentations",
            "albumentations.pytorch.ToTensor": "albumentations.pytorch.ToTensorV2",
            **{
                f"albumentations.IAA{name}": f"albumentations.{instead}"
                for name, instead in {
                    "AdditiveGaussianNoise": "GaussNoise",
                    "Affine": "Affine",
                    "CropAndPad": "CropAndPad",
                    "Emboss": "Emboss",
                    "Fliplr": "HorizontalFlip",
                    "Flipud": "VerticalFlip",
                    "Perspective": "Perspective",
                    "PiecewiseAffine": "PiecewiseAffine",
                    "Sharpen": "Sharpen",
                    "Superpixels": "Superpixels",
                }.items()
            },
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
                    *("cond_conv2d", "config", "conv2d_same", "conv_bn_act", "create_act"),
                    *("create_attn", "create_conv2d", "create_norm_act", "drop", "eca", "helpers"),
                    *("mlp", "norm", "norm_act", "padding", "patch_embed", "pool2d_same"),
                    *("separable_conv", "squeeze_excite", "std_conv", "weight_init"),
                )
            },
        },
        "1.0": {
            "timm.optim.nadam.Nadam": "torch.optim.NAdam",
            "timm.optim.radam.RAdam": "torch.optim.RAdam",
        },
    },
    "cv2": {"4.0": {"cv2.estimateRigidTransform": "cv2.estimateAffinePartial2D"}},
    "gym": {"0.26": {"gym.wrappers.Monitor": "gym.wrappers.RecordVideo"}},
    "moviepy": {"2.0": {"moviepy.editor": "moviepy"}},
    "torch": {
        "1.0": {
            "torch.legacy": "torch.nn",
            "torch.utils.ffi": "torch.utils.cpp_extension",
            "torch.utils.serialization.load_lua": "a file that torch saved",
        },
        "1.8": {
            "torch.btrifact": "torch.linalg.lu_factor",
            "torch.gels": "torch.linalg.lstsq",
            "torch.gesv": "torch.linalg.solve",
            "torch.irfft": "torch.fft.irfft",
            "torch.potrf": "torch.linalg.cholesky",
            "torch.rfft": "torch.fft.rfft",
        },
        "1.9": {
            "torch.autograd.gradcheck.zero_gradients": "the tensor's grad = None",
            "torch.is_deterministic": "torch.are_deterministic_algorithms_enabled",
            "torch.set_deterministic": "torch.use_deterministic_algorithms",
        },
        "2.0": {
            "torch._six.container_abcs": "collections.abc",
            "torch._six.inf": "math.inf",
            "torch._six.int_classes": "int",
            "torch._six.string_classes": "str",
            "torch._six": "the names of Python",
        },
    },
    "torchvision": {
        "0.13": {
            "torchvision.models.utils": "torch.hub",
            **{
                f"torchvision.models.{name}.model_urls": "the weights' url, as in VGG16_Weights"
                for name in ("alexnet", "densenet", "inception", "resnet", "squeezenet", "vgg")
            },
        },
        "0.15": {
            "torchvision.transforms.RandomSizedCrop": "torchvision.transforms.RandomResizedCrop",
            "torchvision.transforms.Scale": "torchvision.transforms.Resize",
        },
        "0.17": {"torchvision.transforms.functional_tensor": "torchvision.transforms.functional"},
    },
    "torchtext": {
        "0.12": {
            "torchtext.legacy": "a vocabulary and a DataLoader of one's own",
            **{
                f"torchtext.data.{name}": "a vocabulary and a DataLoader of one's own"
                for name in ("BucketIterator", "Example", "Field", "Iterator", "TabularDataset")
            },
        },
    },
    "torchaudio": {
        "2.9": {
            "torchaudio.backend": "nothing: torchaudio finds how to read by itself",
            "torchaudio.info": "torchcodec.decoders.AudioDecoder(...).metadata",
            "torchaudio.set_audio_backend": "nothing: torchaudio finds how to read by itself",
            "torchaudio.sox_effects": "torchaudio.transforms",
        },
    },
    "transformers": {
        "4.0": {
            f"transformers.{kind}_{name}": f"transformers.models.{name}.{kind}_{name}"
            for kind in ("configuration", "modeling", "tokenization")
            for name in ("albert", "bart", "bert", "distilbert", "gpt2", "roberta", "t5", "xlnet")
        },
        "5.0": {
            "transformers.AdamW": "torch.optim.AdamW",
            "transformers.AutoModelWithLMHead": "transformers.AutoModelForCausalLM",
            "transformers.optimization.AdamW": "torch.optim.AdamW",
        },
    },
    "tensorflow": {
        "2.0": {
            "tensorflow.ConfigProto": "tensorflow.config",
            "tensorflow.Session": "tensorflow.compat.v1.Session",
            "tensorflow.Summary": "torch.utils.tensorboard.SummaryWriter",
            "tensorflow.app": "absl.app",
            "tensorflow.contrib": "nothing that stayed",
            "tensorflow.flags": "absl.flags",
            "tensorflow.gfile": "tensorflow.io.gfile",
            "tensorflow.summary.FileWriter": "torch.utils.tensorboard.SummaryWriter",
        },
    },
}
# how packages call what is imported by another name
PACKAGES = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
GONE = {
    name: instead
    for releases in REMOVED_IN.values()
    for names in releases.values()
    for name, instead in names.items()
}
RELEASES = {
    name: (PACKAGES.get(library, library), release)
    for library, releases in REMOVED_IN.items()
    for release, names in releases.items()
    for name in names
}
"""The package and the release that lacks a name, of each."""
