"""Values that newer libraries return otherwise than the code expects."""

import ast
import re
from collections.abc import Iterator

from ...kept import kept
from ...project import Module
from ...rule import Spot, rule
from ...syntax import has_stars, keyword, last_name, mentions, receiver, written
from ..shared.programs import run_with
from .reachable import is_out_of_reach

MODEL = re.compile(r"^transformers\.(models\.\w+\.modeling_\w+\.)?\w*(Model|For[A-Z]\w+)$")
ENVIRONMENT = re.compile(r"^((eval|test|train)_)?env(_(eval|test|train))?$")
GYMS = ("gym", "gymnasium")


@rule(
    "TG818",
    "the keys of the model's output are unpacked, not its values",
    why="""Since transformers 4 a model returns a dict-like object, and unpacking it gives its keys:
    the names get the strings `last_hidden_state` and `pooler_output`, and the next call fails.""",
    remedy="access them by name, `output.pooler_output`, or pass `return_dict=False`",
    source="https://huggingface.co/docs/transformers/main_classes/output",
    bad="""
from torch import nn
from transformers import BertModel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")
        self.head = nn.Linear(768, 2)

    def forward(self, tokens, mask):
        _, pooled = self.bert(tokens, attention_mask=mask)  # <--
        return self.head(pooled)
""",
    good="""
from torch import nn
from transformers import BertModel


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.bert = BertModel.from_pretrained("bert-base-uncased")
        self.head = nn.Linear(768, 2)

    def forward(self, tokens, mask):
        return self.head(self.bert(tokens, attention_mask=mask).pooler_output)
""",
)
def keys_unpacked(module: Module) -> Iterator[Spot]:
    if not any(whole.startswith("transformers.") for whole in module.imports.values()):
        return
    for node, call in unpacked(module):
        made = module.value_in(call.func, module.function(node)) if written(call.func) else []
        if (
            made
            and all(is_transformers_model(module, one) for one in made)
            and not gives_tuples(module, call)
            and not any(gives_tuples(module, one) for one in made)
            and not module.is_fallback(node)
        ):
            yield Spot(node, unsure=module.project.stays_before("transformers", "4.0"))


def is_transformers_model(module: Module, value: ast.expr) -> bool:
    """Whether it is a model of transformers: `BertModel(config)`, or one that is pretrained."""
    if not isinstance(value, ast.Call):
        return False
    made = value.func
    if last_name(made) == "from_pretrained" and isinstance(made, ast.Attribute):
        made = made.value
    return MODEL.match(module.qualified(made)) is not None


def gives_tuples(module: Module, call: ast.expr) -> bool:
    """Whether a call says how the model returns, or may say so in options that are not seen."""
    return isinstance(call, ast.Call) and (
        keyword(call, "return_dict") is not None
        or has_stars(call)
        or mentions(module.tree, "return_dict")
    )


def unpacked(module: Module) -> Iterator[tuple[ast.Assign, ast.Call]]:
    """(the assignment, the call) where what a call returns is unpacked into names."""
    for calls in module.calls.values():
        for call in calls:
            node = module.parents[call]
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                yield node, call


@rule(
    "TG819",
    "an environment's `step` returns five values",
    why="""Since gym 0.26, and in gymnasium, `done` is two values, `terminated` and `truncated`:
    unpacking five values into four names raises a ValueError at the first step. `reset` returns the
    observation and a dict.""",
    remedy="write `observation, reward, terminated, truncated, info = env.step(action)`",
    source="https://gymnasium.farama.org/introduction/migration_guide/",
    bad="""
import gym


def play(policy):
    env = gym.make("CartPole-v1")
    state, _ = env.reset()
    done = False
    while not done:
        state, reward, done, _ = env.step(policy(state))  # <--
""",
    good="""
import gym


def play(policy):
    env = gym.make("CartPole-v1")
    state, _ = env.reset()
    done = False
    while not done:
        state, reward, terminated, truncated, _ = env.step(policy(state))
        done = terminated or truncated
""",
    once=True,
)
def four_values(module: Module) -> Iterator[Spot]:
    project = module.project
    told = any(b"truncated" in project.contents[one.name] for one in run_with(module))
    if told or not any(map(makes_environment, project.near(module))):
        return
    if any(
        "step" in (item.name for item in one.body if isinstance(item, ast.FunctionDef))
        for other in project.near(module)
        for one in other.classes
        if wraps(other, one)
    ):
        return  # a wrapper, which may turn the five into four
    old = is_out_of_reach(project, "gym", "0.26") or any(
        "d4rl" in other.libraries for other in project.near(module)
    )  # which needs an older one
    for call in module.calls.get("step", ()):
        node, env = module.parents[call], receiver(call)
        if not isinstance(node, ast.Assign) or env is None or not call.args:
            continue
        target = node.targets[0]
        if (
            isinstance(target, ast.Tuple)
            and len(target.elts) == 4
            and ENVIRONMENT.match(last_name(env))
            and not is_of_another_kind(module, env)
        ):
            yield Spot(node, unsure=old)


def is_of_another_kind(module: Module, env: ast.expr) -> bool:
    """Whether an environment is made in sight, and not as those of gym's are."""
    made = module.value_in(env, module.function(env)) or module.value_in(env, module.tree)
    for value in made:
        if not isinstance(value, ast.Call):
            continue
        whole = module.qualified(value.func)
        own = [one for one, _ in module.project.resolve(module, value)]
        if whole.partition(".")[0] not in GYMS and not any(map(makes_environment, own)):
            return True
    return False


def wraps(module: Module, node: ast.ClassDef) -> bool:
    """Whether a class is an environment, or a wrapper of one."""
    return module.project.derives(module, node, "gym.Wrapper", "gym.Env", "Wrapper", "Env")


@kept
def makes_environment(module: Module) -> bool:
    """Whether a file makes an environment of gym's or gymnasium's."""
    return any(
        module.qualified(call.func) in [f"{gym}.make" for gym in GYMS]
        and not any(keyword(call, one) for one in ("apply_api_compatibility", "new_step_api"))
        for call in module.calls.get("make", ())
    )
