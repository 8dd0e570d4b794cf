// The cover of every row by the elements of a code table, and what changes if one comes or goes.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "base/bitmap.hpp"
#include "base/control.hpp"
#include "base/database.hpp"
#include "base/prefetch.hpp"

namespace discreet::krimp {

// ---- Rows ----
// Distinct rows in lexicographic order with their weights, and a bitmap of rows for each item.

// Equal rows have equal covers: each is kept once. Neighbours share items, so that the ones of a
// bitmap lie close together.
struct Rows {
    std::vector<std::int64_t> offsets{0};
    std::vector<std::int32_t> items;
    std::vector<std::int64_t> weights;

    std::size_t size() const { return weights.size(); }
    std::span<const std::int32_t> operator[](std::size_t t) const {
        return {items.data() + offsets[t], static_cast<std::size_t>(offsets[t + 1] - offsets[t])};
    }
};

inline Rows distinct_rows(const Database& database, Control& control) {
    const auto n = static_cast<std::size_t>(database.n_transactions());
    std::vector<std::int64_t> order(n);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return std::ranges::lexicographical_compare(database.transaction(a), database.transaction(b)); });
    control.check();
    Rows rows;
    for (const std::int64_t t : order) {
        const auto items = database.transaction(t);
        const std::int64_t weight = database.weights[static_cast<std::size_t>(t)];
        if (rows.size() > 0 && std::ranges::equal(rows[rows.size() - 1], items)) {
            rows.weights.back() += weight;
            continue;
        }
        rows.items.insert(rows.items.end(), items.begin(), items.end());
        rows.offsets.push_back(static_cast<std::int64_t>(rows.items.size()));
        rows.weights.push_back(weight);
    }
    control.claim(static_cast<std::int64_t>(rows.items.size() * 4 + rows.size() * 16));
    return rows;
}

// ---- Free items ----
// For each item and size s, the rows in which no element of s items or more covers the item.

// A candidate of s items comes after all elements of as many items, so that a row uses it just if
// all its items are free at s there: one AND for each item. A bitmap is kept for those sizes only
// of which there has been an element with the item; the next larger size kept answers for others.
class FreeItems {
  public:
    FreeItems(const Rows& rows, std::int32_t n_items, std::size_t largest_size, Control& control)
        : words_(bitmap::words_for(rows.size())), n_sizes_(largest_size + 2), of_(static_cast<std::size_t>(n_items)), at_(of_.size() * n_sizes_, 0), control_(control) {
        control_.claim(static_cast<std::int64_t>(at_.size() * sizeof(at_[0])));
        for (auto& versions : of_) versions.push_back(make(no_size));
        for (std::size_t t = 0; t < rows.size(); ++t)
            for (const std::int32_t item : rows[t]) {
                Version& all = of_[static_cast<std::size_t>(item)].front();
                bitmap::set(all.rows.data(), t);
                ++all.count;
            }
    }

    std::size_t words() const { return words_; }
    const bitmap::Word* all(std::int32_t item) const { return of_[static_cast<std::size_t>(item)].front().rows.data(); }

    struct Version {
        std::int32_t size;
        std::int64_t count;
        std::vector<bitmap::Word> rows;
    };
    const Version& at(std::int32_t item, std::size_t size) const { return of_[static_cast<std::size_t>(item)][at_[static_cast<std::size_t>(item) * n_sizes_ + size]]; }

    // Keeps bitmaps of this size for these items from now on.
    void keep(std::span<const std::int32_t> items, std::size_t size) {
        for (const std::int32_t item : items) {
            const Version& now = at(item, size);
            if (now.size == static_cast<std::int32_t>(size)) continue;
            Version more = make(static_cast<std::int32_t>(size));
            more.count = now.count;
            more.rows = now.rows;
            auto& versions = of_[static_cast<std::size_t>(item)];
            std::uint16_t* const index = at_.data() + static_cast<std::size_t>(item) * n_sizes_;
            const std::uint16_t before = index[size];
            for (std::size_t smaller = size + 1; smaller-- > 0 && index[smaller] == before;) index[smaller] = static_cast<std::uint16_t>(versions.size());
            versions.push_back(std::move(more));
        }
    }

