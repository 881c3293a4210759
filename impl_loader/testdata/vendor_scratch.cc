// Functions with scratch memory; `fusion_level` selects a fault (scratch_test.cc). The good ones double
// `inoutput` by way of the workspace, or add what the call with `is_prepared` false left in pre_work.
#include <cstdint>

#define DIOPI_STRONG
#include "diopi/diopirt.h"
#include "diopi/functions_lmdeploy.h"

namespace {

float* Data(diopiTensorHandle_t tensor) {
  void* data = nullptr;
  diopiGetTensorData(tensor, &data);
  return static_cast<float*>(data);
}

int64_t Count(diopiTensorHandle_t tensor) {
  int64_t count = 0;
  diopiGetTensorNumel(tensor, &count);
  return count;
}

}  // namespace

diopiError_t diopiFusedSiluFfnInp(diopiContextHandle_t, diopiTensorHandle_t inoutput,
                                  diopiConstTensorHandle_t, diopiConstTensorHandle_t,
                                  diopiConstTensorHandle_t, diopiTensorHandle_t workspace,
                                  int64_t* workspace_size, int64_t fusion_level) {
  const int64_t n = Count(inoutput);
  float* x = Data(inoutput);
  if (*workspace_size < 0) {
    if (fusion_level == 2) x[0] = 0;
    if (fusion_level != 1) *workspace_size = fusion_level == 3 ? INT64_C(1) << 50 : n;
    return fusion_level == 4 ? diopiErrorOccurred : diopiSuccess;
  }
  if (Count(workspace) != n || *workspace_size != n) return diopiErrorOccurred;
  float* w = Data(workspace);
  for (int64_t i = 0; i < n && fusion_level != 5; ++i) w[i] = x[i];
  for (int64_t i = 0; i < n; ++i) x[i] += w[i];
  if (fusion_level == 6) w[n] = 0;
  return diopiSuccess;
}

diopiError_t diopiFusedContextAttentionInp(diopiContextHandle_t, diopiTensorHandle_t inoutput,
                                           diopiConstTensorHandle_t, diopiConstTensorHandle_t,
                                           diopiTensorHandle_t pre_work, int64_t* pre_work_size,
                                           bool is_prepared, diopiTensorHandle_t, int64_t* workspace_size,
                                           int64_t, diopiTensorHandle_t, diopiTensorHandle_t, int64_t,
                                           int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                                           float) {
  // One size per call.
  if (*pre_work_size < 0) {
    *pre_work_size = 1;
  } else if (*workspace_size < 0) {
    *workspace_size = 0;
  } else if (is_prepared) {
    Data(inoutput)[0] += Data(pre_work)[0];
  } else {
    Data(pre_work)[0] = 40;
  }
  return diopiSuccess;
}
