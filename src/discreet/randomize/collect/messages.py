"""What the service is sent and answers, as its OpenAPI description tells it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class SentTransaction(BaseModel):
    """One transaction, randomized before it was sent."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(ge=0, description="Number of items of the original, which is published.")
    items: list[int | str] = Field(
        description="The randomized items, each once, from the list of the policy."
    )


class SentBatch(BaseModel):
    """Transactions that are stored together or not at all."""

    model_config = ConfigDict(extra="forbid")

    transactions: list[SentTransaction] = Field(min_length=1)


class Receipt(BaseModel):
    """The batch is on disk. A repetition of the request gets the same answer."""

    n_transactions: int = Field(description="Transactions of the batch.")


class Law(BaseModel):
    """What becomes of a transaction of one size: some of its items stay, others are inserted."""

    keep: list[str] = Field(
        description="keep[j] is the chance that j of the items stay, an exact fraction."
    )
    rho: str = Field(description="The chance of each other item to be inserted.")


class LimitsOfUse(BaseModel):
    """What the service takes from one client at a time."""

    max_body: int = Field(description="Bytes of a request.")
    max_batch: int = Field(description="Transactions of a request.")
    max_rate: float = Field(description="Requests a second, on average.")
    burst: int = Field(description="Requests at once.")


class Policy(BaseModel):
    """What a client needs to randomize: the operator with its parameters, and all items."""

    version: int
    campaign: str
    operator: dict[str, object]
    items: list[int | str]
    sizes: list[int] = Field(description="True sizes that are taken.")
    padded: bool = Field(description="Whether every transaction is brought to the one size.")
    local_epsilon: dict[str, float | None] = Field(
        description="By true size, among transactions of that size; null where there is no bound."
    )
    laws: dict[str, Law] | None = Field(
        default=None, description="By true size; absent if the operator is not select-a-size."
    )
    limits: LimitsOfUse


class Status(BaseModel):
    """What was collected so far."""

    campaign: str
    n_batches: int
    n_transactions: int
    n_of_size: dict[str, int] = Field(description="Transactions by true size.")


class MinedItemset(BaseModel):
    """An itemset with the estimate of its support among the originals."""

    items: list[int | str]
    support: float = Field(description="Share of the originals, estimated without bias.")
    sigma: float = Field(description="Standard deviation of the estimate.")
    is_discoverable: bool = Field(
        description="Whether the estimate is so many sigmas that it is clearly not 0."
    )


class Mined(BaseModel):
    """Itemsets that are frequent among the originals, as far as can be told."""

    n_transactions: int
    min_frequency: float
    itemsets: list[MinedItemset]
    stopped: str | None = Field(description="Why larger itemsets were not looked for, if so.")


class Problem(BaseModel):
    """What is wrong, where, and what to do. Nothing was stored."""

    detail: str


def batch_schema() -> dict[str, object]:
    """Return the JSON schema of a batch, whole, as a request is described."""
    schema = SentBatch.model_json_schema()
    del schema["$defs"]
    schema["properties"]["transactions"]["items"] = SentTransaction.model_json_schema()
    return schema
