// Minimal infrequent itemsets: listed, or only counted by size.
//
// Depth-first search for minimal infrequent itemsets (MIIs).
//
// A prefix grows by items of rising rank, that is rising support. Only frequent and free
// prefixes are extended: every proper subset of an MII is frequent (in more than theta rows),
// and free (each of its items excludes some row that has all the others). Of an extension
// it only matters whether it is above theta, so most counts stop after a word or two.
//  * Children are treated from the last to the first: what is known of a set without the
//    prefix's last item then limits the tail of the set with it.
//  * A row is live while some MII below the prefix may lie in it. If the row's part of the
//    tail, all of it, still joins the prefix in more than theta rows, nothing below is
//    infrequent in this row; without a live row the branch ends.
//  * Whether the prefix without its j-th item but with a new one is frequent is read off the
//    cover of the first j items, which is still on the stack; only for j = 0 other rows than
//    those with the first item matter.
//  * A cover that has become sparse is packed into a space of rows of its own.
//  * Where cells are marked, a row with only the fewest items that can be infrequent with the
//    prefix is settled on sight, and branches are left whose rows are all marked. To watch for
//    these costs more than it saves where many cells are in no MII at all, since their rows
//    stay open: it is begun with a first item that has enough marked rows.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "base/database.hpp"
#include "base/itemsets.hpp"
#include "base/tasks.hpp"
#include "infrequent/neighbours.hpp"
#include "infrequent/rows.hpp"
#include "infrequent/stack.hpp"

namespace discreet::infrequent {

// ---- The search ----

// Sink::add(ranks, support) takes each MII of two or more items, ranks rising. To a sink that
// `marks_cells`, only those of two items are given; it is told mark(cell) and asked
// is_marked(cell), with cells numbered by rows.cell(), or mark(word, cells) and marked(word)
// for 64 of them.
template <class Sink>
class Search : Stack {
  public:
    Search(Rows& rows, std::int64_t max_size, Control& control, Sink& sink)
        : Stack(rows, control), max_size_(max_size), sink_(sink), neighbourhood_(rows, control, sink) {}

    // First, for each rank: finds the MIIs of two items, and the rank's neighbours.
    void prepare(std::int32_t first) {
        control_.check();
        neighbourhood_.find(first, max_size_ > 2);
    }

    // Then: all larger MIIs with this item of the lowest rank.
    void run(std::int32_t first) {
        control_.check();
        partners_ = rows_.neighbours[static_cast<std::size_t>(first)].partners;
        if (partners_.size() < 2) return;
        enter();
        watching_ = Sink::marks_cells && are_many_done(first);
        start(first);
        if (watching_) close_marked(spaces_[1], levels_[1].kept);
        if (levels_[1].live) extend(1);
        leave();
    }

  private:
    // Whether of the rows with the first item, or some of them, enough are marked from there
    // on for watching to pay.
    bool are_many_done(std::int32_t first) const {
        const auto with = rows_.rows_with(first);
        const std::size_t step = 1 + with.size() / 64;
        std::size_t n_done = 0;
        for (std::size_t t = 0; t < with.size(); t += step) {
            const auto row = rows_.row(with[t]);
            std::size_t i = row.size() - 1;
            while (row[i] > first && sink_.is_marked(rows_.cell_at(with[t], i))) --i;
            n_done += sink_.is_marked(rows_.cell_at(with[t], i));
        }
        return n_done > with.size() / step / 8;
    }

    // Lets a space know which of its cells are marked by now.
    void close_marked(Space& space, const Set& items) {
        for_each_cell(space, items, [&](std::size_t slot, std::size_t item, std::size_t cell) {
            if (sink_.is_marked(cell)) bitmap::set(space.closed.data() + space.place_of[item], slot);
        });
        for (std::size_t slot = 0; slot < space.row_at.size(); ++slot)
            for (std::size_t j = 0; j < space.depth && space.row_at[slot] >= 0; ++j)
                if (sink_.is_marked(rows_.cell(space.row_at[slot], prefix_[j]))) bitmap::set(space.closed_in(j, 0), slot);
    }

