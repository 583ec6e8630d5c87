"""The page of all labels (docs/labels.md), from their table."""

from __future__ import annotations

from magflow.rules.labels.table import DRIVERS, HEAT_LAST, Reader, Spec, drivers, node_fields, table
from magflow.settings.base import Driver

INTENTS: tuple[tuple[str, str, str, str], ...] = (
    ("cluster.kubernetes", "kube_tag", "none: the image's kube_version", "kube_tag"),
    ("ingress.controller", "ingress_controller", "none", "none"),
    ("monitoring.enabled", "monitoring_enabled (7: prometheus_monitoring)", "monitoring_enabled", "none"),
    ("cluster.tiller", "tiller_enabled, tiller_tag (8 to 17)", "none", "none"),
    (
        "cluster.autoscaling",
        "auto_scaling_enabled, min_node_count, max_node_count",
        "auto_scaling_enabled, min_node_count, max_node_count",
        "auto_scaling_enabled, min_node_count, max_node_count",
    ),
    (
        "cluster.auto_healing",
        "auto_healing_enabled, auto_healing_controller",
        "auto_healing_enabled (false is sent too)",
        "auto_healing_enabled (false is sent too)",
    ),
    (
        "cluster.registry_mirror",
        "container_infra_prefix, with a slash at its end",
        "none",
        "container_infra_prefix, without",
    ),
    (
        "network.pods",
        "calico_ipv4pool or flannel_network_cidr",
        "none: an error",
        "calico_ipv4pool or cilium_ipv4pool",
    ),
    ("network.services", "service_cluster_ip_range", "none: an error", "service_cluster_ip_range"),
    (
        "cluster.load_balancer.floating_ip",
        "master_lb_floating_ip_enabled",
        "master_lb_floating_ip_enabled",
        "master_lb_floating_ip_enabled",
    ),
    ("cluster.load_balancer.provider", "octavia_provider", "octavia_provider", "octavia_provider"),
    (
        "cluster.load_balancer.allowed_cidrs",
        "master_lb_allowed_cidrs",
        "api_master_lb_allowed_cidrs",
        "none: an error",
    ),
    (
        "cluster.volumes.boot",
        "boot_volume_size, boot_volume_type",
        "boot_volume_size, boot_volume_type",
        "boot_volume_size, boot_volume_type",
    ),
    (
        "cluster.volumes.etcd",
        "etcd_volume_size, etcd_volume_type",
        "etcd_blockdevice_size, etcd_blockdevice_volume_type",
        "etcd_volume_size, etcd_volume_type",
    ),
    (
        "cluster.volumes.docker",
        "docker_volume_type, and the attribute docker_volume_size",
        "none: an error",
        "none: an error",
    ),
)
"""What the settings ask for and the labels that it becomes, by driver. A test holds it against the compiler."""

HEAD = """\
# Magnum's labels

The settings say what a cluster is to have; `magflow labels ENV` shows the labels that this becomes for one driver and
release of Magnum, each with its reason and the file of the driver that reads it. What the driver does not read is not
sent: it is listed with the stage that takes its place, and told as a warning. Labels of your own go into
`cluster.extra_labels` and are looked at: unknown, too new, removed, ignored or ill-typed ones are findings with their
key path.

capi-helm is run in the sandbox. heat and cluster-api are compiled and compared with the drivers' code, not run here; so
is `variables/stein.yml`, the article's own cluster, which compiles to exactly the article's labels.

The table was read from the code of

{read}

and `tests/contracts/labels` reads it again and names every difference.

Written by `nox -s docs`.

## What the settings become

| setting | heat | capi-helm | cluster-api |
|---|---|---|---|
"""

OWN = """
## Whose labels they are

The compiled labels are those of the cluster template. Magnum copies them onto a cluster that has none of its own, and
takes the cluster's own in their place when it has some (`merge_labels`, from 10.1.0 on, adds them). Terraform replaces
a cluster whose own labels change.

| driver | reads | so the cluster has |
|---|---|---|
| heat | the cluster's labels | none of its own: the template's are copied |
| cluster-api | the cluster's labels | none of its own: the template's are copied |
| capi-helm | the template's, and the cluster's over them | `managed_by: magflow`: nothing is copied, so that \
moving the cluster to a new template changes its labels in place |

`cluster.own_labels` without `cluster.merge_labels` is an error under heat and cluster-api when it would lose labels of
the template; the finding lists them.

## Labels of Kubernetes nodes

These are no labels of Magnum. Its API takes them for node groups as fields of their own:

| field | what | since | handed on to the nodes by |
|---|---|---|---|
"""

LABELS = """
Terraform's provider does not know them either. So they are never sent; the stage `node_pools` sets labels and taints of
nodes, with every driver, and verifies them on the nodes.

## All labels

Under each driver: the releases that read the label (of Magnum for heat, of the driver itself for the others; left out:
all that were read), and what the newest of them takes without it.

| label | what | type | heat | capi-helm | cluster-api |
|---|---|---|---|---|---|
"""

LONG = 40
"""Longer defaults are not shown."""


def page() -> str:
    """docs/labels.md."""
    read = "\n".join(f"- {drivers()[driver]}" for driver in DRIVERS)
    lines = [HEAD.format(read=read).rstrip("\n")]
    lines += [_row(f"`{setting}`", *labels) for setting, *labels in INTENTS]
    lines.append(OWN.rstrip("\n"))
    for field in node_fields():
        by = ", ".join(field.honoured_by) or "no driver"
        lines.append(_row(f"`{field.name}`", field.about, f"{field.first} (microversion {field.microversion})", by))
    lines.append(LABELS.rstrip("\n"))
    lines += [_label(spec) for spec in table().values() if not spec.unread]
    lines += ["", "## Labels that no driver reads", "", "| label | why | instead |", "|---|---|---|"]
    for spec in table().values():
        if spec.unread:
            lines.append(_row(f"`{spec.key}`", spec.unread, f"`{spec.instead}`" if spec.instead else ""))
    return "\n".join([*lines, ""])


def _label(spec: Spec) -> str:
    kind = " or ".join(spec.values) if spec.values else spec.type
    return _row(f"`{spec.key}`", spec.about, kind, *(_cell(spec.readers.get(driver), driver) for driver in DRIVERS))


def _cell(reader: Reader | None, driver: Driver) -> str:
    if reader is None:
        return "-"
    words = [_span(reader) if driver == "heat" else f"from {reader.first}" if reader.first else "yes"]
    default = reader.default_of(None)
    if default and len(default) <= LONG:
        words.append(f"default {default}")
    if reader.refused_by:
        words.append(f"not with {', '.join(sorted(reader.refused_by))}")
    if reader.ignored_by:
        words.append(f"no effect with {', '.join(sorted(reader.ignored_by))}")
    if reader.successor:
        words.append(f"deprecated: use {reader.successor}")
    if reader.note:
        words.append(reader.note.rstrip("."))
    return "; ".join(words)


def _span(reader: Reader) -> str:
    missing = ", ".join(".".join(map(str, version)) for version in sorted(reader.missing))
    return f"{reader.first} to {reader.last or HEAT_LAST}" + (f" but {missing}" if missing else "")


def _row(*cells: str) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
