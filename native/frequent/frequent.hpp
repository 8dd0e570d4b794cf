// Itemsets in at least min_support rows: all, the closed and the maximal ones.
//
// The miners are at the bottom; above them is the search they share, and the database it works on.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "frequent/bit_search.hpp"
#include "frequent/sink.hpp"

namespace discreet {

// ---- The database below a prefix ----
// A conditional database: the rows that hold some prefix, over the items still of
// interest, renumbered so that the search can run over small dense integers.

// Row r is items[start[r] .. start[r+1]), ascending local numbers, standing for weight[r]
// equal rows. Local item i has the user's id ids[i] and occurs in counts[i] rows. Items
// below n_tail, most frequent first, may still extend the prefix; the items from n_tail
// on have had their turn and only serve to tell whether an itemset is closed or maximal.
struct Conditional {
    std::vector<std::size_t> start{0};
    std::vector<std::int32_t> items;
    std::vector<std::uint32_t> weight;
    std::vector<std::int32_t> ids;
    std::vector<std::uint32_t> counts;
    std::int32_t n_tail = 0;

    // Where item i occurs: rows occurrences[first[i] .. first[i+1]).
    std::vector<std::size_t> first;
    std::vector<std::uint32_t> occurrences;

    std::int32_t n_items() const { return static_cast<std::int32_t>(ids.size()); }
    std::size_t n_rows() const { return weight.size(); }
    std::span<const std::int32_t> row(std::size_t r) const { return {items.data() + start[r], start[r + 1] - start[r]}; }
    std::span<const std::uint32_t> rows_with(std::int32_t i) const {
        return {occurrences.data() + first[i], first[i + 1] - first[i]};
    }
    std::int64_t bytes() const {
        return static_cast<std::int64_t>(start.capacity() * 8 + items.capacity() * 4 + weight.capacity() * 4 + ids.capacity() * 8 +
                                         first.capacity() * 8 + occurrences.capacity() * 4);
    }

    // Ends a row whose items have been appended in order. A row that no item can extend is
    // dropped, one that equals the row before it is merged with it.
    void end_row(std::uint32_t rows) {
        const std::size_t begin = start.back(), length = items.size() - begin;
        if (length == 0 || items[begin] >= n_tail) {
            items.resize(begin);
        } else if (start.size() > 1 && begin - start[start.size() - 2] == length &&
                   std::equal(items.begin() + static_cast<std::ptrdiff_t>(begin), items.end(), items.begin() + static_cast<std::ptrdiff_t>(begin - length))) {
            items.resize(begin);
            weight.back() += rows;
        } else {
            start.push_back(items.size());
            weight.push_back(rows);
        }
    }

    // Rows in lexicographic order with equal ones merged: rows that share their most
    // frequent items, and so most of a walk over them, become neighbours.
    void merge_rows() {
        struct Entry {
            std::uint64_t key;  // the first three items, so that few comparisons look at the row
            std::uint32_t row;
        };
        std::vector<Entry> order(n_rows());
        for (std::size_t r = 0; r < n_rows(); ++r) {
            const auto x = row(r);
            std::uint64_t key = 0;
            for (std::size_t k = 0; k < 3; ++k) key = key << 21 | (k < x.size() ? std::min<std::uint64_t>(static_cast<std::uint64_t>(x[k]) + 1, 0x1fffff) : 0);
            order[r] = {key, static_cast<std::uint32_t>(r)};
        }
        std::sort(order.begin(), order.end(), [&](const Entry& a, const Entry& b) {
            if (a.key != b.key) return a.key < b.key;
            const auto x = row(a.row), y = row(b.row);
            return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
        });
        Conditional merged;
        merged.n_tail = n_tail;
        merged.items.reserve(items.size());
        for (const auto [key, r] : order) {
            merged.items.insert(merged.items.end(), row(r).begin(), row(r).end());
            merged.end_row(weight[r]);
        }
        start = std::move(merged.start);
        items = std::move(merged.items);
        weight = std::move(merged.weight);
    }