    // Goes to each child that may lead to an MII of two items more.
    void extend(std::size_t depth) {
        control_.check();
        Level& level = levels_[depth];
        if (filtered() && level.possible_with.size() < partners_.size() * set_words_) level.possible_with.resize(partners_.size() * set_words_);
        for (std::size_t w = set_words_; w-- > 0;)
            for (Word rest = level.kept[w]; rest != 0;) {
                const std::size_t bit = 63 - static_cast<std::size_t>(std::countl_zero(rest));
                rest ^= Word{1} << bit;
                visit(depth, w * 64 + bit);
            }
    }

    // Whether levels keep what is possible with each item: for m items m * m bits.
    bool filtered() const { return partners_.size() <= 2048; }

    void visit(std::size_t depth, std::size_t item) {
        Level &level = levels_[depth], &next = levels_[depth + 1];
        const std::size_t n_tail = set_tail(depth, item);
        if (n_tail == 0) return;
        join(level, item, next);
        if (!next.live) return;
        prefix_.push_back(partners_[item]);
        if (has_live_row(depth + 1, next.tail, 1)) {
            if (is_sparse(next, n_tail)) {
                pack(depth + 1, n_tail);
                if (watching_) close_marked(spaces_[next.space], next.tail);
            }
            try_tail(depth, item);
        }
        prefix_.pop_back();
    }

    // What follows the item, now the prefix's last.
    void try_tail(std::size_t depth, std::size_t item) {
        Level &level = levels_[depth], &next = levels_[depth + 1];
        const std::size_t n_kept = evaluate(depth + 1);
        if (filtered()) std::copy(next.possible.begin(), next.possible.end(), level.possible_with.begin() + static_cast<std::ptrdiff_t>(item * set_words_));
        if (n_kept < 2 || static_cast<std::int64_t>(depth) + 2 >= max_size_ || !has_live_row(depth + 1, next.kept, 2)) return;
        if (is_free(depth + 1)) extend(depth + 1);
        else level.kept[item / 64] &= ~(Word{1} << (item % 64));
    }

    // Looks for a live row and drops dead ones on the way; false if none is left. If a row's
    // part of the items is frequent with the prefix, then so is that of every row with no item
    // beyond: one test settles them all. With fewer than `fewest` items the prefix is frequent.
    bool has_live_row(std::size_t depth, const Set& items, std::size_t fewest) {
        if (watching_ && !drop_marked_rows(depth, items)) return false;
        const Level& level = levels_[depth];
        const Space& rows = spaces_[level.space];
        make_room(2 * level.cover.end - level.cover.begin);
        Cover *begin = cover_.data() + level.cover.begin, *end = cover_.data() + level.cover.end;
        int tries = 32;  // where there are so many kinds of rows, some are live
        for (Cover* at = begin; at != end; ++at)
            while (at->live != 0) {
                if (tries-- == 0) return true;
                const Word row = at->live & (~at->live + 1);
                split(rows, items, at->word, row);
                if (inside_.size() >= fewest) {
                    const std::int64_t support = support_inside(rows, begin, end);
                    if (support <= theta_) {
                        if (!Sink::marks_cells || inside_.size() != fewest) return true;
                        report_inside(depth, items, support);
                    }
                }
                drop_within(at, end);
            }
        return false;
    }

    // The one or two items inside are infrequent with the prefix, and no fewer of them are.
    void report_inside(std::size_t depth, const Set& items, std::int64_t support) {
        std::size_t inside[2] = {}, n = 0;
        for_each(items, [&](std::size_t item) {
            if (n < inside_.size() && space(depth).rows_with(item) == inside_[n]) inside[n++] = item;
        });
        if (n == 1) return report(depth, inside[0], support);
        join(levels_[depth], inside[0], levels_[depth + 1]);
        prefix_.push_back(partners_[inside[0]]);
        report(depth + 1, inside[1], support);
        prefix_.pop_back();
    }

    // What is after the item and may join it: how many.
    std::size_t set_tail(std::size_t depth, std::size_t item) {
        Level &level = levels_[depth], &next = levels_[depth + 1];
        next.tail.assign(set_words_, 0);
        next.kept.resize(set_words_);
        next.possible.resize(set_words_);
        if (depth == 1) meet_second(item);
        const Word* sibling = depth > 1 && filtered() ? levels_[depth - 1].possible_with.data() + item * set_words_ : nullptr;
        std::size_t n = 0;
        for (std::size_t w = item / 64; w < set_words_; ++w) {
            Word tail = level.kept[w];
            if (w == item / 64) tail &= ~((Word{2} << (item % 64)) - 1);
            if (sibling) tail &= sibling[w];
            if (depth == 1) tail &= second_partners_[w];
            next.tail[w] = tail;
            n += static_cast<std::size_t>(bitmap::ones(tail));
        }
        if (filtered()) std::copy(next.tail.begin(), next.tail.end(), level.possible_with.begin() + static_cast<std::ptrdiff_t>(item * set_words_));
        return n;
    }

