"""Where one sandbox keeps its state: a folder, mode 0700, that holds everything and can be removed as a whole.

Usage::

    home = Home.default()          # $MAGFLOW_SANDBOX_HOME or <checkout>/.sandbox
    write_private(home.etc / "keystone.conf", text)   # atomic, mode 0600
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from magflow_sandbox.errors import SandboxError


def cache_root() -> Path:
    """Folder of built programs, shared by all checkouts: ``$MAGFLOW_CACHE`` or ``~/.cache/magflow``."""
    given = os.environ.get("MAGFLOW_CACHE")
    return Path(given).expanduser().resolve() if given else Path.home() / ".cache" / "magflow"


def write_private(path: Path, content: str | bytes) -> Path:
    """Write a file of mode 0600 atomically (readers see the old or the new content, never half of it)."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    data = content.encode() if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mkstemp makes it 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return path


@dataclass(frozen=True)
class Home:
    """The layout of a sandbox's state folder."""

    path: Path

    @classmethod
    def default(cls) -> Home:
        """``$MAGFLOW_SANDBOX_HOME``, else ``.sandbox`` in the checkout (or the working folder when installed)."""
        given = os.environ.get("MAGFLOW_SANDBOX_HOME")
        if given:
            return cls(Path(given).expanduser().resolve())
        checkout = Path(__file__).resolve().parents[2]
        base = checkout if (checkout / "pyproject.toml").exists() else Path.cwd()
        return cls(base / ".sandbox")

    def create(self) -> Home:
        """Make the folders that are missing. Idempotent.

        Raises:
            SandboxError: the folder belongs to someone else or cannot be made.
        """
        try:
            for folder in (self.path, self.run, self.log, self.etc, self.data, self.pki, self.clusters):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.path.stat().st_uid != os.geteuid():
                raise SandboxError(f"{self.path} belongs to another user", hint="set MAGFLOW_SANDBOX_HOME")
            self.path.chmod(0o700)
        except OSError as error:
            raise SandboxError(f"cannot make {self.path}: {error.strerror}", hint="set MAGFLOW_SANDBOX_HOME") from error
        return self

    @property
    def run(self) -> Path:
        """Process records, sockets, locks."""
        return self.path / "run"

    @property
    def log(self) -> Path:
        """One log a program."""
        return self.path / "log"

    @property
    def etc(self) -> Path:
        """Generated configuration."""
        return self.path / "etc"

    @property
    def data(self) -> Path:
        """Databases and image stores."""
        return self.path / "data"

    @property
    def pki(self) -> Path:
        """The sandbox's own certificate authority and what it issued."""
        return self.path / "pki"

    @property
    def clusters(self) -> Path:
        """One folder a Kubernetes cluster."""
        return self.path / "clusters"

    @property
    def manifests(self) -> Path:
        """Data for the suite that comes with the built programs (manifests of the training operator)."""
        return self.path / "manifests"

    @property
    def clouds_yaml(self) -> Path:
        """The clouds.yaml that clients use (0600)."""
        return self.path / "clouds.yaml"
