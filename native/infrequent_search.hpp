// v1 prototype
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "bitmap.hpp"
#include "control.hpp"
#include "database.hpp"
#include "tasks.hpp"

namespace discreet::infrequent {

using bitmap::Word;

#ifdef STATS
inline long n_nodes, n_evals, n_eval_words, n_build_words, n_tests, n_test_words, n_dead, n_cand;
#define STAT(x) x
#else
#define STAT(x)
#endif

struct Piece {
    Word bits;
    std::uint32_t word;
};

struct Rows {
    std::int64_t theta = 0, total = 0;
    std::vector<std::int32_t> item_of;                // by rank
    std::vector<std::int64_t> offsets{0};             // of rows
    std::vector<std::int32_t> ranks;                  // of rows
    std::vector<std::int64_t> weight;                 // of rows, clamped
    std::vector<std::int32_t> rank_of;                // by item, -1 if in no larger MII
    std::vector<std::uint8_t> single;                 // by item, an MII of its own
    std::vector<std::int64_t> row_of;                 // by transaction, -1 if empty
    std::vector<std::int64_t> tid_offsets;
    std::vector<std::int32_t> tids;                   // rows by rank
    std::size_t n_words = 0;
    std::vector<Word> bits;                           // rank * n_words
    std::vector<std::int64_t> word_weight;
    std::vector<Word> pairs; std::size_t pair_words = 0;

    std::span<const std::int32_t> row(std::size_t r) const { return {ranks.data() + offsets[r], static_cast<std::size_t>(offsets[r + 1] - offsets[r])}; }
    std::size_t n_ranks() const { return item_of.size(); }
};

template <class Single>
Rows prepare(const Database& db, std::int64_t theta, Single&& single) {
    Rows rows;
    rows.theta = theta;
    rows.total = db.total_weight();
    if (rows.total <= theta) return rows;
    std::vector<std::int64_t> support(static_cast<std::size_t>(db.n_items), 0);
    for (std::int64_t t = 0; t < db.n_transactions(); ++t)
        for (const auto item : db.transaction(t)) support[static_cast<std::size_t>(item)] += db.weights[static_cast<std::size_t>(t)];
    rows.single.assign(static_cast<std::size_t>(db.n_items), 0);
    for (std::int32_t item = 0; item < db.n_items; ++item) {
        const auto s = support[static_cast<std::size_t>(item)];
        if (s > theta && s < rows.total) rows.item_of.push_back(item);
        rows.single[static_cast<std::size_t>(item)] = s > 0 && s <= theta;
        if (s > 0 && s <= theta) single(item, s);
    }
    std::stable_sort(rows.item_of.begin(), rows.item_of.end(), [&](auto a, auto b) { return support[static_cast<std::size_t>(a)] < support[static_cast<std::size_t>(b)]; });
    auto& rank = rows.rank_of;
    rank.assign(static_cast<std::size_t>(db.n_items), -1);
    rows.row_of.assign(db.weights.size(), -1);
    for (std::size_t r = 0; r < rows.item_of.size(); ++r) rank[static_cast<std::size_t>(rows.item_of[r])] = static_cast<std::int32_t>(r);
    std::vector<std::int64_t> order(db.weights.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return std::min(db.weights[a], theta + 1) > std::min(db.weights[b], theta + 1); });
    for (const auto t : order) {
        const auto begin = rows.ranks.size();
        for (const auto item : db.transaction(t))
            if (rank[static_cast<std::size_t>(item)] >= 0) rows.ranks.push_back(rank[static_cast<std::size_t>(item)]);
        if (rows.ranks.size() == begin) continue;
        std::sort(rows.ranks.begin() + static_cast<std::ptrdiff_t>(begin), rows.ranks.end());
        rows.offsets.push_back(static_cast<std::int64_t>(rows.ranks.size()));
        rows.row_of[static_cast<std::size_t>(t)] = static_cast<std::int64_t>(rows.weight.size());
        rows.weight.push_back(std::min(db.weights[static_cast<std::size_t>(t)], theta + 1));
    }
    rows.tid_offsets.assign(rows.n_ranks() + 1, 0);
    for (const auto r : rows.ranks) ++rows.tid_offsets[static_cast<std::size_t>(r) + 1];
    std::partial_sum(rows.tid_offsets.begin(), rows.tid_offsets.end(), rows.tid_offsets.begin());
    rows.tids.resize(rows.ranks.size());
    auto cursor = rows.tid_offsets;
    std::vector<std::size_t> slot(rows.weight.size());
    std::size_t next = 0;
    for (std::size_t r = 0; r < rows.weight.size(); ++r) {
        for (const auto k : rows.row(r)) rows.tids[static_cast<std::size_t>(cursor[static_cast<std::size_t>(k)]++)] = static_cast<std::int32_t>(r);
        if (r > 0 && rows.weight[r] != rows.weight[r - 1]) next = (next + 63) / 64 * 64;
        slot[r] = next++;
        rows.word_weight.resize(slot[r] / 64 + 1, rows.weight[r]);
    }
    rows.n_words = rows.word_weight.size();
    rows.bits.assign(rows.n_words * rows.n_ranks(), 0);
    for (std::size_t r = 0; r < rows.weight.size(); ++r)
        for (const auto k : rows.row(r)) bitmap::set(rows.bits.data() + static_cast<std::size_t>(k) * rows.n_words, slot[r]);
    return rows;
}

