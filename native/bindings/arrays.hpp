// Conversions between numpy arrays and what the kernels eat, shared by all bindings.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace gecbench::bindings {

namespace nb = nanobind;

template <typename T, int dimensions>
using Input = nb::ndarray<const T, nb::ndim<dimensions>, nb::c_contig, nb::device::cpu>;
using Ids = Input<std::int32_t, 1>;
using Offsets = Input<std::int64_t, 1>;
using Matrix = Input<std::int64_t, 2>;

template <typename T>
using Output = nb::ndarray<nb::numpy, T>;

// Hands a vector over to numpy without a copy.
template <typename T>
Output<T> to_numpy(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* pointer) noexcept { delete static_cast<std::vector<T>*>(pointer); });
  return Output<T>(owned->data(), shape, owner);
}

}  // namespace gecbench::bindings
