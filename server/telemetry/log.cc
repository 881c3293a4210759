#include "server/telemetry/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "cases/base/text.h"
#include "server/telemetry/line_budget.h"

namespace diopi::server {
namespace {

constexpr size_t kLongestValue = size_t{1} << 14;  // a client may have chosen it

// One per process, like spdlog's default logger, which it belongs to.
std::atomic<LogFormat> process_format = LogFormat::kLogfmt;

spdlog::level::level_enum SpdlogLevel(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

bool NeedsQuotes(std::string_view text) {
  return text.empty() || text.size() > kLongestValue || std::any_of(text.begin(), text.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte <= ' ' || byte >= 0x7f || c == '"' || c == '=' || c == '\\';
         });
}

std::string Value(std::string_view text) {
  if (text.size() <= kLongestValue) return QuotedText(text);
  return QuotedText(std::string(text.substr(0, kLongestValue)) + "...");
}

// JSON has no NaN and no infinity.
bool IsJsonNumber(const Field& field) {
  return field.is_number &&
         std::none_of(field.value.begin(), field.value.end(), [](char c) { return c == 'n' || c == 'i'; });
}

}  // namespace

std::string FormatLine(LogFormat format, std::string_view event, std::initializer_list<Field> fields) {
  std::string line;
  const auto append = [&](const Field& field) {
    if (!line.empty()) line += format == LogFormat::kJson ? "," : " ";
    if (format == LogFormat::kJson) {
      absl::StrAppend(&line, "\"", field.key, "\":", IsJsonNumber(field) ? field.value : Value(field.value));
    } else {
      absl::StrAppend(&line, field.key, "=", NeedsQuotes(field.value) ? Value(field.value) : field.value);
    }
  };
  append({"event", event});
  for (const Field& field : fields) append(field);
  return line;
}

void StartLog(LogFormat format, const std::string& level) {
  process_format = format;
  spdlog::drop("diopi-server");
  spdlog::set_default_logger(spdlog::stderr_logger_mt("diopi-server"));
  spdlog::set_pattern(format == LogFormat::kJson ? R"({"time":"%Y-%m-%dT%H:%M:%S.%e%z","level":"%l",%v})"
                                                 : "time=%Y-%m-%dT%H:%M:%S.%e%z level=%l %v");
  spdlog::set_level(spdlog::level::from_str(level));
}

bool Logs(LogLevel level) {
  return spdlog::should_log(SpdlogLevel(level));
}

void Log(LogLevel level, std::string_view event, std::initializer_list<Field> fields) {
  if (!Logs(level)) return;
  const std::string line = FormatLine(process_format, event, fields);
  spdlog::default_logger_raw()->log(SpdlogLevel(level), spdlog::string_view_t(line.data(), line.size()));
}

void LogRefusal(LogLevel level, std::initializer_list<Field> fields) {
  constexpr int kBurst = 50;
  constexpr absl::Duration kRefill = absl::Seconds(10);  // 2 MB a day
  static LineBudget* const budget = new LineBudget(kBurst, kRefill);
  if (!Logs(level)) return;
  const std::optional<int64_t> left_out = budget->Take(absl::Now());
  if (!left_out.has_value()) return;
  if (*left_out > 0) Log(level, "refusals_left_out", {{"count", *left_out}});
  Log(level, "refused", fields);
}

}  // namespace diopi::server
