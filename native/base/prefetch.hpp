// Fetching memory into the cache before it is needed.
#pragma once

namespace discreet {

// Starts fetching what lies at a place that will be read soon.
inline void prefetch([[maybe_unused]] const void* place) {
#if defined(__GNUC__)
    __builtin_prefetch(place);
    asm volatile("");  // else GCC leaves out calls of functions that do nothing but prefetch
#endif
}

}  // namespace discreet
