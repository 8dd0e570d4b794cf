// Before the search for minimal infrequent itemsets (MIIs): those of two items, and for each
// item the items that can join it in a larger one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "infrequent/rows.hpp"

namespace discreet::infrequent {

// A sink is as in the search.
template <class Sink>
class Neighbourhood {
  public:
    Neighbourhood(Rows& rows, Control& control, Sink& sink) : rows_(rows), theta_(rows.theta), control_(control), sink_(sink), support_(rows.n_ranks(), 0), item_of_(rows.n_ranks(), -1) {}

    // For the rows with this item and the higher ranks in them. Bitmaps of these rows are
    // kept if there are larger MIIs to look for. Where most pairs of items occur in many
    // rows, they are made for all higher ranks and tell the supports; else these are counted
    // first, to leave out the pairs that are rare.
    void find(std::int32_t first, bool keep_bits) {
        Rows::Neighbours& neighbours = rows_.neighbours[static_cast<std::size_t>(first)];
        if (keep_bits) place_rows(first, 1);
        const std::size_t n_higher = rows_.n_ranks() - static_cast<std::size_t>(first) - 1, n_words = n_higher * slots_.n_words();
        if (keep_bits && n_words <= most_words && n_words <= 4 * slots_.row_at.size()) {
            neighbours.partners.resize(n_higher);
            std::iota(neighbours.partners.begin(), neighbours.partners.end(), first + 1);
            gather_rows(first, neighbours);
            neighbours.complete = true;
            return drop_rare_and_implied(first, neighbours);
        }
        count_pairs(first, neighbours);
        if (!keep_bits || neighbours.partners.size() < 2) return;
        std::size_t step = 1;
        while (slots_.n_words() / step * neighbours.partners.size() > most_words) ++step;
        if (step > 1) place_rows(first, step);
        gather_rows(first, neighbours);
        neighbours.complete = step == 1;
    }

  private:
    static constexpr std::size_t most_words = 32768;

    // Gives slots to the rows. Some can be left out, evenly: for most sets a part is enough to
    // see that they are frequent.
    void place_rows(std::int32_t first, std::size_t step) {
        auto with = rows_.rows_with(first);
        some_.clear();
        for (std::size_t t = 0; t < with.size() && step > 1; t += step) some_.push_back(with[t]);
        slots_.clear();
        slots_.add(step > 1 ? some_ : with, rows_.weight, taken_);
    }

    // The bitmaps of the partners.
    void gather_rows(std::int32_t first, Rows::Neighbours& neighbours) {
        const std::size_t n_words = slots_.n_words(), n = neighbours.partners.size();
        control_.claim(static_cast<std::int64_t>(n * (n_words * sizeof(Word) + 4)));
        neighbours.weight = slots_.weight;
        neighbours.bits.resize(n * n_words);
        for (std::size_t item = 0; item < n; ++item) item_of_[static_cast<std::size_t>(neighbours.partners[item])] = static_cast<std::int32_t>(item);
        const std::int32_t* const items = item_of_.data();
        for (std::size_t slot = 0; slot < slots_.row_at.size(); ++slot) {
            if (slot % 65536 == 0) control_.check();
            if (slots_.row_at[slot] < 0) continue;
            const auto row = rows_.row(slots_.row_at[slot]);
            Word* const words = neighbours.bits.data() + slot / 64;
            const Word bit = Word{1} << (slot % 64);
            for (const std::int32_t* at = row.data() + row.size(); *--at > first;)
                if (const std::int32_t item = items[*at]; item >= 0) words[static_cast<std::size_t>(item) * n_words] |= bit;
        }
        for (const std::int32_t partner : neighbours.partners) item_of_[static_cast<std::size_t>(partner)] = -1;
    }