inline void count_pairs(Rows& R) {
 R.pair_words=(R.n_ranks()+63)/64; if(R.n_ranks()<4096){ R.pairs.assign(R.pair_words*R.n_ranks(),0); std::vector<int64_t> sup(R.n_ranks()); for(size_t x=0;x<R.n_ranks();++x){ std::fill(sup.begin(),sup.end(),0); for(auto i=R.tid_offsets[x];i<R.tid_offsets[x+1];++i) for(auto k:R.row(R.tids[i])) sup[k]+=R.weight[R.tids[i]]; for(size_t k=0;k<R.n_ranks();++k) if(sup[k]>R.theta) bitmap::set(R.pairs.data()+x*R.pair_words,k);} }
}

template <class Sink>
class Search {
  public:
    Search(const Rows& rows, std::int64_t max_size, Control& control, Sink& sink) : rows_(rows), max_size_(max_size), control_(control), sink_(sink), theta_(rows.theta), local_of_(rows.n_ranks(), -1) {}

    void run(std::int32_t x) {
        control_.check();
        // pair supports
        const std::span<const std::int32_t> tids(rows_.tids.data() + rows_.tid_offsets[x], static_cast<std::size_t>(rows_.tid_offsets[x + 1] - rows_.tid_offsets[x]));
        std::vector<std::int64_t> support(rows_.n_ranks(), 0);
        std::vector<std::int64_t> n_rows(rows_.n_ranks(), 0);
        for (const auto t : tids)
            for (const auto k : rows_.row(static_cast<std::size_t>(t)))
                if (k > x) support[static_cast<std::size_t>(k)] += rows_.weight[static_cast<std::size_t>(t)], ++n_rows[static_cast<std::size_t>(k)];
        rank_of_.clear();
        rare_.clear();
        for (std::int32_t k = x + 1; k < static_cast<std::int32_t>(rows_.n_ranks()); ++k) {
            const auto s = support[static_cast<std::size_t>(k)];
            if (s > 0 && s <= theta_) {
                const std::int32_t pair[] = {x, k};
                sink_.add(pair, s);
                rare_.push_back(k);
            } else if (s > theta_ && n_rows[k] < static_cast<std::int64_t>(tids.size())) {
                local_of_[static_cast<std::size_t>(k)] = static_cast<std::int32_t>(rank_of_.size());
                rank_of_.push_back(k);
            }
        }
        if constexpr (Sink::wants_rows)
            for (const auto k : rare_) {
                const std::int32_t pair[] = {x, k};
                for (const auto t : tids) {
                    const auto row = rows_.row(static_cast<std::size_t>(t));
                    if (std::binary_search(row.begin(), row.end(), k)) sink_.mark(t, pair);
                }
            }
        const std::size_t m = rank_of_.size();
        if (m >= 2 && max_size_ > 2) {
            std::size_t next = 0;
            word_weight_.clear();
            std::vector<std::size_t> slot;
            for (std::size_t r = 0; r < tids.size(); ++r) {
                const auto w = rows_.weight[static_cast<std::size_t>(tids[r])];
                if (r > 0 && w != rows_.weight[static_cast<std::size_t>(tids[r - 1])]) next = (next + 63) / 64 * 64;
                row_at_.resize(next + 1);
                row_at_[next] = tids[r];
                slot.push_back(next++);
                word_weight_.resize(slot[r] / 64 + 1, w);
            }
            n_words_ = word_weight_.size();
            bits_.assign(m * n_words_, 0);
            std::vector<Word> all(n_words_, 0);
            for (std::size_t r = 0; r < tids.size(); ++r) {
                bitmap::set(all.data(), slot[r]);
                for (const auto k : rows_.row(static_cast<std::size_t>(tids[r])))
                    if (k > x && local_of_[static_cast<std::size_t>(k)] >= 0) bitmap::set(bits_.data() + static_cast<std::size_t>(local_of_[static_cast<std::size_t>(k)]) * n_words_, slot[r]);
            }
            set_words_ = bitmap::words_for(m);
            levels_.clear();
            levels_.resize(std::min<std::size_t>(m + 2, 64));
            pieces_.clear();
            prefix_ = {x};
            Level& level = level_at(1);
            level.kept.assign(set_words_, 0);
            for (std::size_t i = 0; i < m; ++i) bitmap::set(level.kept.data(), i);
            level.crits = {};
            level.begin = 0;
            for (std::size_t w = 0; w < n_words_; ++w) pieces_.push_back({all[w], static_cast<std::uint32_t>(w)});
            level.end = pieces_.size();
            level_at(0).table.assign(m * set_words_, ~Word{0});
            if (!rows_.pairs.empty())
                for (std::size_t a = 0; a < m; ++a) {
                    Word* row = level_at(0).table.data() + a * set_words_;
                    std::fill_n(row, set_words_, 0);
                    for (std::size_t b = a + 1; b < m; ++b)
                        if (bitmap::test(rows_.pairs.data() + static_cast<std::size_t>(rank_of_[a]) * rows_.pair_words, static_cast<std::size_t>(rank_of_[b]))) bitmap::set(row, b);
                }
            children(1);
        }
        for (const auto k : rank_of_) local_of_[static_cast<std::size_t>(k)] = -1;
    }

