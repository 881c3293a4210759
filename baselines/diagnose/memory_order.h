// Inputs as an implementation reads them that ignores strides or broadcasting. Private to this folder.
#ifndef BASELINES_DIAGNOSE_MEMORY_ORDER_H_
#define BASELINES_DIAGNOSE_MEMORY_ORDER_H_

#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"
#include "diopi/v1/finding.pb.h"

namespace diopi::baselines {

struct InputInMemory {
  std::string argument;
  std::string key;  // "input", "tensors.0"
  v1::Finding::Code code;
  v1::TensorSpec spec;  // contiguous, its fill the values that are read
};

// Every generated input with strides, where such a read meets only its elements and no gaps; every generated
// input that is broadcast to an output's shape, repeated in the order of memory.
std::vector<InputInMemory> InputsByMemory(const v1::Case& c);

// The spec of a tensor by key; null when the case has none.
v1::TensorSpec* FindSpec(const std::string& key, v1::Case* c);

}  // namespace diopi::baselines

#endif  // BASELINES_DIAGNOSE_MEMORY_ORDER_H_
