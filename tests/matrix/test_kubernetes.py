"""The manifests are valid for Kubernetes, give a run time to save, and start the project."""

import os
import subprocess
import sys
from typing import Any

import kubernetes_validate
import pytest
import yaml

from .answers import PAIR, Answers, name_of
from .renderings import PACKAGE, PROJECT, copy_template, render

# since pods say why they were disrupted, up to the newest schema that is installed
VERSIONS = ("1.31", kubernetes_validate.latest_version())
# what the training operator documents of its own; the pods' template is Kubernetes'
ELASTIC = {"rdzvBackend", "rdzvPort", "minReplicas", "maxReplicas", "maxRestarts", "nProcPerNode"}
SAVES_WITHIN = 170  # seconds


@pytest.fixture(scope="module", params=PAIR, ids=name_of)
def manifests(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Any]]:
    """The documents of each file, by its name without the suffix."""
    answers: Answers = request.param | {"launcher": "kubernetes"}
    folder = tmp_path_factory.mktemp("kubernetes")
    tree = render(copy_template(folder / "template"), answers, folder / "tree")
    return {
        path.stem: list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
        for path in sorted((tree / "kubernetes").iterdir())
    }


def template_in(document: Any) -> Any:
    """The template of a job's pods."""
    spec = document["spec"]
    if document["kind"] == "PyTorchJob":
        spec = spec["pytorchReplicaSpecs"]["Worker"]
    return spec["template"]


def jobs(manifests: dict[str, list[Any]]) -> list[Any]:
    """Whatever trains."""
    documents = (document for some in manifests.values() for document in some)
    return [document for document in documents if document["kind"] in ("Job", "PyTorchJob")]


@pytest.mark.parametrize("version", VERSIONS)
def test_each_document_is_valid(manifests: dict[str, list[Any]], version: str) -> None:
    for document in (document for some in manifests.values() for document in some):
        if document["kind"] == "PyTorchJob":
            assert document["apiVersion"] == "kubeflow.org/v1"
            assert set(document["spec"]) == {"elasticPolicy", "pytorchReplicaSpecs"}
            assert set(document["spec"]["elasticPolicy"]) <= ELASTIC
            (worker,) = document["spec"]["pytorchReplicaSpecs"].values()
            assert set(worker) == {"replicas", "restartPolicy", "template"}
            assert template_in(document)["spec"]["containers"][0]["name"] == "pytorch"
            pod = {**template_in(document)["spec"], "restartPolicy": worker["restartPolicy"]}
            checked = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": pod}
        else:
            checked = document
        kubernetes_validate.validate(checked, version, strict=True)


def test_a_wrong_field_would_be_found(manifests: dict[str, list[Any]]) -> None:
    job = next(job for job in jobs(manifests) if job["kind"] == "Job")
    wrong = {**job, "spec": {**job["spec"], "complations": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_a_pod_has_time_to_save_and_its_folders(manifests: dict[str, list[Any]]) -> None:
    claims = {document["metadata"]["name"] for document in manifests["storage"]}
    for job in jobs(manifests):
        pod = template_in(job)["spec"]
        assert pod["terminationGracePeriodSeconds"] > SAVES_WITHIN
        named = {v["persistentVolumeClaim"]["claimName"] for v in pod["volumes"][:2]}
        assert named == claims == {f"{PROJECT}-data", f"{PROJECT}-runs"}
        (container,) = pod["containers"]
        mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        assert mounted == {"data": "/app/data", "runs": "/app/runs", "shm": "/dev/shm"}
        assert set(mounted) == {volume["name"] for volume in pod["volumes"]}
        environment = {v["name"]: v["value"] for v in container.get("env", ())}
        assert int(environment.get("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", SAVES_WITHIN)) == SAVES_WITHIN
        assert container["args"][-3:] == ["--resume", "--run-dir", "runs/first"]


def test_the_job_of_several_machines_names_the_first_one_by_its_service(
    manifests: dict[str, list[Any]],
) -> None:
    service, *rest = manifests["train"]
    if not rest:
        assert "pytorchjob" not in manifests and service["kind"] == "Job"
        return
    (job,) = rest
    name, spec = job["metadata"]["name"], job["spec"]
    assert service["spec"]["selector"] == {"job-name": name}
    assert spec["template"]["spec"]["subdomain"] == service["metadata"]["name"]
    (container,) = spec["template"]["spec"]["containers"]
    command = container["command"]
    assert f"--rdzv-endpoint={name}-0.{name}:29400" in command
    assert f"--nnodes={spec['completions']}" in command and spec["parallelism"] == 2
    assert [port["containerPort"] for port in container["ports"]] == [29400]


def test_the_command_of_a_pod_is_one_of_the_project(manifests: dict[str, list[Any]]) -> None:
    for job in jobs(manifests):
        (container,) = template_in(job)["spec"]["containers"]
        line = [*container["command"], *container["args"]]
        assert f"{PACKAGE}.train" in line
        if line[0] == "torchrun":  # it reads its own flags before it starts anything
            where = "import sys; from torch.distributed.run import parse_args as parse\n"
            check = f"{where}print(parse(sys.argv[1:]).training_script)"
            done = subprocess.run(
                [sys.executable, "-c", check, *line[1:]],
                env={**os.environ, "PET_NNODES": "2"},
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.stdout.split() == [f"{PACKAGE}.train"], done.stderr