  private:
    struct List { std::size_t begin, end; };
    struct Level {
        std::size_t begin = 0, end = 0;   // cover
        std::vector<List> crits;
        std::vector<Word> tail, kept, table;
    };

    Level& level_at(std::size_t depth) { if (levels_.size() <= depth) levels_.resize(depth + 1); return levels_[depth]; }
    const Word* item(std::size_t i) const { return bits_.data() + i * n_words_; }
    const Word* root_item(std::size_t i) const { return rows_.bits.data() + static_cast<std::size_t>(rank_of_[i]) * rows_.n_words; }

    bool minimal(std::size_t depth, std::size_t i, std::int64_t f) {
        const Level& level = levels_[depth];
        STAT(++n_cand);
        for (std::size_t j = 0; j + 1 < depth; ++j) {
            std::int64_t need = theta_ + 1 - f;
            const Word* bits = j == 0 ? root_item(i) : item(i);
            const std::int64_t* weight = j == 0 ? rows_.word_weight.data() : word_weight_.data();
            STAT(++n_tests);
            for (std::size_t p = level.crits[j].begin; p < level.crits[j].end && need > 0; ++p) {
                STAT(++n_test_words);
                need -= std::popcount(pieces_[p].bits & bits[pieces_[p].word]) * weight[pieces_[p].word];
            }
            if (need > 0) return false;
        }
        return true;
    }

    void report(std::size_t depth, std::size_t i, std::int64_t f) {
        prefix_.push_back(rank_of_[i]);
        sink_.add(prefix_, f);
        if constexpr (Sink::wants_rows)
            for (std::size_t p = levels_[depth].begin; p < levels_[depth].end; ++p)
                for (Word both = pieces_[p].bits & item(i)[pieces_[p].word]; both; both &= both - 1)
                    sink_.mark(row_at_[pieces_[p].word * std::size_t{64} + static_cast<std::size_t>(std::countr_zero(both))], prefix_);
        prefix_.pop_back();
    }

