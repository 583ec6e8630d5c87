"""Stage ingress: a node takes the traffic, the four objects are written, every host with a backend answers."""

from __future__ import annotations

import urllib3

from magflow.checks.model import Check, NotApplicable, Problem, check
from magflow.checks.world import World
from magflow.kube import nodes
from magflow.kube.ingress import ROLE, ROLE_LABEL, Host, Route, ingress_object
from magflow.kube.ingress_apply import Plan, Wish, look
from magflow.settings import IngressHosts

PORT = 80
DEPLOY = "magflow deploy --only ingress writes it"


def plan(world: World) -> Plan:
    """The nodes, addresses and routes that the settings mean in the cluster as it is now."""
    settings = world.settings
    ingress = settings.ingress
    rule = ingress.nodes if isinstance(ingress.nodes, str) else ingress.nodes.model_dump(exclude_none=True)
    hosts = {key: Host(**getattr(ingress.hosts, key).model_dump()) for key in IngressHosts.model_fields}
    wish = Wish(
        hosts=hosts,
        nodes=rule,
        domain=ingress.domain,
        style=ingress.style,
        class_name=ingress.class_name,
        address_type=ingress.address_type,
        groups=tuple(settings.node_groups),
        cluster=world.facts.cluster.name,
    )
    return look(world.kube, wish)


@check("ingress-node-is-chosen", f"the nodes that take the traffic carry {ROLE_LABEL}={ROLE}")
def node_is_chosen(world: World) -> str:
    """Compares the chosen nodes with their labels; no node at all is a problem."""
    chosen = plan(world)
    there = {nodes.name(node): nodes.labels(node).get(ROLE_LABEL) for node in world.kube.nodes()}
    lacking = [name for name in chosen.nodes if there.get(name) != ROLE]
    if lacking:
        raise Problem(f"without the label: {', '.join(lacking)}", hint=DEPLOY)
    return ", ".join(f"{name} ({address})" for name, address in zip(chosen.nodes, chosen.addresses, strict=True))


@check("ingress-objects-are-written", "every host has its Ingress object, with class and backend as they should be")
def objects_are_written(world: World) -> str:
    """Compares each object's spec with what the settings mean now."""
    wrong, hosts = [], []
    for route in plan(world).routes:
        found = world.kube.get("networking.k8s.io/v1", "Ingress", route.object_name, route.namespace)
        wanted = ingress_object(route, world.settings.ingress.class_name)
        subject = f"{route.namespace}/{route.object_name}"
        if found is None:
            wrong.append(f"{subject} is missing")
        elif found["spec"] != wanted["spec"]:
            wrong.append(f"{subject} differs from the settings")
        hosts.append(route.host)
    if wrong:
        raise Problem("; ".join(wrong), hint=DEPLOY)
    return ", ".join(hosts)


def _answers(key: str) -> Check:
    @check(f"host-answers-{key}", f"the host of {key} answers through the ingress", within=60)
    def answers(world: World) -> str:
        chosen = plan(world)
        route = next(route for route in chosen.routes if route.key == key)
        _need_backend(route)
        url = f"http://{chosen.addresses[0]}:{PORT}/"
        try:
            answer = urllib3.request(
                "GET", url, headers={"Host": route.host}, timeout=5.0, retries=False, redirect=False
            )
        except urllib3.exceptions.HTTPError as error:
            raise Problem(f"{route.host} at {url}: {error}", hint="is the ingress controller running there?") from None
        if answer.status == 404 or answer.status >= 500:
            raise Problem(
                f"{route.host} answers {answer.status}",
                hint=f"kubectl -n {route.namespace} get endpoints {route.service}",
            )
        return f"{route.host} answers {answer.status}"

    return answers


def _need_backend(route: Route) -> None:
    if route.found:
        return
    where = f"; {route.elsewhere} is in another namespace, which an Ingress cannot reach" if route.elsewhere else ""
    raise NotApplicable(f"its backend {route.namespace}/{route.service} is not installed{where}")


HOSTS_ANSWER: tuple[Check, ...] = tuple(_answers(key) for key in IngressHosts.model_fields)
"""One check a host."""