    void index() {
        first.assign(ids.size() + 1, 0);
        for (const std::int32_t i : items) ++first[i + 1];
        std::partial_sum(first.begin(), first.end(), first.begin());
        occurrences.resize(items.size());
        std::vector<std::size_t> next(first.begin(), first.end() - 1);
        for (std::size_t r = 0; r < n_rows(); ++r)
            for (const std::int32_t i : row(r)) occurrences[next[i]++] = static_cast<std::uint32_t>(r);
    }
};

// Frequent items, most frequent first, and their supports.
struct FrequentItems {
    std::vector<std::int32_t> ids;
    std::vector<std::uint32_t> counts;
    std::vector<std::int32_t> local;  // place in ids by item id, or -1
};

inline FrequentItems frequent_items(const Database& database, std::int64_t min_support, Control& control) {
    FrequentItems found;
    std::vector<std::int64_t> support(static_cast<std::size_t>(database.n_items), 0);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 16384 == 0) control.check();
        const std::int64_t weight = database.weights[t];
        for (const std::int32_t item : database.transaction(t)) support[item] += weight;
    }
    for (std::int32_t item = 0; item < database.n_items; ++item)
        if (support[item] >= min_support) found.ids.push_back(item);
    std::stable_sort(found.ids.begin(), found.ids.end(), [&](std::int32_t a, std::int32_t b) { return support[a] > support[b]; });
    found.local.assign(static_cast<std::size_t>(database.n_items), -1);
    for (std::size_t i = 0; i < found.ids.size(); ++i) {
        found.local[found.ids[i]] = static_cast<std::int32_t>(i);
        found.counts.push_back(static_cast<std::uint32_t>(support[found.ids[i]]));
    }
    return found;
}

// The conditional database of the empty prefix.
inline Conditional encode(const Database& database, const FrequentItems& frequent, Control& control) {
    Conditional root;
    root.ids = frequent.ids;
    root.counts = frequent.counts;
    root.n_tail = root.n_items();
    std::size_t n_occurrences = 0;
    for (const std::int32_t item : database.items) n_occurrences += frequent.local[item] >= 0;
    control.claim(static_cast<std::int64_t>(n_occurrences * 12 + static_cast<std::size_t>(database.n_transactions()) * 16));
    root.items.reserve(n_occurrences);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 16384 == 0) control.check();
        for (const std::int32_t item : database.transaction(t))
            if (const std::int32_t local = frequent.local[item]; local >= 0) root.items.push_back(local);
        std::sort(root.items.begin() + static_cast<std::ptrdiff_t>(root.start.back()), root.items.end());
        root.end_row(static_cast<std::uint32_t>(database.weights[t]));
    }
    root.merge_rows();
    root.index();
    return root;
}

// ---- The search ----
// The search over rows as arrays of items, for as long as many items are left; hands
// over to bit masks when few are.

// What the bit searches of one worker use again and again.
template <Task task>
struct BitWorkshop {
    template <class Mask>
    struct Bench {
        BitSearch<task, Mask> search;
        BitProblem<Mask> problem;
        std::vector<Mask> bit_of;
    };
    BitWorkshop(const Search& search, Searcher& searcher) : narrow{{search, searcher}, {}, {}}, wide{{search, searcher}, {}, {}} {}
    Bench<Mask64> narrow;
    Bench<Mask128> wide;
};

template <Task task>
class ArraySearch {
  public:
    ArraySearch(const Search& search, Searcher& searcher, BitWorkshop<task>& workshop, const Conditional& db)
        : search_(search), searcher_(searcher), workshop_(workshop), db_(db), counts_(db.ids.size()), touched_(db.ids.size() + 1) {}

    void all_branches() {
        for (std::int32_t i = db_.n_tail - 1; i >= 0; --i) branch(i);
    }

    // Everything that extends the prefix by item i and then by items below i.
    void branch(std::int32_t i) {
        search_.pool.check();
        const std::size_t n_prefix = searcher_.prefix.size(), n_optional = searcher_.optional.size();
        searcher_.prefix.push_back(db_.ids[i]);
        inside(i);
        searcher_.prefix.resize(n_prefix);
        searcher_.optional.resize(n_optional);
    }

