// The cover of every row by the elements of a code table, and what changes if one comes or goes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bitmap.hpp"
#include "base/prefetch.hpp"
#include "krimp/free_items.hpp"
#include "krimp/rows.hpp"
#include "krimp/slots.hpp"

namespace discreet::krimp {

// Some of a row's items, as slots.
template <std::size_t Words>
struct Mask {
    std::array<std::uint64_t, Words> bits{};

    void add(std::int32_t slot) { bits[static_cast<std::size_t>(slot) / 64] |= std::uint64_t{1} << slot % 64; }
    bool within(const Mask& other) const {
        std::uint64_t outside = 0;
        for (std::size_t w = 0; w < Words; ++w) outside |= bits[w] & ~other.bits[w];
        return outside == 0;
    }
    bool meets(const Mask& other) const {
        std::uint64_t both = 0;
        for (std::size_t w = 0; w < Words; ++w) both |= bits[w] & other.bits[w];
        return both != 0;
    }
    bool has(std::int32_t slot) const { return (bits[static_cast<std::size_t>(slot) / 64] >> slot % 64 & 1) != 0; }
    bool has_two() const {
        std::uint64_t before = 0;
        for (const std::uint64_t word : bits) {
            if (word != 0 && (before != 0 || (word & (word - 1)) != 0)) return true;
            before |= word;
        }
        return false;
    }
    std::int64_t size() const {
        std::int64_t n = 0;
        for (const std::uint64_t word : bits) n += bitmap::ones(word);
        return n;
    }
    void remove(const Mask& other) {
        for (std::size_t w = 0; w < Words; ++w) bits[w] &= ~other.bits[w];
    }
    template <class Visit>
    void visit(Visit&& visit_slot) const {
        for (std::size_t w = 0; w < Words; ++w)
            for (std::uint64_t left = bits[w]; left != 0; left &= left - 1) visit_slot(static_cast<std::int32_t>(w * 64) + std::countr_zero(left));
    }
};

// An element of the code table with two items or more: number, size, and items as slots. Numbers
// rise in standard candidate order, in which supports fall, so that size falling, number rising is
// the standard cover order.
template <std::size_t Words>
struct Element {
    std::int32_t number;
    std::int32_t size;
    Mask<Words> mask;

    bool is_before(const Element& other) const {
        return size > other.size || (size == other.size && number < other.number);
    }
};

// What one row knows: the elements it contains, in cover order, and which of them cover it.
template <std::size_t Words>
struct RowCover {
    struct Used {
        Mask<Words> mask;
        std::size_t place;  // among those contained
    };
    std::vector<Used> used;
    std::vector<Mask<Words>> masks;
    std::vector<std::int32_t> numbers;
    Mask<Words> all;    // its items
    Mask<Words> alone;  // those covered as single items
};

template <std::size_t Words>
class Covers {
  public:
    Covers(const Rows& rows, const Slots& slots) : rows_(rows), slots_(slots), by_slot_(rows.items), of_(rows.size()) {
        for (std::size_t t = 0; t < rows.size(); ++t) {
            std::sort(by_slot_.begin() + rows.offsets[t], by_slot_.begin() + rows.offsets[t + 1], [&](std::int32_t a, std::int32_t b) { return slot_of(a) < slot_of(b); });
            of_[t].alone = of_[t].all = mask(rows[t]);
        }
    }

    Mask<Words> mask(std::span<const std::int32_t> items) const {
        Mask<Words> made;
        for (const std::int32_t item : items) made.add(slot_of(item));
        return made;
    }

    // Tells what changes in row t if the element is added, all its items being free: used(number,
    // whether it is used now) for other elements, alone(item, whether it is covered alone now).
    // False, and nothing told, if all that changes is that its items are no longer alone.
    template <class Used, class Alone>
    bool replay_with(std::size_t t, const Element<Words>& element, Used&& used, Alone&& alone) const {
        const RowCover<Words>& row = of_[t];
        Mask<Words> left = row.all;
        left.remove(element.mask);
        for (auto taken = row.used.begin(); taken != row.used.end(); ++taken) {
            if (taken->mask.meets(element.mask)) {
                used(row.numbers[taken->place], false);
                replay(t, left, taken->place + 1, taken + 1, used, alone);
                return true;
            }
            left.remove(taken->mask);
        }
        return false;
    }

    // As above, for an element that is taken away; nothing is told if the row does not use it.
    template <class Used, class Alone>
    void replay_without(std::size_t t, const Element<Words>& element, Used&& used, Alone&& alone) const {
        const RowCover<Words>& row = of_[t];
        Mask<Words> left = row.all;
        for (auto taken = row.used.begin(); taken != row.used.end(); ++taken) {
            if (row.numbers[taken->place] == element.number) return replay(t, left, taken->place + 1, taken + 1, used, alone);
            left.remove(taken->mask);
        }
    }

    // Makes the size of an element known before it is added to rows.
    void know(const Element<Words>& element) {
        sizes_.resize(static_cast<std::size_t>(element.number) + 1, 1);
        sizes_.back() = element.size;
    }

    // Adds the element to a row that contains it, whether it comes to use or not.
    void insert(std::size_t t, const Element<Words>& element, bool is_used, FreeItems& free) {
        RowCover<Words>& row = of_[t];
        // Its number is the highest: it comes after all elements of its size.
        const auto larger = std::ranges::partition_point(row.numbers, [&](std::int32_t other) { return sizes_[static_cast<std::size_t>(other)] >= element.size; });
        const auto place = static_cast<std::size_t>(larger - row.numbers.begin());
        row.numbers.insert(larger, element.number);
        row.masks.insert(row.masks.begin() + static_cast<std::ptrdiff_t>(place), element.mask);
        for (auto& taken : row.used) taken.place += taken.place >= place;
        if (!is_used) return;
        const auto after = std::ranges::find_if(row.used, [&](const auto& taken) { return taken.place > place; });
        recover(t, static_cast<std::size_t>(after - row.used.begin()), place, nullptr, free);
    }