    void evaluate(std::size_t depth) {
        Level& level = levels_[depth];
        level.kept.assign(set_words_, 0);
        STAT(++n_nodes);
        for (std::size_t w = 0; w < set_words_; ++w)
            for (Word rest = level.tail[w]; rest; rest &= rest - 1) {
                const std::size_t i = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
                const Word* bits = item(i);
                std::int64_t f = 0;
                Word miss = 0;
                STAT(++n_evals);
                for (std::size_t p = level.begin; p < level.end; ++p) {
                    STAT(++n_eval_words);
                    const Word both = pieces_[p].bits & bits[pieces_[p].word];
                    f += std::popcount(both) * word_weight_[pieces_[p].word];
                    miss |= both ^ pieces_[p].bits;
                    if (f > theta_ && miss) break;
                }
                if (f == 0) continue;
                if (f <= theta_) {
                    if (minimal(depth, i, f)) report(depth, i, f);
                } else if (miss) {
                    bitmap::set(level.kept.data(), i);
                }
            }
    }

    // Pieces of set & item (or & ~item).
    List meet(List from, const Word* bits, bool without) {
        const std::size_t begin = pieces_.size();
        for (std::size_t p = from.begin; p < from.end; ++p) {
            STAT(++n_build_words);
            const Piece piece = pieces_[p];
            const Word both = piece.bits & (without ? ~bits[piece.word] : bits[piece.word]);
            if (both) pieces_.push_back({both, piece.word});
        }
        return {begin, pieces_.size()};
    }

    void children(std::size_t depth) {
        level_at(depth + 1);
        Level& level = levels_[depth];
        Level& next = levels_[depth + 1];
        const Level& parent = levels_[depth - 1];
        level.table.resize(level.kept.size() * 64 * set_words_);
        control_.check();
        for (std::size_t w = set_words_; w-- > 0;)
            for (Word rest = level.kept[w]; rest;) {
                const std::size_t bit = 63 - static_cast<std::size_t>(std::countl_zero(rest));
                rest &= ~(Word{1} << bit);
                const std::size_t a = w * 64 + bit;
                Word* row = level.table.data() + a * set_words_;
                const Word* sibling = parent.table.data() + a * set_words_;
                next.tail.assign(set_words_, 0);
                Word any = 0;
                for (std::size_t v = w; v < set_words_; ++v) {
                    Word allowed = level.kept[v] & sibling[v];
                    if (v == w) allowed &= ~((Word{2} << bit) - 1);
                    any |= next.tail[v] = allowed;
                }
                std::fill_n(row, set_words_, 0);
                if (!any) continue;
                const std::size_t mark = pieces_.size();
                next.crits.clear();
                bool free = true;
                if (depth == 1) {
                    const std::size_t begin = pieces_.size();
                    const Word* y = root_item(a);
                    const Word* x = rows_.bits.data() + static_cast<std::size_t>(prefix_[0]) * rows_.n_words;
                    for (std::size_t v = 0; v < rows_.n_words; ++v)
                        if (const Word bits = y[v] & ~x[v]) pieces_.push_back({bits, static_cast<std::uint32_t>(v)});
                    next.crits.push_back({begin, pieces_.size()});
                }
                for (std::size_t j = 0; j < level.crits.size() && free; ++j) {
                    next.crits.push_back(meet(level.crits[j], j == 0 ? root_item(a) : item(a), false));
                    free = next.crits.back().begin < next.crits.back().end;
                }
                if (free) {
                    next.crits.push_back(meet({level.begin, level.end}, item(a), true));
                    const List cover = meet({level.begin, level.end}, item(a), false);
                    next.begin = cover.begin;
                    next.end = cover.end;
                    prefix_.push_back(rank_of_[a]);
                    evaluate(depth + 1);
                    if (static_cast<std::int64_t>(depth) + 2 < max_size_) children(depth + 1);
                    prefix_.pop_back();
                    std::copy(next.kept.begin(), next.kept.end(), level.table.begin() + static_cast<std::ptrdiff_t>(a * set_words_));
                } else {
                    STAT(++n_dead);
                    level.kept[w] &= ~(Word{1} << bit);
                }
                pieces_.resize(mark);
            }
    }

    const Rows& rows_;
    const std::int64_t max_size_;
    Control& control_;
    Sink& sink_;
    const std::int64_t theta_;
    std::vector<std::int32_t> local_of_, rank_of_, prefix_, rare_;
    std::size_t n_words_ = 0, set_words_ = 0;
    std::vector<std::int64_t> word_weight_;
    std::vector<Word> bits_;
    std::vector<std::int32_t> row_at_;
    std::vector<Piece> pieces_;
    std::vector<Level> levels_;
};

}  // namespace discreet::infrequent

