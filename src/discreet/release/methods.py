"""The built-in methods, one record each: data only, read by every face of the package."""

from __future__ import annotations

from discreet.release.guarantee import IF_ITEMS_PUBLIC, IF_PUBLIC
from discreet.release.method import METHODS, Method, Option, register

__all__ = ["METHODS"]

_WORDS = "discreet.report.sections.events"  # how steps that take more than a sentence read

_ONE_EACH = "One row of each person was chosen at random, and only these rows were used."

CENTRAL = "differential privacy"
APPROXIMATE = "(epsilon, delta)-differential privacy"
LOCAL = "local differential privacy"

# Suppression

_K = Option(
    name="k", kind="whole", required=True, at_least=2, of_k=0,
    help="Every released row equals at least k - 1 others.",
)  # fmt: skip
_COLUMNS = Option(
    name="columns", kind="columns", example=["age", "sex"],
    help="The columns that the guarantee covers; all but the identifying ones by default.",
)  # fmt: skip

_MAX_SIZE = Option(
    name="max_size", kind="whole", at_least=1, example=3,
    help="Look for identifying combinations of at most this many values: for more than some 45 "
    "columns, where those of any size take too long.",
)  # fmt: skip

register(
    Method(
        name="k-mii",
        family="suppression",
        function="discreet.suppress:k_mii",
        summary="Suppress identifying combinations, then the rows that fewer than k share.",
        publishes="rows",
        claims=("k-anonymity", "k-anonymity and l-diversity"),
        options=(
            _K,
            Option(
                name="leftover", kind="choice", choices=("drop", "suppress"), default="drop",
                help="Rows in smaller classes are dropped, or kept with all cells suppressed.",
            ),
            Option(
                name="sample_size", kind="whole", at_least=1, example=10_000,
                help="Look for identifying combinations in this many rows only, or people: "
                "faster, and suppresses more or less.",
            ),
            _MAX_SIZE,
            Option(
                name="l", kind="exact", at_least=1, example=3,
                help="Suppress classes of which more than a share 1/l holds one sensitive value.",
            ),
            Option(
                name="sensitive", kind="columns", example=["diagnosis"],
                help="The columns that l is about; those with that role by default.",
            ),
            _COLUMNS,
        ),
        example={"k": 5},
        page="suppression",
        takes_seed=True,
        words={
            "mii_suppress": f"{_WORDS}:mii_suppress",
            "enforce_classes": f"{_WORDS}:enforce_classes",
            "obey_rules": f"{_WORDS}:obey_rules",
            "carry_column": f"{_WORDS}:carry_column",
        },
    )
)  # fmt: skip
register(
    Method(
        name="mii-suppress",
        family="suppression",
        function="discreet.suppress:mii_suppress",
        summary="Suppress the cells of identifying combinations; no row is dropped.",
        publishes="rows",
        claims=("support floor",),
        options=(
            Option(
                name="theta", kind="whole", required=True, at_least=1, of_k=-1,
                help="Suppress combinations of values that at most theta rows share.",
            ),
            _MAX_SIZE,
            _COLUMNS,
        ),
        example={"theta": 4},
        page="suppression",
        words={"mii_suppress": f"{_WORDS}:mii_suppress"},
    )
)  # fmt: skip
register(
    Method(
        name="dp-mii-suppress",
        family="suppression",
        function="discreet.suppress:dp_mii_suppress",
        summary="Publish a sample of the rows, suppressed by a scheme, with differential privacy.",
        publishes="rows",
        claims=(APPROXIMATE, IF_PUBLIC + APPROXIMATE),
        options=(
            Option(
                name="epsilon", kind="exact", required=True, above=0,
                help="Privacy loss; a smaller one protects more. Exact decimal.",
            ),
            Option(
                name="delta", kind="exact", required=True, above=0, below=1,
                help="Chance that the loss is larger, far below 1 / rows, as in 1e-6. Exact.",
            ),
            Option(
                name="k", kind="whole", required=True, at_least=2, of_k=0,
                help="Records in sampled classes of fewer than k are suppressed.",
            ),
            Option(
                name="scheme", kind="choice", choices=("dp", "public", "split"), default="dp",
                help="How the cells to suppress are learnt: with noise, from a public table, or "
                "as is.",
            ),
            Option(
                name="public", kind="table", example="public.csv",
                help='For "public": a table that anybody may see, read like the source.',
            ),
            Option(
                name="domains", kind="domains", example={"sex": ["f", "m"]},
                help='For "dp": the values each column can have, from public knowledge.',
            ),
            Option(
                name="split_rate", kind="exact", above=0, below=1, example=0.3,
                help='For "dp" and "split": share of the rows that train and are not published.',
            ),
            Option(
                name="scheme_epsilon", kind="exact", above=0, example=1,
                help='For "dp": privacy loss of the rows that train; epsilon by default.',
            ),
            Option(
                name="theta", kind="whole", at_least=0, example=20,
                help="Suppress combinations that at most this many training rows share; computed "
                "by default.",
            ),
            Option(
                name="beta", kind="exact", above=0, below=1, example=0.1,
                help="Share of the rows to sample; the largest that delta allows by default.",
            ),
            _COLUMNS,
        ),
        example={"epsilon": 1, "delta": "1e-6", "k": 20},
        page="dp-suppression",
        takes_seed=True,
        order_matters=("rows", "columns"),
        words={
            "choose_one_per_person": _ONE_EACH,
            "split_rows": f"{_WORDS}:split_rows",
            "learn_scheme": f"{_WORDS}:learn_scheme",
            "suppress_by_scheme": f"{_WORDS}:suppress_by_scheme",
            "bernoulli_sample": f"{_WORDS}:bernoulli_sample",
            "k_suppress": "Of the rows kept, in classes of fewer than {k} rows were "
            "suppressed.",
        },
    )
)  # fmt: skip

