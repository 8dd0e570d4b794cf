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
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/control.hpp"
#include "infrequent/rows.hpp"
#include "infrequent/space.hpp"

namespace discreet::infrequent {

// Sink::add(ranks, support) takes each MII of two or more items, ranks rising. To a sink that
// `marks_cells`, only those of two items are given; it is told mark(cell) and asked
// is_marked(cell), with cells numbered by rows.cell().
template <class Sink>
class Search {
  public:
    Search(Rows& rows, std::int64_t max_size, Control& control, Sink& sink)
        : rows_(rows), theta_(rows.theta), max_size_(max_size), control_(control), sink_(sink), item_of_(rows.n_ranks(), -1), support_(rows.n_ranks(), 0),
          levels_(rows.longest + 2), spaces_(rows.longest + 2) {}

    // First, for each rank: finds the MIIs of two items, and the rank's neighbours.
    void prepare(std::int32_t first) {
        control_.check();
        find_partners(first);
        if (max_size_ == 2) return;
        enter();
        gather_rows(first);
        leave();
    }

    // Then: all larger MIIs with this item of the lowest rank.
    void run(std::int32_t first) {
        control_.check();
        partners_ = rows_.neighbours[static_cast<std::size_t>(first)].partners;
        if (partners_.size() < 2) return;
        enter();
        start(first);
        if (levels_[1].live) extend(1);
        leave();
    }

  private:
    static constexpr bool marking = Sink::marks_cells;
    struct List {
        std::size_t begin = 0, end = 0;
    };
    // A prefix of as many items as the level's number. From here on an item is a number
    // among the first item's partners, and sets of items are bitmaps.
    struct Level {
        std::size_t item = 0;             // the prefix's last
        std::size_t space = 0;            // where its cover is
        List cover;                       // in cover_
        bool live = false;                // whether any row of it is
        std::vector<Word> tail;           // items to try
        std::vector<Word> kept;           // those that leave a frequent set, and a live row
        std::vector<Word> possible;       // those not known to be useless with any superset of the prefix
        std::vector<Word> possible_with;  // by item: `possible` of the child it leads to
    };
    using Set = std::vector<Word>;

