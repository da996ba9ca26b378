"""Names that libraries of training programs have removed: the release, and what to use instead.

Each was looked up in the releases of 2026, where it is missing: numpy 2.4, scipy 1.17, pandas 3.1,
scikit-learn 1.9, scikit-image 0.26, networkx 3.6, librosa 0.11, Pillow 11.3, matplotlib 3.11,
albumentations 2.0, gym 0.26 and OpenCV 5.0; those of tensorflow follow its release notes. A test
looks up again those of the libraries that are installed. Torch's family and the frameworks have
tables of their own.
"""

from .gone_frameworks import REMOVED_IN as REMOVED_FROM_FRAMEWORKS
from .gone_torch import REMOVED_IN as REMOVED_FROM_TORCH

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
        "3.12": {"asyncore": "asyncio", "imp": "importlib, such as importlib.util"},
        "3.13": {
            "cgi": "html, or urllib.parse",
            "imghdr": "PIL.Image.open(...).format",
            "pipes": "shlex",
            "telnetlib": "another library",
            **dict.fromkeys(("aifc", "audioop", "sndhdr", "sunau"), "soundfile"),
        },
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
        "2.0": {
            "numpy.Inf": "numpy.inf",
            "numpy.Infinity": "numpy.inf",
            "numpy.core.umath_tests": "numpy.einsum",
            "numpy.AxisError": "numpy.exceptions.AxisError",
            "numpy.ComplexWarning": "numpy.exceptions.ComplexWarning",
            "numpy.NAN": "numpy.nan",
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
            "numpy.issubsctype": "numpy.issubdtype",
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
            "numpy.sctypes": "the dtypes by name",
            "numpy.singlecomplex": "numpy.complex64",
            "numpy.sometrue": "numpy.any",
            "numpy.source": "inspect.getsource",
            "numpy.string_": "numpy.bytes_",
            "numpy.uint0": "numpy.uintp",
            "numpy.unicode_": "numpy.str_",
            "numpy.who": "locals()",
            **{
                f"numpy.lib.{name}": "numpy"
                for name in (
                    *("arraypad", "arraysetops", "function_base", "histograms", "index_tricks"),
                    *("nanfunctions", "shape_base", "twodim_base", "type_check"),
                )
            },
        },
        "2.4": {
            "numpy.in1d": "numpy.isin",
            "numpy.trapz": "scipy.integrate.trapezoid, or numpy.trapezoid with numpy 2",
        },
    },
    "scipy": {
        "1.3": {
            "scipy.misc.imread": "imageio.imread",
            "scipy.misc.imresize": "PIL.Image.resize",
            "scipy.misc.imrotate": "PIL.Image.rotate",
            "scipy.misc.imsave": "imageio.imwrite",
            "scipy.misc.toimage": "PIL.Image.fromarray",
            "scipy.ndimage.imread": "imageio.imread",
            "scipy.misc.comb": "scipy.special.comb",
            "scipy.misc.factorial": "scipy.special.factorial",
            "scipy.misc.logsumexp": "scipy.special.logsumexp",
        },
        "1.6": {
            "scipy.spatial.transform.Rotation.as_dcm": "Rotation.as_matrix",
            "scipy.spatial.transform.Rotation.from_dcm": "Rotation.from_matrix",
        },
        "1.8": {"scipy.sparse.linalg.eigen.arpack": "scipy.sparse.linalg"},
        "1.9": {
            "scipy.linalg.pinv2": "scipy.linalg.pinv",
            "scipy.stats.itemfreq": "numpy.unique(..., return_counts=True)",
            "scipy.stats.median_absolute_deviation": "scipy.stats.median_abs_deviation",
        },
        "1.12": {
            "scipy.rand": "numpy.random.rand",
            "scipy.randn": "numpy.random.randn",
            "scipy.random": "numpy.random",
            "scipy.stats.binom_test": "scipy.stats.binomtest",
            **{
                f"scipy.{name}": f"numpy.{name}"
                for name in (
                    *("arange", "array", "dot", "exp", "eye", "interp", "linspace", "log"),
                    *("mean", "ones", "pi", "sqrt", "sum", "zeros"),
                )
            },
        },
        "1.13": {
            **{f"scipy.linalg.{name}": f"numpy.{name}" for name in ("tril", "triu")},
            **{
                f"scipy.signal.{name}": f"scipy.signal.windows.{name}"
                for name in (
                    *("bartlett", "blackman", "boxcar", "gaussian", "hamming", "hann", "kaiser"),
                    *("triang", "tukey"),
                )
            },
        },
        "1.14": {
            "scipy.integrate.cumtrapz": "scipy.integrate.cumulative_trapezoid",
            "scipy.integrate.simps": "scipy.integrate.simpson",
            "scipy.integrate.trapz": "scipy.integrate.trapezoid",
        },
        "1.15": {
            "scipy.integrate.romberg": "scipy.integrate.quad",
            "scipy.misc.ascent": "scipy.datasets.ascent",
            "scipy.misc.derivative": "numdifftools",
            "scipy.misc.face": "scipy.datasets.face",
            "scipy.signal.cwt": "pywt.cwt",
            "scipy.signal.morlet": "pywt.ContinuousWavelet",
        },
    },
    "pandas": {
        "0.23": {
            "pandas.rolling_mean": "rolling(...).mean()",
            "pandas.rolling_std": "rolling(...).std()",
        },
        "0.25": {
            "pandas.TimeGrouper": "pandas.Grouper",
            "pandas.compat.StringIO": "io.StringIO",
            "pandas.compat.lrange": "list(range(...))",
            "pandas.scatter_matrix": "pandas.plotting.scatter_matrix",
            "pandas.tools.plotting": "pandas.plotting",
        },
        "1.0": {
            "pandas.SparseDataFrame": "pandas.DataFrame.sparse",
            "pandas.read_msgpack": "pandas.read_parquet",
        },
        "1.2": {"pandas.Panel": "a DataFrame with a MultiIndex"},
        "1.5": {"pandas.core.common.SettingWithCopyWarning": "nothing: copies are safe now"},
        "2.0": {
            "pandas.Float64Index": "pandas.Index",
            "pandas.Int64Index": "pandas.Index",
            "pandas.UInt64Index": "pandas.Index",
            "pandas.core.index": "pandas",
            "pandas.datetime": "datetime.datetime",
            "pandas.io.json.json_normalize": "pandas.json_normalize",
            "pandas.np": "numpy",
            "pandas.util.testing": "pandas.testing",
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
            "sklearn.externals.six": "six",
            "sklearn.metrics.calinski_harabaz_score": "sklearn.metrics.calinski_harabasz_score",
            "sklearn.metrics.jaccard_similarity_score": "sklearn.metrics.jaccard_score",
            "sklearn.utils.linear_assignment_": "scipy.optimize.linear_sum_assignment",
        },
        "0.24": {
            "sklearn.metrics.classification": "sklearn.metrics",
            "sklearn.metrics.ranking": "sklearn.metrics",
            "sklearn.metrics.scorer": "sklearn.metrics",
            "sklearn.utils.safe_indexing": "numpy.take",
            **{
                f"sklearn.{module}": f"sklearn.{module.partition('.')[0]}"
                for module in (
                    *("cluster.hierarchical", "cluster.k_means_", "datasets.base"),
                    *("datasets.samples_generator", "decomposition.nmf", "decomposition.pca"),
                    *("ensemble.bagging", "ensemble.base", "ensemble.forest"),
                    *("ensemble.weight_boosting", "feature_extraction.stop_words"),
                    *("feature_selection.base", "linear_model.base", "linear_model.logistic"),
                    *("linear_model.ridge", "linear_model.stochastic_gradient", "manifold.t_sne"),
                    *("mixture.gaussian_mixture", "neighbors.base", "neighbors.classification"),
                    *("neural_network.multilayer_perceptron", "preprocessing.data"),
                    *("preprocessing.label", "svm.classes"),
                )
            },
        },
        "1.2": {
            "sklearn.datasets.load_boston": "another dataset, such as fetch_california_housing",
            **{
                f"sklearn.metrics.plot_{name}": f"sklearn.metrics.{display}.from_estimator"
                for name, display in {
                    "confusion_matrix": "ConfusionMatrixDisplay",
                    "precision_recall_curve": "PrecisionRecallDisplay",
                    "roc_curve": "RocCurveDisplay",
                }.items()
            },
        },
        "1.3": {
            "sklearn.metrics.SCORERS": "sklearn.metrics.get_scorer",
            "sklearn.neighbors.DistanceMetric": "sklearn.metrics.DistanceMetric",
            "sklearn.utils.metaestimators.if_delegate_has_method": "available_if",
        },
    },
    "skimage": {
        "0.18": {
            "skimage.measure._structural_similarity": "skimage.metrics",
            "skimage.measure.compare_mse": "skimage.metrics.mean_squared_error",
            "skimage.measure.compare_nrmse": "skimage.metrics.normalized_root_mse",
            "skimage.measure.compare_psnr": "skimage.metrics.peak_signal_noise_ratio",
            "skimage.measure.compare_ssim": "skimage.metrics.structural_similarity",
            "skimage.measure.simple_metrics": "skimage.metrics",
            "skimage.measure.structural_similarity": "skimage.metrics.structural_similarity",
        },
        "0.19": {
            "skimage.draw.circle": "skimage.draw.disk",
            "skimage.feature.register_translation": "registration.phase_cross_correlation",
            "skimage.measure.marching_cubes_lewiner": "skimage.measure.marching_cubes",
            "skimage.morphology.watershed": "skimage.segmentation.watershed",
            "skimage.util.pad": "numpy.pad",
        },
        "0.20": {
            "skimage.feature.greycomatrix": "skimage.feature.graycomatrix",
            "skimage.feature.greycoprops": "skimage.feature.graycoprops",
            "skimage.viewer": "another viewer",
        },
        "0.22": {"skimage.future.graph": "skimage.graph"},
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
        "0.9": {"librosa.display.waveplot": "librosa.display.waveshow"},
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
        "3.0": {"matplotlib.pyplot.hold": "nothing: plots always add to the axes"},
        "3.4": {"matplotlib.font_manager._rebuild": "nothing: new fonts are found automatically"},
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
        "1.4": {
            "albumentations.Cutout": "albumentations.CoarseDropout",
            "albumentations.JpegCompression": "albumentations.ImageCompression",
            "albumentations.RandomBrightness": "albumentations.RandomBrightnessContrast",
            "albumentations.RandomContrast": "albumentations.RandomBrightnessContrast",
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
        "1.4.24": {"albumentations.Flip": "albumentations.HorizontalFlip"},
        "2.0.7": {
            "albumentations.TemplateTransform": "a custom transform",
            "albumentations.augmentations.functional": "OpenCV functions",
            "albumentations.augmentations.transforms": "albumentations",
        },
    },
    "cv2": {
        "3.0": {
            "cv2.CV_AA": "cv2.LINE_AA",
            "cv2.CV_FOURCC": "cv2.VideoWriter_fourcc",
            "cv2.CV_LOAD_IMAGE_COLOR": "cv2.IMREAD_COLOR",
            "cv2.CV_LOAD_IMAGE_GRAYSCALE": "cv2.IMREAD_GRAYSCALE",
            "cv2.CV_LOAD_IMAGE_UNCHANGED": "cv2.IMREAD_UNCHANGED",
            "cv2.cv": "cv2",
        },
        "4.0": {"cv2.estimateRigidTransform": "cv2.estimateAffinePartial2D"},
    },
    "setuptools": {"82": {"pkg_resources": "importlib.metadata, or packaging"}},
    "wandb": {"0.28.2": {"wandb.util.generate_id": "wandb.sdk.lib.runid.generate_id"}},
    "tifffile": {"2025.12.20": {"tifffile.imsave": "tifffile.imwrite"}},
    "faiss": {"1.6.5": {"faiss.cast_integer_to_long_ptr": "faiss.cast_integer_to_idx_t_ptr"}},
    "gym": {"0.23": {"gym.wrappers.Monitor": "gym.wrappers.RecordVideo"}},
    "moviepy": {"2.0": {"moviepy.editor": "moviepy"}},
    "tensorflow": {
        "2.0": {
            "tensorflow.ConfigProto": "tensorflow.config",
            "tensorflow.Session": "tensorflow.compat.v1.Session",
            "tensorflow.Summary": "torch.utils.tensorboard.SummaryWriter",
            "tensorflow.app": "absl.app",
            "tensorflow.contrib": "no direct replacement",
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
    "faiss": "faiss-gpu",
    "hydra": "hydra-core",
    "ignite": "pytorch-ignite",
    "pytorch_lightning": "pytorch-lightning",
    "ruamel": "ruamel.yaml",
    "segmentation_models_pytorch": "segmentation-models-pytorch",
    "yaml": "pyyaml",
}
TABLES = {**REMOVED_IN, **REMOVED_FROM_TORCH, **REMOVED_FROM_FRAMEWORKS}
GONE = {
    name: instead
    for releases in TABLES.values()
    for names in releases.values()
    for name, instead in names.items()
}
RELEASES = {
    name: (PACKAGES.get(library, library), release)
    for library, releases in TABLES.items()
    for release, names in releases.items()
    for name in names
}
"""The package and the release that lacks a name, of each."""
