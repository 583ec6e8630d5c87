"""A small client of the Kubernetes API: any kind, one request a call, answers as plain dicts, errors in a user's words.

The official package reads the kubeconfig and holds connections and credentials (exec plugins, token files, client
certificates); discovery and requests are ours. The reasons are in docs/decisions/kubernetes-client.md.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3
from kubernetes import client, config
from kubernetes.config.config_exception import ConfigException

from magflow.errors import CannotTell
from magflow.kube.errors import ApiError, Unauthorized, UnknownKind, Unreachable, WrongCA

Object = dict[str, Any]

Objects = list[Object]

METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
PAGE = 500
"""Objects a page; kubectl's own --chunk-size."""


@dataclass(frozen=True)
class Resource:
    """Where objects of one kind live."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """The URL path of the collection, or of one object."""
        parts = ["api" if "/" not in self.api_version else "apis", self.api_version]
        if self.namespaced and namespace:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        return "/" + "/".join(parts)


class Kube:
    """One cluster's API server. Safe to share between threads."""

    def __init__(self, configuration: Any, source: str) -> None:
        self.host = str(configuration.host).rstrip("/")
        self.source = source
        self._configuration = configuration
        self._pool = client.ApiClient(configuration).rest_client.pool_manager
        self._resources: dict[tuple[str, str], Resource] = {}
        self._lock = threading.Lock()

    def call(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, Any] | None = None,
        body: Any = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        timeout: float = 30.0,
    ) -> Any:
        """One request, never repeated.

        Args:
            method: HTTP method.
            path: URL path, from its leading slash.
            query: query parameters; None values are left out.
            body: JSON-serialisable body.
            content_type: media type of the body.
            accept: media type asked for.
            timeout: seconds for connecting and for each read.

        Returns:
            the decoded JSON answer, or the text when it is none.

        Raises:
            Unreachable, WrongCA, Unauthorized, ApiError.
        """
        url = self.host + path
        if query:
            url += "?" + urlencode({k: v for k, v in query.items() if v is not None})
        headers = {"Accept": accept, "User-Agent": "magflow"} | self._credentials()
        if body is not None:
            headers["Content-Type"] = content_type
        data = None if body is None else json.dumps(body).encode()
        try:
            answer = self._pool.request(
                method, url, body=data, headers=headers, timeout=timeout, retries=False, redirect=False
            )
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise self._transport(error) from None
        return self._decode(answer, f"{method} {path}")

    def resource(self, api_version: str, kind: str) -> Resource:
        """Looks a kind up in discovery; answers are remembered, misses are not.

        Raises:
            UnknownKind: when the server does not serve it.
        """
        with self._lock:
            known = self._resources.get((api_version, kind))
        if known:
            return known
        try:
            served = self.call("GET", ("/apis/" if "/" in api_version else "/api/") + api_version)
        except ApiError as error:
            if error.status != 404:
                raise
            served = {}
        with self._lock:
            for entry in served.get("resources", []):
                if "/" not in entry["name"]:
                    found = Resource(api_version, entry["kind"], entry["name"], entry["namespaced"])
                    self._resources[api_version, entry["kind"]] = found
            if (api_version, kind) not in self._resources:
                raise UnknownKind(
                    f"the API server does not serve {kind} of {api_version}",
                    where=self.host,
                    hint="install what brings this kind (its CustomResourceDefinition) first",
                )
            return self._resources[api_version, kind]

    def get(
        self, api_version: str, kind: str, name: str, namespace: str | None = None, *, metadata_only: bool = False
    ) -> Object | None:
        """One object, or None when it is not there.

        Raises:
            UnknownKind: when the server does not serve the kind.
        """
        path = self.resource(api_version, kind).path(namespace, name)
        try:
            found: Object = self.call("GET", path, accept=METADATA_ONLY if metadata_only else "application/json")
        except ApiError as error:
            if error.status == 404:
                return None
            raise
        return found

    def each(
        self,
        api_version: str,
        kind: str,
        namespace: str | None = None,
        *,
        labels: str | None = None,
        fields: str | None = None,
    ) -> Iterator[Object]:
        """Objects of a kind, page by page.

        Args:
            api_version: for example `v1`, `apps/v1`.
            kind: for example `Pod`.
            namespace: one namespace; None: all.
            labels: label selector.
            fields: field selector.
        """
        path = self.resource(api_version, kind).path(namespace)
        query = {"labelSelector": labels, "fieldSelector": fields, "limit": PAGE, "continue": None}
        while True:
            page = self.call("GET", path, query=query)
            for item in page.get("items") or []:
                # items of a list carry no kind of their own
                yield {"apiVersion": api_version, "kind": kind} | item
            query["continue"] = page.get("metadata", {}).get("continue") or None
            if not query["continue"]:
                return

    def list(
        self,
        api_version: str,
        kind: str,
        namespace: str | None = None,
        *,
        labels: str | None = None,
        fields: str | None = None,
    ) -> Objects:
        """All objects that `each` gives."""
        return [*self.each(api_version, kind, namespace, labels=labels, fields=fields)]

    def patch(
        self,
        target: Object,
        change: Any,
        *,
        content_type: str = "application/merge-patch+json",
        query: dict[str, Any] | None = None,
    ) -> Object:
        """Patches the object that `target` names; returns it as it then is."""
        meta = target["metadata"]
        path = self.resource(target["apiVersion"], target["kind"]).path(meta.get("namespace"), meta["name"])
        changed: Object = self.call("PATCH", path, query=query, body=change, content_type=content_type)
        return changed

    def delete(self, api_version: str, kind: str, name: str, namespace: str | None = None) -> bool:
        """Deletes an object and, in the foreground, what it owns. False when it was not there."""
        path = self.resource(api_version, kind).path(namespace, name)
        try:
            self.call("DELETE", path, body={"propagationPolicy": "Foreground"})
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return True

    def version(self) -> str:
        """The server's version, for example `v1.36.3`."""
        return str(self.call("GET", "/version")["gitVersion"])

    def nodes(self) -> Objects:
        """All nodes."""
        return self.list("v1", "Node")

    def _credentials(self) -> dict[str, str]:
        # asked for each request: the official package renews tokens here
        settings = self._configuration.auth_settings()
        return {auth["key"]: auth["value"] for auth in settings.values() if auth["in"] == "header" and auth["value"]}

    def _transport(self, error: Exception) -> CannotTell:
        text = str(error)
        if "CERTIFICATE_VERIFY_FAILED" in text:
            reason = _after(text, "CERTIFICATE_VERIFY_FAILED] ").partition(" (_ssl")[0]
            return WrongCA(
                f"the API server's certificate does not fit the kubeconfig: {reason}",
                where=f"{self.host} ({self.source})",
                hint="fetch the kubeconfig anew; the cluster may have been made again",
            )
        return Unreachable(
            f"the API server does not answer: {_after(text, ': ')}",
            where=f"{self.host} ({self.source})",
            hint="is the cluster running, and is its address reachable from here?",
        )

    def _decode(self, answer: urllib3.BaseHTTPResponse, what: str) -> Any:
        data: Any
        try:
            data = json.loads(answer.data)
        except ValueError:
            data = answer.data.decode(errors="replace")
        if answer.status < 400:
            return data
        status: dict[str, Any] = data if isinstance(data, dict) else {"message": str(data)[:500].strip()}
        if answer.status == 401:
            raise Unauthorized(
                "the API server does not accept the kubeconfig's credentials",
                where=f"{self.host} ({self.source})",
                hint="they may have expired: fetch the kubeconfig anew",
            )
        raise ApiError(
            answer.status,
            str(status.get("reason", "")),
            str(status.get("message") or f"HTTP {answer.status}"),
            where=f"{what} at {self.host}",
            causes=(status.get("details") or {}).get("causes") or (),
            wait=int(answer.headers.get("Retry-After", 0) or 0),
        )


def connect(kubeconfig: Path | str, context: str | None = None) -> Kube:
    """A client from a kubeconfig. Nothing is sent yet.

    Args:
        kubeconfig: the file.
        context: context in it; None: its current one.

    Raises:
        CannotTell: when the file is missing or not usable.
    """
    if not str(kubeconfig):
        raise CannotTell("no kubeconfig was given", hint="name one, or set KUBECONFIG")
    file = Path(kubeconfig).expanduser()
    if not file.is_file():
        raise CannotTell("there is no kubeconfig", where=str(file), hint="deploy the cluster, or give the right path")
    configuration = client.Configuration()
    try:
        config.load_kube_config(  # type: ignore[no-untyped-call]
            str(file), context=context, client_configuration=configuration, persist_config=False
        )
    except (ConfigException, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CannotTell(f"the kubeconfig is not usable: {error}", where=str(file)) from None
    except Exception as error:  # the YAML parser's own errors; the package does not wrap them
        raise CannotTell(f"the kubeconfig is not usable: {type(error).__name__}", where=str(file)) from None
    return Kube(configuration, str(file))


def _after(text: str, mark: str) -> str:
    head, found, tail = text.rpartition(mark)
    return (tail if found else head or text).strip(" ()'\"")