  private:
    void inside(std::int32_t i) {
        const std::uint32_t support = db_.counts[i];
        if (task == Task::frequent && searcher_.prefix.size() >= search_.max_size) return searcher_.report(support);
        tail_.clear();
        rest_.clear();
        if (!count(i, support)) return;
        if (searcher_.prefix.size() > search_.max_size) return;
        if (task != Task::maximal || (tail_.empty() && rest_.empty())) searcher_.report(support);
        if (tail_.empty()) return;
        const std::size_t n = tail_.size() + rest_.size();
        if (n <= 64)
            bits(workshop_.narrow, i);
        else if (n <= 128)
            bits(workshop_.wide, i);
        else
            arrays(i);
    }

    // Finds the items that are frequent with the prefix; false if an earlier item is in
    // all of its rows, so that nothing below is closed.
    bool count(std::int32_t i, std::uint32_t support) {
        std::size_t n_touched = 0;
        for (const std::uint32_t r : db_.rows_with(i)) {
            const std::uint32_t weight = db_.weight[r];
            const std::int32_t* item = db_.items.data() + db_.start[r];
            const std::int32_t* const end = db_.items.data() + db_.start[r + 1];
            for (; item != end && (task != Task::frequent || *item != i); ++item) {
                touched_[n_touched] = *item;
                n_touched += counts_[*item] == 0;
                counts_[*item] += weight;
            }
        }
        bool open = true;
        for (std::size_t t = 0; t < n_touched; ++t) {
            const std::int32_t j = touched_[t];
            const std::uint32_t n = counts_[j];
            counts_[j] = 0;
            if (n < search_.min_support || j == i) continue;
            if (j > i) {
                if (n == support) open = false;
                rest_.push_back({n, j});
            } else if (n == support) {
                (task == Task::frequent ? searcher_.optional : searcher_.prefix).push_back(db_.ids[j]);
            } else {
                tail_.push_back({n, j});
            }
        }
        return open;
    }

    template <class Bench>
    void bits(Bench& bench, std::int32_t i) {
        using Mask = typename decltype(bench.bit_of)::value_type;
        // Most frequent first: the rare items branch first, into small databases.
        std::sort(tail_.begin(), tail_.end(), [](const Candidate& a, const Candidate& b) { return a.count != b.count ? a.count > b.count : a.item < b.item; });
        auto& problem = bench.problem;
        auto& bit_of = bench.bit_of;
        if (bit_of.size() < counts_.size()) bit_of.resize(counts_.size(), 0);
        problem.tail = 0;
        int b = mask_bits<Mask>;
        for (const auto* candidates : {&tail_, &rest_})
            for (const auto [count, j] : *candidates) {
                --b;
                bit_of[j] = bit_at<Mask>(b);
                problem.ids[static_cast<std::size_t>(b)] = db_.ids[j];
                problem.counts[static_cast<std::size_t>(b)] = count;
                if (candidates == &tail_) problem.tail |= bit_of[j];
            }
        auto& rows = problem.rows;
        rows.make_room(db_.rows_with(i).size() + 1);
        rows.n = 0;
        const Mask key = task == Task::closed ? problem.tail : ~Mask{0};
        for (const std::uint32_t r : db_.rows_with(i)) {
            Mask mask = 0;
            const std::int32_t* item = db_.items.data() + db_.start[r];
            const std::int32_t* const end = db_.items.data() + db_.start[r + 1];
            for (; item != end && (task != Task::frequent || *item != i); ++item) mask |= bit_of[*item];
            if ((mask & problem.tail) == 0) continue;
            if (rows.n > 0 && ((rows.mask[rows.n - 1] ^ mask) & key) == 0) {
                rows.mask[rows.n - 1] &= mask;
                rows.weight[rows.n - 1] += db_.weight[r];
            } else {
                rows.mask[rows.n] = mask;
                rows.weight[rows.n++] = db_.weight[r];
            }
        }
        for (const auto* candidates : {&tail_, &rest_})
            for (const auto [count, j] : *candidates) bit_of[j] = 0;
        bench.search.solve(problem);
    }

