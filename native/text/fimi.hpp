// Cuts a text of one transaction per line into tokens and numbers the distinct ones.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/control.hpp"

namespace discreet {

struct TransactionText {
    std::vector<std::int64_t> offsets{0};  // of each line into codes
    std::vector<std::int32_t> codes;       // token numbers, by first appearance, repeats kept
    std::vector<std::int64_t> begin;       // of each distinct token in the text
    std::vector<std::int64_t> end;
    std::vector<std::int64_t> line;        // on which each distinct token first stands, from 1
};

// Tokens are separated by spaces and tabs, lines by LF or CR LF; a last line need not end.
// Any other control character, or a token over `longest` bytes, throws invalid_argument with
// the line and the reason. Time O(bytes), memory 12 bytes a token.
inline TransactionText parse_transactions(std::string_view text, std::int64_t longest, Control& control) {
    constexpr std::size_t n_tokens_max = (std::size_t{1} << 31) - 1;
    TransactionText out;
    std::unordered_map<std::string_view, std::int32_t> code_of;
    const std::size_t n = text.size();
    const auto fail = [&](const std::string& why) {
        throw std::invalid_argument("line " + std::to_string(out.offsets.size()) + ": " + why);
    };
    control.expect(static_cast<std::int64_t>(n));
    std::size_t at = 0, told = 0;
    while (at < n) {
        const char c = text[at];
        if (c == ' ' || c == '\t') {
            ++at;
        } else if (c == '\n' || (c == '\r' && at + 1 < n && text[at + 1] == '\n')) {
            at += c == '\n' ? 1 : 2;
            out.offsets.push_back(static_cast<std::int64_t>(out.codes.size()));
            if (at - told > 65536) {
                control.check();
                control.advance(static_cast<std::int64_t>(at - told));
                told = at;
            }
        } else {
            const std::size_t start = at;
            while (at < n && static_cast<unsigned char>(text[at]) > ' ' && text[at] != '\x7f') ++at;
            if (at == start) fail("control character " + std::to_string(static_cast<int>(c)));
            if (at - start > static_cast<std::size_t>(longest)) fail("an item of " + std::to_string(at - start) + " bytes");
            const auto [entry, is_new] = code_of.try_emplace(text.substr(start, at - start), static_cast<std::int32_t>(out.begin.size()));
            if (is_new) {
                if (out.begin.size() >= n_tokens_max) fail("more than 2^31 - 1 different items");
                out.begin.push_back(static_cast<std::int64_t>(start));
                out.end.push_back(static_cast<std::int64_t>(at));
                out.line.push_back(static_cast<std::int64_t>(out.offsets.size()));
            }
            out.codes.push_back(entry->second);
        }
    }
    if (n > 0 && text[n - 1] != '\n') out.offsets.push_back(static_cast<std::int64_t>(out.codes.size()));
    return out;
}

}  // namespace discreet
