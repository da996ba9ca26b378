"""Flags that files, parsers or conditions see to in other ways."""

PLANTED: list[tuple[str, str]] = []

CLEAN: dict[str, str] = {
    "no TG310: own bool defined": """
import argparse, torch
def bool(text):
    return text.lower() in ('1', 'true')
parser = argparse.ArgumentParser()
parser.add_argument('--use_aug', type=bool, default=True)
args = parser.parse_args()
if args.use_aug:
    print(torch.ones(1))
""",
    "no TG310: monkeypatched by register": """
import argparse, torch
parser = argparse.ArgumentParser()
parser.register('type', bool, lambda s: s.lower() == 'true')
parser.add_argument('--use_aug', type=bool, default=True)
args = parser.parse_args()
if args.use_aug:
    print(torch.ones(1))
""",
    "no TG310: typed argument parser , pl , jsonargparse , configargparse": """
from jsonargparse import ArgumentParser
import torch
parser = ArgumentParser()
parser.add_argument('--use_aug', type=bool, default=True)
args = parser.parse_args()
if args.use_aug:
    print(torch.ones(1))
""",
    "no TG310: parse_args of empty list in notebook": """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--use_aug', type=bool, default=True)
args = parser.parse_args([])
if args.use_aug:
    print(torch.ones(1))
""",
    "no TG310: empty string documented": """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--use_aug', type=bool, default=True, help='an empty string is off')
args = parser.parse_args()
if args.use_aug:
    print(torch.ones(1))
""",
    "no TG314: read inverted": """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--pretrained', action='store_false')
args = parser.parse_args()
if not args.pretrained:
    print(torch.load('pretrained.pt', weights_only=True))
""",
    "no TG314: store_true default True with config override": """
import argparse, torch, yaml
parser = argparse.ArgumentParser()
parser.add_argument('--config')
parser.add_argument('--shuffle', action='store_true', default=True)
args = parser.parse_args()
cfg = yaml.safe_load(open(args.config))
for k, v in cfg.items():
    setattr(args, k, v)
print(torch.utils.data.DataLoader([1], shuffle=args.shuffle))
""",
    "no TG314: vars update": """
import argparse, torch, json
parser = argparse.ArgumentParser()
parser.add_argument('--config')
parser.add_argument('--shuffle', action='store_true', default=True)
args = parser.parse_args()
vars(args).update(json.load(open(args.config)))
print(torch.utils.data.DataLoader([1], shuffle=args.shuffle))
""",
    "no TG314: parse_args([]) in notebooks": """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--shuffle', action='store_true', default=True)
args = parser.parse_args([])
print(torch.utils.data.DataLoader([1], shuffle=args.shuffle))
""",
    "no TG314: named disable by help or word": """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--drop-augment', action='store_false', dest='augment')
parser.add_argument('--wo_pretrain', action='store_false')
parser.add_argument('--deterministic_off', action='store_false')
parser.add_argument('--remove_dropout', action='store_false', help='if set, removes dropout')
parser.add_argument('--stop_training_bn', action='store_false')
parser.add_argument('--train_from_scratch', action='store_false')
args = parser.parse_args()
print(args)
""",
    "no TG310: BooleanOptionalAction with type bool": """
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--use_aug', type=bool, default=True, action=argparse.BooleanOptionalAction)
args = parser.parse_args()
if args.use_aug:
    print(torch.ones(1))
""",
}
