"""Files that only their owner may read, written so that a crash leaves the old one or the new one."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from magflow.errors import MagflowError


def private_folder(folder: Path) -> Path:
    """Makes a folder (mode 0700) and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o700)
    return folder


def write_private(file: Path, text: str) -> None:
    """Writes a file with mode 0600, whole or not at all.

    Raises:
        MagflowError: the folder is not writable or full.
    """
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).replace(file)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise MagflowError(
            f"cannot write: {error.strerror}",
            where=str(file),
            hint="free space or mend the folder's rights; then again",
        ) from None