    // In this row the item's element has a new size.
    void change(std::int32_t item, std::size_t row, std::int32_t before, std::int32_t now) {
        for (Version& version : of_[static_cast<std::size_t>(item)]) {
            const bool was_free = before < version.size, is_free = now < version.size;
            if (was_free == is_free) continue;
            version.rows[row / 64] ^= bitmap::Word{1} << row % 64;
            version.count += is_free ? 1 : -1;
        }
    }

  private:
    static constexpr std::int32_t no_size = std::numeric_limits<std::int32_t>::max();

    Version make(std::int32_t size) {
        control_.claim(static_cast<std::int64_t>(words_ * 8));
        return {size, 0, std::vector<bitmap::Word>(words_, 0)};
    }

    std::size_t words_, n_sizes_;
    std::vector<std::vector<Version>> of_;
    std::vector<std::uint16_t> at_;  // which version answers for a size; there are at most most_slots sizes
    Control& control_;
};

// ---- Slots ----
// Places for items in a row's mask: no row has two items of one slot.

struct Slots {
    std::vector<std::int32_t> of_item;
    std::int32_t n = 0;
};

// A table's slots are its columns. Otherwise items are coloured one by one, those with most
// neighbours (items in a common row) first, each with the lowest slot no neighbour has: data that
// were a table once get about as many slots as they had columns.
inline Slots slots(const Database& database, Control& control) {
    const auto n_items = static_cast<std::size_t>(database.n_items);
    Slots found{std::vector<std::int32_t>(n_items, 0), 0};
    if (database.is_table()) {
        std::copy(database.column_of.begin(), database.column_of.end(), found.of_item.begin());
        for (const std::int32_t slot : found.of_item) found.n = std::max(found.n, slot + 1);
        return found;
    }
    const std::size_t words = bitmap::words_for(n_items);
    const auto bytes = static_cast<std::int64_t>(n_items * words * 8);
    control.claim(bytes);
    std::vector<bitmap::Word> together(n_items * words, 0), row(words, 0);
    for (std::int64_t t = 0; t < database.n_transactions(); ++t) {
        if (t % 1024 == 0) control.check();
        const auto items = database.transaction(t);
        for (const std::int32_t item : items) bitmap::set(row.data(), static_cast<std::size_t>(item));
        for (const std::int32_t item : items) {
            bitmap::Word* of = together.data() + static_cast<std::size_t>(item) * words;
            for (std::size_t w = 0; w < words; ++w) of[w] |= row[w];
        }
        for (const std::int32_t item : items) row[static_cast<std::size_t>(item) / 64] = 0;
    }
    std::vector<std::int64_t> n_neighbours(n_items);
    for (std::size_t item = 0; item < n_items; ++item) n_neighbours[item] = bitmap::count(together.data() + item * words, words);
    std::vector<std::int32_t> order(n_items);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return n_neighbours[static_cast<std::size_t>(a)] > n_neighbours[static_cast<std::size_t>(b)]; });
    std::vector<std::vector<bitmap::Word>> members;  // of each slot
    for (const std::int32_t item : order) {
        const auto i = static_cast<std::size_t>(item);
        std::size_t slot = 0;
        while (slot < members.size() && bitmap::count_and(members[slot].data(), together.data() + i * words, words) > 0) ++slot;
        if (slot == members.size()) members.emplace_back(words, 0);
        bitmap::set(members[slot].data(), i);
        found.of_item[i] = static_cast<std::int32_t>(slot);
    }
    found.n = static_cast<std::int32_t>(members.size());
    control.release(bytes);
    return found;
}

// ---- Covers ----

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
