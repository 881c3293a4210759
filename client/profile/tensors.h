// The tensors of a case by key, as rules see them.
#ifndef CLIENT_PROFILE_TENSORS_H_
#define CLIENT_PROFILE_TENSORS_H_

#include <string>
#include <vector>

#include "diopi/v1/case.pb.h"

namespace diopi::profile {

// Points into the case, which must outlive it.
struct CaseTensor {
  const v1::Argument* argument = nullptr;
  std::string key;  // "input", "tensors.0"
  const v1::TensorSpec* spec = nullptr;
};

// The tensors whose handles are not null, in the ABI's order.
std::vector<CaseTensor> TensorsOf(const v1::Case& c);

// Row-major, without gaps or an offset.
bool IsContiguous(const v1::TensorSpec& spec);

}  // namespace diopi::profile

#endif  // CLIENT_PROFILE_TENSORS_H_
