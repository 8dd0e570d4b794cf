// Minimal infrequent itemsets of a table whose rows belong to people: supports count people.
//
// Each transaction is a distinct pair of a row and a person, so equal rows of one person are one.
// The support of an itemset is the number of people with a transaction that contains it. It never
// rises as items are added, which is all that the search needs.
//
// Depth-first over columns: the transactions of a prefix, sorted by person, are parted by their
// values in each later column, which counts the people of all extensions by that column in one
// pass. What is infrequent is minimal if it is frequent without each of its items; that is counted
// until it is settled. A branch is left if
//  * the new item is in all transactions of the prefix: then each larger set is as infrequent
//    without it;
//  * each of its transactions is, as a whole, one that more than theta people have;
//  * cells are marked, and all that it could mark is marked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "base/tasks.hpp"

namespace discreet {

namespace of_people {

// The transactions in the order of their people, columns with most values first.
class Rows {
  public:
    Rows(const Database& database, std::span<const std::int32_t> people, std::int64_t theta, Control& control)
        : theta(theta), n_rows(people.size()), n_columns(n_rows == 0 ? 0 : database.transaction(0).size()) {
        control.claim(static_cast<std::int64_t>(n_rows * (n_columns * 8 + 40)) + database.n_items * 24);
        transaction_of.resize(n_rows);
        std::iota(transaction_of.begin(), transaction_of.end(), std::size_t{0});
        std::stable_sort(transaction_of.begin(), transaction_of.end(), [&](std::size_t a, std::size_t b) { return people[a] < people[b]; });
        for (const std::size_t t : transaction_of) person_of.push_back(people[t]);
        for (std::size_t row = 0; row < n_rows; ++row) n_people += row == 0 || person_of[row] != person_of[row - 1];
        order_columns(database);
        items.resize(n_rows * n_columns);
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t c = 0; c < n_columns; ++c) items[row * n_columns + c] = database.transaction(static_cast<std::int64_t>(transaction_of[row]))[column_at[c]];
        list_rows(database.n_items);
        find_live(control);
    }

    const std::int64_t theta;
    const std::size_t n_rows, n_columns;
    std::int64_t n_people = 0;
    std::vector<std::size_t> transaction_of;
    std::vector<std::int32_t> person_of;
    std::vector<std::size_t> column_at;  // the database's column of each column here
    std::vector<std::int32_t> items;     // rows by columns
    std::vector<std::uint8_t> is_live;   // whether at most theta people have the whole row
    std::vector<std::int64_t> support;   // of each item, in people

    std::int32_t item(std::size_t row, std::size_t column) const { return items[row * n_columns + column]; }
    std::span<const std::int32_t> rows_with(std::int32_t item) const {
        const auto i = static_cast<std::size_t>(item);
        return {rows_.data() + starts_[i], static_cast<std::size_t>(starts_[i + 1] - starts_[i])};
    }

  private:
    void order_columns(const Database& database) {
        std::vector<std::int64_t> n_values(n_columns, 0);
        for (const std::int32_t column : database.column_of) ++n_values[static_cast<std::size_t>(column)];
        column_at.resize(n_columns);
        std::iota(column_at.begin(), column_at.end(), std::size_t{0});
        std::stable_sort(column_at.begin(), column_at.end(), [&](std::size_t a, std::size_t b) { return n_values[a] > n_values[b]; });
    }

    void list_rows(std::int32_t n_items) {
        const auto n = static_cast<std::size_t>(n_items);
        starts_.assign(n + 1, 0);
        support.assign(n, 0);
        std::vector<std::int32_t> last(n, -1);
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t c = 0; c < n_columns; ++c) {
                const auto i = static_cast<std::size_t>(item(row, c));
                ++starts_[i + 1];
                if (last[i] != person_of[row]) ++support[i];
                last[i] = person_of[row];
            }
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        std::vector<std::int64_t> next(starts_.begin(), starts_.end() - 1);
        rows_.resize(items.size());
        for (std::size_t row = 0; row < n_rows; ++row)
            for (std::size_t c = 0; c < n_columns; ++c) rows_[static_cast<std::size_t>(next[static_cast<std::size_t>(item(row, c))]++)] = static_cast<std::int32_t>(row);
    }

