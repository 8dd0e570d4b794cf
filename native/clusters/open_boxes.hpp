// Looks all over for groups that are worth opening, and opens them.
//
// BoxOpener, at the bottom, asks BoxFinder for boxes, rows that together would be a good group,
// and open_box to open them; above these are what they count with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "clusters/groups.hpp"
#include "clusters/team.hpp"

namespace discreet::clusters {

// ---- Prices ----
// What it would cost to do without groups: of each row the price in the cheapest other group,
// and of each group what dissolving it would cost.

class Prices {
  public:
    explicit Prices(const Groups& groups) : groups_(groups), of_row_(groups.n_rows(), -1) {}

    std::int64_t of_row(std::int32_t row) const { return of_row_[row]; }
    // The loss at which a row would cost as much as its price.
    std::int64_t worth(std::int32_t row) const { return (of_row_[row] + groups_.weight(row) - 1) / groups_.weight(row); }
    // What the total would rise if each row of a group went to its cheapest other group.
    std::int64_t of_group(std::int32_t group) const { return of_group_[group]; }
    bool is_new(std::int32_t group) const { return is_new_[group]; }
    void set_old(std::int32_t group) { is_new_[group] = 0; }

    // Asks for all prices again; groups in which one has changed are new.
    void renew(Team& team) {
        make_room();
        constexpr std::int32_t groups_of_task = 64;
        team.for_each((groups_.n_groups() + groups_of_task - 1) / groups_of_task, [&](Scout& scout, int, std::int64_t task) {
            const auto first = static_cast<std::int32_t>(task) * groups_of_task;
            for (std::int32_t group = first; group < std::min(first + groups_of_task, groups_.n_groups()); ++group) ask(scout, group);
        });
    }
    // The same for groups that have just changed.
    void renew(Scout& scout, const std::vector<std::int32_t>& changed) {
        make_room();
        for (const std::int32_t group : changed) {
            ask(scout, group);
            is_new_[group] = 1;
        }
    }

  private:
    // More than any saving, and sums of it do not overflow.
    static constexpr std::int64_t never = std::int64_t{1} << 62;

    void make_room() {
        of_group_.resize(groups_.n_groups(), 0);
        is_new_.resize(groups_.n_groups(), 1);
    }
    void ask(Scout& scout, std::int32_t group) {
        std::int64_t sum = -groups_.cost(group);
        for (const std::int32_t row : groups_.members(group)) {
            Target target = scout.cheapest(row, Scout::no_limit);
            if (target.group < 0) target = scout.cheapest_of_all(row, Scout::no_limit);
            const bool is_stuck = target.group < 0;  // then the row is worth what it costs where it is
            const std::int64_t price = is_stuck ? groups_.weight(row) * groups_.loss(group) : target.price;
            sum = is_stuck || sum == never ? never : sum + price;
            if (of_row_[row] != price) is_new_[group] = 1;
            of_row_[row] = price;
        }
        of_group_[group] = sum;
    }