    // Tries each item of the tail; reports the MIIs; returns how many items are kept.
    std::size_t evaluate(std::size_t depth) {
        Level& level = levels_[depth];
        const Space& rows = spaces_[level.space];
        std::fill(level.kept.begin(), level.kept.end(), 0);
        std::fill(level.possible.begin(), level.possible.end(), 0);
        std::size_t n_kept = 0;
        for_each(level.tail, [&](std::size_t item) {
            const Word* with = rows.rows_with(item);
            std::int64_t support = 0;
            Word live = 0, missing = 0;
            for (const Cover *at = cover_.data() + level.cover.begin, *end = cover_.data() + level.cover.end; at != end; ++at) {
                const Word both = at->bits & with[at->word];
                missing |= at->bits ^ both;
                if (both == 0) continue;
                live |= at->live & both;
                support += bitmap::ones(both) * rows.weight[at->word];
                if (support > theta_ && missing != 0 && live != 0) break;
            }
            if (support <= theta_) {
                if (live != 0) report(depth, item, support);
            } else if (missing != 0) {  // else not free: the prefix implies the item
                bitmap::set(level.possible.data(), item);
                if (live == 0) return;
                bitmap::set(level.kept.data(), item);
                ++n_kept;
            }
        });
        return n_kept;
    }

    // An infrequent extension of the prefix: an MII if each of its items is needed for that.
    void report(std::size_t depth, std::size_t item, std::int64_t support) {
        if constexpr (Sink::marks_cells) return watching_ || !rows_.is_narrow() ? mark_cells(depth, item, support) : mark_rows(depth, item, support);
        for (std::size_t j = depth; j-- > 0;)
            if (!is_needed(depth, j, item, support)) return;
        prefix_.push_back(partners_[item]);
        sink_.add(prefix_, support);
        prefix_.pop_back();
    }

    // Whether prefix and item are frequent without the prefix's j-th item. Without its last
    // one they are: else the item would not be in the tail.
    bool is_needed(std::size_t depth, std::size_t j, std::size_t item, std::int64_t support) {
        if (j + 1 == depth) return true;
        return j == 0 ? is_frequent_without_first(depth, item) : excludes(depth, j, item, theta_ + 1 - support);
    }