    void arrays(std::int32_t i) {
        // The order of the items stays as it is, so rows stay sorted, inside and among each other.
        for (auto* candidates : {&tail_, &rest_})
            std::sort(candidates->begin(), candidates->end(), [](const Candidate& a, const Candidate& b) { return a.item < b.item; });
        auto child = std::make_shared<Conditional>();
        std::vector<std::int32_t> local(counts_.size(), -1);
        for (const auto* candidates : {&tail_, &rest_})
            for (const auto [count, j] : *candidates) {
                local[j] = child->n_items();
                child->ids.push_back(db_.ids[j]);
                child->counts.push_back(count);
            }
        child->n_tail = static_cast<std::int32_t>(tail_.size());
        for (const std::uint32_t r : db_.rows_with(i)) {
            for (const std::int32_t j : db_.row(r))
                if (local[j] >= 0) child->items.push_back(local[j]);
            child->end_row(db_.weight[r]);
        }
        child->index();
        if (search_.pool.hungry())
            search_.pool.give([search = search_, child, prefix = searcher_.prefix, optional = searcher_.optional](Searcher& other) {
                other.prefix = prefix;
                other.optional = optional;
                BitWorkshop<task> workshop(search, other);
                ArraySearch(search, other, workshop, *child).all_branches();
            });
        else
            ArraySearch(search_, searcher_, workshop_, *child).all_branches();
    }

    Search search_;
    struct Candidate {
        std::uint32_t count;
        std::int32_t item;
    };

    Searcher& searcher_;
    BitWorkshop<task>& workshop_;
    const Conditional& db_;
    std::vector<std::uint32_t> counts_;   // all 0 between calls
    std::vector<std::int32_t> touched_;
    std::vector<Candidate> tail_, rest_;
};

// The whole database as bit masks, for few frequent items.
template <class Mask>
BitProblem<Mask> encode_bits(const Database& database, const FrequentItems& frequent, Control& control) {
    BitProblem<Mask> root;
    std::vector<Mask> bit_of(static_cast<std::size_t>(database.n_items), 0);
    for (std::size_t i = 0; i < frequent.ids.size(); ++i) {
        const std::size_t b = mask_bits<Mask> - 1 - i;
        bit_of[frequent.ids[i]] = bit_at<Mask>(static_cast<int>(b));
        root.tail |= bit_of[frequent.ids[i]];
        root.ids[b] = frequent.ids[i];
        root.counts[b] = frequent.counts[i];
    }
    BitRowTable<Mask> rows;
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 16384 == 0) control.check();
        Mask mask = 0;
        for (const std::int32_t item : database.transaction(t)) mask |= bit_of[item];
        if (mask != 0) rows.add(mask, static_cast<std::uint32_t>(database.weights[t]));
    }
    control.claim(static_cast<std::int64_t>(rows.size() * (sizeof(Mask) + 4) * 2));
    root.rows = rows.sorted();
    return root;
}

// One search by several threads.
template <Task task>
class Team {
  public:
    Team(std::int64_t min_support, std::int32_t max_size, Control& control, bool lists, std::size_t n_branches)
        : pool_(control, static_cast<std::int64_t>(n_branches)), search_{static_cast<std::uint32_t>(min_support), static_cast<std::size_t>(max_size), pool_} {
        for (int worker = 0; worker < control.threads; ++worker) searchers_.push_back({Sink(control, max_size, lists), {}, {}});
    }

    void run(const Conditional& root) {
        std::vector<ArraySearch<task>> workers;
        std::deque<BitWorkshop<task>> workshops;
        for (auto& searcher : searchers_) workers.emplace_back(search_, searcher, workshops.emplace_back(search_, searcher), root);
        run([&](int worker, std::int64_t number) {
            workers[static_cast<std::size_t>(worker)].branch(root.n_tail - 1 - static_cast<std::int32_t>(number));
        });
    }

    template <class Mask>
    void run(const BitProblem<Mask>& root) {
        std::deque<BitSearch<task, Mask>> workers;
        Covers<Mask> covers;
        const bool vertical = root.rows.n <= most_covered_rows;
        if (vertical) covers.build(root.rows);
        for (auto& searcher : searchers_) workers.emplace_back(search_, searcher).start(root, vertical ? &covers : nullptr);
        if (workers[0].whole(root.rows, root.tail)) return;
        std::vector<int> bits;
        for_each_bit(root.tail, [&](int b) { bits.push_back(b); });
        run([&](int worker, std::int64_t number) {
            const int i = bits[static_cast<std::size_t>(number)];
            const Mask above = root.tail & ~(bit_at<Mask>(i) | (bit_at<Mask>(i) - 1));
            workers[static_cast<std::size_t>(worker)].branch(root.rows, i, above, root.counts[static_cast<std::size_t>(i)], 0);
        });
    }