    const Groups& groups_;
    std::vector<std::int64_t> of_row_, of_group_;
    std::vector<std::uint8_t> is_new_;
};

// ---- Record tree ----
// Rows in a tree of their leaves, column by column: who looks for rows near another leaves out
// all those that are too far by the first columns already.

class RecordTree {
  public:
    explicit RecordTree(const Groups& groups) : columns_(groups.n_columns()), leaf_(groups.n_columns()), first_(groups.n_columns()), rows_(groups.n_rows()) {
        // Where values are few, different ones cost much: these columns exclude most.
        std::iota(columns_.begin(), columns_.end(), std::size_t{0});
        std::ranges::stable_sort(columns_, {}, [&](std::size_t column) { return groups.column(column).n_leaves; });
        std::iota(rows_.begin(), rows_.end(), 0);
        const auto same_until = [&](std::int32_t a, std::int32_t b) {
            std::size_t depth = 0;
            while (depth < columns_.size() && groups.leaves(a)[columns_[depth]] == groups.leaves(b)[columns_[depth]]) ++depth;
            return depth;
        };
        std::ranges::sort(rows_, [&](std::int32_t a, std::int32_t b) {
            const std::size_t depth = same_until(a, b);
            return depth == columns_.size() ? a < b : groups.leaves(a)[columns_[depth]] < groups.leaves(b)[columns_[depth]];
        });
        for (std::size_t i = 0; i < rows_.size(); ++i)
            for (std::size_t depth = i == 0 ? 0 : same_until(rows_[i - 1], rows_[i]); depth < columns_.size(); ++depth) {
                leaf_[depth].push_back(groups.leaves(rows_[i])[columns_[depth]]);
                first_[depth].push_back(depth + 1 < columns_.size() ? leaf_[depth + 1].size() : i);
            }
        for (std::size_t depth = 0; depth < columns_.size(); ++depth) first_[depth].push_back(depth + 1 < columns_.size() ? leaf_[depth + 1].size() : rows_.size());
    }

    const std::vector<std::size_t>& columns() const { return columns_; }

    // Notes the highest worth(row) under every node.
    template <class Worth>
    void note(Worth&& worth) {
        highest_.resize(columns_.size());
        for (std::size_t depth = columns_.size(); depth-- > 0;) {
            highest_[depth].assign(leaf_[depth].size(), 0);
            for (std::size_t node = 0; node < leaf_[depth].size(); ++node)
                for (std::size_t i = first_[depth][node]; i < first_[depth][node + 1]; ++i)
                    highest_[depth][node] = std::max<std::int64_t>(highest_[depth][node], depth + 1 < columns_.size() ? highest_[depth + 1][i] : worth(rows_[i]));
        }
    }

    // Visits the rows; enter(depth, leaf, highest) says whether to go on with those of a leaf in
    // the column of this depth, and visit(row) is called for each row of the last column.
    template <class Enter, class Visit>
    void walk(Enter&& enter, Visit&& visit) const {
        if (!columns_.empty()) walk(0, 0, leaf_[0].size(), enter, visit);
    }

  private:
    template <class Enter, class Visit>
    void walk(std::size_t depth, std::size_t begin, std::size_t end, Enter& enter, Visit& visit) const {
        for (std::size_t node = begin; node < end; ++node) {
            if (!enter(depth, leaf_[depth][node], highest_[depth][node])) continue;
            const std::size_t first = first_[depth][node], last = first_[depth][node + 1];
            if (depth + 1 < columns_.size())
                walk(depth + 1, first, last, enter, visit);
            else
                for (std::size_t i = first; i < last; ++i) visit(rows_[i]);
        }
    }

    std::vector<std::size_t> columns_;             // by depth
    std::vector<std::vector<std::int32_t>> leaf_;  // of each node, by depth
    std::vector<std::vector<std::size_t>> first_;  // child of each node, or place among the rows
    std::vector<std::vector<std::int64_t>> highest_;  // of what was noted, by depth
    std::vector<std::int32_t> rows_;
};

// ---- Sources ----
// Where the rows of a new group come from. A group gives what it has above k, or all it has
// been asked for; in that case it is dissolved, and its other rows go to their cheapest groups.

// What one group is asked for, and what is won if it gives some, or all and is dissolved.
struct Source {
    std::int32_t group;
    std::int64_t n_rows;     // asked for
    std::int64_t n_some;     // that it can give and stay
    std::int64_t some, all;  // won
    bool gives_all;