    template <class Visit>
    static void for_each(const Set& set, Visit&& visit) {
        for (std::size_t w = 0; w < set.size(); ++w)
            for (Word rest = set[w]; rest != 0; rest &= rest - 1) visit(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
    }
    Space& space(std::size_t depth) { return spaces_[levels_[depth].space]; }

    void enter() {
        for (std::size_t item = 0; item < partners_.size(); ++item) item_of_[static_cast<std::size_t>(partners_[item])] = static_cast<std::int32_t>(item);
    }
    void leave() {
        for (const std::int32_t partner : partners_) item_of_[static_cast<std::size_t>(partner)] = -1;
    }

    // Counts all pairs with the first item: the MIIs among them, and the items that go on.
    void find_partners(std::int32_t first) {
        const auto with = rows_.rows_with(first);
        partners_.clear();
        std::int64_t total = 0;
        for (const std::int32_t r : with) {
            const auto row = rows_.row(r);
            const std::int64_t weight = rows_.weight[static_cast<std::size_t>(r)];
            total += weight;
            for (std::size_t i = row.size(); row[--i] > first;) {
                std::int64_t& support = support_[static_cast<std::size_t>(row[i])];
                if (support == 0) partners_.push_back(row[i]);
                support += weight;
            }
        }
        std::sort(partners_.begin(), partners_.end());
        bool rare = false;
        for (const std::int32_t rank : partners_) {
            if (support_[static_cast<std::size_t>(rank)] > theta_) continue;
            const std::int32_t pair[] = {first, rank};
            sink_.add(pair, support_[static_cast<std::size_t>(rank)]);
            rare = true;
        }
        if (marking && rare) mark_pairs(first);
        std::erase_if(partners_, [&](std::int32_t rank) {
            const std::int64_t support = std::exchange(support_[static_cast<std::size_t>(rank)], 0);
            return support <= theta_ || support == total;  // a partner implied by the first is in no MII with it
        });
        rows_.neighbours[static_cast<std::size_t>(first)].partners = partners_;
    }

    void mark_pairs(std::int32_t first) {
        for (const std::int32_t r : rows_.rows_with(first)) {
            const auto row = rows_.row(r);
            for (std::size_t i = row.size(); row[--i] > first;) {
                if (support_[static_cast<std::size_t>(row[i])] > theta_) continue;
                sink_.mark(rows_.cell(r, row[i]));
                sink_.mark(rows_.cell(r, first));
            }
        }
    }

    // Packs the rows with the first item. Rows beyond what fits are left out evenly: for most
    // sets a part is enough to see that they are frequent.
    void gather_rows(std::int32_t first) {
        constexpr std::size_t most_words = 32768;
        if (partners_.size() < 2) return;
        Rows::Neighbours& neighbours = rows_.neighbours[static_cast<std::size_t>(first)];
        const auto with = rows_.rows_with(first);
        std::size_t step = 1;
        while (with.size() / 64 / step * partners_.size() > most_words) ++step;
        std::vector<std::size_t> slots;
        for (std::size_t t = 0; t < with.size(); t += step) slots.push_back(neighbours.layout.place(rows_.weight[static_cast<std::size_t>(with[t])]));
        const std::size_t n_words = neighbours.layout.n_words();
        control_.claim(static_cast<std::int64_t>(partners_.size() * (n_words * sizeof(Word) + 4)));
        neighbours.bits.resize(partners_.size() * n_words);
        for (std::size_t t = 0; t < with.size(); t += step) {
            const auto row = rows_.row(with[t]);
            for (std::size_t i = row.size(); row[--i] > first;)
                if (const std::int32_t item = item_of_[static_cast<std::size_t>(row[i])]; item >= 0) bitmap::set(neighbours.bits.data() + static_cast<std::size_t>(item) * n_words, slots[t / step]);
        }
        neighbours.complete = step == 1;
    }

    // The first level and its space: all rows with the first item.
    void start(std::int32_t first) {
        set_words_ = bitmap::words_for(partners_.size());
        prefix_.assign(1, first);
        Level& level = levels_[1];
        level.space = 1;
        level.kept.assign(set_words_, ~Word{0});
        if (partners_.size() % 64 != 0) level.kept.back() = (Word{1} << (partners_.size() % 64)) - 1;
        Space& space = spaces_[1];
        space.clear(1);
        for (const std::int32_t r : rows_.rows_with(first)) space.add(r, rows_.weight[static_cast<std::size_t>(r)], 0);
        level.cover = {0, space.n_words()};
        level.live = space.layout.weight.back() <= theta_;
        make_room(space.n_words());
        for (std::size_t w = 0; w < space.n_words(); ++w) cover_[w] = {0, 0, static_cast<std::uint32_t>(w)};
        for (std::size_t slot = 0; slot < space.row_at.size(); ++slot)
            if (space.row_at[slot] >= 0) cover_[slot / 64].bits |= Word{1} << (slot % 64);
        for (std::size_t w = 0; w < space.n_words(); ++w) cover_[w].live = space.layout.weight[w] <= theta_ ? cover_[w].bits : 0;
        watching_ = marking && are_many_done(first);
        const Rows::Neighbours& neighbours = rows_.neighbours[static_cast<std::size_t>(first)];
        fill(space, level.kept, partners_.size(), neighbours.complete ? neighbours.bits.data() : nullptr);
    }

    // Whether enough rows with the first item are marked from there on for watching them to pay.
    bool are_many_done(std::int32_t first) const {
        const auto with = rows_.rows_with(first);
        std::size_t n_done = 0;
        for (const std::int32_t r : with) {
            const auto row = rows_.row(r);
            std::size_t i = row.size() - 1;
            while (row[i] > first && sink_.is_marked(rows_.cell(r, row[i]))) --i;
            n_done += sink_.is_marked(rows_.cell(r, row[i]));
        }
        return n_done > with.size() / 8;
    }

    // Packs the rows of the cover into the next space; of use if they are few in many words.
    void pack(std::size_t depth, std::size_t n_items) {
        Level& level = levels_[depth];
        Space &from = spaces_[level.space], &to = spaces_[level.space + 1];
        to.clear(depth);
        std::size_t end = level.cover.begin;
        for (std::size_t at = level.cover.begin; at < level.cover.end; ++at) {
            const Cover old = cover_[at];  // packed words are never more than those read: they take their place
            for (Word rest = old.bits; rest != 0; rest &= rest - 1) {
                const std::size_t above = old.word * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(rest));
                const std::size_t slot = to.add(from.row_at[above], from.layout.weight[old.word], static_cast<std::uint32_t>(above));
                if (slot % 64 == 0) cover_[end++] = {0, 0, static_cast<std::uint32_t>(slot / 64)};
                cover_[end - 1].bits |= Word{1} << (slot % 64);
                if (old.live & rest & (~rest + 1)) cover_[end - 1].live |= Word{1} << (slot % 64);
            }
        }
        level.cover.end = end;
        ++level.space;
        fill(to, level.tail, n_items, nullptr);
    }

