// A few numbers side by side, 16 bytes of them; compilers make vector instructions of them.
#pragma once

#include <cstddef>
#include <cstring>

namespace gecbench {

#if defined(__GNUC__)
typedef double Doubles __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));

// x where left >= right, y elsewhere.
template <typename Numbers>
Numbers where_at_least(Numbers left, Numbers right, Numbers x, Numbers y) {
  return left >= right ? x : y;
}

template <typename Numbers>
Numbers larger_of(Numbers left, Numbers right) {
  return left > right ? left : right;
}

template <typename Numbers>
Numbers smaller_of(Numbers left, Numbers right) {
  return left < right ? left : right;
}
#else
template <typename Number>
struct Lanes {
  Number numbers[16 / sizeof(Number)];

  Number& operator[](std::size_t lane) { return numbers[lane]; }
  Number operator[](std::size_t lane) const { return numbers[lane]; }
};
using Doubles = Lanes<double>;
using Floats = Lanes<float>;

template <typename Number, typename Function>
Lanes<Number> each(Lanes<Number> left, Lanes<Number> right, const Function& function) {
  for (std::size_t lane = 0; lane < 16 / sizeof(Number); ++lane) left[lane] = function(left[lane], right[lane]);
  return left;
}

template <typename Number>
Lanes<Number> operator+(Lanes<Number> left, Lanes<Number> right) {
  return each(left, right, [](Number one, Number other) { return one + other; });
}

template <typename Number>
Lanes<Number> operator*(Lanes<Number> left, Lanes<Number> right) {
  return each(left, right, [](Number one, Number other) { return one * other; });
}

template <typename Number>
Lanes<Number> operator/(Lanes<Number> left, Lanes<Number> right) {
  return each(left, right, [](Number one, Number other) { return one / other; });
}

template <typename Number>
Lanes<Number> where_at_least(Lanes<Number> left, Lanes<Number> right, Lanes<Number> x, Lanes<Number> y) {
  for (std::size_t lane = 0; lane < 16 / sizeof(Number); ++lane)
    y[lane] = left[lane] >= right[lane] ? x[lane] : y[lane];
  return y;
}

template <typename Number>
Lanes<Number> larger_of(Lanes<Number> left, Lanes<Number> right) {
  return each(left, right, [](Number one, Number other) { return one > other ? one : other; });
}

template <typename Number>
Lanes<Number> smaller_of(Lanes<Number> left, Lanes<Number> right) {
  return each(left, right, [](Number one, Number other) { return one < other ? one : other; });
}
#endif

constexpr std::size_t kDoubles = sizeof(Doubles) / sizeof(double), kFloats = sizeof(Floats) / sizeof(float);

inline Doubles all(double number) {
  return Doubles{number, number};
}

inline Floats all(float number) {
  return Floats{number, number, number, number};
}

template <typename Numbers, typename Number>
Numbers load(const Number* from) {
  Numbers numbers;
  std::memcpy(&numbers, from, sizeof numbers);
  return numbers;
}

template <typename Numbers, typename Number>
void store(const Numbers& numbers, Number* to) {
  std::memcpy(to, &numbers, sizeof numbers);
}

}  // namespace gecbench
