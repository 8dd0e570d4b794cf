"""A campaign: what people are asked for, and by which operator they randomize it first."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING

from discreet import checks
from discreet.data.item_sets import check_labels
from discreet.errors import DataError, ParameterError
from discreet.randomize.operators import SizeLawOperator, operator_from_dict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from discreet.data.item_sets import Label, Labels
    from discreet.randomize.operators import Operator

POLICY_VERSION = 1
MAX_SIZE = 10  # of a transaction, where none is given
_SAFE = 2**53 - 1  # the largest whole number that JavaScript keeps apart from its neighbours


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceLimits:
    """What the service takes from one client at a time.

    Attributes
    ----------
    max_body : int
        Bytes of a request, at least 1024.
    max_batch : int
        Transactions of a request, at least 1.
    max_rate : float
        Requests a second from one address to one worker process, on average, above 0.
    burst : int
        Requests that may come at once before the rate counts, at least 1.
    """

    max_body: int = 1 << 20
    max_batch: int = 1000
    max_rate: float = 20.0
    burst: int = 100

    def __post_init__(self) -> None:
        least = {"max_body": 1024, "max_batch": 1, "burst": 1}
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in least:
                value = checks.whole(each.name, value, at_least=least[each.name])
            elif isinstance(value, int):
                checks.exact(each.name, value, above=0)
            else:
                value = float(checks.exact(each.name, value, above=0))
            object.__setattr__(self, each.name, value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Campaign:
    """What is collected: made by :func:`create_campaign`, never changed.

    Attributes
    ----------
    name : str
        What people call it.
    operator : Operator
        What every client applies before anything is sent.
    items : tuple of int, or tuple of str
        All items that there are.
    sizes : tuple of int
        True sizes of transactions that are taken, ascending. With ``padded`` only one.
    padded : bool
        Whether all transactions are brought to that one size, so that the size discloses nothing.
    limits : ServiceLimits
        What is taken at a time.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> tea = make_campaign(CutAndPaste(cutoff=3, rho="1/4"), ["tea", "milk", "cake"], max_size=2)
    >>> tea.sizes, tea.local_epsilons()[1]
    ((0, 1, 2), 2.564...)
    """

    name: str
    operator: Operator
    items: Labels
    sizes: tuple[int, ...]
    padded: bool = False
    limits: ServiceLimits = field(default_factory=ServiceLimits)

    @property
    def dummies(self) -> int:
        """Number of null items that fill transactions up."""
        return self.sizes[0] if self.padded else 0

    def local_epsilons(self) -> dict[int, float]:
        """Return the local epsilon among transactions of each size, rounded up."""
        n_items = len(self.items) + self.dummies
        return {size: self.operator.local_epsilon(size, n_items) for size in self.sizes}

    def to_dict(self) -> dict[str, object]:
        """Return the campaign as JSON holds it."""
        return {
            "version": POLICY_VERSION,
            "campaign": self.name,
            "operator": self.operator.to_dict(),
            "items": list(self.items),
            "sizes": list(self.sizes),
            "padded": self.padded,
            "limits": asdict(self.limits),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Campaign:
        """Return the campaign that :meth:`to_dict` wrote, or raise DataError."""
        try:
            if given["version"] != POLICY_VERSION:
                raise DataError(
                    f"The campaign has version {given['version']}; this version of discreet reads "
                    f"{POLICY_VERSION}. Use a newer discreet."
                )
            made = _checked(
                name=given["campaign"],
                operator=operator_from_dict(given["operator"]),  # type: ignore[arg-type]
                items=given["items"],  # type: ignore[arg-type]
                sizes=given["sizes"],  # type: ignore[arg-type]
                padded=given["padded"],
                limits=ServiceLimits(**given["limits"]),  # type: ignore[arg-type]
            )
        except (KeyError, TypeError, ParameterError) as error:
            raise DataError(f"This is no campaign: {error}.") from error
        return made

    def policy(self) -> dict[str, object]:
        """Return what clients are given: the campaign, what it protects, and the laws by size.

        ``laws`` says what the operator does in the words of select-a-size: keep j items with
        chance ``keep[j]``, insert every other item with chance ``rho``. It is absent where the
        operator is of another kind.
        """
        epsilons = self.local_epsilons()
        shown = {str(m): None if math.isinf(each) else each for m, each in epsilons.items()}
        policy = {**self.to_dict(), "local_epsilon": shown}
        if isinstance(self.operator, SizeLawOperator):
            laws = {size: self.operator.law(size) for size in self.sizes}
            policy["laws"] = {
                str(size): {"keep": [str(chance) for chance in law.keep], "rho": str(law.rho)}
                for size, law in laws.items()
            }
        return policy


def make_campaign(
    operator: Operator,
    items: Iterable[Label],
    *,
    name: str = "campaign",
    max_size: int | None = None,
    padded: bool = False,
    service_limits: ServiceLimits | None = None,
) -> Campaign:
    """Return a campaign that is nowhere stored yet; see :func:`create_campaign`."""
    labels = _check_items(items)
    most = min(MAX_SIZE, len(labels)) if max_size is None else max_size
    most = checks.whole("max_size", most, at_least=1)
    sizes = [most]
    if not padded:
        sizes = [size for size in range(most + 1) if _takes(operator, size, len(labels))]
        if not sizes:
            raise ParameterError(
                f"The operator takes no transactions of 0 to {most} items; give max_size.",
                parameter="max_size",
            )
    return _checked(
        name=name,
        operator=operator,
        items=labels,
        sizes=sizes,
        padded=padded,
        limits=service_limits or ServiceLimits(),
    )


def _check_items(items: Iterable[object]) -> Labels:
    """Return the list of items, or raise an error if there are none."""
    labels = check_labels(items)
    if not labels:
        raise ParameterError(
            "The list of items is empty.",
            parameter="items",
            remedy="Give every item that there is.",
        )
    return labels


def _takes(operator: Operator, size: int, n_items: int) -> bool:
    """Return whether an operator is defined for transactions of a size."""
    try:
        operator.check_sizes([size], n_items)
    except ParameterError:
        return False
    return True


def _checked(
    *,
    name: object,
    operator: Operator,
    items: Iterable[object],
    sizes: Iterable[int],
    padded: object,
    limits: ServiceLimits,
) -> Campaign:
    """Return a campaign whose parts fit together, or raise ParameterError."""
    if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 200:
        raise ParameterError(
            f"A campaign has a printable name of at most 200 letters, not {name!r}.",
            parameter="name",
        )
    if not operator.is_per_transaction:
        raise ParameterError(
            f"Operator {operator.kind!r} needs all transactions at once, which nobody may have.",
            parameter="operator",
            remedy="Choose one that each client can apply alone, such as cut-and-paste.",
        )
    labels = _check_items(items)
    unsafe = [label for label in labels if isinstance(label, int) and abs(label) > _SAFE]
    if unsafe:
        raise ParameterError(
            f"Item {unsafe[0]} is more than browsers can count; make it text.", parameter="items"
        )
    longest = len(json.dumps(labels)) + 100  # bytes of a request with one transaction of all items
    if longest > limits.max_body:
        raise ParameterError(
            f"A transaction of all items takes {longest} bytes, more than {{max_body}}.",
            parameter="max_body",
            remedy="Raise it.",
            options={"max_body": limits.max_body},
        )
    taken = tuple(sizes)
    if not isinstance(padded, bool) or (padded and len(taken) != 1):
        raise ParameterError("A padded campaign has one size; give max_size.", parameter="max_size")
    n_items = len(labels) + (taken[0] if padded else 0)
    if list(taken) != sorted(set(taken)) or not taken or taken[0] < 0 or taken[-1] > n_items:
        raise ParameterError(
            f"Sizes are different, ascending, and from 0 to {n_items}.", parameter="sizes"
        )
    operator.check_sizes(list(taken), n_items)
    return Campaign(
        name=name, operator=operator, items=labels, sizes=taken, padded=padded, limits=limits
    )


def read_operator(text: str) -> Operator:
    """Return the operator in a text of JSON.

    Examples
    --------
    >>> read_operator('{"operator": "cut-and-paste", "cutoff": 3, "rho": "1/5"}').kind
    'cut-and-paste'
    """
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"The operator is not JSON: {error}.") from None
    if not isinstance(given, dict):
        raise DataError("The operator is a JSON object with the field 'operator'.")
    return operator_from_dict(given)


def read_items(text: str) -> Labels:
    r"""Return the items of a text, one on each line; whole numbers if all of them are.

    Examples
    --------
    >>> read_items("tea\nmilk\n"), read_items("1\n20\n")
    (('tea', 'milk'), (1, 20))
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line]
    if all(line.isascii() and line.isdigit() and str(int(line)) == line for line in lines):
        return check_labels([int(line) for line in lines])
    return check_labels(lines)