    std::int64_t n_given() const { return gives_all ? n_rows : n_some; }
    std::int64_t won() const { return gives_all ? all : some; }
    // What each row more costs if the group is dissolved after all.
    double dearness() const { return static_cast<double>(some - all) / static_cast<double>(n_rows - n_some); }
};

// `heavy` are the weights of the rows asked for, `worth` the sum of their prices, `loss` that of
// the new group.
inline Source source(const Groups& groups, const Prices& prices, std::int32_t group, std::int64_t n_rows, std::int64_t heavy, std::int64_t worth, std::int64_t loss) {
    const std::int64_t spare = groups.size(group) - groups.k, gap = groups.loss(group) - loss;
    Source from{group, n_rows, 0, 0, worth - heavy * loss - prices.of_group(group), false};
    if (spare > 0 && gap > 0) {
        from.n_some = std::min(spare, n_rows);
        from.some = from.n_some == n_rows ? gap * heavy : static_cast<std::int64_t>(static_cast<double>(gap * heavy) * static_cast<double>(from.n_some) / static_cast<double>(n_rows));
    }
    from.gives_all = from.all > 0 && from.all >= from.some;
    return from;
}

// What is won with all sources together.
struct Won {
    std::int64_t total, n_rows;
};

inline Won won(const std::vector<Source>& sources) {
    Won sum{0, 0};
    for (const Source& from : sources) sum.total += from.won(), sum.n_rows += from.n_given();
    return sum;
}

// Dissolves more groups until k rows are given, the least dear first.
inline Won fill(std::vector<Source>& sources, std::int64_t k) {
    Won sum = won(sources);
    while (sum.n_rows < k) {
        Source* next = nullptr;
        for (Source& from : sources)
            if (!from.gives_all && from.n_some < from.n_rows && (next == nullptr || from.dearness() < next->dearness())) next = &from;
        if (next == nullptr) break;
        sum.total += next->all - next->some;
        sum.n_rows += next->n_rows - next->n_some;
        next->gives_all = true;
    }
    return sum;
}

// ---- Finding a box ----
// Looks for a group that is worth opening: nodes above a given row such that what rows under
// them would save is more than what the groups cost that lose them.

// Rows that together would be a good group, and what opening it is estimated to win.
struct Box {
    std::int64_t won, loss;
    std::vector<std::int32_t> rows;
};

// Holds what it works with, so every thread has its own.
class BoxFinder {
  public:
    BoxFinder(const Groups& groups, const Prices& prices, const RecordTree& records)
        : groups_(groups), prices_(prices), records_(records), path_(groups.n_columns()), lists_(groups.n_columns() + 1) {}

    // The best box above a row that takes rows of the row's own group, if it loses less than
    // `bearable`; without rows if there is none. `effort` counts what was looked at, and the
    // search gives up after `most`.
    Box find(std::int32_t seed, std::int64_t bearable, std::int64_t most, std::int64_t& effort) {
        seed_ = seed;
        best_ = {-bearable, 0, {}};
        effort_ = 0;
        bearable_ = bearable;
        most_ = most;
        for (std::size_t j = 0; j < path_.size(); ++j) path_[j] = groups_.column(j).path(groups_.leaves(seed)[j]);
        gather();
        std::vector<std::int32_t>& all = lists_[0];
        all.resize(near_.size());
        std::iota(all.begin(), all.end(), 0);
        if (static_cast<std::int64_t>(all.size()) >= groups_.k) search(0, 0);
        effort += effort_;
        return best_;
    }

  private:
    struct Near {
        std::int32_t group, row;
        std::int64_t price, weight;
    };

    // The rows that could save something in a box above the seed, group by group.
    void gather() {
        near_.clear();
        const std::size_t n = path_.size();
        std::vector<std::int64_t> loss(n + 1, 0);
        const std::int64_t worth = prices_.worth(seed_);
        records_.walk(
            [&](std::size_t depth, std::int32_t leaf, std::int64_t highest) {
                const std::size_t j = records_.columns()[depth];
                const CostColumn& tree = groups_.column(j);
                loss[depth + 1] = loss[depth] + tree.cost(tree.join(leaf, path_[j][0]));
                ++effort_;
                return loss[depth + 1] < std::min(worth, highest);
            },
            [&](std::int32_t row) {
                if (loss[n] < prices_.worth(row)) near_.push_back({groups_.group_of(row), row, prices_.of_row(row), groups_.weight(row)});
            });
        std::ranges::sort(near_, {}, [](const Near& near) { return std::pair(near.group, near.row); });
        meet_.resize(near_.size() * n);
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i < near_.size(); ++i) meet_[j * near_.size() + i] = groups_.column(j).join(groups_.leaves(near_[i].row)[j], path_[j][0]);
    }

