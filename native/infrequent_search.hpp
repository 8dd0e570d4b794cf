// Depth-first search for minimal infrequent itemsets (MIIs).
//
// A prefix grows by items of rising rank, that is rising support. Only frequent and free
// prefixes are extended: every proper subset of an MII is frequent (more than theta rows),
// and free (each of its items excludes some row that has all the others). Of an
// extension only matters whether it is above theta, so most counts stop after a word or two.
//  * Children are treated from the last to the first: what is known of the set without the
//    prefix's last item then limits the tail of the set with it.
//  * A row is live while some MII below the prefix may lie in it. If the row's part of the
//    tail, all of it, still joins the prefix in more than theta rows, nothing below is
//    infrequent in this row; without a live row the branch ends.
//  * Whether the prefix without its j-th item but with a new one is frequent is read off the
//    cover of the first j items, which is still on the stack; only for j = 0 rows outside
//    the first item's matter.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "control.hpp"
#include "infrequent_rows.hpp"

namespace discreet::infrequent {

// Sink::add(ranks, support) takes each MII of two or more items, ranks rising.
// A sink with `marks_cells` is instead told Sink::mark(row, ranks), and asked
// Sink::is_marked(cell): rows in which all that is left is marked are dead as well.
template <class Sink>
class Search {
  public:
    Search(Rows& rows, std::int64_t max_size, Control& control, Sink& sink)
        : rows_(rows), theta_(rows.theta), max_size_(max_size), control_(control), sink_(sink), local_of_(rows.n_ranks(), -1), support_(rows.n_ranks(), 0), n_rows_(rows.n_ranks(), 0), levels_(rows.longest + 2) {}

    // All MIIs of two or more items with this one of the lowest rank.
    void run(std::int32_t first) {
        control_.check();
        find_partners(first);
        if (partners_.size() >= 2 && max_size_ > 2) {
            for (std::size_t i = 0; i < partners_.size(); ++i) local_of_[static_cast<std::size_t>(partners_[i])] = static_cast<std::int32_t>(i);
            project(first);
            for (const std::int32_t partner : partners_) local_of_[static_cast<std::size_t>(partner)] = -1;
            if (levels_[1].live) extend(1);
        }
    }

  private:
    static constexpr bool marking = Sink::marks_cells;

    // A word of the cover: rows with the whole prefix, and those of them that are live.
    struct Cover {
        Word bits, live;
        std::uint32_t word;
    };
    struct List {
        std::size_t begin = 0, end = 0;
    };
    // The prefix of as many items as the level's number. Sets are of local items, the
    // first item's partners.
    struct Level {
        std::size_t item = 0;            // the prefix's last
        List cover;                      // in cover_
        bool live = false;               // whether any row of it is
        List outside;                    // in outside_: rows with all of the prefix but its first item
        bool outside_known = false;
        std::vector<Word> tail;          // items to try
        std::vector<Word> kept;          // those that leave a frequent set, and a live row
        std::vector<Word> possible;      // those not known to be useless together with any superset of the prefix
        std::vector<Word> possible_with; // by item: `possible` of the child it leads to
    };

    const Word* bits(std::size_t item) const { return bits_.data() + item * layout_.n_words(); }
    Word* open(std::size_t item) { return open_.data() + item * layout_.n_words(); }

    // Counts all pairs with the first item: the MIIs among them, and the items that go on.
    void find_partners(std::int32_t first) {
        const auto with = rows_.rows_with(first);
        partners_.clear();
        for (const std::int32_t r : with) {
            const auto row = rows_.row(r);
            for (std::size_t i = row.size(); row[--i] > first;) {
                const auto rank = static_cast<std::size_t>(row[i]);
                if (n_rows_[rank]++ == 0) partners_.push_back(row[i]);
                support_[rank] += rows_.weight[static_cast<std::size_t>(r)];
            }
        }
        std::sort(partners_.begin(), partners_.end());
        for (const std::int32_t rank : partners_)
            if (const std::int32_t pair[] = {first, rank}; support_[static_cast<std::size_t>(rank)] <= theta_) sink_.add(pair, support_[static_cast<std::size_t>(rank)]);
        if constexpr (marking)
            for (const std::int32_t r : with) {
                const auto row = rows_.row(r);
                for (std::size_t i = row.size(); row[--i] > first;)
                    if (const std::int32_t pair[] = {first, row[i]}; support_[static_cast<std::size_t>(row[i])] <= theta_) sink_.mark(r, pair);
            }
        std::erase_if(partners_, [&](std::int32_t rank) {
            const std::int64_t support = std::exchange(support_[static_cast<std::size_t>(rank)], 0);
            const bool implied = std::exchange(n_rows_[static_cast<std::size_t>(rank)], 0) == static_cast<std::int32_t>(with.size());
            return support <= theta_ || implied;
        });
        rows_.store_pairs(first, partners_);
    }

