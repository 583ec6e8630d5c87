"""A PostgreSQL of the test's own: on loopback, with TLS alone and a password, gone with the test."""

from __future__ import annotations

import datetime as dt
import ipaddress
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from magflow_sandbox.toolchain import Toolchain

PASSWORD = "5ecret-of-the-database"


@dataclass(frozen=True)
class Database:
    """Where it answers, and the certificate that it shows (which is its own CA)."""

    port: int
    certificate: Path

    def url(self, mode: str = "verify-full") -> str:
        """What an operator exports as PG_CONN_STR."""
        given = f"sslmode={mode}&sslrootcert={self.certificate}"
        return f"postgres://magflow:{PASSWORD}@127.0.0.1:{self.port}/postgres?{given}"


def programs() -> Path:
    """The folder with initdb and postgres; Debian keeps it out of PATH, and so does the toolchain."""
    return Toolchain().path("initdb").resolve().parent


@contextmanager
def running(folder: Path, bin_folder: Path) -> Iterator[Database]:
    """Starts one below a folder and stops it."""
    data, certificate = folder / "data", folder / "server.pem"
    password = folder / "password"
    password.write_text(PASSWORD)
    initdb = ["initdb", "-D", data, "-U", "magflow", f"--pwfile={password}", "-A", "scram-sha-256", "-N"]
    _as_user(bin_folder, initdb, check=True)
    _certify(certificate, folder / "server.key")
    # no line for a connection without TLS
    (data / "pg_hba.conf").write_text("hostssl all all 127.0.0.1/32 scram-sha-256\n")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    options = {
        "listen_addresses": "127.0.0.1",
        "port": str(port),
        "unix_socket_directories": "",
        "ssl": "on",
        "ssl_cert_file": str(certificate),
        "ssl_key_file": str(folder / "server.key"),
        "fsync": "off",
    }
    command = ["postgres", "-D", data, *(f"--{name}={value}" for name, value in options.items())]
    with (folder / "postgres.log").open("wb") as log:
        process = subprocess.Popen(_command(bin_folder, command), env=_environment(bin_folder), stdout=log, stderr=log)
    try:
        _wait(port, process, folder / "postgres.log")
        yield Database(port, certificate)
    finally:
        process.terminate()
        process.wait(30)


def _environment(bin_folder: Path) -> dict[str, str]:
    """Unpacked packages bring their libraries."""
    unpacked = Toolchain().unpacked("postgresql")
    libraries = map(str, (unpacked / "usr/lib").glob("*-linux-gnu")) if unpacked else ()
    return os.environ | ({"LD_LIBRARY_PATH": ":".join(libraries)} if unpacked else {})


def _command(bin_folder: Path, command: list[object]) -> list[str]:
    words = [str(bin_folder / str(command[0])), *map(str, command[1:])]
    # PostgreSQL does not run as root; in a user namespace root has another number
    return ["unshare", "--user", "--map-user=1000", "--map-group=1000", *words] if os.geteuid() == 0 else words


def _as_user(bin_folder: Path, command: list[object], check: bool) -> None:
    done = subprocess.run(_command(bin_folder, command), env=_environment(bin_folder), capture_output=True, text=True)
    assert not check or done.returncode == 0, done.stdout + done.stderr


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert process.poll() is None and time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)


def _certify(certificate: Path, key_file: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(minutes=5))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        .sign(key, hashes.SHA256())
    )
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    key_file.chmod(0o600)
