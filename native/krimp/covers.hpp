// The cover of every row by the elements of a code table, and what changes if one comes or goes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bitmap.hpp"
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

    template <class Other>
    bool is_before(const Other& other) const {
        return size > other.size || (size == other.size && number < other.number);
    }
};

template <std::size_t Words>
class Covers {
  public:
    Covers(const Rows& rows, const Slots& slots) : rows_(rows), slots_(slots), all_(rows.size()), contained_(rows.size()) {
        by_slot_ = rows.items;
        for (std::size_t t = 0; t < rows.size(); ++t) {
            std::sort(by_slot_.begin() + rows.offsets[t], by_slot_.begin() + rows.offsets[t + 1], [&](std::int32_t a, std::int32_t b) { return slot_of(a) < slot_of(b); });
            for (const std::int32_t item : rows[t]) all_[t].add(slot_of(item));
        }
        alone_ = all_;
    }

    Mask<Words> mask(std::span<const std::int32_t> items) const {
        Mask<Words> made;
        for (const std::int32_t item : items) made.add(slot_of(item));
        return made;
    }

    // Tells what changes in row t if the element is added (which all its items must be free for)
    // or taken away (which the row must use): used(element, whether it is used now) for elements
    // after it in cover order, alone(item, whether it is covered alone now) for items.
    template <bool Adding, class Used, class Alone>
    void replay(std::size_t t, const Element<Words>& element, Used&& used, Alone&& alone) const {
        Mask<Words> left = all_[t];
        auto entry = contained_[t].begin();
        const auto end = contained_[t].end();
        for (; entry != end && entry->is_before(element); ++entry)
            if (entry->used) left.remove(entry->mask);
        if constexpr (Adding)
            left.remove(element.mask);
        else
            ++entry;
        for (; entry != end; ++entry) {
            const bool now = entry->mask.within(left);
            if (now) left.remove(entry->mask);
            if (now != entry->used) used(*entry, now);
        }
        Mask<Words> changed;
        for (std::size_t w = 0; w < Words; ++w) changed.bits[w] = left.bits[w] ^ alone_[t].bits[w];
        changed.visit([&](std::int32_t slot) { alone(item_at(t, slot), (left.bits[static_cast<std::size_t>(slot) / 64] >> slot % 64 & 1) != 0); });
    }

    // Whether row t, which contains the element, uses it.
    bool uses(std::size_t t, const Element<Words>& element) const {
        return std::ranges::any_of(contained_[t], [&](const Entry& entry) { return entry.number == element.number && entry.used; });
    }

    // Adds the element to a row that contains it, whether it comes to use or not.
    void insert(std::size_t t, const Element<Words>& element, bool used, FreeItems& free) {
        auto& entries = contained_[t];
        const auto place = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return element.is_before(entry); });
        const auto from = static_cast<std::size_t>(place - entries.begin()) + 1;
        entries.insert(place, Entry{element, used});
        if (used) recover(t, from, element.mask, element.size, free);
    }

    // Takes the element away from a row that contains it.
    void erase(std::size_t t, const Element<Words>& element, FreeItems& free) {
        auto& entries = contained_[t];
        const auto place = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.number == element.number; });
        const bool used = place->used;
        const auto from = static_cast<std::size_t>(place - entries.begin());
        entries.erase(place);
        if (used) recover(t, from, element.mask, -element.size, free);
    }

  private:
    struct Entry : Element<Words> {
        bool used;
    };

    std::int32_t slot_of(std::int32_t item) const { return slots_.of_item[static_cast<std::size_t>(item)]; }

    std::int32_t item_at(std::size_t t, std::int32_t slot) const {
        std::int64_t place = rows_.offsets[t];
        const auto word = static_cast<std::size_t>(slot) / 64;
        for (std::size_t w = 0; w < word; ++w) place += bitmap::ones(all_[t].bits[w]);
        place += bitmap::ones(all_[t].bits[word] & ((std::uint64_t{1} << slot % 64) - 1));
        return by_slot_[static_cast<std::size_t>(place)];
    }

    // Covers row t anew from an entry on, after an element that is new (size) or gone (-size).
    void recover(std::size_t t, std::size_t from, const Mask<Words>& mask, std::int32_t size, FreeItems& free) {
        auto& entries = contained_[t];
        std::vector<std::int32_t>& before = before_;
        before.assign(static_cast<std::size_t>(slots_.n), 1);
        std::vector<std::int32_t>& now = now_;
        now.assign(static_cast<std::size_t>(slots_.n), 1);
        const auto mark = [](std::vector<std::int32_t>& sizes, const Mask<Words>& items, std::int32_t with) { items.visit([&](std::int32_t slot) { sizes[static_cast<std::size_t>(slot)] = with; }); };
        Mask<Words> left = all_[t];
        for (std::size_t i = 0; i < from; ++i)
            if (entries[i].used) left.remove(entries[i].mask);
        Mask<Words> affected = left;
        if (size > 0) {
            mark(now, mask, size);
            mask.visit([&](std::int32_t slot) { affected.add(slot); });
        } else {
            mark(before, mask, -size);
        }
        for (std::size_t i = from; i < entries.size(); ++i) {
            Entry& entry = entries[i];
            if (entry.used) mark(before, entry.mask, entry.size);
            entry.used = entry.mask.within(left);
            if (!entry.used) continue;
            left.remove(entry.mask);
            mark(now, entry.mask, entry.size);
        }
        alone_[t] = left;
        affected.visit([&](std::int32_t slot) {
            const auto i = static_cast<std::size_t>(slot);
            if (before[i] != now[i]) free.change(item_at(t, slot), t, before[i], now[i]);
        });
    }

    const Rows& rows_;
    const Slots& slots_;
    std::vector<std::int32_t> by_slot_;  // the items of each row, by slot
    std::vector<Mask<Words>> all_;       // the items of each row
    std::vector<Mask<Words>> alone_;     // those covered as single items
    std::vector<std::vector<Entry>> contained_;  // the elements contained in each row, in cover order
    std::vector<std::int32_t> before_, now_;
};

}  // namespace discreet::krimp