# Generalization: the same options for all, and one more for those that take whole columns up.

_GENERALIZE = (
    _K,
    Option(
        name="loss", kind="choice", default="lm",
        choices=("lm", "entropy", "tree", "suppression", "plain_entropy"),
        help="The measure of loss to minimize.",
    ),
    Option(
        name="l", kind="exact", at_least=1, example=3,
        help="l-diversity of the sensitive columns in every class.",
    ),
    Option(
        name="diversity", kind="choice", choices=("distinct", "entropy", "recursive", "share"),
        example="share",
        help="Which l-diversity; 'share' where a person may have several rows or a cell several "
        "members, else 'distinct' by default.",
    ),
    Option(
        name="c", kind="exact", above=0, example=2,
        help="The ratio of recursive (c, l)-diversity.",
    ),
    Option(
        name="t", kind="exact", at_least=0, at_most=1, example=0.2,
        help="t-closeness of the sensitive columns in every class.",
    ),
    Option(
        name="distance", kind="choice", choices=("equal", "ordered", "hierarchical", "members"),
        example="members",
        help="Between sensitive values, for t-closeness; 'members' where a person may have several "
        "rows or a cell several members, else 'equal' by default.",
    ),
    Option(
        name="sensitive", kind="columns", example=["diagnosis"],
        help="The columns that l and t are about; those with that role by default.",
    ),
    Option(
        name="weights", kind="column", example="weight",
        help="A column of sampling weights: the number of people that a row represents. Every "
        "class shows the mean of its weights.",
    ),
    Option(
        name="households", kind="column", example="household",
        help="A column that groups rows into households, the unit of privacy then: a class has "
        "rows of at least k of them. It is not released.",
    ),
    Option(
        name="columns", kind="columns", example=["age", "sex"],
        help="The columns to generalize; the quasi-identifiers by default.",
    ),
)  # fmt: skip
_MAX_DROPPED = Option(
    name="max_dropped", kind="exact", at_least=0, at_most=1, example=0.01,
    help="Share of the rows that may be dropped; 0.01 for datafly and 0 for incognito by default.",
)  # fmt: skip
_CLASSES = (
    "k-anonymity",
    "k-anonymity and l-diversity",
    "k-anonymity and t-closeness",
    "k-anonymity, l-diversity and t-closeness",
)