    // A space of rows of its own: those with the first item.
    void project(std::int32_t first) {
        const auto with = rows_.rows_with(first);
        const std::size_t n_items = partners_.size();
        set_words_ = bitmap::words_for(n_items);
        layout_ = {};
        row_at_.clear();
        for (const std::int32_t r : with) {
            const std::size_t slot = layout_.place(rows_.weight[static_cast<std::size_t>(r)]);
            row_at_.resize(slot + 1);
            row_at_[slot] = r;
        }
        claim((n_items + 1) * layout_.n_words() * sizeof(Word) * (marking ? 2 : 1) + layout_.n_words() * (8 + 64 * 4));
        bits_.assign((n_items + 1) * layout_.n_words(), 0);  // the last one is the first item's
        if constexpr (marking) open_.assign(bits_.size(), 0);
        std::size_t slot = 0;
        for (const std::int32_t r : with) {
            while (row_at_[slot] != r) ++slot;
            const auto row = rows_.row(r);
            [[maybe_unused]] const std::int64_t cell = rows_.offsets[static_cast<std::size_t>(r)];
            for (std::size_t i = row.size(); row[--i] >= first;) {
                const std::int32_t local = row[i] == first ? static_cast<std::int32_t>(n_items) : local_of_[static_cast<std::size_t>(row[i])];
                if (local >= 0) {
                    bitmap::set(bits_.data() + static_cast<std::size_t>(local) * layout_.n_words(), slot);
                    if constexpr (marking)
                        if (!sink_.is_marked(cell + static_cast<std::int64_t>(i))) bitmap::set(open(static_cast<std::size_t>(local)), slot);
                }
                if (i == 0) break;
            }
            ++slot;
        }
        prefix_.assign(1, first);
        Level& level = levels_[1];
        level.item = n_items;
        level.cover = {0, layout_.n_words()};
        level.live = false;
        level.outside_known = false;
        if (cover_.size() < layout_.n_words()) cover_.resize(layout_.n_words());
        for (std::size_t w = 0; w < layout_.n_words(); ++w) {
            cover_[w] = {bits(n_items)[w], layout_.weight[w] <= theta_ ? bits(n_items)[w] : 0, static_cast<std::uint32_t>(w)};
            level.live |= cover_[w].live != 0;
        }
        level.kept.assign(set_words_, ~Word{0});
        if (n_items % 64 != 0) level.kept.back() = (Word{1} << (n_items % 64)) - 1;
    }

    // Goes to each child that may lead to an MII of two items more.
    void extend(std::size_t depth) {
        control_.check();
        if (filtered()) levels_[depth].possible_with.resize(std::max(levels_[depth].possible_with.size(), partners_.size() * set_words_));
        for (std::size_t w = set_words_; w-- > 0;)
            for (Word rest = levels_[depth].kept[w]; rest != 0;) {
                const std::size_t bit = 63 - static_cast<std::size_t>(std::countl_zero(rest));
                rest ^= Word{1} << bit;
                visit(depth, w * 64 + bit);
            }
    }

    // Tables of m * m bits, one for each level, are kept for m items or fewer.
    bool filtered() const { return partners_.size() <= 2048; }