    // Chooses the node of one column after the other; lists_[depth] are the rows left.
    void search(std::size_t depth, std::int64_t loss) {
        const std::size_t j = records_.columns()[depth];
        const std::int32_t* meet = &meet_[j * near_.size()];
        const bool is_last = depth + 1 == path_.size();
        std::size_t under_before = 0;
        for (const std::int32_t node : path_[j]) {
            const std::int64_t with = loss + groups_.column(j).cost(node);
            if (with >= prices_.worth(seed_)) continue;
            std::vector<std::int32_t>& list = lists_[depth + 1];
            list.clear();
            std::size_t under = 0;
            for (const std::int32_t i : lists_[depth]) {
                if (meet[i] > node) continue;  // nodes above the seed are numbered upwards
                ++under;
                if (near_[i].weight * with < near_[i].price) list.push_back(i);
            }
            effort_ += static_cast<std::int64_t>(lists_[depth].size() + list.size());
            if (under == under_before) continue;  // a lower node has the same rows
            under_before = under;
            if (effort_ > most_) return;
            if (!is_promising(list, with)) continue;
            if (!is_last)
                search(depth + 1, with);
            else if (const Won sum = fill(sources_, groups_.k); sum.n_rows >= groups_.k && sum.total > best_.won && !is_there())
                keep(sum.total, with, list);
        }
    }

    // Whether the rows could win more than the best so far. Rows only get fewer and losses
    // higher with further columns, and so does what is won.
    bool is_promising(const std::vector<std::int32_t>& list, std::int64_t loss) {
        if (static_cast<std::int64_t>(list.size()) < groups_.k) return false;
        sources_.clear();
        bool seed_wins = false;
        for (std::size_t i = 0; i < list.size();) {
            const std::int32_t group = near_[list[i]].group;
            std::int64_t n_rows = 0, heavy = 0, worth = 0;
            for (; i < list.size() && near_[list[i]].group == group; ++i, ++n_rows) heavy += near_[list[i]].weight, worth += near_[list[i]].price;
            sources_.push_back(source(groups_, prices_, group, n_rows, heavy, worth, loss));
            if (group == groups_.group_of(seed_)) seed_wins = std::max(sources_.back().some, sources_.back().all) > -bearable_;
        }
        return seed_wins && won(sources_).total > best_.won && could_fill();
    }
    // The same with the rows that are lacking, if parts of groups could be dissolved.
    bool could_fill() {
        Won sum = won(sources_);
        if (sum.n_rows >= groups_.k) return true;
        dear_.clear();
        for (const Source& from : sources_)
            if (!from.gives_all && from.n_some < from.n_rows) dear_.emplace_back(from.dearness(), from.n_rows - from.n_some);
        const auto dearer = [](const auto& a, const auto& b) { return a > b; };
        std::ranges::make_heap(dear_, dearer);
        auto total = static_cast<double>(sum.total);
        for (; sum.n_rows < groups_.k && !dear_.empty(); dear_.pop_back()) {
            std::ranges::pop_heap(dear_, dearer);
            const std::int64_t n_rows = std::min(dear_.back().second, groups_.k - sum.n_rows);
            total -= dear_.back().first * static_cast<double>(n_rows);
            sum.n_rows += n_rows;
        }
        return sum.n_rows >= groups_.k && total > static_cast<double>(best_.won);
    }
    // Whether the box is a group already.
    bool is_there() const {
        std::int64_t n_used = 0;
        bool is_whole = false;
        for (const Source& from : sources_)
            if (from.n_given() > 0) ++n_used, is_whole = from.n_given() == groups_.size(from.group);
        return n_used == 1 && is_whole;
    }
    void keep(std::int64_t won, std::int64_t loss, const std::vector<std::int32_t>& list) {
        best_ = {won, loss, {}};
        for (const std::int32_t i : list) best_.rows.push_back(near_[i].row);
    }

