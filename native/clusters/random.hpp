// Numbers that look random and are the same on every run: for the order of a search, never
// for privacy.
#pragma once

#include <cstdint>

namespace discreet::clusters {

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    // SplitMix64.
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // From 0 to n - 1, for n below 2^32.
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }

  private:
    std::uint64_t state_;
};

}  // namespace discreet::clusters
