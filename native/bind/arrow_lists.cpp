// Lists of integers as an Arrow array, without copying: the C data interface and its capsules.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/groups.hpp"

// As the Arrow project publishes them, for every producer to declare.
extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};
struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};
}

namespace discreet {

namespace {

// What one Arrow structure keeps alive; a child outlives its parent if it is moved out of it.
struct KeptArray {
    nb::ndarray<nb::ro, nb::device::cpu> values;
    const void* buffers[2];
    ArrowArray child{};
    ArrowArray* children[1];
};
struct KeptSchema {
    ArrowSchema child{};
    ArrowSchema* children[1];
};

template <class Structure, class Kept>
void release(Structure* structure) {
    auto* const kept = static_cast<Kept*>(structure->private_data);
    if (structure->n_children > 0 && kept->child.release != nullptr) kept->child.release(&kept->child);
    structure->release = nullptr;
    delete kept;
}

void fill(ArrowSchema& schema, const char* format, const char* name) {
    auto* const kept = new KeptSchema;
    schema = {format, name, nullptr, 0, 0, nullptr, nullptr, release<ArrowSchema, KeptSchema>, kept};
}

void fill(ArrowArray& array, const nb::ndarray<nb::ro, nb::device::cpu>& values, std::int64_t length) {
    auto* const kept = new KeptArray{values, {nullptr, values.data()}, {}, {nullptr}};
    array = {length, 0, 0, 2, 0, kept->buffers, nullptr, nullptr, release<ArrowArray, KeptArray>, kept};
}

template <class Structure, class Kept>
Structure& add_child(Structure& parent) {
    auto* const kept = static_cast<Kept*>(parent.private_data);
    kept->children[0] = &kept->child;
    parent.n_children = 1;
    parent.children = kept->children;
    return kept->child;
}

// A consumer that moves the structure out marks it released; otherwise it is released here.
template <class Structure>
nb::capsule capsule(std::unique_ptr<Structure> structure, const char* name) {
    return nb::capsule(structure.release(), name, [](void* p) noexcept {
        auto* const held = static_cast<Structure*>(p);
        if (held->release != nullptr) held->release(held);
        delete held;
    });
}

class ListColumn {
  public:
    ListColumn(const InputArray<std::int64_t>& offsets, const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>& items)
        : offsets_(offsets), items_(items), n_(static_cast<std::int64_t>(offsets.size()) - 1), format_(format_of(items.dtype())) {
        if (offsets.size() == 0 || offsets.data()[0] != 0 || offsets.data()[n_] != static_cast<std::int64_t>(items.size()))
            throw nb::value_error("offsets must start at 0 and end at the number of items");
        for (std::int64_t i = 0; i < n_; ++i)
            if (offsets.data()[i + 1] < offsets.data()[i]) throw nb::value_error("offsets must never fall");
    }

    nb::tuple export_array(const nb::object&) const {
        auto schema = std::make_unique<ArrowSchema>();
        fill(*schema, "+L", "");
        fill(add_child<ArrowSchema, KeptSchema>(*schema), format_, "item");
        auto array = std::make_unique<ArrowArray>();
        fill(*array, offsets_, n_);
        fill(add_child<ArrowArray, KeptArray>(*array), items_, static_cast<std::int64_t>(items_.size()));
        return nb::make_tuple(capsule(std::move(schema), "arrow_schema"), capsule(std::move(array), "arrow_array"));
    }

  private:
    static const char* format_of(nb::dlpack::dtype type) {
        if (type == nb::dtype<std::int32_t>()) return "i";
        if (type == nb::dtype<std::int64_t>()) return "l";
        if (type == nb::dtype<std::uint32_t>()) return "I";
        throw nb::value_error("items must be int32, uint32 or int64");
    }

    nb::ndarray<nb::ro, nb::device::cpu> offsets_, items_;
    std::int64_t n_;
    const char* format_;
};

}  // namespace

void bind_arrow_lists(nb::module_& m) {
    nb::class_<ListColumn>(m, "ListColumn", "Lists of integers as an Arrow array, for polars and others to read without copying; never change the arrays again.")
        .def(nb::init<const InputArray<std::int64_t>&, const nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>&>(), "offsets"_a.noconvert(),
             "items"_a.noconvert(), nb::sig("def __init__(self, offsets: NDArray[numpy.int64], items: NDArray[numpy.integer]) -> None"))
        .def("__arrow_c_array__", &ListColumn::export_array, "requested_schema"_a = nb::none(),
             nb::sig("def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]"), "The schema and the array, in capsules.");
}

}  // namespace discreet
