// The stack of the search for minimal infrequent itemsets: prefixes, their covers and the
// questions that can be answered from them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "infrequent/rows.hpp"

namespace discreet::infrequent {

// ---- Spaces of rows ----
// Rows with a common prefix, packed into bitmaps of their own.

// A word of a prefix's cover: the rows that have it, and those of them that are live.
struct Cover {
    Word bits, live;
    std::uint32_t word;
};

// Slots are rows; columns are the items that were of use when the space was made.
struct Space : Slots {
    std::size_t depth = 0;                 // length of the common prefix
    std::vector<std::uint32_t> slot_above; // by slot: the row's slot in the space this one was made from
    std::vector<std::size_t> place_of;     // by item: where its bitmaps begin
    const Word* bits = nullptr;            // the rows with each item
    std::vector<Word> own_bits;            // these, unless they are somebody else's
    std::vector<Word> closed;              // the rows in which each item is known to be marked
    std::size_t prefix_closed = 0;         // where in `closed` the items of the prefix begin

    const Word* rows_with(std::size_t item) const { return bits + place_of[item]; }
    // The j-th item of a set that begins with the prefix.
    Word* closed_in(std::size_t j, std::size_t item) { return closed.data() + (j < depth ? prefix_closed + j * n_words() : place_of[item]); }

    void clear(std::size_t prefix_length) {
        Slots::clear();
        depth = prefix_length;
        slot_above.clear();
    }
};

// ---- The stack ----

class Stack {
  protected:
    Stack(Rows& rows, Control& control)
        : rows_(rows), theta_(rows.theta), control_(control), item_of_(rows.n_ranks(), -1), levels_(rows.longest + 2), spaces_(rows.longest + 2) {}

    using Set = std::vector<Word>;
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
        space.add(rows_.rows_with(first), rows_.weight, taken_);
        level.cover = {0, space.n_words()};
        level.live = space.weight.back() <= theta_;
        make_room(space.n_words());
        for (std::size_t w = 0; w < space.n_words(); ++w) cover_[w] = {taken_[w], space.weight[w] <= theta_ ? taken_[w] : 0, static_cast<std::uint32_t>(w)};
        const Rows::Neighbours& neighbours = rows_.neighbours[static_cast<std::size_t>(first)];
        fill(space, level.kept, partners_.size(), neighbours.complete ? neighbours.bits.data() : nullptr);
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
                const std::size_t slot = to.add(from.row_at[above], from.weight[old.word]);
                if (watching_) {
                    to.slot_above.resize(slot + 1);
                    to.slot_above[slot] = static_cast<std::uint32_t>(above);
                }
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
            for_each_cell(space, items, [&](std::size_t slot, std::size_t item, std::size_t) { bitmap::set(space.own_bits.data() + space.place_of[item], slot); });
        }
        space.prefix_closed = place;
        if (watching_) renew(space.closed, (n_items + space.depth) * n_words);
    }

    template <class Visit>
    void for_each_cell(const Space& space, const Set& items, Visit&& visit) const {
        for (std::size_t slot = 0; slot < space.row_at.size(); ++slot) {
            if (slot % 65536 == 0) control_.check();
            if (space.row_at[slot] < 0) continue;
            const auto row = rows_.row(space.row_at[slot]);
            for (std::size_t i = row.size(); row[--i] > prefix_.back();) {
                const std::int32_t item = item_of_[static_cast<std::size_t>(row[i])];
                if (item >= 0 && bitmap::test(items.data(), static_cast<std::size_t>(item))) visit(slot, static_cast<std::size_t>(item), rows_.cell_at(space.row_at[slot], i));
            }
        }
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
            second_place_[later] = column * second_->weight.size();
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
        for (std::size_t at = level.cover.begin; at < level.cover.end; ++at) n_rows += static_cast<std::size_t>(bitmap::ones(cover_[at].bits));
        return n_rows < 8 * n_words && n_items * n_words > 4 * n_rows;
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
            if (left != 0 && (needed -= bitmap::ones(left) * rows.weight[at->word]) <= 0) return true;
        }
        return false;
    }

    // For the first item all rows with the second matter, or such part of these as suffices.
    bool is_frequent_without_first(std::size_t depth, std::size_t item) {
        if (depth == 2) return true;  // the item is a partner of the second
        std::int64_t support = 0;
        const Word* with = second_->bits.data() + second_place_[item];
        for (std::size_t w = 0; w < second_->weight.size(); ++w) {
            Word left = with[w];
            for (std::size_t d = 3; d <= depth && left != 0; ++d) left &= second_->bits[second_place_[levels_[d].item] + w];
            if (left != 0 && (support += bitmap::ones(left) * second_->weight[w]) > theta_) return true;
        }
        if (second_->complete) return false;
        wanted_.assign(prefix_.begin() + 2, prefix_.begin() + static_cast<std::ptrdiff_t>(depth));
        wanted_.push_back(partners_[item]);
        support = 0;
        for (const std::int32_t r : rows_.rows_with(prefix_[1])) {
            const auto row = rows_.row(r);
            if (std::includes(row.begin(), row.end(), wanted_.begin(), wanted_.end()) && (support += rows_.weight[static_cast<std::size_t>(r)]) > theta_) return true;
        }
        return false;
    }

    // Splits the items into those that a row has and those beyond it.
    void split(const Space& rows, const Set& items, std::uint32_t word, Word row) {
        inside_.clear();
        beyond_.clear();
        for_each(items, [&](std::size_t item) {
            const Word* with = rows.rows_with(item);
            (with[word] & row ? inside_ : beyond_).push_back(with);
        });
    }

    // Support of the prefix with all items inside, or some number above theta.
    std::int64_t support_inside(const Space& rows, const Cover* at, const Cover* end) const {
        std::int64_t support = 0;
        for (; at != end; ++at) {
            Word left = at->bits;
            for (std::size_t i = 0; i < inside_.size() && left != 0; ++i) left &= inside_[i][at->word];
            if (left != 0 && (support += bitmap::ones(left) * rows.weight[at->word]) > theta_) break;
        }
        return support;
    }

    // Drops the live rows that have no item beyond.
    void drop_within(Cover* at, const Cover* end) const {
        for (; at != end; ++at) {
            if (at->live == 0) continue;
            Word further = 0;
            for (const Word* with : beyond_) further |= with[at->word];
            at->live &= further;
        }
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
    const std::int64_t theta_;
    Control& control_;
    std::vector<std::int32_t> partners_;  // of the first item: by item, the rank
    std::vector<std::int32_t> item_of_;   // by rank
    std::vector<std::int32_t> prefix_;    // ranks
    std::size_t set_words_ = 0;
    std::vector<Level> levels_;           // from 1
    std::vector<Space> spaces_;           // from 1, each made from the one before
    std::vector<Cover> cover_;
    std::vector<Word> taken_;             // by word of the first space
    const Rows::Neighbours* second_ = nullptr;  // of the prefix's second item
    Set second_partners_;
    std::vector<std::size_t> second_place_;     // by item: where its bitmap begins
    std::vector<const Word*> inside_, beyond_;
    std::vector<std::int32_t> wanted_;
    bool watching_ = false;                     // whether spaces know which cells are marked
};

}  // namespace discreet::infrequent
