// Randomized transactions: the bulk randomizer and the counting of itemsets.
#include "bind/arrays.hpp"
#include "bind/bytes.hpp"
#include "bind/groups.hpp"
#include "bind/run.hpp"
#include "randomize/bitmaps.hpp"
#include "randomize/chacha20.hpp"
#include "randomize/select_a_size.hpp"
#include "randomize/sized_bitmaps.hpp"

namespace discreet {

namespace {

// The arrays of transactions, copied: nothing Python does later changes them under a kernel.
struct OwnedSets {
    OwnedSets(const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, std::int32_t n_items)
        : offsets(copy(offsets)), items(copy(items)), n_items(n_items) {}
    randomize::Sets view() const { return {offsets, items, n_items}; }
    const std::vector<std::int64_t> offsets;
    const std::vector<std::int32_t> items;
    const std::int32_t n_items;
};

std::vector<randomize::Digits> digits_of(const InputArray<std::uint64_t>& flat) {
    constexpr std::size_t n = std::tuple_size_v<randomize::Digits>;
    if (flat.size() % n != 0) throw nb::value_error("a probability has four words");
    std::vector<randomize::Digits> all(flat.size() / n);
    for (std::size_t i = 0; i < flat.size(); ++i) all[i / n][i % n] = flat.data()[i];
    return all;
}

randomize::Laws laws_of(const std::vector<std::int32_t>& sizes, const InputArray<std::uint64_t>& biases, const InputArray<std::uint64_t>& at_most) {
    const std::vector<randomize::Digits> coins = digits_of(biases), thresholds = digits_of(at_most);
    if (coins.size() != sizes.size()) throw nb::value_error("there must be one bias for each size");
    randomize::Laws laws;
    std::size_t next = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto size = static_cast<std::size_t>(sizes[i]);
        if (sizes[i] < 0 || sizes[i] > 1 << 30 || size > thresholds.size() - next) throw nb::value_error("there must be m thresholds for size m");
        if (laws.size() <= size) laws.resize(size + 1);
        laws[size] = std::make_unique<randomize::SizeLaw>(randomize::SizeLaw{randomize::Coin(coins[i]), {thresholds.begin() + static_cast<std::ptrdiff_t>(next),
                                                                                                      thresholds.begin() + static_cast<std::ptrdiff_t>(next + size)}});
        next += size;
    }
    return laws;
}

template <class T>
OutputArray<T> to_numpy(std::unique_ptr<T[]>&& values, std::size_t n) {
    nb::capsule owner(values.get(), [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return {values.release(), {n}, owner};
}

nb::tuple to_numpy(randomize::Lists&& lists) {
    const auto n = static_cast<std::size_t>(lists.offsets.back());
    return nb::make_tuple(discreet::to_numpy(std::move(lists.offsets)), to_numpy(std::move(lists.items), n));
}

using discreet::to_numpy;

}  // namespace

void bind_randomize(nb::module_& m) {
    using randomize::SizedBitmaps;
    m.def(
        "chacha20",
        [](const nb::bytes& key, const nb::bytes& nonce, std::uint32_t counter) {
            std::vector<std::uint32_t> words(randomize::chacha20::words_at_once);
            randomize::chacha20::blocks(randomize::chacha20::state(words_of<8>(key), words_of<3>(nonce), counter), reinterpret_cast<std::byte*>(words.data()));
            return to_numpy(std::move(words), randomize::chacha20::blocks_at_once, 16);
        },
        "key"_a, "nonce"_a, "counter"_a, nb::sig("def chacha20(key: bytes, nonce: bytes, counter: int) -> NDArray[numpy.uint32]"),
        "Sixteen blocks of the key stream, one in each column.");
    m.def(
        "select_a_size",
        [](const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, std::int32_t n_items, const std::vector<std::int32_t>& sizes,
           const InputArray<std::uint64_t>& biases, const InputArray<std::uint64_t>& at_most, const nb::bytes& key, std::int64_t first_block, Control& control,
           const nb::object& progress) {
            const OwnedSets sets(offsets, items, n_items);
            const randomize::Laws laws = laws_of(sizes, biases, at_most);
            if (const std::string what = problem(sets.view(), laws); !what.empty()) throw nb::value_error(what.c_str());
            const randomize::Key words = words_of<8>(key);
            randomize::Bitmaps made = run(control, progress, [&] { return select_a_size(sets.view(), laws, words, first_block, control); });
            const std::size_t n = made.size();
            return to_numpy(std::move(made.words), n);
        },
        "offsets"_a.noconvert(), "items"_a.noconvert(), "n_items"_a, "sizes"_a, "biases"_a.noconvert(), "at_most"_a.noconvert(), "key"_a, "first_block"_a,
        "control"_a, "progress"_a = nb::none(),
        nb::sig("def select_a_size(offsets: NDArray[numpy.int64], items: NDArray[numpy.int32], n_items: int, sizes: tuple[int, ...], biases: NDArray[numpy.uint64], "
                "at_most: NDArray[numpy.uint64], key: bytes, first_block: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                "NDArray[numpy.uint64]"),
        "Randomized transactions as bitmaps: some of each one's items kept, others added by coins.");
    m.attr("SELECT_A_SIZE_BLOCK") = randomize::block_size;
    m.def(
        "lists_of_bitmaps",
        [](const InputArray<std::uint64_t>& words, std::int64_t n_rows, std::int32_t n_items, Control& control, const nb::object& progress) {
            if (n_rows < 0 || n_rows >> 31 != 0 || n_items < 0) throw nb::value_error("n_rows must be from 0 to 2^31 - 1, and n_items at least 0");
            const std::size_t n_words = bitmap::words_for(static_cast<std::size_t>(n_items));
            if (words.size() != static_cast<std::size_t>(n_rows) * n_words) throw nb::value_error("there must be the same number of words for each row");
            const std::vector<std::uint64_t> own = copy(words);
            const std::uint64_t beyond = n_items % 64 == 0 ? 0 : ~((std::uint64_t{1} << n_items % 64) - 1);
            for (std::size_t last = n_words; last - 1 < own.size(); last += n_words)
                if ((own[last - 1] & beyond) != 0) throw nb::value_error("a row has items from n_items on");
            return to_numpy(run(control, progress, [&] { return randomize::to_lists(own, n_rows, n_words, control); }));
        },
        "words"_a.noconvert(), "n_rows"_a, "n_items"_a, "control"_a, "progress"_a = nb::none(),
        nb::sig("def lists_of_bitmaps(words: NDArray[numpy.uint64], n_rows: int, n_items: int, control: Control, "
                "progress: Callable[[float], object] | None = None) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]"),
        "Sets as (offsets, items) from bitmaps of whole words.");

    nb::class_<SizedBitmaps>(m, "SizedBitmaps", "Transactions in groups as one bitmap for each item.")
        .def("__init__",
             [](SizedBitmaps* self, std::int32_t n_items, std::int32_t n_groups) {
                 if (n_items < 0 || n_items > 1 << 30 || n_groups < 0 || n_groups > 1 << 24) throw nb::value_error("n_items must be from 0 to 2^30, and n_groups from 0 to 2^24");
                 new (self) SizedBitmaps(n_items, n_groups);
             },
             "n_items"_a, "n_groups"_a)
        .def(
            "add",
            [](SizedBitmaps& self, const InputArray<std::int64_t>& offsets, const InputArray<std::int32_t>& items, const InputArray<std::int32_t>& groups,
               Control& control, const nb::object& progress) {
                const OwnedSets sets(offsets, items, self.n_items());
                const std::vector<std::int32_t> group_of = copy(groups);
                if (const std::string what = self.problem(sets.view(), group_of); !what.empty()) throw nb::value_error(what.c_str());
                run(control, progress, [&] { return self.add(sets.view(), group_of, control), 0; });
            },
            "offsets"_a.noconvert(), "items"_a.noconvert(), "groups"_a.noconvert(), "control"_a, "progress"_a = nb::none(),
            nb::sig("def add(self, offsets: NDArray[numpy.int64], items: NDArray[numpy.int32], groups: NDArray[numpy.int32], control: Control, "
                    "progress: Callable[[float], object] | None = None) -> None"),
            "Add transactions, each to its group; after an error or an interruption the counts are no longer to be used.")
        .def(
            "add_bitmaps",
            [](SizedBitmaps& self, const InputArray<std::uint64_t>& words, const InputArray<std::int32_t>& groups, Control& control, const nb::object& progress) {
                const std::size_t n_words = bitmap::words_for(static_cast<std::size_t>(self.n_items()));
                if (words.size() != groups.size() * n_words) throw nb::value_error("there must be the same number of words for each transaction");
                const std::vector<std::uint64_t> own = copy(words);
                const std::vector<std::int32_t> group_of = copy(groups);
                if (const std::string what = self.problem(group_of); !what.empty()) throw nb::value_error(what.c_str());
                run(control, progress, [&] { return self.add(own, n_words, group_of, control), 0; });
            },
            "words"_a.noconvert(), "groups"_a.noconvert(), "control"_a, "progress"_a = nb::none(),
            nb::sig("def add_bitmaps(self, words: NDArray[numpy.uint64], groups: NDArray[numpy.int32], control: Control, "
                    "progress: Callable[[float], object] | None = None) -> None"),
            "As `add`, for transactions that are bitmaps of whole words.")
        .def(
            "supports",
            [](const SizedBitmaps& self, const InputArray<std::int32_t>& itemsets, std::int32_t size, Control& control, const nb::object& progress) {
                if (size < 1 || itemsets.size() % size != 0) throw nb::value_error("itemsets must be of one size, at least 1");
                const std::vector<std::int32_t> own = copy(itemsets);
                for (const std::int32_t item : own)
                    if (item < 0 || item >= self.n_items()) throw nb::value_error("items must be from 0 to n_items - 1");
                return to_numpy(run(control, progress, [&] { return self.supports(own, size, control); }), self.n_groups(), itemsets.size() / size);
            },
            "itemsets"_a.noconvert(), "size"_a, "control"_a, "progress"_a = nb::none(),
            nb::sig("def supports(self, itemsets: NDArray[numpy.int32], size: int, control: Control, progress: Callable[[float], object] | None = None) -> "
                    "NDArray[numpy.int64]"),
            "Supports of itemsets of one size, a row each, in every group, a column each.")
        .def_prop_ro(
            "group_sizes",
            [](const SizedBitmaps& self) {
                std::vector<std::int64_t> sizes;
                for (std::int32_t group = 0; group < self.n_groups(); ++group) sizes.push_back(self.n_sets(group));
                return to_numpy(std::move(sizes));
            },
            nb::rv_policy::move, nb::sig("def group_sizes(self) -> NDArray[numpy.int64]"), "Number of transactions in each group.");
}

}  // namespace discreet