    // Equal rows are of different people, so that their number is that of their people.
    void find_live(Control& control) {
        std::vector<std::size_t> order(n_rows);
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto row = [&](std::size_t r) { return std::span(items).subspan(r * n_columns, n_columns); };
        std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return std::ranges::lexicographical_compare(row(a), row(b)); });
        control.check();
        is_live.assign(n_rows, 0);
        for (std::size_t begin = 0, end; begin < n_rows; begin = end) {
            for (end = begin + 1; end < n_rows && std::ranges::equal(row(order[end]), row(order[begin]));) ++end;
            if (static_cast<std::int64_t>(end - begin) <= theta)
                for (std::size_t i = begin; i < end; ++i) is_live[order[i]] = 1;
        }
    }

    std::vector<std::int64_t> starts_;
    std::vector<std::int32_t> rows_;  // with each item
};

// Marks of all cells, a byte each: they only ever rise, so relaxed access is enough.
class Marker {
  public:
    Marker(const Rows& rows, std::vector<std::uint8_t>& marks) : rows_(rows), marks_(marks) {}

    void start(std::int64_t) {}
    // Whether some live row still has an unmarked cell in these columns, or in one from `from` on.
    bool wants(std::span<const std::int32_t> rows, std::span<const std::size_t> columns, std::size_t from) const {
        return std::ranges::any_of(rows, [&](std::int32_t row) {
            const auto r = static_cast<std::size_t>(row);
            if (!rows_.is_live[r]) return false;
            for (const std::size_t column : columns)
                if (!at(r, column).load(std::memory_order_relaxed)) return true;
            for (std::size_t column = from; column < rows_.n_columns; ++column)
                if (!at(r, column).load(std::memory_order_relaxed)) return true;
            return false;
        });
    }
    void add(std::span<const std::int32_t> rows, std::span<const std::size_t> columns, std::int64_t) {
        for (const std::int32_t row : rows)
            for (const std::size_t column : columns) at(static_cast<std::size_t>(row), column).store(1, std::memory_order_relaxed);
    }

  private:
    std::atomic_ref<std::uint8_t> at(std::size_t row, std::size_t column) const { return std::atomic_ref(marks_[row * rows_.n_columns + column]); }

    const Rows& rows_;
    std::vector<std::uint8_t>& marks_;
};

// The itemsets that each task finds.
class Lister {
  public:
    Lister(const Rows& rows, std::vector<Itemsets>& found, Control& control) : rows_(rows), found_(found), control_(control) {}

    void start(std::int64_t task) { task_ = static_cast<std::size_t>(task); }
    bool wants(std::span<const std::int32_t> rows, std::span<const std::size_t>, std::size_t) const {
        return std::ranges::any_of(rows, [&](std::int32_t row) { return rows_.is_live[static_cast<std::size_t>(row)] != 0; });
    }
    void add(std::span<const std::int32_t> rows, std::span<const std::size_t> columns, std::int64_t support) {
        itemset_.clear();
        for (const std::size_t column : columns) itemset_.push_back(rows_.item(static_cast<std::size_t>(rows[0]), column));
        std::sort(itemset_.begin(), itemset_.end());
        control_.found(1);
        control_.claim(static_cast<std::int64_t>(itemset_.size() * 8 + 32));
        found_[task_].add(itemset_, support);
    }

  private:
    const Rows& rows_;
    std::vector<Itemsets>& found_;
    Control& control_;
    std::size_t task_ = 0;
    std::vector<std::int32_t> itemset_;
};