    // Leaves only the partners that can join the first item in a larger MII.
    void drop_rare_and_implied(std::int32_t first, Rows::Neighbours& neighbours) {
        const std::size_t n_words = slots_.n_words();
        std::size_t n_left = 0;
        for (std::size_t item = 0; item < neighbours.partners.size(); ++item) {
            const Word* bits = neighbours.bits.data() + item * n_words;
            std::int64_t support = 0;
            Word missing = 0;
            for (std::size_t w = 0; w < n_words && (support <= theta_ || missing == 0); ++w) {
                support += bitmap::ones(bits[w]) * slots_.weight[w];
                missing |= bits[w] ^ taken_[w];
            }
            if (support <= theta_) {
                if (support > 0) report(first, neighbours.partners[item], support, bits);
            } else if (missing != 0) {  // else implied by the first, and in no MII with it
                neighbours.partners[n_left] = neighbours.partners[item];
                std::copy(bits, bits + n_words, neighbours.bits.data() + n_left++ * n_words);
            }
        }
        neighbours.partners.resize(n_left);
        neighbours.bits.resize(n_left * n_words);
    }

    void report(std::int32_t first, std::int32_t second, std::int64_t support, const Word* bits) {
        const std::int32_t pair[] = {first, second};
        sink_.add(pair, support);
        if constexpr (Sink::marks_cells)
            for (std::size_t w = 0; w < slots_.n_words(); ++w)
                for (Word rest = bits[w]; rest != 0; rest &= rest - 1) {
                    const std::int32_t r = slots_.row_at[64 * w + static_cast<std::size_t>(std::countr_zero(rest))];
                    sink_.mark(rows_.cell(r, first));
                    sink_.mark(rows_.cell(r, second));
                }
    }

    // Counts all pairs with the first item: the MIIs among them, and the items that go on.
    void count_pairs(std::int32_t first, Rows::Neighbours& neighbours) {
        const auto with = rows_.rows_with(first);
        std::vector<std::int32_t>& partners = neighbours.partners;
        std::int64_t* const supports = support_.data();
        std::int64_t total = 0;
        for (std::size_t t = 0; t < with.size(); ++t) {
            if (t % 65536 == 0) control_.check();
            const auto row = rows_.row(with[t]);
            const std::int64_t weight = rows_.weight[static_cast<std::size_t>(with[t])];
            total += weight;
            for (const std::int32_t* at = row.data() + row.size(); *--at > first;) {
                std::int64_t& support = supports[*at];
                if (support == 0) partners.push_back(*at);
                support += weight;
            }
        }
        std::sort(partners.begin(), partners.end());
        bool rare = false;
        for (const std::int32_t rank : partners) {
            if (supports[rank] > theta_) continue;
            const std::int32_t pair[] = {first, rank};
            sink_.add(pair, supports[rank]);
            rare = true;
        }
        if (Sink::marks_cells && rare) mark_pairs(first);
        std::erase_if(partners, [&](std::int32_t rank) {
            const std::int64_t support = std::exchange(supports[rank], 0);
            return support <= theta_ || support == total;  // a partner implied by the first is in no MII with it
        });
    }

    void mark_pairs(std::int32_t first) {
        for (const std::int32_t r : rows_.rows_with(first)) {
            const auto row = rows_.row(r);
            bool any = false;
            for (std::size_t i = row.size(); row[--i] > first;) {
                if (support_[static_cast<std::size_t>(row[i])] > theta_) continue;
                sink_.mark(rows_.cell_at(r, i));
                any = true;
            }
            if (any) sink_.mark(rows_.cell(r, first));
        }
    }

    Rows& rows_;
    const std::int64_t theta_;
    Control& control_;
    Sink& sink_;
    std::vector<std::int64_t> support_;   // by rank, with the first item
    std::vector<std::int32_t> item_of_;   // by rank: a number among the partners
    Slots slots_;                         // of the rows with the first item
    std::vector<Word> taken_;             // by word of these
    std::vector<std::int32_t> some_;      // rows, if not all have slots
};

}  // namespace discreet::infrequent
