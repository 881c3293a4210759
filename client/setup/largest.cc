#include "client/setup/largest.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "cases/base/case_parts.h"
#include "cases/base/tensor.h"
#include "client/profile/tensors.h"

namespace diopi::agent {
namespace {

// The weight of a case among those of its function: contiguous tensors weigh more than others, then the
// number of elements decides.
std::pair<bool, int64_t> Weight(const v1::Case& c) {
  bool contiguous = true;
  int64_t elements = 0;
  for (const profile::CaseTensor& tensor : profile::TensorsOf(c)) {
    const v1::TensorSpec& spec = *tensor.spec;
    contiguous = contiguous && profile::IsContiguous(spec);
    elements += ElementsOf(spec);
  }
  return {contiguous, elements};
}

}  // namespace

std::vector<v1::Case> LargestCases(std::vector<v1::Case> cases, size_t count) {
  std::map<std::pair<std::string, int>, std::vector<size_t>> groups;
  for (size_t i = 0; i < cases.size(); ++i) {
    groups[{cases[i].function(), static_cast<int>(cases[i].dtype())}].push_back(i);
  }
  std::vector<size_t> kept;
  for (auto& [key, members] : groups) {
    std::stable_sort(members.begin(), members.end(),
                     [&](size_t a, size_t b) { return Weight(cases[a]) > Weight(cases[b]); });
    members.resize(std::min(members.size(), count));
    kept.insert(kept.end(), members.begin(), members.end());
  }
  std::sort(kept.begin(), kept.end());
  std::vector<v1::Case> chosen;
  chosen.reserve(kept.size());
  for (const size_t i : kept) chosen.push_back(std::move(cases[i]));
  return chosen;
}

}  // namespace diopi::agent