template <class Sink>
class Search {
  public:
    Search(const Rows& rows, std::int64_t max_size, const Control& control, Sink sink)
        : rows_(rows), max_size_(static_cast<std::size_t>(max_size)), control_(control), sink_(std::move(sink)), all_(rows.n_rows), count_of_(rows.support.size()), kept_(rows.n_columns + 1) {
        std::iota(all_.begin(), all_.end(), 0);
    }

    // All minimal infrequent itemsets whose first column is this one, by the number of the task.
    void run(std::int64_t task) {
        sink_.start(task);
        columns_.clear();
        part(0, all_, static_cast<std::size_t>(task));
    }

  private:
    struct Count {
        std::int64_t n_people = 0, n_rows = 0, begin = 0;
        std::int32_t last = -1;
    };
    struct Part {
        std::int32_t item;
        std::int64_t begin, n_rows, n_people;
    };

    // The extensions of the prefix, whose rows these are, by the later columns.
    void extend(std::size_t depth, std::span<const std::int32_t> with, std::size_t from) {
        for (std::size_t column = from; column < rows_.n_columns; ++column) part(depth, with, column);
    }

    // The extensions by the values of one column.
    void part(std::size_t depth, std::span<const std::int32_t> with, std::size_t column) {
        control_.check();
        kept_[depth] = with;
        seen_.clear();
        for (const std::int32_t row : with) {
            const std::int32_t item = rows_.item(static_cast<std::size_t>(row), column);
            Count& count = count_of_[static_cast<std::size_t>(item)];
            if (count.n_rows++ == 0) seen_.push_back(item);
            const std::int32_t person = rows_.person_of[static_cast<std::size_t>(row)];
            if (count.last != person) ++count.n_people;
            count.last = person;
        }
        std::int64_t begin = 0;
        std::vector<Part> parts;
        for (const std::int32_t item : seen_) {
            Count& count = count_of_[static_cast<std::size_t>(item)];
            count.begin = begin;
            parts.push_back({item, begin, count.n_rows, count.n_people});
            begin += count.n_rows;
        }
        std::vector<std::int32_t> sorted(with.size());
        for (const std::int32_t row : with) {
            Count& count = count_of_[static_cast<std::size_t>(rows_.item(static_cast<std::size_t>(row), column))];
            sorted[static_cast<std::size_t>(count.begin++)] = row;
        }
        for (const Part& each : parts) count_of_[static_cast<std::size_t>(each.item)] = {};
        columns_.push_back(column);
        for (const Part& each : parts) visit(depth, {sorted.data() + each.begin, static_cast<std::size_t>(each.n_rows)}, each, with.size());
        columns_.pop_back();
    }

    void visit(std::size_t depth, std::span<const std::int32_t> rows, const Part& part, std::size_t n_before) {
        const bool is_single = depth == 0;
        if (!is_single && rows_.support[static_cast<std::size_t>(part.item)] <= rows_.theta) return;
        if (part.n_people <= rows_.theta) {
            if (sink_.wants(rows, columns_, rows_.n_columns) && is_minimal(depth, rows[0])) sink_.add(rows, columns_, part.n_people);
            return;
        }
        const std::size_t column = columns_.back();
        if (static_cast<std::size_t>(part.n_rows) == n_before || depth + 1 >= max_size_ || column + 1 == rows_.n_columns) return;
        if (sink_.wants(rows, columns_, column + 1)) extend(depth + 1, rows, column + 1);
    }

    // Whether the itemset of a row in the columns is frequent without each item but the last,
    // without which it is the prefix.
    bool is_minimal(std::size_t depth, std::int32_t example) {
        for (std::size_t without = 0; without < depth; ++without) {
            std::span<const std::int32_t> among = kept_[without];  // the rows of the items before
            for (std::size_t j = without + 1; j <= depth; ++j)
                if (const auto with = rows_.rows_with(rows_.item(static_cast<std::size_t>(example), columns_[j])); with.size() < among.size()) among = with;
            if (!is_frequent(among, without, depth, static_cast<std::size_t>(example))) return false;
        }
        return true;
    }

