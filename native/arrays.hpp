// Conversion between numpy arrays and the kernels' plain structures, shared by all bindings.
//
// A bundle is a Python object whose attributes are arrays, such as gecbench.kernels.tokens.TokenArray. Sizes and
// offsets are checked here, so that no kernel can read or write outside an array. Kernels run without the GIL, while
// another thread may change the caller's arrays. So arrays are copied first, and the copies are checked and used.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tokens.hpp"

namespace gecbench::bindings {

namespace nb = nanobind;

// A copy of an array, which nanobind makes from a Python argument (see the end of this file).
template <typename Array>
class Copied {
 public:
  using Source = Array;
  using T = std::remove_const_t<typename Array::Scalar>;

  Copied() = default;
  explicit Copied(const Array& array) : size_(array.size()), cells_(new T[array.size()], std::default_delete<T[]>()) {
    for (std::size_t axis = 0; axis < array.ndim(); ++axis) shape_.push_back(array.shape(axis));
    if (size_ > 0) std::copy_n(array.data(), size_, cells_.get());
  }

  std::size_t size() const { return size_; }
  std::size_t shape(std::size_t axis) const { return shape_[axis]; }
  const T* data() const { return cells_.get(); }
  const T& operator()(std::size_t index) const { return cells_.get()[index]; }
  std::shared_ptr<const void> owner() const { return cells_; }

 private:
  std::size_t size_ = 0;
  std::vector<std::size_t> shape_;
  std::shared_ptr<T> cells_;
};

// Keeps the copies of a bundle's arrays until the kernel is done.
using Copies = std::vector<std::shared_ptr<const void>>;

template <typename T, int dimensions>
using Input = Copied<nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>>;
using Ids = Input<std::int32_t, 1>;
using Offsets = Input<std::int64_t, 1>;
using Matrix = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // counts, never indices

template <typename T>
using Output = nb::ndarray<nb::numpy, T>;

// The number of cells of a new table; std::bad_alloc if it is absurdly large.
inline std::size_t table_size(std::size_t rows, std::size_t columns) {
  if (columns != 0 && rows > (std::size_t{1} << 48) / columns) throw std::bad_alloc();
  return rows * columns;
}

// Moves a vector into a numpy array without a copy.
template <typename T>
Output<T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owned->data();
  nb::capsule owner(owned.release(), [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return Output<T>(data, shape, owner);
}

template <typename T>
Output<T> to_vector(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return to_numpy(std::move(values), {size});
}

template <typename T>
Output<T> to_matrix(std::vector<T>&& values, std::size_t columns) {
  const std::size_t rows = values.size() / columns;
  return to_numpy(std::move(values), {rows, columns});
}

// A matrix without initial values. The kernel writes every cell, so its threads are the first to touch the memory.
template <typename T>
class Unfilled {
 public:
  Unfilled(std::size_t rows, std::size_t columns)
      : rows_(rows), columns_(columns), cells_(new T[table_size(rows, columns)]) {}

  T* data() { return cells_.get(); }

  Output<T> to_numpy() && {
    T* data = cells_.get();
    nb::capsule owner(cells_.release(), [](void* pointer) noexcept { delete[] static_cast<T*>(pointer); });
    return Output<T>(data, {rows_, columns_}, owner);
  }

 private:
  std::size_t rows_, columns_;
  std::unique_ptr<T[]> cells_;
};

// An attribute of a bundle. Arrays are not converted to another type.
template <typename T>
T field(nb::handle bundle, const char* name, bool convert) {
  const nb::object found = bundle.attr(name);  // not inside the cast, where a missing attribute ends the process
  T value;
  if (!nb::try_cast<T>(found, value, convert)) {
    throw nb::type_error((std::string(name) + " does not have the type that the kernel takes").c_str());
  }
  return value;
}

template <typename T>
T array(nb::handle bundle, const char* name, Copies& copies) {
  T found = field<T>(bundle, name, false);
  copies.push_back(found.owner());
  return found;
}

template <typename T>
T scalar(nb::handle bundle, const char* name) {
  return field<T>(bundle, name, true);
}

// Offsets must start at 0, never decrease, and end at the number of items.
inline void check_offsets(const Offsets& offsets, std::size_t items, const char* name) {
  const std::size_t size = offsets.size();
  bool fits = size > 0 && offsets(0) == 0 && offsets(size - 1) == static_cast<std::int64_t>(items);
  for (std::size_t index = 1; fits && index < size; ++index) fits = offsets(index - 1) <= offsets(index);
  if (!fits) {
    throw std::invalid_argument(std::string(name) +
                                " do not fit their array: they must go from 0 to its length and never decrease");
  }
}

inline void check_size(std::size_t found, std::size_t expected, const char* name) {
  if (found != expected) {
    throw std::invalid_argument(std::string(name) + " must have length " + std::to_string(expected) + ", not " +
                                std::to_string(found));
  }
}

// Counts must be small enough that sums over any corpus that fits into memory do not overflow.
template <typename Array>
void check_counts(const Array& counts, bool negative = true) {
  constexpr std::int64_t largest = std::int64_t{1} << 31;
  for (std::size_t index = 0; index < counts.size(); ++index) {
    const std::int64_t count = counts.data()[index];
    if (count < -largest || count > largest) throw std::invalid_argument("counts must be below 2^31");
    if (count < 0 && !negative) throw std::invalid_argument("counts must not be negative");
  }
}

inline void check_order(int order) {
  if (order < 1 || order > 65535) throw std::invalid_argument("order must be 1 to 65535");
}

// Kernels store the length of a text as a number of 32 bits.
inline void check_texts(const Offsets& offsets, std::size_t ids) {
  check_offsets(offsets, ids, "offsets");
  for (std::size_t index = 1; index < offsets.size(); ++index) {
    if (offsets(index) - offsets(index - 1) > std::numeric_limits<std::int32_t>::max() - 1) {
      throw std::invalid_argument("a text has 2^31 tokens or more");
    }
  }
}

// Reads long texts without copying their ids, for kernels that read each id only once and never use it as an index.
inline TokenArray read_long_tokens(nb::handle bundle, Copies& copies) {
  const auto ids = field<Ids::Source>(bundle, "ids", false);
  const auto offsets = array<Offsets>(bundle, "offsets", copies);
  check_texts(offsets, ids.size());
  return {ids.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1};
}

inline TokenArray read_tokens(nb::handle bundle, Copies& copies) {
  const auto ids = array<Ids>(bundle, "ids", copies);
  const auto offsets = array<Offsets>(bundle, "offsets", copies);
  check_texts(offsets, ids.size());
  return {ids.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1};
}

}  // namespace gecbench::bindings

namespace nanobind::detail {

template <typename Array>
struct type_caster<gecbench::bindings::Copied<Array>> {
  NB_TYPE_CASTER(gecbench::bindings::Copied<Array>, make_caster<Array>::Name)

  bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) {
    make_caster<Array> caster;
    if (!caster.from_python(source, flags, cleanup)) return false;
    value = gecbench::bindings::Copied<Array>(caster.value);
    return true;
  }
};

}  // namespace nanobind::detail