    // Takes the element away from a row that contains it.
    void erase(std::size_t t, const Element<Words>& element, FreeItems& free) {
        RowCover<Words>& row = of_[t];
        const auto number = std::ranges::find(row.numbers, element.number);
        const auto place = static_cast<std::size_t>(number - row.numbers.begin());
        row.numbers.erase(number);
        row.masks.erase(row.masks.begin() + static_cast<std::ptrdiff_t>(place));
        const auto found = std::ranges::find_if(row.used, [&](const auto& taken) { return taken.place == place; });
        const auto before = static_cast<std::size_t>(found - row.used.begin());
        const bool was_used = found != row.used.end();
        if (was_used) row.used.erase(found);
        for (auto& taken : row.used) taken.place -= taken.place > place;
        if (was_used) {
            const auto after = std::ranges::find_if(row.used, [&](const auto& taken) { return taken.place >= place; });
            recover(t, std::min(before, static_cast<std::size_t>(after - row.used.begin())), place, &element.mask, free);
        }
    }

    // Calls visit for each row of a list, those to come being fetched into the cache meanwhile.
    template <class Visit>
    void visit(const std::vector<std::uint32_t>& rows, Visit&& visit_row) const {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (i + 8 < rows.size()) prefetch(&of_[rows[i + 8]]);
            if (i + 4 < rows.size()) {
                const RowCover<Words>& row = of_[rows[i + 4]];
                prefetch(row.used.data());
                prefetch(row.masks.data());
                prefetch(row.masks.data() + 8);
                prefetch(row.numbers.data());
            }
            visit_row(rows[i]);
        }
    }

  private:
    using Taken = typename std::vector<typename RowCover<Words>::Used>::const_iterator;

    std::int32_t slot_of(std::int32_t item) const { return slots_.of_item[static_cast<std::size_t>(item)]; }

    // Covers what is left of row t by the elements from a place on, beside those used there now.
    template <class Used, class Alone>
    void replay(std::size_t t, Mask<Words> left, std::size_t from, Taken taken, Used&& used, Alone&& alone) const {
        const RowCover<Words>& row = of_[t];
        for (std::size_t place = from; place < row.masks.size() && left.has_two(); ++place) {
            if (!row.masks[place].within(left)) continue;
            left.remove(row.masks[place]);
            for (; taken != row.used.end() && taken->place < place; ++taken) used(row.numbers[taken->place], false);
            if (taken != row.used.end() && taken->place == place)
                ++taken;
            else
                used(row.numbers[place], true);
        }
        for (; taken != row.used.end(); ++taken) used(row.numbers[taken->place], false);
        Mask<Words> changed;
        for (std::size_t w = 0; w < Words; ++w) changed.bits[w] = left.bits[w] ^ row.alone.bits[w];
        changed.visit([&](std::int32_t slot) { alone(item_at(t, slot), left.has(slot)); });
    }

    std::int32_t item_at(std::size_t t, std::int32_t slot) const {
        std::int64_t place = rows_.offsets[t];
        const auto word = static_cast<std::size_t>(slot) / 64;
        for (std::size_t w = 0; w < word; ++w) place += bitmap::ones(of_[t].all.bits[w]);
        place += bitmap::ones(of_[t].all.bits[word] & ((std::uint64_t{1} << slot % 64) - 1));
        return by_slot_[static_cast<std::size_t>(place)];
    }

    // Covers row t anew from a place on, keeping the first ones used; `gone` was used there.
    void recover(std::size_t t, std::size_t kept, std::size_t from, const Mask<Words>* gone, FreeItems& free) {
        RowCover<Words>& row = of_[t];
        before_.assign(static_cast<std::size_t>(slots_.n), 1);
        now_.assign(static_cast<std::size_t>(slots_.n), 1);
        const auto mark = [](std::vector<std::int32_t>& sizes, const Mask<Words>& items) {
            const auto size = static_cast<std::int32_t>(items.size());
            items.visit([&](std::int32_t slot) { sizes[static_cast<std::size_t>(slot)] = size; });
        };
        Mask<Words> left = row.all;
        for (std::size_t i = 0; i < kept; ++i) left.remove(row.used[i].mask);
        const Mask<Words> affected = left;
        if (gone != nullptr) mark(before_, *gone);
        for (std::size_t i = kept; i < row.used.size(); ++i) mark(before_, row.used[i].mask);
        row.used.resize(kept);
        for (std::size_t place = from; place < row.masks.size() && left.has_two(); ++place) {
            if (!row.masks[place].within(left)) continue;
            left.remove(row.masks[place]);
            row.used.push_back({row.masks[place], place});
            mark(now_, row.masks[place]);
        }
        row.alone = left;
        affected.visit([&](std::int32_t slot) {
            const auto i = static_cast<std::size_t>(slot);
            if (before_[i] != now_[i]) free.change(item_at(t, slot), t, before_[i], now_[i]);
        });
    }

    const Rows& rows_;
    const Slots& slots_;
    std::vector<std::int32_t> by_slot_;  // the items of each row, by slot
    std::vector<RowCover<Words>> of_;
    std::vector<std::int32_t> sizes_;  // of elements, by number
    std::vector<std::int32_t> before_, now_;  // the size of each slot's element in one row
};

}  // namespace discreet::krimp
