// Runs a kernel without the GIL, and looks for Ctrl-C and tells progress meanwhile.
#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "base/control.hpp"

namespace discreet {

namespace nb = nanobind;

// Runs kernel() on a thread of its own while this one, about twenty times a second,
// looks for signals and calls progress(fraction). An exception from either side stops
// the kernel, is joined with it and travels on.
void run_beside(Control& control, const nb::object& progress, const std::function<void()>& kernel);

template <class Kernel>
auto run(Control& control, const nb::object& progress, Kernel&& kernel) {
    decltype(kernel()) result{};
    run_beside(control, progress, [&] { result = kernel(); });
    return result;
}

}  // namespace discreet
