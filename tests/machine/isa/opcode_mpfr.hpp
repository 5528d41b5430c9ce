// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Results of floating-point instructions by MPFR, rounded once to a format in any direction.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <functional>

#include "tests/machine/isa/opcode_narrow.hpp"
#include "tests/machine/isa/opcode_run.hpp"

namespace gauntlet::simt::test {

struct Format {
  int precision;
  mpfr_exp_t emin, emax;
};
inline constexpr Format f16_range = {11, -23, 16}, bf16_range = {8, -132, 128},
                        f32_range = {24, -148, 128}, f64_range = {53, -1073, 1024};

/// An MPFR function of up to three operands; it gives the ternary value.
using Exact = std::function<int(mpfr_t, const mpfr_t*, mpfr_rnd_t)>;

/// The result in a format, subnormals included; NaN as it is.
inline double rounded_to(const Format& format, const Exact& f, const double* operands, int count,
                         mpfr_rnd_t mode) {
  const auto emin = mpfr_get_emin(), emax = mpfr_get_emax();
  mpfr_t in[3], out;
  for (int k = 0; k < count; ++k) {
    mpfr_init2(in[k], 53);
    mpfr_set_d(in[k], operands[k], MPFR_RNDN);
  }
  mpfr_init2(out, format.precision);
  mpfr_set_emin(format.emin);
  mpfr_set_emax(format.emax);
  int ternary = f(out, in, mode);
  ternary = mpfr_check_range(out, ternary, mode);
  mpfr_subnormalize(out, ternary, mode);
  const double result = mpfr_get_d(out, MPFR_RNDN);
  mpfr_set_emin(emin);
  mpfr_set_emax(emax);
  for (int k = 0; k < count; ++k) mpfr_clear(in[k]);
  mpfr_clear(out);
  return result;
}

/// An f32 instruction: subnormals of its operands and its result may be flushed, its result
/// clamped.
struct F32How {
  mpfr_rnd_t mode = MPFR_RNDN;
  bool ftz = false, sat = false;
};
inline float flush_f32(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0F, x) : x;
}
inline Bits f32_result(const Exact& f, const Bits* v, int count, const F32How& how) {
  double operands[3] = {};
  for (int k = 0; k < count; ++k) operands[k] = how.ftz ? flush_f32(f32(v[k])) : f32(v[k]);
  auto x = static_cast<float>(rounded_to(f32_range, f, operands, count, how.mode));
  if (how.ftz) x = flush_f32(x);
  if (how.sat) x = x > 0 ? std::min(x, 1.0F) : 0.0F;
  return bits(x);
}
inline Bits f64_result(const Exact& f, const Bits* v, int count, mpfr_rnd_t mode) {
  double operands[3] = {};
  for (int k = 0; k < count; ++k) operands[k] = f64(v[k]);
  return bits(rounded_to(f64_range, f, operands, count, mode));
}
/// The bits of a double that a narrow format holds.
inline Bits narrow_bits(const NarrowFormat& format, double x) {
  return format.rounded(Quad(x), 0, std::signbit(x));
}

struct Direction {
  const char* name;
  mpfr_rnd_t mode;
};
inline constexpr Direction directions[] = {
    {"rn", MPFR_RNDN}, {"rz", MPFR_RNDZ}, {"rm", MPFR_RNDD}, {"rp", MPFR_RNDU}};

namespace exact {
inline int add(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_add(r, v[0], v[1], m); }
inline int sub(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_sub(r, v[0], v[1], m); }
inline int mul(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_mul(r, v[0], v[1], m); }
inline int div(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_div(r, v[0], v[1], m); }
inline int fma(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_fma(r, v[0], v[1], v[2], m); }
inline int sqrt(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_sqrt(r, v[0], m); }
inline int rcp(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_ui_div(r, 1, v[0], m); }
inline int ex2(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_exp2(r, v[0], m); }
inline int lg2(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_log2(r, v[0], m); }
inline int sin(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_sin(r, v[0], m); }
inline int cos(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_cos(r, v[0], m); }
inline int tanh(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_tanh(r, v[0], m); }
inline int same(mpfr_t r, const mpfr_t* v, mpfr_rnd_t m) { return mpfr_set(r, v[0], m); }
}  // namespace exact

/// f32 of every exponent with several mantissas, both signs, and the special values.
inline Column f32_of_every_exponent() {
  Column v = f32_values();
  for (Bits exponent = 0; exponent < 255; ++exponent) {
    for (const Bits mantissa : {0x0ULL, 0x1ULL, 0x2AAAABULL, 0x400000ULL, 0x7FFFFFULL}) {
      v.push_back(exponent << 23 | mantissa);
      v.push_back(Bits{1} << 31 | exponent << 23 | mantissa);
    }
  }
  for (const auto x : random_words(32, 2000, 41)) v.push_back(x);
  for (const auto x : random_words(24, 2000, 42)) v.push_back(0x3E00'0000 + x);  // 0.1 to 30
  return v;
}
/// f32 around the smallest normal number, so that sums and products fall to both sides of it.
inline Column f32_near_underflow() {
  Column v;
  for (const float x : {0.0F, 0x1p-149F, 0x1p-127F, 0x1.fffffcp-127F, 0x1p-126F, 0x1.000002p-126F,
                        0x1.8p-126F, 0x1p-125F, 0x1p-63F, 0x1.6a09e6p-63F, 0x1.6a09e8p-63F, 0.5F,
                        0x1.fffffep-1F, 1.0F, 1.5F, 2.0F, 0x1p100F}) {
    v.push_back(bits(x));
    v.push_back(bits(-x));
  }
  return v;
}

}  // namespace gauntlet::simt::test
