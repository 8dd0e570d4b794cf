"""What a certificate of version 2 may say at all: its steps, its sentences, its names, its files.

The tables are the verifier's own. They are made from the published format of certificates, not
from the code that writes them; whatever is not in them is refused.
"""

from discreet.verify.strict.format import OLD_VERSION, check_format

__all__ = ["OLD_VERSION", "check_format"]
