// SPDX-FileCopyrightText: Reduction Gauntlet authors
// SPDX-License-Identifier: Apache-2.0
//
// Arrays, textures and surfaces by the driver, in kernels of the runtime.
#include <cuda.h>

#include <cstdio>

__global__ void fetch(CUtexObject t, float* out) {
  out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 1);
}
__global__ void write(CUsurfObject s) {
  surf2Dwrite((unsigned char)(51 * threadIdx.x), s, threadIdx.x, 1);
}

int main() {
  float* out;
  cudaMallocManaged(&out, 4 * sizeof(float));
  unsigned char host[12] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  CUarray array;
  CUDA_ARRAY3D_DESCRIPTOR shape = {
      4, 3, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = host;
  copy.srcPitch = 4;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.WidthInBytes = 4;
  copy.Height = 3;
  int errors = cuArray3DCreate(&array, &shape);
  copy.dstArray = array;
  errors += cuMemcpy2D(&copy);
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC description = {};
  for (auto& mode : description.addressMode) mode = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texture;
  CUsurfObject surface;
  errors += cuTexObjectCreate(&texture, &resource, &description, nullptr);
  errors += cuSurfObjectCreate(&surface, &resource);
  write<<<1, 4>>>(surface);
  fetch<<<1, 4>>>(texture, out);
  errors += cudaDeviceSynchronize();
  std::printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
  CUDA_MEMCPY2D back = {};
  back.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  back.srcArray = array;
  back.srcXInBytes = 1;
  back.srcY = 1;
  back.dstMemoryType = CU_MEMORYTYPE_HOST;
  back.dstHost = host;
  back.dstPitch = 3;
  back.WidthInBytes = 3;
  back.Height = 2;
  errors += cuMemcpy2D(&back);
  for (int k = 0; k < 6; ++k) std::printf("%d ", host[k]);
  back.WidthInBytes = 4;  // one more than there are from byte 1 on
  back.dstPitch = 4;
  std::printf("\nbeyond the row: %d\n", cuMemcpy2D(&back));
  errors += cuTexObjectDestroy(texture) + cuSurfObjectDestroy(surface) + cuArrayDestroy(array);
  cudaFree(out);
  std::printf("errors: %d\n", errors);
}
