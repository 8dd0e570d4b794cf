// The search over rows as arrays of items, for as long as many items are left; hands
// over to bit masks when few are.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "bit_search.hpp"
#include "conditional.hpp"
#include "control.hpp"
#include "database.hpp"
#include "sink.hpp"

namespace discreet {

template <Task task, class Sink>
class ArraySearch {
  public:
    ArraySearch(const Search<Sink>& search, Searcher<Sink>& searcher, const Conditional& db)
        : search_(search), searcher_(searcher), db_(db), counts_(db.ids.size()) {}

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
        count(i);
        std::vector<std::int32_t> tail, rest;
        for (std::int32_t j = 0; j < i; ++j) {
            if (counts_[j] < search_.min_support) continue;
            if (counts_[j] == support)
                (task == Task::frequent ? searcher_.optional : searcher_.prefix).push_back(db_.ids[j]);
            else
                tail.push_back(j);
        }
        if (task != Task::frequent)
            for (std::int32_t j = i + 1; j < db_.n_items(); ++j) {
                if (counts_[j] == support) return;  // an earlier item fits every row
                if (counts_[j] >= search_.min_support) rest.push_back(j);
            }
        if (searcher_.prefix.size() > search_.max_size) return;
        if (task != Task::maximal || (tail.empty() && rest.empty())) searcher_.report(support);
        if (tail.empty()) return;
        const std::size_t n = tail.size() + rest.size();
        if (n <= 64)
            bits<Mask64>(i, tail, rest);
        else if (n <= 128)
            bits<Mask128>(i, tail, rest);
        else
            arrays(i, tail, rest);
    }

    void count(std::int32_t i) {
        std::fill(counts_.begin(), counts_.end(), 0u);
        for (const std::uint32_t r : db_.rows_with(i)) {
            const std::uint32_t weight = db_.weight[r];
            for (const std::int32_t j : db_.row(r)) {
                if (task == Task::frequent && j == i) break;
                counts_[j] += weight;
            }
        }
        counts_[i] = 0;
    }

    // Most frequent first: the rare items branch first, into small databases.
    void by_count(std::vector<std::int32_t>& items) const {
        std::stable_sort(items.begin(), items.end(), [&](std::int32_t a, std::int32_t b) { return counts_[a] > counts_[b]; });
    }

    template <class Mask>
    void bits(std::int32_t i, std::vector<std::int32_t>& tail, std::vector<std::int32_t>& rest) {
        by_count(tail);
        BitProblem<Mask> problem;
        std::vector<Mask> bit_of(counts_.size(), 0);
        int b = mask_bits<Mask>;
        for (const auto* items : {&tail, &rest})
            for (const std::int32_t j : *items) {
                --b;
                bit_of[j] = bit_at<Mask>(b);
                problem.ids[static_cast<std::size_t>(b)] = db_.ids[j];
                problem.counts[static_cast<std::size_t>(b)] = counts_[j];
                if (items == &tail) problem.tail |= bit_of[j];
            }
        std::vector<std::pair<Mask, std::uint32_t>> rows;
        for (const std::uint32_t r : db_.rows_with(i)) {
            Mask mask = 0;
            for (const std::int32_t j : db_.row(r)) mask |= bit_of[j];
            if ((mask & problem.tail) != 0) rows.emplace_back(mask, db_.weight[r]);
        }
        std::sort(rows.begin(), rows.end());
        problem.rows.make_room(rows.size() + 1);
        std::size_t n = 0;
        for (const auto& [mask, weight] : rows) {
            const Mask key = task == Task::closed ? problem.tail : ~Mask{0};
            if (n > 0 && ((problem.rows.mask[n - 1] ^ mask) & key) == 0) {
                problem.rows.mask[n - 1] &= mask;
                problem.rows.weight[n - 1] += weight;
            } else {
                problem.rows.mask[n] = mask;
                problem.rows.weight[n++] = weight;
            }
        }
        problem.rows.n = n;
        BitSearch<task, Mask, Sink>(search_, searcher_, problem).below(problem.rows, problem.tail, problem.counts);
    }