    const Groups& groups_;
    const Prices& prices_;
    const RecordTree& records_;
    std::int32_t seed_ = -1;
    std::vector<std::vector<std::int32_t>> path_;  // the seed's leaf and all nodes above it, by column
    std::vector<Near> near_;
    std::vector<std::int32_t> meet_;                // lowest node above the seed and each near row, by column
    std::vector<std::vector<std::int32_t>> lists_;  // places in near_, by depth
    std::vector<Source> sources_;
    std::vector<std::pair<double, std::int64_t>> dear_;
    Box best_{};
    std::int64_t effort_ = 0, most_ = 0, bearable_ = 0;
};

// ---- Opening a box ----
// Opens a group with rows of others, and puts what is left of groups that became too small
// elsewhere.

// The rows of a box by the groups that they are in now.
inline std::vector<std::vector<std::int32_t>> by_group(const Groups& groups, std::vector<std::int32_t> rows) {
    std::ranges::sort(rows, {}, [&](std::int32_t row) { return std::pair(groups.group_of(row), row); });
    std::vector<std::vector<std::int32_t>> parts;
    for (const std::int32_t row : rows) {
        if (parts.empty() || groups.group_of(parts.back()[0]) != groups.group_of(row)) parts.emplace_back();
        parts.back().push_back(row);
    }
    return parts;
}

// Moves rows into a new group; what remains of dissolved groups is in `left` and hidden.
inline void pull(Groups& groups, std::int32_t into, const std::vector<Source>& sources, std::vector<std::vector<std::int32_t>>& parts, std::vector<std::int32_t>& left) {
    for (std::size_t i = 0; i < sources.size(); ++i) {
        std::vector<std::int32_t>& rows = parts[i];
        if (!sources[i].gives_all) {
            std::ranges::stable_sort(rows, {}, [&](std::int32_t row) { return -groups.saving(row); });
            rows.resize(sources[i].n_some);
        }
        for (const std::int32_t row : rows) groups.move(row, into);
        if (!sources[i].gives_all) continue;
        groups.show(sources[i].group, false);
        const auto rest = groups.members(sources[i].group);
        left.insert(left.end(), rest.begin(), rest.end());
    }
}

// True if the box was opened and the total has risen by less than `bearable`, or fallen; else
// nothing has changed.
inline bool open_box(Groups& groups, Prices& prices, Scout& scout, const Box& box, std::int64_t bearable) {
    std::vector<std::vector<std::int32_t>> parts = by_group(groups, box.rows);
    std::vector<Source> sources;
    for (const auto& rows : parts) {
        std::int64_t heavy = 0, worth = 0;
        for (const std::int32_t row : rows) heavy += groups.weight(row), worth += prices.of_row(row);
        sources.push_back(source(groups, prices, groups.group_of(rows[0]), static_cast<std::int64_t>(rows.size()), heavy, worth, box.loss));
    }
    if (fill(sources, groups.k).n_rows < groups.k) return false;
    const std::int64_t before = groups.total();
    groups.start_log();
    std::vector<std::int32_t> left;
    pull(groups, groups.empty_group(), sources, parts, left);
    bool is_good = true;
    for (const std::int32_t row : left) {
        Target target = scout.cheapest(row, Scout::no_limit);
        if (target.group < 0) target = scout.cheapest_of_all(row, Scout::no_limit);
        is_good = target.group >= 0;
        if (!is_good) break;
        groups.move(row, target.group);
    }
    std::vector<std::int32_t> changed;
    for (const auto& [row, from] : groups.log()) changed.push_back(from), changed.push_back(groups.group_of(row));
    std::ranges::sort(changed);
    changed.erase(std::ranges::unique(changed).begin(), changed.end());
    is_good = is_good && groups.total() < before + bearable && std::ranges::all_of(changed, [&](std::int32_t group) { return scout.is_legal(group); });
    if (!is_good) groups.take_back();
    for (const Source& from : sources) groups.show(from.group, true);
    if (is_good) prices.renew(scout, changed);
    return is_good;
}

