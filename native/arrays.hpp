// Conversion between numpy arrays and the kernels' plain structures, shared by all bindings.
//
// A bundle is a Python object whose attributes are arrays, such as gecbench.kernels.tokens.TokenArray. Sizes and
// offsets are checked here, so that no kernel can read or write outside an array. The arrays live as long as the
// caller's bundle.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tokens.hpp"

namespace gecbench::bindings {

namespace nb = nanobind;

template <typename T, int dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using Ids = Input<std::int32_t, 1>;
using Offsets = Input<std::int64_t, 1>;
using Matrix = Input<std::int64_t, 2>;

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

// A matrix that is not initialized, since the kernel writes every cell: its threads touch the memory first.
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

// An attribute of a bundle. Arrays are not converted: the copy would be freed before the kernel reads it.
template <typename T>
T field(nb::handle bundle, const char* name, bool convert) {
  const nb::object found = bundle.attr(name);  // not inside the cast, where a missing attribute ends the process
  T value;
  if (!nb::try_cast<T>(found, value, convert)) {
    throw nb::type_error((std::string(name) + " has another type than the kernel takes").c_str());
  }
  return value;
}

template <typename T>
T array(nb::handle bundle, const char* name) {
  return field<T>(bundle, name, false);
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
  if (!fits) throw std::invalid_argument(std::string(name) + " do not fit the array that these offsets divide");
}

inline void check_size(std::size_t found, std::size_t expected, const char* name) {
  if (found != expected) {
    throw std::invalid_argument(std::string(name) + " must number " + std::to_string(expected) + ", not " +
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
  if (order < 1 || order > 65535) throw std::invalid_argument("order is 1 to 65535");
}

inline TokenArray read_tokens(nb::handle bundle) {
  const auto ids = array<Ids>(bundle, "ids");
  const auto offsets = array<Offsets>(bundle, "offsets");
  check_offsets(offsets, ids.size(), "offsets");
  return {ids.data(), offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1};
}

}  // namespace gecbench::bindings