    std::vector<Sink> sinks() {
        std::vector<Sink> sinks;
        for (auto& searcher : searchers_) {
            searcher.sink.finish();
            sinks.push_back(std::move(searcher.sink));
        }
        return sinks;
    }

  private:
    template <class Branch>
    void run(Branch&& branch) requires std::invocable<Branch, int, std::int64_t> {
        pool_.run(branch, [&](int worker, Job& job) { job(searchers_[static_cast<std::size_t>(worker)]); });
    }

    static constexpr std::size_t most_covered_rows = 1 << 16;  // at most a megabyte of bitmaps

    Pool<Job> pool_;
    Search search_;
    std::vector<Searcher> searchers_;
};

// Runs the search for one task and returns the workers' sinks.
template <Task task>
std::vector<Sink> search(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control, bool lists) {
    if (min_support > database.total_weight()) return {};
    const FrequentItems frequent = frequent_items(database, min_support, control);
    if (frequent.ids.empty()) return {};
    Team<task> team(min_support, max_size, control, lists, frequent.ids.size());
    if (frequent.ids.size() <= 64)
        team.run(encode_bits<Mask64>(database, frequent, control));
    else if (frequent.ids.size() <= 128)
        team.run(encode_bits<Mask128>(database, frequent, control));
    else
        team.run(encode(database, frequent, control));
    return team.sinks();
}

template <Task task>
Itemsets list_itemsets(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    const auto bytes = [](const Itemsets& itemsets) {
        return static_cast<std::int64_t>(itemsets.items.size() * sizeof(std::int32_t)) + itemsets.size() * 16;
    };
    Itemsets all;
    for (Sink& sink : search<task>(database, min_support, max_size, control, true)) {
        Itemsets part = sink.lister.take();
        if (all.size() == 0) {
            all = std::move(part);
            continue;
        }
        control.claim(bytes(part));
        const std::int64_t begin = static_cast<std::int64_t>(all.items.size());
        all.items.insert(all.items.end(), part.items.begin(), part.items.end());
        all.supports.insert(all.supports.end(), part.supports.begin(), part.supports.end());
        for (std::size_t i = 1; i < part.offsets.size(); ++i) all.offsets.push_back(begin + part.offsets[i]);
    }
    control.claim(bytes(all) + all.size() * 32);  // the sorted copy, and what sorting needs
    return canonical(all, [&] { control.check(); });
}

template <Task task>
std::vector<std::int64_t> count_itemsets(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    std::vector<std::int64_t> by_size(1, 0);
    for (Sink& sink : search<task>(database, min_support, max_size, control, false)) sink.counter.add_to(by_size);
    by_size[0] = 0;
    return by_size;
}

// ---- The miners ----

// All itemsets in at least min_support rows.
inline Itemsets frequent(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return list_itemsets<Task::frequent>(database, min_support, max_size, control);
}

// How many there are of each size; nothing is stored.
inline std::vector<std::int64_t> count_frequent(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return count_itemsets<Task::frequent>(database, min_support, max_size, control);
}

// The frequent itemsets that no superset equals in support.
inline Itemsets closed(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return list_itemsets<Task::closed>(database, min_support, max_size, control);
}

// How many there are of each size; nothing is stored.
inline std::vector<std::int64_t> count_closed(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return count_itemsets<Task::closed>(database, min_support, max_size, control);
}

// The frequent itemsets without a frequent superset.
inline Itemsets maximal(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return list_itemsets<Task::maximal>(database, min_support, max_size, control);
}

// How many there are of each size; nothing is stored.
inline std::vector<std::int64_t> count_maximal(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    return count_itemsets<Task::maximal>(database, min_support, max_size, control);
}

}  // namespace discreet
