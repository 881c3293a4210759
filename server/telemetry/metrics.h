// What a server counts, in the Prometheus text exposition format. The only user of prometheus-cpp.
#ifndef SERVER_TELEMETRY_METRICS_H_
#define SERVER_TELEMETRY_METRICS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"

namespace diopi::server {

// One value that is computed when the metrics are read, instead of being counted.
struct Sample {
  enum class Kind { kGauge, kCounter };
  std::string name;  // samples of one name have one help and one kind
  std::string help;
  Kind kind = Kind::kGauge;
  std::map<std::string, std::string> labels;
  double value = 0;
};

// Thread-safe.
class Metrics {
 public:
  explicit Metrics(const std::string& version);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // A call was answered; `code` as in "OK" and "NOT_FOUND".
  void Call(std::string_view method, std::string_view code, absl::Duration took);
  void Leased(size_t cases);
  void Reported(size_t stored, size_t duplicates);
  // Stored for the first time.
  void Verdict(std::string_view chip, std::string_view outcome, size_t count = 1);
  void Expired(size_t cases);          // of a lease that was not renewed
  void Streamed(size_t bytes);         // of tensors, to agents
  void Appended(absl::Duration took);  // one transaction with verdicts

  // Called at every Text. What it uses must outlive the metrics.
  void AddSource(std::function<std::vector<Sample>()> source);

  // Everything, as "text/plain; version=0.0.4".
  std::string Text() const;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

// Memory, descriptors and processor time of this process, under the names that Prometheus' own clients use.
std::vector<Sample> ProcessSamples();

}  // namespace diopi::server

#endif  // SERVER_TELEMETRY_METRICS_H_
