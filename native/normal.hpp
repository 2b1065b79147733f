// The exponential function and the normal distribution in plain arithmetic, so that they have the same bits with every
// C library; twin of gecbench/kernels/normal.py.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gecbench {

constexpr std::size_t kTerms = 15;
using Series = std::array<double, kTerms>;

// Coefficients of x^14 … x^0: 1 / n!, and with `integrated` 1 / (n! (2n + 1)).
constexpr Series inverse_factorials(bool integrated) {
  double factorials[kTerms] = {1.0};
  for (std::size_t n = 1; n < kTerms; ++n) factorials[n] = factorials[n - 1] * static_cast<double>(n);
  Series found{};
  for (std::size_t n = 0; n < kTerms; ++n)
    found[kTerms - 1 - n] = 1 / (factorials[n] * static_cast<double>(integrated ? 2 * n + 1 : 1));
  return found;
}

constexpr Series kExponential = inverse_factorials(false), kIntegral = inverse_factorials(true);
constexpr double kNear = 1.0;  // series are for |x| up to this, of the exponential function for x * x / 2
constexpr double kLogOf2 = 0.6931471805599453, kUpperLogOf2 = 0xB17217F7p-32, kLowerLogOf2 = 0xD1CF79ABC9E3B398p-96;
constexpr double kPi = 3.14159265358979323846;
inline const double kDensityAtZero = 1 / std::sqrt(2 * kPi);

inline double sum_series(const Series& series, double x) {
  double sum = series[0];
  for (std::size_t n = 1; n < kTerms; ++n) sum = sum * x + series[n];
  return sum;
}

inline double exponential(double x) {
  if (std::fabs(x) <= kNear * kNear / 2) return sum_series(kExponential, x);
  if (!(x >= -746)) return x < -746 ? 0.0 : x;  // not a number stays so
  if (x > 710) return std::numeric_limits<double>::infinity();
  const double power = std::floor(x * (1 / kLogOf2) + 0.5);
  return std::ldexp(sum_series(kExponential, x - power * kUpperLogOf2 - power * kLowerLogOf2), static_cast<int>(power));
}

inline double density(double x) {
  return kDensityAtZero * exponential(-0.5 * x * x);
}

inline double near_density(double x) {
  return kDensityAtZero * sum_series(kExponential, -0.5 * x * x);
}

inline double near_probability(double x) {
  return 0.5 + x * (kDensityAtZero * sum_series(kIntegral, -0.5 * x * x));
}

struct Trapezoids {
  static constexpr double kStep = 0.6875;
  std::array<double, 12> squares, bells;

  Trapezoids() {
    for (std::size_t n = 0; n < squares.size(); ++n) {
      const double place = static_cast<double>(squares.size() - n) * kStep;
      squares[n] = place * place;
      bells[n] = exponential(-0.5 * squares[n]);
    }
  }
};
inline const Trapezoids kTrapezoids;

// Far from zero by the trapezoidal rule, as in the Python twin.
inline double probability(double x) {
  constexpr double kStep = Trapezoids::kStep;
  const double distance = std::fabs(x), square = x * x;
  if (distance <= kNear) return near_probability(x);
  double total = 0.0;
  for (std::size_t n = 0; n < kTrapezoids.squares.size(); ++n)
    total += kTrapezoids.bells[n] / (kTrapezoids.squares[n] + square);
  double tail = exponential(-0.5 * square) * distance * (kStep / (2 * kPi)) * (1 / square + 2 * total);
  if (distance < 8) tail -= 1 / (exponential(2 * kPi / kStep * distance) - 1);
  return x < 0 ? tail : 1 - tail;
}

}  // namespace gecbench
