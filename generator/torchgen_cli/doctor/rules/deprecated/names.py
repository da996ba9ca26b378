"""Which names of torch are deprecated or removed, and what to use instead.

Which ones they are follows TorchFix's `deprecated_symbols.yaml` (Meta, BSD
licence, https://github.com/pytorch-labs/torchfix, read 2025-02); the replacements are torch's own
advice. A test looks each of them up in the torch that is installed.
"""

AMP = {
    "torch.cuda.amp.autocast": 'torch.amp.autocast("cuda")',
    "torch.cuda.amp.GradScaler": 'torch.amp.GradScaler("cuda")',
    "torch.cuda.amp.custom_fwd": 'torch.amp.custom_fwd(device_type="cuda")',
    "torch.cuda.amp.custom_bwd": 'torch.amp.custom_bwd(device_type="cuda")',
    "torch.cuda.amp.autocast_mode.autocast": 'torch.amp.autocast("cuda")',
    "torch.cuda.amp.grad_scaler.GradScaler": 'torch.amp.GradScaler("cuda")',
    "torch.cpu.amp.autocast": 'torch.amp.autocast("cpu")',
    "torch.cpu.amp.GradScaler": 'torch.amp.GradScaler("cpu")',
}
REMOVED = {
    "torch.solve": "torch.linalg.solve",
    "torch.symeig": "torch.linalg.eigh",
    "torch.eig": "torch.linalg.eig",
    "torch.matrix_rank": "torch.linalg.matrix_rank",
    "torch.lstsq": "torch.linalg.lstsq",
}
DEPRECATED = {
    "torch.qr": "torch.linalg.qr",
    "torch.chain_matmul": "torch.linalg.multi_dot",
    "torch.cholesky": "torch.linalg.cholesky",
    "torch.ger": "torch.outer",
    "torch.lu": "torch.linalg.lu_factor",
    "torch.lu_solve": "torch.linalg.lu_solve",
    "torch.norm": "torch.linalg.vector_norm",
    "torch.range": "torch.arange",
    "torch.svd": "torch.linalg.svd",
    "torch.triangular_solve": "torch.linalg.solve_triangular",
    "torch.testing.assert_allclose": "torch.testing.assert_close",
    "torch.set_default_tensor_type": "torch.set_default_dtype",
    "torch.autograd.Variable": "torch.tensor",
    "torch.backends.cuda.sdp_kernel": "torch.nn.attention.sdpa_kernel",
    "torch.nn.UpsamplingNearest2d": "torch.nn.Upsample",
    "torch.nn.UpsamplingBilinear2d": "torch.nn.Upsample",
    "torch.nn.functional.upsample": "torch.nn.functional.interpolate",
    "torch.nn.utils.weight_norm": "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.clip_grad_norm": "torch.nn.utils.clip_grad_norm_",
    "torch.nn.init.normal": "torch.nn.init.normal_",
    "torch.nn.init.uniform": "torch.nn.init.uniform_",
    "torch.nn.init.constant": "torch.nn.init.constant_",
    "torch.nn.init.orthogonal": "torch.nn.init.orthogonal_",
    "torch.nn.init.xavier_normal": "torch.nn.init.xavier_normal_",
    "torch.nn.init.xavier_uniform": "torch.nn.init.xavier_uniform_",
    "torch.nn.init.kaiming_normal": "torch.nn.init.kaiming_normal_",
    "torch.nn.init.kaiming_uniform": "torch.nn.init.kaiming_uniform_",
    "torch.cuda.memory_cached": "torch.cuda.memory_reserved",
    "torch.cuda.max_memory_cached": "torch.cuda.max_memory_reserved",
    "torch.utils._pytree._register_pytree_node": "torch.utils._pytree.register_pytree_node",
    **{
        f"functorch.{name}": f"torch.func.{name}"
        for name in ("vmap", "grad", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "functionalize")
    },
}
