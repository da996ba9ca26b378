"""Arguments that libraries of training programs have given up: since which release, and what to do.

Each was given to the releases of 2026, which refuse it, and to older ones; the release is the first
that was seen to refuse it.
"""

from .gone_frameworks import ARGUMENTS as OF_FRAMEWORKS

TABLE_READERS = {
    "date_parser": ("3.0", "`pandas.to_datetime` on the column"),
    "delim_whitespace": ("3.0", 'sep=r"\\s+"'),
    "error_bad_lines": ("2.0", 'on_bad_lines="skip"'),
    "infer_datetime_format": ("3.0", "leave it out"),
    "mangle_dupe_cols": ("2.0", "leave it out"),
    "prefix": ("2.0", "add_prefix(...) on the DataFrame"),
    "squeeze": ("2.0", '`squeeze("columns")` on the DataFrame'),
    "verbose": ("3.0", "leave it out"),
    "warn_bad_lines": ("2.0", 'on_bad_lines="warn"'),
}
SCALED = "a StandardScaler before it"
ARGUMENTS: dict[str, dict[str, tuple[str, str]]] = {
    "albumentations.RandomResizedCrop": {"height": ("2.0", "size=(height, width)")},
    "albumentations.RandomSizedCrop": {"height": ("2.0", "size=(height, width)")},
    "gensim.models.Word2Vec": {"iter": ("4.0", "epochs"), "size": ("4.0", "vector_size")},
    **{
        f"numpy.{name}": {"interpolation": ("2.4", "method")}
        for name in ("nanpercentile", "nanquantile", "percentile", "quantile")
    },
    **{f"numpy.{name}": {"normed": ("1.24", "density")} for name in ("histogram", "histogram2d")},
    "pandas.read_csv": TABLE_READERS,
    "pandas.read_table": TABLE_READERS,
    "pandas.concat": {"join_axes": ("1.0", "reindex(...) on the result")},
    "pandas.read_excel": {
        "convert_float": ("2.0", "leave it out"),
        "date_parser": ("3.0", "`pandas.to_datetime` on the column"),
        "sheetname": ("0.25", "sheet_name"),
        "squeeze": ("2.0", '`squeeze("columns")` on the DataFrame'),
    },
    "pandas.to_datetime": {"infer_datetime_format": ("3.0", "leave it out")},
    **{
        f"scipy.sparse.linalg.{name}": {"tol": ("1.14", "rtol")}
        for name in ("bicgstab", "cg", "gmres", "minres")
    },
    "scipy.linalg.eigh": {"eigvals": ("1.14", "subset_by_index")},
    "scipy.linalg.pinv": {"cond": ("1.14", "rtol"), "rcond": ("1.14", "rtol")},
    "scipy.signal.firwin": {"nyq": ("1.14", "fs, which is twice nyq")},
    **{
        f"skimage.{name}": {"multichannel": ("0.20", "channel_axis=-1")}
        for name in (
            *("feature.hog", "filters.gaussian", "filters.unsharp_mask"),
            *("restoration.denoise_bilateral", "restoration.denoise_nl_means"),
            *("restoration.denoise_tv_chambolle", "restoration.denoise_wavelet"),
            *("restoration.estimate_sigma", "segmentation.felzenszwalb"),
            *("segmentation.random_walker", "segmentation.slic"),
            *("transform.pyramid_gaussian", "transform.pyramid_reduce", "transform.rescale"),
            "util.montage",
        )
    },
    **{
        f"skimage.morphology.{name}": {"selem": ("0.20", "footprint")}
        for name in (
            *("binary_closing", "binary_dilation", "binary_erosion", "binary_opening"),
            *("closing", "dilation", "erosion", "opening"),
        )
    },
    **{
        f"skimage.morphology.remove_small_{name}": {"in_place": ("0.20", "out")}
        for name in ("holes", "objects")
    },
    "skimage.feature.peak_local_max": {"indices": ("0.20", "leave it out: it returns indices")},
    "skimage.measure.label": {"neighbors": ("0.18", "connectivity")},
    "skimage.metrics.structural_similarity": {"multichannel": ("0.21", "channel_axis=-1")},
    **{
        f"sklearn.ensemble.{name}": {"base_estimator": ("1.4", "estimator")}
        for name in (
            *("AdaBoostClassifier", "AdaBoostRegressor"),
            *("BaggingClassifier", "BaggingRegressor"),
        )
    },
    **{
        f"sklearn.linear_model.{name}": {"normalize": ("1.2", SCALED)}
        for name in (
            *("BayesianRidge", "ElasticNet", "ElasticNetCV", "Lasso", "LassoCV"),
            *("LinearRegression", "Ridge", "RidgeCV", "RidgeClassifier"),
        )
    },
    **{
        f"sklearn.linear_model.{name}": {"normalize": ("1.4", SCALED)}
        for name in ("Lars", "LassoLars")
    },
    **{
        f"sklearn.linear_model.{name}": {"multi_class": ("1.8", "leave it out")}
        for name in ("LogisticRegression", "LogisticRegressionCV")
    },
    **{
        f"sklearn.metrics.{name}": {"squared": ("1.6", f"root_{name}")}
        for name in ("mean_squared_error", "mean_squared_log_error")
    },
    "sklearn.calibration.CalibratedClassifierCV": {"base_estimator": ("1.4", "estimator")},
    "sklearn.cluster.AgglomerativeClustering": {"affinity": ("1.4", "metric")},
    "sklearn.cluster.KMeans": {
        "n_jobs": ("1.0", "leave it out"),
        "precompute_distances": ("1.0", "leave it out"),
    },
    "sklearn.manifold.TSNE": {
        "n_iter": ("1.7", "max_iter"),
        "square_distances": ("1.3", "leave it out"),
    },
    **{
        f"sklearn.{name}": {"min_impurity_split": ("1.0", "min_impurity_decrease")}
        for name in ("ensemble.RandomForestClassifier", "tree.DecisionTreeClassifier")
    },
    "sklearn.decomposition.NMF": {"alpha": ("1.2", "alpha_W and alpha_H")},
    "sklearn.ensemble.IsolationForest": {"behaviour": ("0.24", "leave it out")},
    "sklearn.linear_model.SGDClassifier": {"n_iter": ("0.21", "max_iter")},
    "sklearn.model_selection.RandomizedSearchCV": {"iid": ("0.24", "leave it out")},
    "sklearn.metrics.log_loss": {"eps": ("1.5", "clip the predictions")},
    "sklearn.model_selection.GridSearchCV": {"iid": ("0.24", "leave it out")},
    "sklearn.preprocessing.OneHotEncoder": {
        "categorical_features": ("0.22", "a ColumnTransformer"),
        "n_values": ("0.22", "categories"),
        "sparse": ("1.4", "sparse_output"),
    },
    **{
        f"timm.scheduler.{path}CosineLRScheduler": {
            "decay_rate": ("0.5", "cycle_decay"),
            "t_mul": ("0.5", "cycle_mul"),
        }
        for path in ("", "cosine_lr.")
    },
    "torch.onnx.export": {
        name: ("1.11", "leave it out")
        for name in (
            *("_retain_param_name", "enable_onnx_checker", "example_outputs", "strip_doc_string"),
            "use_external_data_format",
        )
    },
    "tifffile.imwrite": {"compress": ("2023.2.3", "compression")},
    "torchvision.transforms.functional.affine": {
        "fillcolor": ("0.14", "fill"),
        "resample": ("0.14", "interpolation"),
    },
    "torchvision.transforms.functional.rotate": {"resample": ("0.14", "interpolation")},
    "torchvision.transforms.RandomAffine": {
        "fillcolor": ("0.14", "fill"),
        "resample": ("0.14", "interpolation"),
    },
    "torchvision.transforms.RandomRotation": {"resample": ("0.14", "interpolation")},
    "torchvision.utils.make_grid": {"range": ("0.14", "value_range")},
    "torchvision.utils.save_image": {"range": ("0.14", "value_range")},
    **OF_FRAMEWORKS,
}
# how many arguments may be given without their names, and since when
BY_PLACE = {
    **{
        f"librosa.{name}": (count, "0.10")
        for name, count in {
            "core.load": 1,
            "core.resample": 1,
            "core.stft": 1,
            "effects.pitch_shift": 1,
            "effects.split": 1,
            "effects.time_stretch": 1,
            "effects.trim": 1,
            "feature.chroma_stft": 0,
            "feature.melspectrogram": 0,
            "feature.mfcc": 0,
            "filters.mel": 0,
            "istft": 1,
            "load": 1,
            "resample": 1,
            "stft": 1,
            "util.fix_length": 1,
            "util.pad_center": 1,
        }.items()
    },
    **{
        f"sklearn.metrics.{name}": (2, "1.0")
        for name in (
            *("accuracy_score", "average_precision_score", "classification_report"),
            *("confusion_matrix", "f1_score", "fbeta_score", "precision_recall_fscore_support"),
            *("precision_score", "recall_score", "roc_auc_score", "roc_curve"),
        )
    },
    **{
        f"sklearn.{name}": (count, "1.0")
        for name, count in {
            "cluster.KMeans": 1,
            "manifold.TSNE": 1,
            "mixture.GaussianMixture": 1,
            "model_selection.KFold": 1,
            "model_selection.StratifiedKFold": 1,
            "neighbors.KNeighborsClassifier": 1,
            "svm.SVC": 0,
            "svm.SVR": 0,
            "utils.class_weight.compute_class_weight": 1,
        }.items()
    },
    "matplotlib.patches.Polygon": (1, "3.8"),
    "pandas.concat": (1, "2.0"),
    "pandas.read_csv": (1, "2.0"),
    "pandas.read_table": (1, "2.0"),
}