// ---- Order ----
// Numbers that look random and are the same on every run: for the order of a search, never
// for privacy.

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    // SplitMix64.
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // From 0 to n - 1, for n below 2^32.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

  private:
    std::uint64_t state_;
};

// ---- Opening boxes all over ----

class BoxOpener {
  public:
    BoxOpener(Groups& groups, Team& team, std::uint64_t seed)
        : groups_(groups), team_(team), random_(seed), prices_(groups), records_(groups), finders_(team.size(), BoxFinder(groups, prices_, records_)) {}
    BoxOpener(const BoxOpener&) = delete;
    BoxOpener& operator=(const BoxOpener&) = delete;

    // Asks around a few rows of every group whose prices have changed since it was last asked,
    // and opens what is found, if the total rises by less than `bearable`. Stops when more than
    // `effort` was looked at, and returns how much was.
    std::int64_t open_all(std::int64_t bearable, std::int64_t effort) {
        prices_.renew(team_);
        records_.note([&](std::int32_t row) { return prices_.worth(row); });
        const std::vector<std::int32_t> queue = in_any_order();
        std::int64_t spent = 0;
        for (std::size_t start = 0; start < queue.size() && spent < effort; start += groups_of_batch)
            spent += open_batch({queue.data() + start, std::min(groups_of_batch, queue.size() - start)}, bearable);
        return spent;
    }

  private:
    // Groups are asked side by side, and boxes opened one after the other. A larger batch finds
    // more boxes that are out of date when their turn comes.
    static constexpr std::size_t groups_of_batch = 16;
    static constexpr int rows_of_group = 2;
    static constexpr std::int64_t effort_of_row = 200'000;

    std::vector<std::int32_t> in_any_order() {
        std::vector<std::int32_t> queue;
        for (std::int32_t group = 0; group < groups_.n_groups(); ++group)
            if (groups_.size(group) > 0 && prices_.is_new(group)) queue.push_back(group);
        for (std::size_t i = queue.size(); i > 1; --i) std::swap(queue[i - 1], queue[random_.below(i)]);
        return queue;
    }
    std::int64_t open_batch(std::span<const std::int32_t> batch, std::int64_t bearable) {
        const std::uint64_t seed = random_.next();
        std::vector<std::vector<Box>> boxes(batch.size());
        std::vector<std::int64_t> efforts(batch.size(), 0);
        team_.for_each(static_cast<std::int64_t>(batch.size()), [&](Scout&, int worker, std::int64_t task) {
            const auto members = groups_.members(batch[task]);
            Random random(seed + static_cast<std::uint64_t>(task));
            for (int i = 0; i < rows_of_group && !members.empty(); ++i) {
                Box box = finders_[worker].find(members[random.below(members.size())], bearable, effort_of_row, efforts[task]);
                if (!box.rows.empty()) boxes[task].push_back(std::move(box));
            }
        });
        std::int64_t spent = 0;
        for (std::size_t task = 0; task < batch.size(); ++task) {
            spent += efforts[task];
            prices_.set_old(batch[task]);
            for (const Box& box : boxes[task]) open_box(groups_, prices_, team_.leader(), box, bearable);
        }
        return spent;
    }

    Groups& groups_;
    Team& team_;
    Random random_;
    Prices prices_;
    RecordTree records_;
    std::vector<BoxFinder> finders_;
};

}  // namespace discreet::clusters