    void arrays(std::int32_t i, std::vector<std::int32_t>& tail, std::vector<std::int32_t>& rest) {
        by_count(tail);
        auto child = std::make_shared<Conditional>();
        std::vector<std::int32_t> local(counts_.size(), -1);
        for (const auto* items : {&tail, &rest})
            for (const std::int32_t j : *items) {
                local[j] = child->n_items();
                child->ids.push_back(db_.ids[j]);
                child->counts.push_back(counts_[j]);
            }
        child->n_tail = static_cast<std::int32_t>(tail.size());
        for (const std::uint32_t r : db_.rows_with(i)) {
            for (const std::int32_t j : db_.row(r))
                if (local[j] >= 0) child->items.push_back(local[j]);
            child->end_row(db_.weight[r]);
        }
        child->merge_rows();
        child->index();
        if (search_.pool.hungry())
            search_.pool.give([search = search_, child, prefix = searcher_.prefix, optional = searcher_.optional](Searcher<Sink>& other) {
                other.prefix = prefix;
                other.optional = optional;
                ArraySearch(search, other, *child).all_branches();
            });
        else
            ArraySearch(search_, searcher_, *child).all_branches();
    }

    Search<Sink> search_;
    Searcher<Sink>& searcher_;
    const Conditional& db_;
    std::vector<std::uint32_t> counts_;
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
    root.rows = rows.sorted();
    return root;
}

// One search by several threads.
template <Task task, class Sink>
class Team {
  public:
    Team(std::int64_t min_support, std::int32_t max_size, Control& control, std::size_t n_branches)
        : pool_(control, static_cast<std::int64_t>(n_branches)), search_{static_cast<std::uint32_t>(min_support), static_cast<std::size_t>(max_size), pool_} {
        for (int worker = 0; worker < control.threads; ++worker) searchers_.push_back({Sink(control, max_size), {}, {}});
    }

    void run(const Conditional& root) {
        std::vector<ArraySearch<task, Sink>> workers;
        for (auto& searcher : searchers_) workers.emplace_back(search_, searcher, root);
        run([&](int worker, std::int64_t number) {
            workers[static_cast<std::size_t>(worker)].branch(root.n_tail - 1 - static_cast<std::int32_t>(number));
        });
    }

    template <class Mask>
    void run(const BitProblem<Mask>& root) {
        std::deque<BitSearch<task, Mask, Sink>> workers;
        for (auto& searcher : searchers_) workers.emplace_back(search_, searcher, root);
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
        pool_.run(branch, [&](int worker, Job<Sink>& job) { job(searchers_[static_cast<std::size_t>(worker)]); });
    }

    Pool<Job<Sink>> pool_;
    Search<Sink> search_;
    std::vector<Searcher<Sink>> searchers_;
};

// Runs the search for one task and returns the workers' sinks.
template <Task task, class Sink>
std::vector<Sink> search(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    if (min_support > database.total_weight()) return {};
    const FrequentItems frequent = frequent_items(database, min_support, control);
    if (frequent.ids.empty()) return {};
    Team<task, Sink> team(min_support, max_size, control, frequent.ids.size());
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
    Itemsets all;
    for (ListingSink& sink : search<task, ListingSink>(database, min_support, max_size, control)) {
        Itemsets part = sink.take();
        if (all.size() == 0) {
            all = std::move(part);
            continue;
        }
        for (std::int64_t i = 0; i < part.size(); ++i) all.add(part[i], part.supports[static_cast<std::size_t>(i)]);
    }
    return canonical(all);
}

template <Task task>
std::vector<std::int64_t> count_itemsets(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    std::vector<std::int64_t> by_size(1, 0);
    for (CountingSink& sink : search<task, CountingSink>(database, min_support, max_size, control)) sink.add_to(by_size);
    by_size[0] = 0;
    return by_size;
}

}  // namespace discreet
