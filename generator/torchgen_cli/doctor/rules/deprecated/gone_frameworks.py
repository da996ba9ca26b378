"""Names and arguments that frameworks of training programs have removed, and what to use instead.

Each was looked up in wheels of their releases: the release is the first of those that lacks it.
The newest were pytorch-lightning 2.6, torchmetrics 1.9, transformers 5.24, datasets 5.2,
diffusers 0.42, peft 0.21, monai 1.6, kornia 0.9, gymnasium 1.4, huggingface_hub 2.4, gensim 4.4
and segmentation-models-pytorch 0.6.
"""

LIGHTNING = "pytorch_lightning"
REMOVED_IN: dict[str, dict[str, dict[str, str]]] = {
    LIGHTNING: {
        "1.0": {
            f"{LIGHTNING}.{name}": "self.log in the step" for name in ("EvalResult", "TrainResult")
        },
        "1.5": {f"{LIGHTNING}.metrics": "torchmetrics"},
        "1.7": {
            f"{LIGHTNING}.callbacks.GPUStatsMonitor": "DeviceStatsMonitor",
            f"{LIGHTNING}.core.memory": f"{LIGHTNING}.utilities.model_summary",
            f"{LIGHTNING}.loggers.TestTubeLogger": f"{LIGHTNING}.loggers.CSVLogger",
        },
        "1.8": {
            f"{LIGHTNING}.plugins.DDPPlugin": f"{LIGHTNING}.strategies.DDPStrategy",
            f"{LIGHTNING}.plugins.DeepSpeedPlugin": f"{LIGHTNING}.strategies.DeepSpeedStrategy",
        },
        "2.0": {
            f"{LIGHTNING}.Trainer.add_argparse_args": "argparse, or LightningCLI",
            f"{LIGHTNING}.Trainer.from_argparse_args": "Trainer(**options)",
            f"{LIGHTNING}.callbacks.base": f"{LIGHTNING}.callbacks",
            f"{LIGHTNING}.core.lightning": LIGHTNING,
            f"{LIGHTNING}.loggers.LoggerCollection": "the trainer's loggers",
            f"{LIGHTNING}.loggers.base": f"{LIGHTNING}.loggers.logger",
            f"{LIGHTNING}.overrides.data_parallel": "torch.nn.DataParallel",
            f"{LIGHTNING}.plugins.training_type": f"{LIGHTNING}.strategies",
            f"{LIGHTNING}.profiler": f"{LIGHTNING}.profilers",
            f"{LIGHTNING}.trainer.supporters": f"{LIGHTNING}.utilities.CombinedLoader",
            f"{LIGHTNING}.utilities.apply_func": "lightning_utilities.core.apply_func",
            f"{LIGHTNING}.utilities.cli": f"{LIGHTNING}.cli",
            f"{LIGHTNING}.utilities.cloud_io": "torch.load",
            f"{LIGHTNING}.utilities.distributed.rank_zero_only": f"{LIGHTNING}.utilities",
            f"{LIGHTNING}.utilities.seed.seed_everything": f"{LIGHTNING}.seed_everything",
            f"{LIGHTNING}.utilities.types.EPOCH_OUTPUT": "a list",
        },
    },
    "torchmetrics": {
        "0.8": {
            f"torchmetrics.{old}": f"torchmetrics.{new}"
            for old, new in {
                "F1": "F1Score",
                "FID": "image.fid.FrechetInceptionDistance",
                "IoU": "JaccardIndex",
                "PSNR": "image.PeakSignalNoiseRatio",
                "PearsonCorrcoef": "PearsonCorrCoef",
                "SI_SDR": "audio.ScaleInvariantSignalDistortionRatio",
                "SSIM": "image.StructuralSimilarityIndexMeasure",
                "SpearmanCorrcoef": "SpearmanCorrCoef",
                "WER": "text.WordErrorRate",
                "functional.f1": "functional.f1_score",
                "functional.iou": "functional.jaccard_index",
            }.items()
        },
        "0.11": {
            "torchmetrics.AUC": "torchmetrics.utilities.compute.auc",
            "torchmetrics.functional.auc": "torchmetrics.utilities.compute.auc",
        },
        "1.0": {
            f"torchmetrics.functional.{old}": f"torchmetrics.functional.{new}"
            for old, new in {
                "psnr": "image.peak_signal_noise_ratio",
                "ssim": "image.structural_similarity_index_measure",
                "wer": "text.word_error_rate",
            }.items()
        },
        "1.7": {
            "torchmetrics.Dice": "torchmetrics.segmentation.DiceScore",
            "torchmetrics.functional.dice": "torchmetrics.functional.segmentation.dice_score",
        },
    },
    "transformers": {
        "2.2": {"transformers.WarmupLinearSchedule": "get_linear_schedule_with_warmup"},
        "4.0": {
            f"transformers.{kind}_{name}": f"transformers.models.{name}.{kind}_{name}"
            for kind in ("configuration", "modeling", "tokenization")
            for name in ("albert", "bart", "bert", "distilbert", "gpt2", "roberta", "t5", "xlnet")
        },
        "4.22": {
            name: "huggingface_hub.hf_hub_download"
            for name in (
                *("transformers.cached_path", "transformers.file_utils.cached_path"),
                *("transformers.file_utils.hf_bucket_url", "transformers.file_utils.is_remote_url"),
            )
        },
        "4.39": {"transformers.top_k_top_p_filtering": "transformers.TopKLogitsWarper"},
        "4.40": {"transformers.generation_utils": "transformers.generation"},
        "4.46": {"transformers.deepspeed": "transformers.integrations.deepspeed"},
        "4.51": {"transformers.is_torch_tpu_available": "transformers.is_torch_xla_available"},
        "4.53": {"transformers.modeling_utils.SequenceSummary": "a custom class"},
        "4.56": {
            f"transformers.modeling_utils.{name}": f"transformers.pytorch_utils.{name}"
            for name in ("Conv1D", "apply_chunking_to_forward", "prune_linear_layer")
        },
        "5.0": {
            "transformers.AdamW": "torch.optim.AdamW",
            "transformers.AutoModelForVision2Seq": "transformers.AutoModelForImageTextToText",
            "transformers.AutoModelWithLMHead": "transformers.AutoModelForCausalLM",
            "transformers.optimization.AdamW": "torch.optim.AdamW",
            "transformers.LineByLineTextDataset": "the datasets library",
            "transformers.SummarizationPipeline": "model.generate",
            "transformers.TRANSFORMERS_CACHE": "huggingface_hub.constants.HF_HUB_CACHE",
            "transformers.TextDataset": "the datasets library",
            "transformers.Text2TextGenerationPipeline": "model.generate",
            "transformers.TranslationPipeline": "model.generate",
            "transformers.file_utils.PYTORCH_PRETRAINED_BERT_CACHE": "the default of cache_dir",
            "transformers.file_utils.PYTORCH_TRANSFORMERS_CACHE": "the default of cache_dir",
            "transformers.file_utils.TRANSFORMERS_CACHE": "the default of cache_dir",
            "transformers.utils.model_parallel_utils": "device_map in from_pretrained",
            **{
                f"transformers.{where}.{name}": "a custom function"
                for where in ("modeling_utils", "pytorch_utils")
                for name in ("find_pruneable_heads_and_indices", "prune_conv1d_layer")
            },
            **{
                f"transformers.{name}FeatureExtractor": f"transformers.{name}ImageProcessor"
                for name in ("Beit", "CLIP", "DPT", "Detr", "Segformer", "ViT")
            },
        },
    },
    "datasets": {
        "3.0": {
            "datasets.list_datasets": "huggingface_hub.list_datasets",
            "datasets.list_metrics": "evaluate.list_evaluation_modules",
            "datasets.load_metric": "evaluate.load",
        },
    },
    "diffusers": {
        "0.26": {
            "diffusers.models.attention.CrossAttention": "diffusers.models.attention_processor",
            "diffusers.models.cross_attention": "diffusers.models.attention_processor",
            "diffusers.models.vae": "diffusers.models.autoencoders.vae",
            "diffusers.pipeline_utils": "diffusers.DiffusionPipeline",
            "diffusers.utils.randn_tensor": "diffusers.utils.torch_utils.randn_tensor",
        },
        "0.29": {"diffusers.models.unet_2d_blocks": "diffusers.models.unets.unet_2d_blocks"},
    },
    "peft": {
        "0.10": {"peft.prepare_model_for_int8_training": "peft.prepare_model_for_kbit_training"},
    },
    "huggingface_hub": {
        "0.26": {"huggingface_hub.cached_download": "huggingface_hub.hf_hub_download"},
        "1.0": {
            "huggingface_hub.HfFolder": "huggingface_hub.get_token",
            "huggingface_hub.Repository": "huggingface_hub.HfApi",
        },
    },
    "monai": {
        "1.2": {
            "monai.data.NiftiSaver": "monai.transforms.SaveImage",
            "monai.data.write_nifti": "monai.data.NibabelWriter",
            "monai.metrics.compute_meandice": "monai.metrics.compute_dice",
        },
        "1.3": {
            f"monai.transforms.{old}{end}": f"monai.transforms.{new}{end}"
            for end in ("", "d")
            for old, new in {
                "AddChannel": "EnsureChannelFirst",
                "AsChannelFirst": "EnsureChannelFirst",
                "SplitChannel": "SplitDim",
            }.items()
        },
    },
    "kornia": {
        "0.6": {
            "kornia.SSIM": "kornia.metrics.ssim",
            "kornia.gaussian_blur2d": "kornia.filters.gaussian_blur2d",
            "kornia.hflip": "kornia.geometry.hflip",
            "kornia.losses.SSIM": "kornia.losses.SSIMLoss",
            "kornia.normalize": "kornia.enhance.normalize",
            "kornia.rgb_to_grayscale": "kornia.color.rgb_to_grayscale",
            "kornia.warp_perspective": "kornia.geometry.warp_perspective",
        },
        "0.6.6": {"kornia.filters.filter2D": "kornia.filters.filter2d"},
    },
    "gymnasium": {
        "1.0": {
            f"gymnasium.{old}": f"gymnasium.{new}"
            for old, new in {
                "vector.make": "make_vec",
                "wrappers.EnvCompatibility": "make, with shimmy",
                "wrappers.FrameStack": "wrappers.FrameStackObservation",
                "wrappers.GrayScaleObservation": "wrappers.GrayscaleObservation",
                "wrappers.frame_stack": "wrappers",
                "wrappers.monitoring": "wrappers.RecordVideo",
                "wrappers.normalize": "wrappers.utils",
                "wrappers.record_episode_statistics": "wrappers",
            }.items()
        },
    },
    "gensim": {
        "4.0": {
            "gensim.models.wrappers": "gensim 3.8, or the wrapped program",
            "gensim.sklearn_api": "gensim's own models",
            "gensim.summarization": "another library",
        },
    },
    "segmentation_models_pytorch": {
        "0.3": {
            f"segmentation_models_pytorch.{name}": f"segmentation_models_pytorch.decoders.{name}"
            for name in ("deeplabv3", "fpn", "unet")
        },
    },
}

