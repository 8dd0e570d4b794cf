// Rows drawn from a dependent code tree, column by column (paper 003, section 3.4.4).
//
// A row knows the nodes whose path agrees with it. When a column has its value, the children that
// have this value agree too, and each tells the columns it has children in; so the context of a
// column is known when its turn comes, and no node is looked at that does not agree. Blocks
// of rows have a stream of random words of their own: threads, and how many rows are asked for at
// a time, do not change what is drawn.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/control.hpp"
#include "base/tasks.hpp"
#include "randomize/chacha20.hpp"
#include "synthesize/contexts.hpp"

namespace discreet::synthesize {

constexpr std::int64_t block_size = 256;  // rows that share a stream

namespace detail {

// A context of a node, with what is asked of it at once.
struct Link {
    std::int32_t context, column;
    bool has_steps;
};

inline std::vector<Link> links(const Contexts& tree) {
    std::vector<Link> made;
    made.reserve(tree.node_contexts.size());
    for (const std::int32_t context : tree.node_contexts) {
        const auto x = static_cast<std::size_t>(context);
        made.push_back({context, tree.columns[x], tree.step_offsets[x] < tree.step_offsets[x + 1]});
    }
    return made;
}

class Row {
  public:
    Row(const Contexts& tree, std::span<const Link> links) : tree_(tree), links_(links), chosen_(tree.n_columns()), waiting_(tree.n_columns()) {}

    void begin() {
        std::ranges::fill(chosen_, -1);
        for (auto& contexts : waiting_) contexts.clear();
        enter(0);
    }

    std::int32_t draw(std::size_t column, randomize::Stream& stream) const {
        const auto x = static_cast<std::size_t>(chosen_[column]);
        const auto begin = tree_.law_below.begin() + tree_.law_offsets[x], end = tree_.law_below.begin() + tree_.law_offsets[x + 1];
        const std::uint64_t uniform = stream.word() >> (64 - uniform_bits);
        const auto above = std::upper_bound(begin, end, uniform);
        if (above != end) return tree_.law_values[static_cast<std::size_t>(above - tree_.law_below.begin())];
        return draw_rest(column, x, stream);
    }

    // The column has this value.
    void set(std::size_t column, std::int32_t value) {
        for (const std::int32_t context : waiting_[column]) {
            const auto x = static_cast<std::size_t>(context);
            const auto begin = tree_.step_values.begin() + tree_.step_offsets[x], end = tree_.step_values.begin() + tree_.step_offsets[x + 1];
            const auto found = std::lower_bound(begin, end, value);
            if (found != end && *found == value) enter(static_cast<std::size_t>(tree_.step_nodes[static_cast<std::size_t>(found - tree_.step_values.begin())]));
        }
    }

  private:
    void enter(std::size_t node) {
        for (std::int64_t k = tree_.node_offsets[node]; k < tree_.node_offsets[node + 1]; ++k) {
            const Link& link = links_[static_cast<std::size_t>(k)];
            std::int32_t& chosen = chosen_[static_cast<std::size_t>(link.column)];
            chosen = std::max(chosen, link.context);
            if (link.has_steps) waiting_[static_cast<std::size_t>(link.column)].push_back(link.context);
        }
    }

    // One of the values without a child, in proportion to their weights.
    std::int32_t draw_rest(std::size_t column, std::size_t x, randomize::Stream& stream) const {
        const auto weights = tree_.weights_of(column);
        std::uint64_t at = below(tree_.rest[x], stream);
        if (tree_.rest[x] < weights.back())
            for (auto j = static_cast<std::size_t>(tree_.law_offsets[x]); j < static_cast<std::size_t>(tree_.law_offsets[x + 1]); ++j) {
                const auto value = static_cast<std::size_t>(tree_.law_values[j]);
                const std::uint64_t before = value == 0 ? 0 : weights[value - 1];
                if (at < before) break;
                at += weights[value] - before;
            }
        const auto found = std::ranges::upper_bound(weights, at);
        return static_cast<std::int32_t>(std::min(found, weights.end() - 1) - weights.begin());
    }

    // Uniform from 0 to n - 1: words beyond are drawn again.
    static std::uint64_t below(std::uint64_t n, randomize::Stream& stream) {
        const std::uint64_t most = n - 1;
        const int unused = most == 0 ? 63 : std::countl_zero(most);
        for (;;)
            if (const std::uint64_t drawn = stream.word() >> unused; drawn <= most) return drawn;
    }

    const Contexts& tree_;
    const std::span<const Link> links_;  // of the nodes, one after the other
    std::vector<std::int32_t> chosen_;                // the best context of each column so far
    std::vector<std::vector<std::int32_t>> waiting_;  // for the value of each column
};

}  // namespace detail

// Draws the rows from number `first_block * block_size` of the key on, column after column. The
// first columns have the values given.
inline std::vector<std::int32_t> generate(const Contexts& tree, std::span<const std::int32_t> given, const randomize::Key& key, std::int64_t first_block, std::int64_t n_rows, Control& control) {
    const std::size_t n_columns = tree.n_columns();
    control.claim(static_cast<std::int64_t>(n_columns) * n_rows * static_cast<std::int64_t>(sizeof(std::int32_t)));
    std::vector<std::int32_t> drawn(n_columns * static_cast<std::size_t>(n_rows));
    const std::vector<detail::Link> links = detail::links(tree);
    std::vector<detail::Row> rows(static_cast<std::size_t>(control.threads), detail::Row(tree, links));
    for_each_task(control, (n_rows + block_size - 1) / block_size, [&](int worker, std::int64_t block) {
        randomize::Stream stream(key, static_cast<std::uint64_t>(first_block + block));
        detail::Row& row = rows[static_cast<std::size_t>(worker)];
        for (std::int64_t i = block * block_size; i < std::min(n_rows, (block + 1) * block_size); ++i) {
            row.begin();
            for (std::size_t column = 0; column < n_columns; ++column) {
                const std::int32_t value = column < given.size() ? given[column] : row.draw(column, stream);
                row.set(column, value);
                drawn[column * static_cast<std::size_t>(n_rows) + static_cast<std::size_t>(i)] = value;
            }
        }
    });
    return drawn;
}

}  // namespace discreet::synthesize