    bool is_frequent(std::span<const std::int32_t> among, std::size_t without, std::size_t depth, std::size_t example) const {
        std::int64_t n_people = 0;
        std::int32_t last = -1;
        for (const std::int32_t each : among) {
            const auto row = static_cast<std::size_t>(each);
            if (rows_.person_of[row] == last) continue;
            bool has_all = true;
            for (std::size_t j = 0; j <= depth && has_all; ++j) has_all = j == without || rows_.item(row, columns_[j]) == rows_.item(example, columns_[j]);
            if (!has_all) continue;
            last = rows_.person_of[row];
            if (++n_people > rows_.theta) return true;
        }
        return false;
    }

    const Rows& rows_;
    const std::size_t max_size_;
    const Control& control_;
    Sink sink_;
    std::vector<std::int32_t> all_;   // rows
    std::vector<Count> count_of_;     // by item, of the rows being parted
    std::vector<std::int32_t> seen_;  // items
    std::vector<std::span<const std::int32_t>> kept_;  // the rows of the first items of the prefix
    std::vector<std::size_t> columns_;                 // of the prefix
};

template <class MakeSink>
void search(const Rows& rows, std::int64_t max_size, Control& control, MakeSink&& make_sink) {
    if (rows.n_people <= rows.theta) return;  // the empty set is infrequent already
    std::vector<Search<decltype(make_sink())>> searches;
    for (int worker = 0; worker < control.threads; ++worker) searches.emplace_back(rows, max_size, control, make_sink());
    for_each_task(control, static_cast<std::int64_t>(rows.n_columns), [&](int worker, std::int64_t task) { searches[static_cast<std::size_t>(worker)].run(task); });
}

}  // namespace of_people

// What is wrong with the people of transactions, in words; empty if nothing is.
inline std::string problem(const Database& database, std::span<const std::int32_t> people) {
    if (!database.is_table()) return "people are known of the rows of tables only";
    if (static_cast<std::int64_t>(people.size()) != database.n_transactions()) return "there must be one person per transaction";
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (people[static_cast<std::size_t>(t)] < 0) return "a person is below 0";
        const auto row = database.transaction(t);
        if (static_cast<std::int32_t>(row.size()) != database.column_of.back() + 1) return "transaction " + std::to_string(t) + " lacks a column";
    }
    return "";
}

inline std::vector<std::uint8_t> mark_cells_of_people(const Database& database, std::span<const std::int32_t> people, std::int64_t theta, std::int64_t max_size, Control& control) {
    const of_people::Rows rows(database, people, theta, control);
    std::vector<std::uint8_t> sorted(database.items.size(), 0), marks(database.items.size(), 0);
    control.claim(static_cast<std::int64_t>(2 * marks.size()));
    of_people::search(rows, max_size, control, [&] { return of_people::Marker(rows, sorted); });
    for (std::size_t row = 0; row < rows.n_rows; ++row)
        for (std::size_t column = 0; column < rows.n_columns; ++column) marks[rows.transaction_of[row] * rows.n_columns + rows.column_at[column]] = sorted[row * rows.n_columns + column];
    return marks;
}

inline Itemsets minimal_infrequent_of_people(const Database& database, std::span<const std::int32_t> people, std::int64_t theta, std::int64_t max_size, Control& control) {
    const of_people::Rows rows(database, people, theta, control);
    std::vector<Itemsets> found(rows.n_columns);
    of_people::search(rows, max_size, control, [&] { return of_people::Lister(rows, found, control); });
    Itemsets all;
    for (const Itemsets& of_task : found)
        for (std::int64_t i = 0; i < of_task.size(); ++i) all.add(of_task[i], of_task.supports[static_cast<std::size_t>(i)]);
    return canonical(all);
}

}  // namespace discreet