    void visit(std::size_t depth, std::size_t item) {
        Level &level = levels_[depth], &next = levels_[depth + 1];
        if (!set_tail(depth, item, next)) return;
        next.item = item;
        next.outside_known = false;
        join(level, item, next);
        if (next.live) {
            prefix_.push_back(partners_[item]);
            const std::size_t n_kept = evaluate(depth + 1);
            if (filtered()) std::copy(next.possible.begin(), next.possible.end(), level.possible_with.begin() + static_cast<std::ptrdiff_t>(item * set_words_));
            if (n_kept >= 2 && static_cast<std::int64_t>(depth) + 2 < max_size_ && drop_dead_rows(depth + 1)) {
                if (is_free(depth + 1)) extend(depth + 1);
                else level.kept[item / 64] &= ~(Word{1} << (item % 64));
            }
            prefix_.pop_back();
        }
    }

    // What is after the item and may join it; false if nothing is.
    bool set_tail(std::size_t depth, std::size_t item, Level& next) {
        const Level& level = levels_[depth];
        next.tail.resize(set_words_);
        next.kept.resize(set_words_);
        next.possible.resize(set_words_);
        Word any = 0;
        const Word* partner_row = depth == 1 ? rows_.pairs(partners_[item]) : nullptr;
        const Word* sibling = depth > 1 && filtered() ? levels_[depth - 1].possible_with.data() + item * set_words_ : nullptr;
        for (std::size_t w = 0; w < set_words_; ++w) {
            Word tail = w < item / 64 ? 0 : level.kept[w];
            if (w == item / 64) tail &= ~((Word{2} << (item % 64)) - 1);
            if (sibling) tail &= sibling[w];
            if (partner_row)
                for (Word rest = tail; rest != 0; rest &= rest - 1) {
                    const int bit = std::countr_zero(rest);
                    if (!bitmap::test(partner_row, static_cast<std::size_t>(partners_[w * 64 + static_cast<std::size_t>(bit)]))) tail ^= Word{1} << bit;
                }
            any |= next.tail[w] = tail;
        }
        if (filtered()) std::copy(next.tail.begin(), next.tail.end(), levels_[depth].possible_with.begin() + static_cast<std::ptrdiff_t>(item * set_words_));
        return any != 0;
    }

    // The cover and the live rows of the level's prefix with one more item.
    void join(const Level& level, std::size_t item, Level& next) {
        const std::size_t room = level.cover.end + (level.cover.end - level.cover.begin);
        if (cover_.size() < room) {
            claim_more((2 * room - cover_.size()) * sizeof(Cover));
            cover_.resize(2 * room);
        }
        const Word* with = bits(item);
        Cover* out = cover_.data() + level.cover.end;
        Word live = 0;
        for (const Cover *at = cover_.data() + level.cover.begin, *end = cover_.data() + level.cover.end; at != end; ++at) {
            const Word both = at->bits & with[at->word];
            if (both == 0) continue;
            *out++ = {both, at->live & both, at->word};
            live |= at->live & both;
        }
        next.cover = {level.cover.end, static_cast<std::size_t>(out - cover_.data())};
        next.live = live != 0;
    }

    // Tries each item of the tail; reports the MIIs; returns how many items are kept.
    std::size_t evaluate(std::size_t depth) {
        Level& level = levels_[depth];
        if constexpr (marking)
            if (!drop_marked_rows(depth, level.tail)) {
                level.possible = level.tail;
                return 0;
            }
        std::size_t n_kept = 0;
        for (std::size_t w = 0; w < set_words_; ++w) {
            Word kept = 0, possible = 0;
            for (Word rest = level.tail[w]; rest != 0; rest &= rest - 1) {
                const Word bit = rest & (~rest + 1);
                const std::size_t item = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
                const Word* with = bits(item);
                std::int64_t support = 0;
                Word live = 0, missing = 0;
                for (const Cover *at = cover_.data() + level.cover.begin, *end = cover_.data() + level.cover.end; at != end; ++at) {
                    const Word both = at->bits & with[at->word];
                    missing |= at->bits ^ both;
                    if (both == 0) continue;
                    live |= at->live & both;
                    support += std::popcount(both) * layout_.weight[at->word];
                    if (support > theta_ && missing != 0 && live != 0) break;
                }
                if (support <= theta_) {
                    if (live != 0 && is_minimal(depth, item, support)) report(depth, item, support);
                } else if (missing != 0) {  // else not free: the prefix implies the item
                    possible |= bit;
                    if (live != 0) kept |= bit, ++n_kept;
                }
            }
            level.kept[w] = kept;
            level.possible[w] = possible;
        }
        return n_kept;
    }

