// How long the calls of each function took, as a profiler's table.
#ifndef BASELINES_TAP_TIME_TABLE_H_
#define BASELINES_TAP_TIME_TABLE_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace diopi::tap {

// Thread-safe.
class TimeTable {
 public:
  // `arguments`: shapes and element types, in words. `by_device`: the time is by the device's clock.
  void Add(const std::string& function, const std::string& arguments, double microseconds, bool by_device);

  // Whose clock it was, then two tables, by function and by function and shapes, each with the largest total
  // first: calls, total, mean, least and most time, and the share of all calls' time. Empty when there was no
  // call.
  std::string Text() const;

 private:
  struct Row {
    int64_t calls = 0;
    double total = 0;
    double least = 0;
    double most = 0;
    void Add(double microseconds);
  };
  std::string ClockText() const;
  static std::string TableText(const std::map<std::string, Row>& rows, double all, size_t limit);

  mutable std::mutex mutex_;
  std::map<std::string, Row> functions_;
  std::map<std::string, Row> shapes_;
  int64_t calls_ = 0;
  int64_t calls_by_device_ = 0;
};

}  // namespace diopi::tap

#endif  // BASELINES_TAP_TIME_TABLE_H_
