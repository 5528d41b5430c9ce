#pragma once
struct __nv_bfloat16 {
  unsigned short bits;
};
__nv_bfloat16 __ushort_as_bfloat16(unsigned short bits);
float __bfloat162float(__nv_bfloat16 value);