    // The bitmaps of a space for the items of a set, unless they are at hand.
    void fill(Space& space, const Set& items, std::size_t n_items, const Word* bits) {
        const std::size_t n_words = space.n_words();
        space.place_of.resize(partners_.size());
        std::size_t place = 0;
        for_each(items, [&](std::size_t item) { space.place_of[item] = std::exchange(place, place + n_words); });
        space.bits = bits;
        if (!bits) {
            renew(space.own_bits, n_items * n_words);
            space.bits = space.own_bits.data();
            for_each_cell(space, items, [&](std::size_t slot, std::size_t item) { bitmap::set(space.own_bits.data() + space.place_of[item], slot); });
        }
        if (!marking) return;
        space.prefix_closed = place;
        renew(space.closed, (n_items + space.depth) * n_words);
        if (!watching_) return;
        for_each_cell(space, items, [&](std::size_t slot, std::size_t item) {
            if (sink_.is_marked(rows_.cell(space.row_at[slot], partners_[item]))) bitmap::set(space.closed.data() + space.place_of[item], slot);
        });
        for (std::size_t slot = 0; slot < space.row_at.size(); ++slot)
            for (std::size_t j = 0; j < space.depth && space.row_at[slot] >= 0; ++j)
                if (sink_.is_marked(rows_.cell(space.row_at[slot], prefix_[j]))) bitmap::set(space.closed_in(j, 0), slot);
    }

    template <class Visit>
    void for_each_cell(const Space& space, const Set& items, Visit&& visit) {
        for (std::size_t slot = 0; slot < space.row_at.size(); ++slot) {
            if (space.row_at[slot] < 0) continue;
            const auto row = rows_.row(space.row_at[slot]);
            for (std::size_t i = row.size(); row[--i] > prefix_.back();) {
                const std::int32_t item = item_of_[static_cast<std::size_t>(row[i])];
                if (item >= 0 && bitmap::test(items.data(), static_cast<std::size_t>(item))) visit(slot, static_cast<std::size_t>(item));
            }
        }
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
        if (is_sparse(next, n_tail)) pack(depth + 1, n_tail);
        const std::size_t n_kept = evaluate(depth + 1);
        if (filtered()) std::copy(next.possible.begin(), next.possible.end(), level.possible_with.begin() + static_cast<std::ptrdiff_t>(item * set_words_));
        if (n_kept >= 2 && static_cast<std::int64_t>(depth) + 2 < max_size_ && drop_dead_rows(depth + 1)) {
            if (is_free(depth + 1)) extend(depth + 1);
            else level.kept[item / 64] &= ~(Word{1} << (item % 64));
        }
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
            n += static_cast<std::size_t>(std::popcount(tail));
        }
        if (filtered()) std::copy(next.tail.begin(), next.tail.end(), level.possible_with.begin() + static_cast<std::ptrdiff_t>(item * set_words_));
        return n;
    }

    // The second item's own partners, as items: only these can follow it.
    void meet_second(std::size_t item) {
        second_ = &rows_.neighbours[static_cast<std::size_t>(partners_[item])];
        second_partners_.assign(set_words_, 0);
        second_place_.resize(partners_.size());
        std::size_t column = 0;
        for (std::size_t later = item + 1; later < partners_.size(); ++later) {
            while (column < second_->partners.size() && second_->partners[column] < partners_[later]) ++column;
            if (column == second_->partners.size()) break;
            if (second_->partners[column] != partners_[later]) continue;
            bitmap::set(second_partners_.data(), later);
            second_place_[later] = column * second_->layout.n_words();
        }
    }

    // The cover and the live rows of the level's prefix with one more item.
    void join(const Level& level, std::size_t item, Level& next) {
        make_room(2 * level.cover.end - level.cover.begin);
        const Word* with = spaces_[level.space].rows_with(item);
        Cover* out = cover_.data() + level.cover.end;
        Word live = 0;
        for (const Cover *at = cover_.data() + level.cover.begin, *end = cover_.data() + level.cover.end; at != end; ++at) {
            const Word both = at->bits & with[at->word];
            if (both == 0) continue;
            *out++ = {both, at->live & both, at->word};
            live |= at->live & both;
        }
        next.item = item;
        next.space = level.space;
        next.cover = {level.cover.end, static_cast<std::size_t>(out - cover_.data())};
        next.live = live != 0;
    }

