"""Arguments that libraries of training programs have given up: since which release, and what to do.

Each was given to the releases of 2026, which refuse it, and to older ones; the release is the first
that was seen to refuse it.
"""

TABLE_READERS = {
    "date_parser": ("3.0", "`pandas.to_datetime` of the column"),
    "delim_whitespace": ("3.0", 'sep=r"\\s+"'),
    "error_bad_lines": ("2.0", 'on_bad_lines="skip"'),
    "infer_datetime_format": ("3.0", "leave it out"),
    "mangle_dupe_cols": ("2.0", "leave it out"),
    "prefix": ("2.0", "add_prefix(...) of the table"),
    "squeeze": ("2.0", '`squeeze("columns")` of the table'),
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
    "pandas.to_datetime": {"infer_datetime_format": ("3.0", "leave it out")},
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
    "sklearn.metrics.log_loss": {"eps": ("1.5", "clip what is given")},
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
    "torchvision.transforms.RandomAffine": {
        "fillcolor": ("0.14", "fill"),
        "resample": ("0.14", "interpolation"),
    },
    "torchvision.transforms.RandomRotation": {"resample": ("0.14", "interpolation")},
    "torchvision.utils.make_grid": {"range": ("0.14", "value_range")},
    "torchvision.utils.save_image": {"range": ("0.14", "value_range")},
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
    "pandas.concat": (1, "2.0"),
    "pandas.read_csv": (1, "2.0"),
    "pandas.read_table": (1, "2.0"),
}
