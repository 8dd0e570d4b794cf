// Minimal infrequent itemsets: listed, or only counted by size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "base/tasks.hpp"
#include "infrequent/search.hpp"

namespace discreet {

namespace infrequent {

// Announces results in batches, so that workers do not meet at one counter for each.
class Announcer {
  public:
    explicit Announcer(Control& control) : control_(control) {}
    void add() {
        if (++waiting_ == 256) flush();
    }
    void flush() {
        const std::int64_t n = waiting_;
        waiting_ = 0;
        control_.found(n);
    }

  private:
    Control& control_;
    std::int64_t waiting_ = 0;
};

struct MarksNothing {
    static constexpr bool marks_cells = false;
    static void mark(std::size_t) {}
    static bool is_marked(std::size_t) { return false; }
};

class Lister : public MarksNothing {
  public:
    explicit Lister(const Rows& rows, Control& control) : rows_(rows), control_(control), announcer_(control) {}

    void add_single(const Rows::Single& single) {
        itemset_.assign(1, single.item);
        store(single.support);
    }
    void add(std::span<const std::int32_t> ranks, std::int64_t support) {
        itemset_.clear();
        for (const std::int32_t rank : ranks) itemset_.push_back(rows_.item_of[static_cast<std::size_t>(rank)]);
        std::sort(itemset_.begin(), itemset_.end());
        store(support);
    }
    void flush() { announcer_.flush(); }

    Itemsets found;

  private:
    void store(std::int64_t support) {
        announcer_.add();
        if (found.items.size() + itemset_.size() > found.items.capacity() || found.supports.size() == found.supports.capacity()) claim();
        found.add(itemset_, support);
    }
    // Doubles the room, asking first.
    void claim() {
        const std::size_t sets = std::max<std::size_t>(1024, 2 * found.supports.size()), cells = std::max<std::size_t>(4096, 2 * found.items.size() + itemset_.size());
        control_.claim(static_cast<std::int64_t>((sets - found.supports.capacity()) * 16 + (cells - found.items.capacity()) * 4));
        found.offsets.reserve(sets + 1);
        found.supports.reserve(sets);
        found.items.reserve(cells);
    }

    const Rows& rows_;
    Control& control_;
    Announcer announcer_;
    std::vector<std::int32_t> itemset_;
};

class Counter : public MarksNothing {
  public:
    Counter(const Rows&, Control& control) : announcer_(control) {}

    void add_single(const Rows::Single&) { count(1); }
    void add(std::span<const std::int32_t> ranks, std::int64_t) { count(ranks.size()); }
    void flush() { announcer_.flush(); }

    std::vector<std::int64_t> by_size{0};

  private:
    void count(std::size_t size) {
        announcer_.add();
        if (by_size.size() <= size) by_size.resize(size + 1, 0);
        ++by_size[size];
    }
    Announcer announcer_;
};

inline std::int64_t bytes(const Itemsets& itemsets) {
    return static_cast<std::int64_t>(itemsets.items.size() * 4 + itemsets.offsets.size() * 8 + itemsets.supports.size() * 8);
}

// Runs the search with one sink for each worker. What is found is the same whichever
// worker finds it.
template <class Sink, class Shared>
std::vector<Sink> search(Rows& rows, std::int64_t max_size, Control& control, Shared& shared) {
    std::vector<Sink> sinks;
    std::vector<Search<Sink>> searches;
    sinks.reserve(static_cast<std::size_t>(control.threads));
    searches.reserve(static_cast<std::size_t>(control.threads));
    for (int worker = 0; worker < control.threads; ++worker) {
        sinks.emplace_back(rows, shared);
        searches.emplace_back(rows, max_size, control, sinks.back());
    }
    for (const Rows::Single& single : rows.singles) sinks[0].add_single(single);
    sinks[0].flush();
    if (max_size == 1) return sinks;
    const auto n_tasks = static_cast<std::int64_t>(rows.n_ranks());
    control.expect(n_tasks);
    for_each_task(control, n_tasks, [&](int worker, std::int64_t task) { searches[static_cast<std::size_t>(worker)].prepare(static_cast<std::int32_t>(task)); });
    control.expect(-n_tasks);  // which for_each_task will say itself
    for_each_task(control, n_tasks, [&](int worker, std::int64_t task) {
        // Rare items first: their itemsets are short and mark most cells.
        if (max_size > 2) searches[static_cast<std::size_t>(worker)].run(static_cast<std::int32_t>(task));
        sinks[static_cast<std::size_t>(worker)].flush();
    });
    for (Sink& sink : sinks) sink.flush();
    return sinks;
}

}  // namespace infrequent

inline Itemsets minimal_infrequent(const Database& database, std::int64_t theta, std::int64_t max_size, Control& control) {
    infrequent::Rows rows(database, theta, control);
    auto sinks = infrequent::search<infrequent::Lister>(rows, max_size, control, control);
    Itemsets all = std::move(sinks[0].found);
    for (std::size_t worker = 1; worker < sinks.size(); ++worker) {
        const Itemsets found = std::move(sinks[worker].found);
        control.claim(infrequent::bytes(found));
        for (std::int64_t i = 0; i < found.size(); ++i) all.add(found[i], found.supports[static_cast<std::size_t>(i)]);
        control.release(infrequent::bytes(found));
    }
    control.claim(infrequent::bytes(all));
    return canonical(all);
}

inline std::vector<std::int64_t> count_minimal_infrequent(const Database& database, std::int64_t theta, std::int64_t max_size, Control& control) {
    infrequent::Rows rows(database, theta, control);
    const auto sinks = infrequent::search<infrequent::Counter>(rows, max_size, control, control);
    std::vector<std::int64_t> by_size{0};
    for (const auto& sink : sinks) {
        if (by_size.size() < sink.by_size.size()) by_size.resize(sink.by_size.size(), 0);
        for (std::size_t size = 0; size < sink.by_size.size(); ++size) by_size[size] += sink.by_size[size];
    }
    return by_size;
}

}  // namespace discreet