    // Whether packing the cover costs less than trying the tail's items on it as it is.
    bool is_sparse(const Level& level, std::size_t n_items) const {
        const std::size_t n_words = level.cover.end - level.cover.begin;
        if (n_words < 8) return false;
        std::size_t n_rows = 0;
        for (std::size_t at = level.cover.begin; at < level.cover.end; ++at) n_rows += static_cast<std::size_t>(std::popcount(cover_[at].bits));
        return n_rows < 8 * n_words && n_items * n_words > 4 * n_rows;
    }

    // Tries each item of the tail; reports the MIIs; returns how many items are kept.
    std::size_t evaluate(std::size_t depth) {
        Level& level = levels_[depth];
        if (watching_ && !drop_marked_rows(depth, level.tail)) {
            level.possible = level.tail;
            return 0;
        }
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
                support += std::popcount(both) * rows.layout.weight[at->word];
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
        if (marking) return mark(depth, item, support);
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
    void mark(std::size_t depth, std::size_t item, std::int64_t support) {
        Space& rows = space(depth);
        hits_.clear();
        for (std::size_t at = levels_[depth].cover.begin; at < levels_[depth].cover.end; ++at)
            if (const Word hit = cover_[at].live & rows.rows_with(item)[cover_[at].word]; hit != 0) hits_.push_back({hit, cover_[at].word});
        for (std::size_t j = 0; j <= depth; ++j) {
            const std::size_t j_item = j == depth ? item : levels_[j + 1].item;
            const Word* closed = rows.closed_in(j, j_item);
            bool judged = false, needed = j == depth;
            for (const Piece& hit : hits_)
                for (Word rest = hit.bits & ~closed[hit.word]; rest != 0; rest &= rest - 1) {
                    const std::size_t slot = hit.word * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(rest));
                    const std::size_t cell = rows_.cell(rows.row_at[slot], j == depth ? partners_[item] : prefix_[j]);
                    if (!sink_.is_marked(cell)) {
                        if (!needed && !judged) needed = is_needed(depth, j, item, support);
                        judged = true;
                        if (!needed) continue;
                        sink_.mark(cell);
                    }
                    close(levels_[depth].space, slot, j, j_item);
                }
        }
    }

    // Tells the space, and those it was made from, that the row's j-th item is marked.
    void close(std::size_t s, std::size_t slot, std::size_t j, std::size_t item) {
        for (; s > 0; --s) {
            bitmap::set(spaces_[s].closed_in(j, item), slot);
            slot = spaces_[s].slot_above[slot];
        }
    }

    // Whether each item of the prefix excludes some row that has all the others; the first
    // one, which would cost most, is not asked: being rare, it does.
    bool is_free(std::size_t depth) {
        for (std::size_t j = depth - 1; j-- > 1;)
            if (!excludes(depth - 1, j, levels_[depth].item, 1)) return false;
        return true;
    }

    // Whether the rows with prefix and item, but for the prefix's j-th, which they have not,
    // weigh as much as needed. Not for the first item.
    bool excludes(std::size_t depth, std::size_t j, std::size_t item, std::int64_t needed) {
        const Space& rows = space(j);
        const Word *with = rows.rows_with(item), *without = rows.rows_with(levels_[j + 1].item);
        for (const Cover *at = cover_.data() + levels_[j].cover.begin, *end = cover_.data() + levels_[j].cover.end; at != end; ++at) {
            Word left = at->bits & with[at->word] & ~without[at->word];
            for (std::size_t d = j + 2; d <= depth && left != 0; ++d) left &= rows.rows_with(levels_[d].item)[at->word];
            if (left != 0 && (needed -= std::popcount(left) * rows.layout.weight[at->word]) <= 0) return true;
        }
        return false;
    }

    // For the first item all rows with the second matter, or such part of these as suffices.
    bool is_frequent_without_first(std::size_t depth, std::size_t item) {
        if (depth == 2) return true;  // the item is a partner of the second
        std::int64_t support = 0;
        const Word* with = second_->bits.data() + second_place_[item];
        for (std::size_t w = 0; w < second_->layout.n_words(); ++w) {
            Word left = with[w];
            for (std::size_t d = 3; d <= depth && left != 0; ++d) left &= second_->bits[second_place_[levels_[d].item] + w];
            if (left != 0 && (support += std::popcount(left) * second_->layout.weight[w]) > theta_) return true;
        }
        if (second_->complete) return false;
        support = 0;
        return rows_.any_word(prefix_[1], [&](Word left, std::uint32_t word) {
            left &= rows_.word(partners_[item], word);
            for (std::size_t d = 2; d < depth && left != 0; ++d) left &= rows_.word(prefix_[d], word);
            return left != 0 && (support += std::popcount(left) * rows_.layout.weight[word]) > theta_;
        });
    }

