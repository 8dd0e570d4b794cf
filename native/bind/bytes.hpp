// Keys and nonces in.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace discreet {

template <std::size_t Words>
std::array<std::uint32_t, Words> words_of(const nanobind::bytes& bytes) {
    if (bytes.size() != 4 * Words) throw nanobind::value_error(("expected " + std::to_string(4 * Words) + " bytes").c_str());
    std::array<std::uint32_t, Words> words;
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
}

}  // namespace discreet
