// The search over rows as arrays of items, for as long as many items are left; hands
// over to bit masks when few are.
#pragma once

#include <algorithm>
#include <cstdint>
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

// Runs the search for one task and returns the workers' sinks.
template <Task task, class Sink>
std::vector<Sink> search(const Database& database, std::int64_t min_support, std::int32_t max_size, Control& control) {
    std::vector<Sink> sinks;
    if (min_support > database.total_weight()) return sinks;
    Conditional root = encode(database, min_support, control);
    root.index();
    // Items found in every row are handled here; below, a prefix has at least one item.
    std::vector<Searcher<Sink>> searchers;
    for (int worker = 0; worker < control.threads; ++worker) searchers.push_back({Sink(control, max_size), {}, {}});
    Pool<Job<Sink>> pool(control, root.n_tail);
    const Search<Sink> search{static_cast<std::uint32_t>(min_support), static_cast<std::size_t>(max_size), pool};
    std::vector<ArraySearch<task, Sink>> branches;
    for (auto& searcher : searchers) branches.emplace_back(search, searcher, root);
    pool.run([&](int worker, std::int64_t number) { branches[static_cast<std::size_t>(worker)].branch(root.n_tail - 1 - static_cast<std::int32_t>(number)); },
             [&](int worker, Job<Sink>& job) { job(searchers[static_cast<std::size_t>(worker)]); });
    for (auto& searcher : searchers) {
        searcher.sink.finish();
        sinks.push_back(std::move(searcher.sink));
    }
    return sinks;
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