for _name, _summary, _order, _sentence in (
    (
        "set-cover",
        "Cover the rows by frequent generalized combinations; proved near the least loss.",
        ("rows", "columns"),
        f"{_WORDS}:set_cover",
    ),
    (
        "forest",
        "Grow trees of nearest rows; proved to lose at most 3 (k - 1) times the least loss.",
        ("rows",),
        "Rows were grouped by growing trees of rows that are near each other.",
    ),
    (
        "agglomerative",
        "Join the nearest groups of rows; nothing is proved, often good.",
        ("rows",),
        "Rows were grouped by joining groups that are near each other.",
    ),
    (
        "mondrian",
        "Split the rows at one column after another; fast.",
        (),
        "Rows were grouped by cutting them at one column after another.",
    ),
    (
        "datafly",
        "Generalize whole columns, the one with most values first; a baseline.",
        (),
        "Rows were grouped by taking whole columns up their hierarchy, most values first.",
    ),
    (
        "incognito",
        "Generalize whole columns as little as possible; a baseline.",
        (),
        "Rows were grouped by taking whole columns up their hierarchy, as little as possible.",
    ),
):
    register(
        Method(
            name=_name,
            family="generalization",
            function=f"discreet.generalize:{_name.replace('-', '_')}",
            summary=_summary,
            publishes="rows",
            claims=_CLASSES,
            options=(*_GENERALIZE, _MAX_DROPPED)
            if _name in ("datafly", "incognito")
            else _GENERALIZE,
            example={"k": 5},
            page="generalization",
            check="discreet.generalize.rules:check_together",
            hierarchies=True,
            order_matters=_order,  # type: ignore[arg-type]
            words={
                _name.replace("-", "_"): _sentence,
                "generalize": f"{_WORDS}:generalize",
                "obey_rules": f"{_WORDS}:obey_rules",
                "carry_column": f"{_WORDS}:carry_column",
                "mean_weights": "Every row shows the mean of its group in {column}, the weights.",
            },
        )
    )

# Synthesis

register(
    Method(
        name="synthesize",
        family="synthesis",
        function="discreet.synthesize:synthetic_release",
        summary="Draw synthetic rows from a differentially private model of the table.",
        publishes="synthetic rows",
        claims=(
            APPROXIMATE,
            CENTRAL,
            LOCAL,
            *(IF_PUBLIC + model for model in (APPROXIMATE, CENTRAL, LOCAL)),
        ),
        options=(
            Option(
                name="epsilon", kind="exact", required=True, above=0,
                help="Privacy loss of a row: 1 or less protects well, above 8 hardly at all. "
                "Exact decimal.",
            ),
            Option(
                name="delta", kind="exact", default=0, at_least=0, below=1,
                help="Chance that the loss is larger, far below 1 / rows, as in 1e-9; 0 needs "
                "more noise.",
            ),
            Option(
                name="trust", kind="choice", choices=("central", "local"), default="central",
                help="central: noise on measurements; local: cells randomized first, which costs "
                "much accuracy.",
            ),
            Option(
                name="generator", kind="choice", choices=("marginals", "krimp"),
                default="marginals", help="The model of the rows; krimp is coarser.",
            ),
            Option(
                name="label", kind="column", example="sex",
                help="A column that is drawn first, such as a class.",
            ),
            Option(
                name="n_rows", kind="whole", at_least=1, example=1000, flag="--rows",
                help="The number of synthetic rows; about that of the table by default.",
            ),
            Option(
                name="rows_per_person", kind="whole", at_least=1, default=1,
                help="Where people have several rows: how many of each are taken at most, at "
                "random; more rows, and so many times the noise.",
            ),
            Option(
                name="values", kind="choice", choices=("private", "from-data"),
                argument="domains", example="private",
                help="Without public lists: private, as it is by default, selects values within "
                "the budget and needs a delta; from-data takes those that occur, and then nothing "
                "is differentially private unless they are public.",
            ),
            Option(
                name="domains", kind="domains", example={"sex": ["f", "m"]},
                help="The values each column can have, from public knowledge.",
            ),
            Option(
                name="public", kind="domains file", argument="domains", flag="--domains",
                example="values.csv",
                help="In place of domains: a public table that has every value, read like the "
                "source. An empty cell above the last value of a column says that cells may be "
                "missing.",
            ),
            _COLUMNS,
        ),
        example={"epsilon": 1, "delta": "1e-9"},
        page="synthesis",
        check="discreet.synthesize.synthesizer:check_lists",
        takes_seed=True,
        limits=("threads", "progress"),
        order_matters=("columns",),
        words={
            "choose_one_per_person": _ONE_EACH,
            "limit_rows_per_person": "At most {rows_per_person} rows of each person were chosen at "
            "random, and only these rows were used.",
            "select_values": f"{_WORDS}:selected_values",
            "list_values": f"{_WORDS}:listed_values",
            "measure_counts": f"{_WORDS}:measured_counts",
            "measure_dependence": f"{_WORDS}:measured_counts",
            "randomize_cells": f"{_WORDS}:randomized_cells",
            "draw_rows": f"{_WORDS}:draw_rows",
        },
        preview="discreet.synthesize:plan_synthesis",
        command="synthesize",
    )
)  # fmt: skip

# Patterns