    void report(std::size_t depth, std::size_t item, std::int64_t support) {
        prefix_.push_back(partners_[item]);
        sink_.add(prefix_, support);
        if constexpr (marking)
            for (std::size_t at = levels_[depth].cover.begin; at < levels_[depth].cover.end; ++at) {
                const std::uint32_t word = cover_[at].word;
                const Word both = cover_[at].bits & bits(item)[word];
                if (both == 0) continue;
                for (Word rest = both; rest != 0; rest &= rest - 1) sink_.mark(row_at_[word * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(rest))], prefix_);
                open(item)[word] &= ~both;
                for (std::size_t d = 1; d <= depth; ++d) open(levels_[d].item)[word] &= ~both;
            }
        prefix_.pop_back();
    }

    // Whether the infrequent prefix + item has only frequent subsets. Without the item, or
    // without the prefix's last one, it is frequent: else the item would not be in the tail.
    bool is_minimal(std::size_t depth, std::size_t item, std::int64_t support) {
        if (depth == 2)
            if (const Word* partners = rows_.pairs(prefix_[1])) return bitmap::test(partners, static_cast<std::size_t>(partners_[item]));
        for (std::size_t j = depth - 1; j-- > 0;)
            if (!excludes(depth, j, item, theta_ + 1 - support)) return false;
        return true;
    }

    // Whether each item of the prefix excludes some row that has all the others.
    bool is_free(std::size_t depth) {
        const std::size_t item = levels_[depth].item;
        for (std::size_t j = depth - 1; j-- > 0;)
            if (!excludes(depth - 1, j, item, 1)) return false;
        return true;
    }

    // Whether the rows with prefix and item, but for the prefix's j-th, which they have not,
    // weigh as much as needed.
    bool excludes(std::size_t depth, std::size_t j, std::size_t item, std::int64_t needed) {
        if (j == 0) return excludes_first(depth, item, needed);
        const Word *with = bits(item), *without = bits(levels_[j + 1].item);
        for (const Cover *at = cover_.data() + levels_[j].cover.begin, *end = cover_.data() + levels_[j].cover.end; at != end; ++at) {
            Word rows = at->bits & with[at->word] & ~without[at->word];
            for (std::size_t d = j + 2; d <= depth && rows != 0; ++d) rows &= bits(levels_[d].item)[at->word];
            if (rows != 0 && (needed -= std::popcount(rows) * layout_.weight[at->word]) <= 0) return true;
        }
        return false;
    }

    bool excludes_first(std::size_t depth, std::size_t item, std::int64_t needed) {
        if (depth == 1) return true;  // the item is in at least as many rows as the first, and not in all of those
        const std::int32_t rank = partners_[item];
        const auto weighs_enough = [&](Word rows, std::uint32_t word) {
            rows &= rows_.word(rank, word);
            if (rows != 0 && depth > 2) rows &= rows_.word(prefix_[depth - 1], word);
            return rows != 0 && (needed -= std::popcount(rows) * rows_.layout.weight[word]) <= 0;
        };
        if (depth <= 3) return rows_.any_word(prefix_[1], [&](Word rows, std::uint32_t word) { return weighs_enough(rows & ~rows_.word(prefix_[0], word), word); });
        know_outside(depth - 1);
        const List list = levels_[depth - 1].outside;
        for (const Piece *at = outside_.data() + list.begin, *end = outside_.data() + list.end; at != end; ++at)
            if (weighs_enough(at->bits, at->word)) return true;
        return false;
    }

    // Rows outside the first item's, with the rest of the prefix up to this level, the third
    // or later: found only when asked for, from those of the level before.
    void know_outside(std::size_t depth) {
        Level& level = levels_[depth];
        if (level.outside_known) return;
        level.outside_known = true;
        const std::int32_t rank = prefix_[depth - 1];
        const auto keep = [&](Word rows, std::uint32_t word) {
            rows &= rows_.word(rank, word);
            if (rows == 0) return;
            if (level.outside.end == outside_.size()) {
                claim_more((outside_.size() + 64) * sizeof(Piece));
                outside_.resize(2 * outside_.size() + 64);
            }
            outside_[level.outside.end++] = {rows, word};
        };
        if (depth == 3) {
            level.outside = {0, 0};
            rows_.any_word(prefix_[1], [&](Word rows, std::uint32_t word) { return keep(rows & ~rows_.word(prefix_[0], word), word), false; });
            return;
        }
        know_outside(depth - 1);
        const List from = levels_[depth - 1].outside;
        level.outside = {from.end, from.end};
        for (std::size_t at = from.begin; at < from.end; ++at) keep(outside_[at].bits, outside_[at].word);
    }

