// The groups of bindings, one file each.
#pragma once

#include <nanobind/nanobind.h>

namespace discreet {

void bind_arrow_lists(nanobind::module_& m);
void bind_channels(nanobind::module_& m);
void bind_clusters(nanobind::module_& m);
void bind_cover(nanobind::module_& m);
void bind_data(nanobind::module_& m);
void bind_deduction(nanobind::module_& m);
void bind_frequent(nanobind::module_& m);
void bind_generalized(nanobind::module_& m);
void bind_given_itemsets(nanobind::module_& m);
void bind_infrequent(nanobind::module_& m);
void bind_krimp(nanobind::module_& m);
void bind_linkage(nanobind::module_& m);
void bind_randomize(nanobind::module_& m);
void bind_rules(nanobind::module_& m);
void bind_synthesize(nanobind::module_& m);

}  // namespace discreet
