"""Whether the files of a folder are the ones that were certified, no more and no fewer."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from discreet.verify.certificate import CERTIFICATE_FILE
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.verify.certificate import Claims


def check_files(folder: Path, claims: Claims) -> tuple[Check, dict[str, bytes]]:
    """Return whether all files are as certified, and what is in them.

    The content that was hashed is the content that later checks look at, so that a file that
    changes meanwhile cannot fool them.

    Parameters
    ----------
    folder : Path
        The release.
    claims : Claims
        What its certificate says.

    Returns
    -------
    Check
        Every missing, changed or additional file is named.
    dict of str to bytes
        The content of every certified file that can be read.
    """
    wrong: list[str] = []
    contents: dict[str, bytes] = {}
    for name, sha256 in claims.files.items():
        try:
            content = (folder / name).read_bytes()
        except FileNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        except OSError as error:
            wrong.append(f"{name} cannot be read ({error.strerror})")
            continue
        contents[name] = content
        if hashlib.sha256(content).hexdigest() != sha256:
            wrong.append(f"{name} was changed after it was certified")
    expected = {CERTIFICATE_FILE, *claims.files}
    extra = sorted(path.name for path in folder.iterdir() if path.name not in expected)
    wrong += [f"{name} is not certified" for name in extra]
    if wrong:
        return Check(name="files", passed=False, detail=f"{'; '.join(wrong)}."), contents
    listed = ", ".join(claims.files)
    return Check(name="files", passed=True, detail=f"As certified: {listed}."), contents