    // Looks for a live row and drops dead ones on the way; false if none is left. If a
    // row's part of the kept items is frequent with the prefix, then so is that of every row
    // with no further kept item: one test settles them all.
    bool drop_dead_rows(std::size_t depth) {
        Level& level = levels_[depth];
        if constexpr (marking)
            if (!drop_marked_rows(depth, level.kept)) return false;
        Cover *begin = cover_.data() + level.cover.begin, *end = cover_.data() + level.cover.end;
        int tries = 32;  // where there are so many kinds of rows, some are live
        for (Cover* at = begin; at != end; ++at)
            while (at->live != 0) {
                if (tries-- == 0) return true;
                const Word row = at->live & (~at->live + 1);
                inside_.clear();
                beyond_.clear();
                for (std::size_t w = 0; w < set_words_; ++w)
                    for (Word rest = level.kept[w]; rest != 0; rest &= rest - 1) {
                        const Word* with = bits(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
                        (with[at->word] & row ? inside_ : beyond_).push_back(with);
                    }
                if (inside_.size() >= 2 && !is_frequent_inside(begin, end)) return true;
                for (Cover* other = at; other != end; ++other) {
                    if (other->live == 0) continue;
                    Word further = 0;
                    for (const Word* with : beyond_) further |= with[other->word];
                    other->live &= further;
                }
            }
        return false;
    }

    bool is_frequent_inside(const Cover* at, const Cover* end) const {
        std::int64_t support = 0;
        for (; at != end; ++at) {
            Word rows = at->bits;
            for (std::size_t i = 0; i < inside_.size() && rows != 0; ++i) rows &= inside_[i][at->word];
            if (rows != 0 && (support += std::popcount(rows) * layout_.weight[at->word]) > theta_) return true;
        }
        return false;
    }

    // Rows in which the prefix and these items are all marked are dead; false if all are.
    bool drop_marked_rows(std::size_t depth, const std::vector<Word>& items) {
        inside_.clear();
        for (std::size_t d = 1; d <= depth; ++d) inside_.push_back(open(levels_[d].item));
        for (std::size_t w = 0; w < set_words_; ++w)
            for (Word rest = items[w]; rest != 0; rest &= rest - 1) inside_.push_back(open(w * 64 + static_cast<std::size_t>(std::countr_zero(rest))));
        Word live = 0;
        for (std::size_t at = levels_[depth].cover.begin; at < levels_[depth].cover.end; ++at) {
            if (cover_[at].live == 0) continue;
            Word unmarked = 0;
            for (const Word* rows : inside_) unmarked |= rows[cover_[at].word];
            live |= cover_[at].live &= unmarked;
        }
        return live != 0;
    }

    void claim(std::size_t bytes) {
        if (bytes <= claimed_) return;
        control_.claim(static_cast<std::int64_t>(bytes - claimed_));
        claimed_ = bytes;
    }
    void claim_more(std::size_t bytes) { control_.claim(static_cast<std::int64_t>(bytes)); }

    Rows& rows_;
    const std::int64_t theta_, max_size_;
    Control& control_;
    Sink& sink_;
    std::vector<std::int32_t> local_of_;
    std::vector<std::int64_t> support_;
    std::vector<std::int32_t> n_rows_;
    std::vector<std::int32_t> partners_;  // by local item: rank
    std::vector<std::int32_t> row_at_;    // by slot
    std::vector<std::int32_t> prefix_;    // ranks
    Layout layout_;
    std::vector<Word> bits_, open_;       // by local item: its rows, its rows in which it is not marked
    std::size_t set_words_ = 0, claimed_ = 0;
    std::vector<Level> levels_;
    std::vector<Cover> cover_;
    std::vector<Piece> outside_;
    std::vector<const Word*> inside_, beyond_;
};

}  // namespace discreet::infrequent