    // Looks for a live row and drops dead ones on the way; false if none is left. If a
    // row's part of the kept items is frequent with the prefix, then so is that of every row
    // with no further kept item: one test settles them all.
    bool drop_dead_rows(std::size_t depth) {
        Level& level = levels_[depth];
        if (watching_ && !drop_marked_rows(depth, level.kept)) return false;
        const Space& rows = spaces_[level.space];
        Cover *begin = cover_.data() + level.cover.begin, *end = cover_.data() + level.cover.end;
        int tries = 32;  // where there are so many kinds of rows, some are live
        for (Cover* at = begin; at != end; ++at)
            while (at->live != 0) {
                if (tries-- == 0) return true;
                const Word row = at->live & (~at->live + 1);
                inside_.clear();
                beyond_.clear();
                for_each(level.kept, [&](std::size_t item) {
                    const Word* with = rows.rows_with(item);
                    (with[at->word] & row ? inside_ : beyond_).push_back(with);
                });
                if (inside_.size() >= 2 && !is_frequent_inside(rows, begin, end)) return true;
                for (Cover* other = at; other != end; ++other) {
                    if (other->live == 0) continue;
                    Word further = 0;
                    for (const Word* with : beyond_) further |= with[other->word];
                    other->live &= further;
                }
            }
        return false;
    }

    bool is_frequent_inside(const Space& rows, const Cover* at, const Cover* end) const {
        std::int64_t support = 0;
        for (; at != end; ++at) {
            Word left = at->bits;
            for (std::size_t i = 0; i < inside_.size() && left != 0; ++i) left &= inside_[i][at->word];
            if (left != 0 && (support += std::popcount(left) * rows.layout.weight[at->word]) > theta_) return true;
        }
        return false;
    }

    // Drops live rows in which the prefix and these items are all marked; false if none is left.
    bool drop_marked_rows(std::size_t depth, const Set& items) {
        Space& rows = space(depth);
        inside_.clear();
        for (std::size_t j = 0; j < depth; ++j) inside_.push_back(rows.closed_in(j, levels_[j + 1].item));
        beyond_.clear();
        for_each(items, [&](std::size_t item) {
            inside_.push_back(rows.closed_in(depth, item));
            beyond_.push_back(rows.rows_with(item));
        });
        Word live = 0;
        for (std::size_t at = levels_[depth].cover.begin; at < levels_[depth].cover.end; ++at) {
            if (cover_[at].live == 0) continue;
            const std::uint32_t word = cover_[at].word;
            Word open = 0;
            for (std::size_t j = 0; j < depth; ++j) open |= ~inside_[j][word];
            for (std::size_t i = 0; i < beyond_.size(); ++i) open |= beyond_[i][word] & ~inside_[depth + i][word];
            live |= cover_[at].live &= open;
        }
        return live != 0;
    }

    void make_room(std::size_t n_covers) {
        if (n_covers <= cover_.size()) return;
        control_.claim(static_cast<std::int64_t>((2 * n_covers - cover_.size()) * sizeof(Cover)));
        cover_.resize(2 * n_covers);
    }
    void renew(std::vector<Word>& words, std::size_t n) {
        if (n > words.capacity()) control_.claim(static_cast<std::int64_t>((n - words.capacity()) * sizeof(Word)));
        words.assign(n, 0);
    }

    Rows& rows_;
    const std::int64_t theta_, max_size_;
    Control& control_;
    Sink& sink_;
    std::vector<std::int32_t> partners_;  // by item: rank
    std::vector<std::int32_t> item_of_;   // by rank
    std::vector<std::int64_t> support_;   // by rank, with the first item
    std::vector<std::int32_t> prefix_;    // ranks
    std::size_t set_words_ = 0;
    bool watching_ = false;               // whether spaces know all cells that are marked
    std::vector<Level> levels_;
    std::vector<Space> spaces_;           // from 1, each made from the one before
    std::vector<Cover> cover_;
    const Rows::Neighbours* second_ = nullptr;  // of the prefix's second item
    Set second_partners_;
    std::vector<std::size_t> second_place_;  // by item: where its bitmap begins
    std::vector<const Word*> inside_, beyond_;
    std::vector<Piece> hits_;
};

}  // namespace discreet::infrequent