_THRESHOLDS = (
    Option(
        name="k", kind="whole", required=True, at_least=2,
        help="No group of fewer rows is disclosed.",
    ),
    Option(
        name="min_support", kind="whole", at_least=1, example=100,
        help="Smallest number of rows of an itemset; or give min_frequency.",
    ),
    Option(
        name="min_frequency", kind="exact", above=0, at_most=1, example=0.1,
        help="Smallest share of the rows, in place of min_support.",
    ),
)  # fmt: skip
_ITEM_COLUMNS = Option(
    name="columns", kind="columns", example=["age", "sex"],
    help="The columns that itemsets are about; all but the identifying ones by default.",
)  # fmt: skip
_PER_PERSON = Option(
    name="per_person", kind="choice", choices=("unite", "one"), example="one",
    help="Where people have several rows: their transactions are united into one, or one row of "
    'each is chosen at random; of tables "one" only.',
)  # fmt: skip
_QUASI = Option(
    name="quasi", kind="columns", example=["age", "sex"],
    help="The columns that an attacker can know; all by default.",
)  # fmt: skip

for _name, _summary, _claim, _done in (
    (
        "additive",
        "Raise supports until no small group is disclosed; every itemset is published.",
        "k-anonymous patterns",
        "Supports were raised as if some rows were there more often",
    ),
    (
        "suppressive",
        "Remove the rows of small groups; supports are those of the other rows.",
        "k-anonymous patterns",
        "Rows in small groups were removed before counting",
    ),
    (
        "certified",
        "Publish the itemsets of rows in large groups, and these rows as a proof.",
        "k-anonymous patterns, witnessed",
        "Rows were changed until no group of them was small, and then counted",
    ),
):
    register(
        Method(
            name=f"patterns-{_name}",
            family="patterns",
            function=f"discreet.patterns:{_name}_release",
            summary=_summary,
            publishes="patterns",
            claims=(_claim,),
            options=(
                *_THRESHOLDS,
                *((_QUASI,) if _name == "additive" else ()),
                _ITEM_COLUMNS,
                _PER_PERSON,
            ),
            example={"k": 5, "min_support": 100},
            page="patterns",
            takes=("table", "transactions"),
            check="discreet.patterns.release:check_thresholds",
            takes_seed=True,
            words={
                "choose_one_per_person": "One row of each person was chosen at random, and only "
                "these were counted.",
                "unite_per_person": "All that a person has was united into one transaction before "
                "anything was counted.",
                f"{_name}_sanitization": f"{_done}, so that groups of fewer than {{k}} cannot be "
                "inferred.",
            },
            preview="discreet.patterns:support_for_safety",
            command=f"patterns sanitize --method {_name}",
        )
    )

# Randomization

register(
    Method(
        name="randomize",
        family="randomization",
        function="discreet.randomize:randomize_transactions",
        summary="Randomize every transaction on its own, by cut-and-paste or another operator.",
        publishes="transactions",
        claims=(LOCAL, IF_ITEMS_PUBLIC + LOCAL),
        options=(
            Option(
                name="cutoff", kind="whole", at_least=1, example=3,
                help="Cut-and-paste: the largest number of items of a transaction that are kept.",
            ),
            Option(
                name="rho", kind="exact", above=0, below=1, example=0.25,
                help="Cut-and-paste: the probability that any other item is added, as 0.1 or 1/10.",
            ),
            Option(
                name="operator", kind="file", example="operator.json",
                help="In place of both: a JSON file that describes the operator.",
            ),
            Option(
                name="items", kind="file", example="items.txt",
                help="The public list of all items, one on each line; without it the items that "
                "occur are disclosed, and nothing is differentially private unless they are "
                "public.",
            ),
            Option(
                name="max_size", kind="whole", at_least=1, example=10,
                help="Remove transactions of more items.",
            ),
            Option(
                name="padded_size", kind="whole", at_least=1, example=5,
                help="Bring every transaction to this size first, so that sizes disclose nothing: "
                "larger ones lose items at random, smaller ones get null items.",
            ),
        ),
        example={"cutoff": 3, "rho": "0.25"},
        page="randomization",
        takes=("transactions",),
        check="discreet.randomize.release:check_operator",
        takes_seed=True,
        limits=(),
        order_matters=("rows",),
        words={
            "cut_and_paste": f"{_WORDS}:randomized_transactions",
            "select_a_size": f"{_WORDS}:randomized_transactions",
            "uniform": f"{_WORDS}:randomized_transactions",
            "limit_reports": "At most {reports_per_person} transactions of each person were taken, "
            "chosen at random.",
            "leave_out_large": f"{_WORDS}:leave_out_large",
        },
        command="randomize",
    )
)  # fmt: skip