# the first release that refuses an argument of the trainer
TRAINER = {
    **dict.fromkeys(("max_nb_epochs", "use_amp"), ("0.9", "its new name, such as max_epochs")),
    "early_stop_callback": ("1.0", "callbacks=[EarlyStopping(...)]"),
    "log_save_interval": ("1.0", "log_every_n_steps"),
    "row_log_interval": ("1.0", "log_every_n_steps"),
    "overfit_pct": ("1.0", "overfit_batches"),
    **{
        f"{part}_percent_check": ("1.0", f"limit_{part}_batches")
        for part in ("test", "train", "val")
    },
    "distributed_backend": ("1.5", "strategy"),
    "truncated_bptt_steps": ("1.5", "a custom loop"),
    "reload_dataloaders_every_epoch": ("1.6", "reload_dataloaders_every_n_epochs=1"),
    "checkpoint_callback": ("1.7", "callbacks=[...], or enable_checkpointing"),
    "flush_logs_every_n_steps": ("1.7", "the logger's own option"),
    "log_gpu_memory": ("1.7", "callbacks=[DeviceStatsMonitor()]"),
    "prepare_data_per_node": ("1.7", "an attribute of the DataModule"),
    "process_position": ("1.7", "callbacks=[TQDMProgressBar(process_position=...)]"),
    "progress_bar_refresh_rate": ("1.7", "callbacks=[TQDMProgressBar(refresh_rate=...)]"),
    "stochastic_weight_avg": ("1.7", "callbacks=[StochasticWeightAveraging(...)]"),
    "terminate_on_nan": ("1.7", "detect_anomaly"),
    "weights_summary": ("1.7", "enable_model_summary"),
    "weights_save_path": ("1.8", "default_root_dir"),
    "amp_backend": ("2.0", "leave it out"),
    "amp_level": ("2.0", "leave it out"),
    "auto_lr_find": ("2.0", "Tuner(trainer).lr_find(model)"),
    "auto_scale_batch_size": ("2.0", "Tuner(trainer).scale_batch_size(model)"),
    "auto_select_gpus": ("2.0", 'devices="auto"'),
    "gpus": ("2.0", 'accelerator="gpu", devices=...'),
    "move_metrics_to_cpu": ("2.0", "leave it out"),
    "num_processes": ("2.0", 'accelerator="cpu", devices=...'),
    "replace_sampler_ddp": ("2.0", "use_distributed_sampler"),
    "resume_from_checkpoint": ("2.0", "trainer.fit(ckpt_path=...)"),
    "tpu_cores": ("2.0", 'accelerator="tpu", devices=...'),
    "track_grad_norm": ("2.0", "grad_norm in on_before_optimizer_step"),
}
LIGHTNING_CHECKPOINT = {
    "filepath": ("1.2", "dirpath and filename"),
    "period": ("1.5", "every_n_epochs"),
    "prefix": ("1.3", "filename"),
}
TRAINING = {
    "evaluate_during_training": ("4.0", "eval_strategy"),
    "evaluation_strategy": ("4.51", "eval_strategy"),
    "fp16_opt_level": ("5.0", "leave it out"),
    "group_by_length": ("5.2", 'train_sampling_strategy="group_by_length"'),
    "half_precision_backend": ("5.0", "leave it out"),
    "logging_dir": ("5.16", "the environment variable TENSORBOARD_LOGGING_DIR"),
    "no_cuda": ("5.0", "use_cpu"),
    "overwrite_output_dir": ("5.0", "leave it out"),
    "per_gpu_eval_batch_size": ("5.0", "per_device_eval_batch_size"),
    "per_gpu_train_batch_size": ("5.0", "per_device_train_batch_size"),
    "save_safetensors": ("5.0", "leave it out"),
    "sharded_ddp": ("4.35", "fsdp"),
    "warmup_ratio": ("5.16", "warmup_steps, which also takes a fraction"),
}
ARGUMENTS: dict[str, dict[str, tuple[str, str]]] = {
    **{
        f"{root}.Trainer": TRAINER
        for root in (LIGHTNING, f"{LIGHTNING}.trainer", "lightning", "lightning.pytorch")
    },
    **{
        f"{root}.callbacks.{path}ModelCheckpoint": LIGHTNING_CHECKPOINT
        for root in (LIGHTNING, "lightning.pytorch")
        for path in ("", "model_checkpoint.")
    },
    **{
        f"transformers.{name}": {"tokenizer": ("5.0", "processing_class")}
        for name in ("Seq2SeqTrainer", "Trainer")
    },
    **{f"transformers.{name}TrainingArguments": TRAINING for name in ("", "Seq2Seq")},
    **{
        f"huggingface_hub.{name}": {"use_auth_token": ("1.0", "token")}
        for name in ("hf_hub_download", "snapshot_download")
    },
    "datasets.load_dataset": {"use_auth_token": ("3.0", "token")},
    **{
        f"monai.networks.nets.{name}": {"dimensions": ("1.2", "spatial_dims")}
        for name in ("BasicUNet", "HighResNet", "UNet")
    },
    "monai.networks.nets.UNETR": {"pos_embed": ("1.4", "proj_type")},
    **{
        f"monai.transforms.{name}": {"as_tensor_output": ("1.0", "leave it out")}
        for name in ("RandAffine", "RandAffined")
    },
    **{
        f"lightgbm.{name}": {
            "early_stopping_rounds": ("4.0", "callbacks=[early_stopping(...)]"),
            "evals_result": ("4.0", "callbacks=[record_evaluation(...)]"),
            "fobj": ("4.0", "objective in the parameters"),
            "verbose_eval": ("4.0", "callbacks=[log_evaluation(...)]"),
        }
        for name in ("cv", "train")
    },
    **{
        f"gensim.models.{name}": {"iter": ("4.0", "epochs"), "size": ("4.0", "vector_size")}
        for name in ("Doc2Vec", "FastText", "word2vec.Word2Vec")
    },
    **{
        f"msgpack.{name}": {"encoding": ("1.0", "raw=False, which is the default")}
        for name in ("load", "loads", "unpack", "unpackb")
    },
    "hydra.main": {"strict": ("1.1", "leave it out")},
    "ignite.handlers.ModelCheckpoint": {
        "save_as_state_dict": ("0.5", "leave it out"),
        "save_interval": ("0.5", "Events.ITERATION_COMPLETED(every=...)"),
    },
}
