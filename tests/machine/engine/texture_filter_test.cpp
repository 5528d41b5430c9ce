// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// What an H200 gives where a texture is filtered (driver 580.159.04, 2026-11-30): drawn from those
// of 990,000 fetches at which exact sums of exact weights, rounded to even, give something else.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "machine/state/texture.hpp"

namespace gauntlet::simt {
namespace {

struct Kind {
  Texture::Number number;
  unsigned bytes;
};
constexpr Kind f32{Texture::Number::floating, 4}, f16{Texture::Number::floating, 2},
    u8{Texture::Number::natural, 1}, u16{Texture::Number::natural, 2},
    s8{Texture::Number::integer, 1}, s16{Texture::Number::integer, 2};

/// Two elements along each axis, x first, fetched at so many parts of 256 of the way to the second.
struct Sum {
  Kind kind;
  std::vector<unsigned> way;
  std::vector<std::uint32_t> elements;
  std::uint32_t result;
};
// clang-format off
const std::vector<Sum> sums{
    {f32, {128}, {0xc179bf58, 0x3c948705}, 0xc0f97515},
    {f32, {112}, {0x3ee893a8, 0xbf719c0a}, 0xbe212af5},
    {f32, {5}, {0xb91b8d68, 0x44419e06}, 0x417204f2},
    {f32, {128}, {0x3fe6c636, 0x3fd82913}, 0x3fdf77a5},
    {f32, {128}, {0x3ffba846, 0x3f823d63}, 0x3fbef2d5},
    {f32, {128}, {0x3fad337c, 0x3fb41c4d}, 0x3fb0a7e5},
    {f32, {128, 185}, {0x3f0c3f7d, 0xbf4ae16c, 0xbe8a89e2, 0x3ea2dfa9}, 0xbc54c2a6},
    {f32, {106, 224}, {0x3f9421c9, 0x3fff2437, 0x3f98d600, 0x3fe905ac}, 0x3fbacfea},
    {f32, {99, 44}, {0x47665a6e, 0x40a718b2, 0xbf6b0f5c, 0xb3962b78}, 0x46e9f6ff},
    {f32, {127, 128}, {0x3f03ebd0, 0xbe6f3a40, 0xbf64000c, 0xbf67533a}, 0xbec01b8e},
    {f32, {176, 68}, {0x3fb40d83, 0x3ffef2d8, 0x3ff5eb9a, 0x3fbb4ccf}, 0x3fe086ea},
    {f32, {57, 197}, {0x3fb90b1e, 0x3fefb7ce, 0x3fb95cb6, 0x3fd7d413}, 0x3fc14d31},
    {f32, {109, 128, 128}, {0x4039e9b7, 0xbd443398, 0x426b4a38, 0x3d09ac1a, 0x3d24607c, 0xc0907c07, 0x40bc7762, 0xbf243a83}, 0x410fa605},
    {f32, {104, 144, 128}, {0x3eb00c1a, 0x3e113696, 0xc086b5e6, 0xc16d4f12, 0xc15857fe, 0x3e300bd2, 0x3f3bc554, 0xbd9321b0}, 0xc07c551a},
    {f32, {4, 61, 130}, {0x3f8b4418, 0x3ff077a5, 0x3fbdcd52, 0x3fbdff60, 0x3febfb62, 0x3fc86643, 0x3fc672b6, 0x3fdb96da}, 0x3fbe6a79},
    {f32, {22, 128, 76}, {0xbf40be72, 0xbf63a068, 0x3e4cae10, 0x3e8a2158, 0x3f46950a, 0xbf600720, 0xbe2d5a08, 0xbd57e5c0}, 0xbdfcdebf},
    {f32, {182, 128, 17}, {0x3fa332ca, 0x3fdae694, 0x3fa33ece, 0x3fafd67e, 0x3fe212c1, 0x3fb2863b, 0x3fe27542, 0x3fc2f08c}, 0x3fbc3afb},
    {f32, {12, 49, 201}, {0xc808bfc8, 0xb8ce7cf8, 0xc41fbffa, 0xb1ad6a14, 0xb5e1cdfe, 0x41cecc28, 0x4ca9f129, 0xba7f394e}, 0x4b442501},
    // subnormal numbers, infinities that a weight of 0 does not hide, zeros of both signs
    {f32, {20}, {0x80476f3b, 0x0009a973}, 0x00000000},
    {f32, {123}, {0x81b22c5b, 0x002d5563}, 0x81392217},
    {f32, {39}, {0x80a91f95, 0x00882602}, 0x80000000},
    {f32, {111}, {0xff800000, 0x7f800000}, 0x7fffffff},
    {f32, {252, 21}, {0xbe29d800, 0xff800000, 0x7f800000, 0x3e2b2150}, 0x7fffffff},
    {f32, {35}, {0x80000000, 0x80000000}, 0x80000000},
    {f16, {143}, {0xfc00, 0x7c00}, 0x7fffe000},
    {u8, {217}, {0x6a, 0x85}, 0x3f016481},
    {u8, {225}, {0xa3, 0x4d}, 0x3eaf82b0},
    {u8, {151}, {0x64, 0x24}, 0x3e79f8fa},
    {u8, {34, 128}, {0xf3, 0x10, 0x44, 0x99}, 0x3f12a493},
    {u8, {27, 114}, {0x1b, 0x14, 0x54, 0x63}, 0x3e5388d4},
    {u8, {33, 251}, {0x3c, 0x32, 0x7b, 0x7a}, 0x3ef42af4},
    {u8, {128, 85, 128}, {0xc1, 0xb4, 0xc4, 0xe0, 0x80, 0x31, 0x53, 0xaf}, 0x3f149495},
    {u8, {46, 249, 189}, {0xd6, 0xf2, 0xb7, 0xd6, 0xa6, 0xfe, 0x5b, 0x7d}, 0x3ef6e4f7},
    {u8, {71, 167, 56}, {0xca, 0x8c, 0x2e, 0x68, 0xe2, 0x9e, 0x4b, 0x7d}, 0x3edd10dd},
    {f16, {210}, {0x803e, 0x0000}, 0xb5300000},
    {f16, {107}, {0x0000, 0x7518}, 0x46084000},
    {f16, {94}, {0x51a6, 0xcc7a}, 0x41b02000},
    {f16, {86}, {0x3d26, 0x3f5f}, 0x3fbca000},
    {f16, {236}, {0x38ff, 0x36b8}, 0x3edf2000},
    {f16, {187}, {0x3e37, 0x3d07}, 0x3fab2000},
    {f16, {104, 128}, {0x8016, 0x0000, 0x0002, 0xa3d5}, 0xbb4ba000},
    {f16, {97, 62}, {0x3e1a, 0x3fa3, 0x3f48, 0x3e27}, 0x3fd76000},
    {f16, {147, 178}, {0x36f9, 0x2d4a, 0x3969, 0xbba9}, 0xbde16000},
    {f16, {228, 141}, {0xb919, 0x50ba, 0x354f, 0x5312}, 0x422ba000},
    {f16, {115, 111}, {0x3f45, 0x3dd1, 0x3ea6, 0x3d0f}, 0x3fca4000},
    {f16, {248, 128}, {0x0000, 0x8000, 0x8008, 0xb18d}, 0xbdac2000},
    {f16, {128, 118, 128}, {0x3cd6, 0x3cb3, 0x3e11, 0x3c1f, 0x3e9d, 0x3eb2, 0x3e42, 0x3f97}, 0x3fbb2000},
    {f16, {89, 248, 124}, {0x0000, 0xd03c, 0x0000, 0xe58c, 0x8000, 0x0000, 0x0000, 0x800b}, 0xc379c000},
    {f16, {208, 52, 82}, {0xb4f0, 0xbb05, 0xb386, 0x3891, 0x3beb, 0x3513, 0x3275, 0xb1b1}, 0xbe812000},
    {f16, {238, 146, 210}, {0x207e, 0x0b57, 0x0000, 0xa1f0, 0xca1d, 0x0000, 0x848b, 0x9471}, 0xbe938000},
    {f16, {123, 141, 188}, {0x0050, 0x0000, 0x0000, 0x0000, 0xe519, 0xe406, 0x0000, 0x0000}, 0xc3c0a000},
    {f16, {28, 82, 128}, {0x3d4a, 0x3dba, 0x3da2, 0x3c58, 0x3c0c, 0x3e09, 0x3c83, 0x3f13}, 0x3f9d4000},
    {u16, {54}, {0x5b10, 0x6478}, 0x3eba18ba},
    {u16, {20}, {0xa026, 0x2847}, 0x3f16c997},
    {u16, {78}, {0x6bd7, 0x3fea}, 0x3ebceabd},
    {u16, {6, 128}, {0xa066, 0xe391, 0xa5c4, 0x75fa}, 0x3f234fa3},
    {u16, {128, 128}, {0x6fa8, 0x0481, 0xa85d, 0x4975}, 0x3eb2feb3},
    {u16, {128, 128}, {0x2176, 0x2abe, 0xe671, 0x2ee5}, 0x3eb0c6b1},
    {u16, {128, 139, 204}, {0x9021, 0x64a8, 0x2ba6, 0x8af7, 0xb717, 0x7f5d, 0xd58c, 0xf318}, 0x3f3091b1},
    {u16, {81, 176, 85}, {0xd4e7, 0x6e11, 0xbb34, 0x62fc, 0xfc5d, 0x59ef, 0xadbc, 0x96cd}, 0x3f29c8aa},
    {u16, {15, 55, 117}, {0x24d4, 0xec2f, 0x17ce, 0x7907, 0x01c8, 0x63d9, 0xe606, 0x171a}, 0x3e40c8c1},
    {s8, {108}, {0x4a, 0xf9}, 0x3ea09141},
    {s8, {128}, {0x5e, 0xb3}, 0x3d891112},
    {s8, {128}, {0xe5, 0x67}, 0x3e993132},
    {s8, {238, 128}, {0xdd, 0xd3, 0x04, 0xc9}, 0xbebfcd80},
    {s8, {76, 29}, {0x27, 0xd3, 0xcd, 0xce}, 0x3d5d21ba},
    {s8, {251, 127}, {0x18, 0x11, 0xae, 0x86}, 0xbecfe1a0},
    {s8, {117, 218, 208}, {0x60, 0x4a, 0xe7, 0x49, 0xab, 0x35, 0x45, 0x62}, 0x3ef0f9e2},
    {s8, {230, 93, 43}, {0xa8, 0x57, 0x4a, 0xdd, 0x38, 0x26, 0xd8, 0xac}, 0x3e6af9d6},
    {s8, {128, 133, 218}, {0xbb, 0xe7, 0x52, 0x0e, 0x74, 0x7b, 0xd9, 0xf3}, 0x3e96d52e},
    {s16, {49}, {0x900e, 0x06a0}, 0xbf328165},
    {s16, {187}, {0x7b68, 0xd080}, 0xbc37816f},
    {s16, {137}, {0x0cc6, 0xb6dd}, 0xbe84d10a},
    {s16, {128, 157}, {0x796b, 0x363b, 0x8959, 0x3942}, 0x3df9d1f4},
    {s16, {209, 17}, {0x7b0c, 0x7ca9, 0xbfb4, 0xe763}, 0x3f6403c8},
    {s16, {82, 147}, {0xd50a, 0x00a9, 0x9f72, 0x73e8}, 0xbe6621cc},
    {s16, {113, 251, 37}, {0xa529, 0xe449, 0xc256, 0x2eaf, 0xc1ec, 0xc2ad, 0x003a, 0x34e1}, 0xbd92f126},
    {s16, {215, 145, 13}, {0xa1cf, 0x6e20, 0xf944, 0xa1ba, 0xd38c, 0x8a97, 0xa5bb, 0xe6b3}, 0xbdf1c1e4},
    {s16, {248, 128, 204}, {0xa9a8, 0xa6ff, 0xed90, 0x122e, 0xbfa1, 0x223b, 0x6a13, 0x8130}, 0xbeaa9155},
};
// clang-format on

Texture texture_of(const Sum& sum) {
  Texture t;
  t.dimensions = static_cast<unsigned>(sum.way.size());
  for (unsigned d = 0; d < t.dimensions; ++d) t.size[d] = 2;
  t.number = sum.kind.number;
  t.channel_bytes = sum.kind.bytes;
  t.row_bytes = 2ULL * t.channel_bytes;
  t.plane_bytes = 2 * t.row_bytes;
  t.filtered = true;
  t.as_fractions = t.number != Texture::Number::floating;
  return t;
}

TEST(TextureFilter, sums_are_those_of_an_h200) {
  for (const Sum& sum : sums) {
    const Texture t = texture_of(sum);
    std::array<double, 3> x{};
    for (unsigned d = 0; d < t.dimensions; ++d) x[d] = 0.5 + sum.way[d] / 256.;
    const Texels read = texels_at(t, x, 0, false, false);
    std::vector<std::uint32_t> raw;
    for (unsigned n = 0; n < read.count; ++n) {
      raw.push_back(sum.elements[read.one[n].at / t.channel_bytes]);
    }
    EXPECT_EQ(filtered_value(t, read, raw), sum.result)
        << &sum - sums.data() << ": " << std::bit_cast<float>(filtered_value(t, read, raw));
  }
}

/// Where a fetch of an array of 0, 256, 512, ... at a normalised coordinate is.
struct Place {
  std::uint32_t size;
  AddressMode mode;
  double x;
  double value;
};
using M = AddressMode;
const std::vector<Place> places{
    {100, M::mirror, 1.8574802875518799, 3521},
    {4096, M::mirror, 1.5589823722839355, 462312},
    {4096, M::mirror, -0.2499241828918457, 261936},
    {100, M::mirror, -0.9696679711341858, 24696},
    {20000, M::clamp, 0x1.339b8ep-4, 384381},
    {100000, M::clamp, 0x1.28aa24p-2, 7416486},
    {3, M::clamp, 0x1.745556p-1, 430},
    {3, M::mirror, 0x1.01aaaep-1, 258},
    {3, M::wrap, 0x1.68aab0p-2, 142},
    {100, M::clamp, 0x1.d470a4p-3, 5727},
    {100, M::mirror, 0x1.357852p-1, 15345},
    {100, M::wrap, 0x1.2f599ap-1, 15039},
    {777, M::clamp, 0x1.6306ecp-5, 8492},
    {777, M::mirror, 0x1.18cb9ep-2, 54416},
    {777, M::wrap, 0x1.327d88p-1, 118943},
    {1999, M::clamp, 0x1.c87cbcp-2, 228001},
    {1999, M::mirror, 0x1.b10760p-4, 53973},
    {1999, M::wrap, 0x1.1392ccp-1, 275307},
    {10000, M::clamp, 0x1.a8272cp-2, 1060254},
    {10000, M::mirror, 0x1.d75bfcp-1, 2356668},
    {10000, M::wrap, 0x1.055d5ep-1, 1306695},
};

double value_at(const Place& place) {
  Texture t;
  t.size[0] = place.size;
  t.mode[0] = place.mode;
  t.filtered = t.normalised = true;
  const Texels read = texels_at(t, {place.x, 0, 0}, 0, false, false);
  double value = 0;
  for (unsigned n = 0; n < read.count; ++n) {
    value += read.one[n].weight * static_cast<double>(read.one[n].at / 4);
  }
  return value;
}

TEST(TextureFilter, places_of_normalised_coordinates_are_those_of_an_h200) {
  for (const Place& place : places) {
    EXPECT_EQ(value_at(place), place.value) << place.size << " at " << place.x;
  }
}

TEST(TextureFilter, one_dimension_has_a_row_of_the_border_above_it_where_the_second_axis_has_one) {
  Texture t = texture_of({f32, {44}, {}, 0});
  t.mode.fill(M::border);
  t.border.fill(2);
  const auto value = [&] {
    const Texels read = texels_at(t, {0.5 + 44 / 256., 0, 0}, 0, false, false);
    std::vector<std::uint32_t> raw;
    for (unsigned n = 0; n < read.count; ++n) {
      const Texels::One& one = read.one[n];
      raw.push_back(!one.inside ? border_of(t, 0) : one.at == 0 ? 0xbe145248 : 0x3da5b1c0);
    }
    return filtered_value(t, read, raw);
  };
  EXPECT_EQ(value(), 0x3f726d24U);
  t.mode[1] = M::clamp;
  EXPECT_NEAR(std::bit_cast<float>(value()), 2 * std::bit_cast<float>(0x3f726d24) - 2, 1e-6);
}

TEST(TextureFilter, borders_have_the_colours_of_an_h200) {
  const auto colour = [](Kind kind, float given) {
    Texture t = texture_of({kind, {0}, {}, 0});
    t.border[2] = given;
    return border_of(t, 2);
  };
  EXPECT_EQ(colour(f32, 0.1F), std::bit_cast<std::uint32_t>(0.1F));
  EXPECT_EQ(colour(f16, 0.70001F), 0x3999U);
  EXPECT_EQ(colour(f16, -0.3F), 0xb4ccU);
  EXPECT_EQ(colour(u8, 0.1F), 25U);
  EXPECT_EQ(colour(u8, 0.70001F), 178U);
  EXPECT_EQ(colour(u8, 2), 255U);
  EXPECT_EQ(colour(u8, -0.3F), 0U);
  EXPECT_EQ(colour(u16, 0.1F), 6553U);
  EXPECT_EQ(colour(u16, 0.123456F), 8091U);
  EXPECT_EQ(static_cast<std::int32_t>(colour(s8, -0.3F)), -38);
  EXPECT_EQ(colour(s8, 0.123456F), 16U);
  EXPECT_EQ(static_cast<std::int32_t>(colour(s16, -0.3F)), -9830);
  EXPECT_EQ(colour(s16, 2), 32767U);
}

TEST(TextureFilter, weights_of_eight_elements_add_up_to_256) {
  Texture t;
  t.dimensions = 3;
  t.size = {9, 9, 9};
  t.filtered = true;
  for (unsigned part = 0; part < 4096; ++part) {
    const std::array<double, 3> x{4 + part % 16 / 16., 4 + part / 16 % 16 / 16.,
                                  4 + part / 256 / 16. + 1 / 256.};
    const Texels read = texels_at(t, x, 0, false, false);
    unsigned sum = 0;
    for (unsigned n = 0; n < read.count; ++n) sum += read.one[n].weight;
    EXPECT_EQ(sum, 256U) << part;
  }
}

}  // namespace
}  // namespace gauntlet::simt