    // Marks each item without which the set is frequent, in the rows of the set: if a
    // frequent set becomes infrequent by an item, then some MII in the larger one has the
    // item. So items can be judged one by one, and only as long as they are not marked.
    void mark_cells(std::size_t depth, std::size_t item, std::int64_t support) {
        Space& rows = space(depth);
        const Word* with = rows.rows_with(item);
        hits_.clear();
        for (std::size_t at = levels_[depth].cover.begin; at < levels_[depth].cover.end; ++at)
            if (const Word hit = cover_[at].live & with[cover_[at].word]; hit != 0) hits_.push_back({hit, cover_[at].word});
        for (std::size_t j = 0; j <= depth; ++j) {
            const std::size_t j_item = j == depth ? item : levels_[j + 1].item;
            const std::int32_t rank = j == depth ? partners_[item] : prefix_[j];
            Word* closed = watching_ ? rows.closed_in(j, j_item) : nullptr;
            bool judged = j == depth, needed = judged;
            for (const Piece& hit : hits_) {
                Word done = closed ? hit.bits & ~closed[hit.word] : hit.bits;
                for (Word rest = done; rest != 0; rest &= rest - 1) {
                    const std::size_t slot = hit.word * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(rest));
                    const std::size_t cell = rows_.cell(rows.row_at[slot], rank);
                    if (sink_.is_marked(cell)) continue;
                    if (!judged) {
                        judged = true;
                        needed = is_needed(depth, j, item, support);
                    }
                    if (needed) sink_.mark(cell);
                    else done &= ~(rest & (~rest + 1));
                }
                if (!closed) continue;
                closed[hit.word] |= done;
                if (rows.depth > 1)
                    for (Word rest = done; rest != 0; rest &= rest - 1) close_above(levels_[depth].space, hit.word * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(rest)), j, j_item);
            }
        }
    }

    // The same, row by row: a word tells which of its cells are marked.
    void mark_rows(std::size_t depth, std::size_t item, std::int64_t support) {
        const Space& rows = space(depth);
        const Word* with = rows.rows_with(item);
        const List cover = levels_[depth].cover;
        if (hit_rows_.size() < 64 * (cover.end - cover.begin)) hit_rows_.resize(64 * (cover.end - cover.begin));
        std::size_t n_hit = 0;
        Word marked = ~Word{0};  // in all of them
        for (std::size_t at = cover.begin; at < cover.end; ++at)
            for (Word rest = cover_[at].live & with[cover_[at].word]; rest != 0; rest &= rest - 1) {
                const auto r = static_cast<std::size_t>(rows.row_at[cover_[at].word * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(rest))]);
                hit_rows_[n_hit++] = r;
                marked &= sink_.marked(r);
            }
        Word needed = Word{1} << rows_.column(partners_[item]);
        bool open = (needed & ~marked) != 0;
        for (std::size_t j = 0; j < depth; ++j) {
            const Word cell = Word{1} << rows_.column(prefix_[j]);
            if ((cell & marked) != 0 || !is_needed(depth, j, item, support)) continue;
            needed |= cell;
            open = true;
        }
        for (std::size_t i = 0; i < n_hit && open; ++i) sink_.mark(hit_rows_[i], needed);
    }

    // Tells the spaces that a space was made from that the row's j-th item is marked.
    void close_above(std::size_t s, std::size_t slot, std::size_t j, std::size_t item) {
        while (s > 1) {
            slot = spaces_[s].slot_above[slot];
            bitmap::set(spaces_[--s].closed_in(j, item), slot);
        }
    }

    const std::int64_t max_size_;
    Sink& sink_;
    Neighbourhood<Sink> neighbourhood_;
    std::vector<Piece> hits_;
    std::vector<std::size_t> hit_rows_;
};

}  // namespace discreet::infrequent

namespace discreet {

// ---- The miners ----

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

// What a search announces to, and whether it keeps the itemsets or only counts them by size.
struct Wanted {
    Control& control;
    bool itemsets;
};

// One sink for both, chosen when a search runs, so that the search is compiled once.
class Lister : public MarksNothing {
  public:
    explicit Lister(const Rows& rows, const Wanted& wanted) : rows_(rows), control_(wanted.control), lists_(wanted.itemsets), announcer_(wanted.control) {}

    void add_single(const Rows::Single& single) {
        if (!lists_) return count(1);
        itemset_.assign(1, single.item);
        store(single.support);
    }
    void add(std::span<const std::int32_t> ranks, std::int64_t support) {
        if (!lists_) return count(ranks.size());
        itemset_.clear();
        for (const std::int32_t rank : ranks) itemset_.push_back(rows_.item_of[static_cast<std::size_t>(rank)]);
        std::sort(itemset_.begin(), itemset_.end());
        store(support);
    }
    void flush() { announcer_.flush(); }

    Itemsets found;
    std::vector<std::int64_t> by_size{0};

  private:
    void count(std::size_t size) {
        announcer_.add();
        if (by_size.size() <= size) by_size.resize(size + 1, 0);
        ++by_size[size];
    }
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
    const bool lists_;
    Announcer announcer_;
    std::vector<std::int32_t> itemset_;
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
    const infrequent::Wanted wanted{control, true};
    auto sinks = infrequent::search<infrequent::Lister>(rows, max_size, control, wanted);
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
    const infrequent::Wanted wanted{control, false};
    const auto sinks = infrequent::search<infrequent::Lister>(rows, max_size, control, wanted);
    std::vector<std::int64_t> by_size{0};
    for (const auto& sink : sinks) {
        if (by_size.size() < sink.by_size.size()) by_size.resize(sink.by_size.size(), 0);
        for (std::size_t size = 0; size < sink.by_size.size(); ++size) by_size[size] += sink.by_size[size];
    }
    return by_size;
}

}  // namespace discreet
