#pragma once
#include "cuda.h"
struct __half {
  unsigned short bits;
};
__half __ushort_as_half(unsigned short bits);
unsigned short __half_as_ushort(__half value);
float __half2float(__half value);
__half __float2half(float value);
__half __hadd(__half a, __half b);
__half __hmul(__half a, __half b);
