// Builds measurements by hand, for tests.
#ifndef REPORTS_PERFORMANCE_PERFORMANCE_TESTING_H_
#define REPORTS_PERFORMANCE_PERFORMANCE_TESTING_H_

#include <cmath>
#include <string>
#include <vector>

#include "diopi/v1/performance.pb.h"

namespace diopi::reports {

// In float32, with these warm samples in microseconds.
inline v1::Measurement MakeMeasurement(const std::string& id, const std::string& function,
                                       const std::vector<std::vector<double>>& rounds) {
  v1::Measurement measurement;
  measurement.set_case_id(id);
  measurement.set_case_hash("hash of " + id);
  measurement.set_judged_case(id);
  measurement.set_judged_hash("hash of " + id);
  measurement.set_function(function);
  measurement.set_operator_(id.substr(0, id.find('.')));
  measurement.set_dtype(v1::Dtype::float32);
  measurement.set_calls(1);
  for (const std::vector<double>& samples : rounds) {
    v1::MeasuredRound* round = measurement.add_rounds();
    for (const double us : samples) round->add_warm_ns(static_cast<uint64_t>(std::llround(us * 1e3)));
  }
  return measurement;
}

}  // namespace diopi::reports

#endif  // REPORTS_PERFORMANCE_PERFORMANCE_TESTING_H_
