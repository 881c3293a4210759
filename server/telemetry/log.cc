#include "server/telemetry/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>

#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "server/telemetry/line_budget.h"

namespace diopi::server {
namespace {

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

// How many bytes from `at` on make one character of UTF-8; 0: none does (RFC 3629, section 4).
size_t CharacterLength(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  size_t length = 0;
  unsigned least = 0x80;  // of the second byte
  unsigned most = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) least = 0xa0;
    if (first == 0xed) most = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) least = 0x90;
    if (first == 0xf4) most = 0x8f;
  } else {
    return 0;
  }
  if (byte(at + 1) < least || byte(at + 1) > most) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(at + i) < 0x80 || byte(at + i) > 0xbf) return 0;
  }
  return length;
}

void AppendEscaped(char c, std::string* out) {
  switch (c) {
    case '"':
      *out += "\\\"";
      return;
    case '\\':
      *out += "\\\\";
      return;
    case '\n':
      *out += "\\n";
      return;
    case '\r':
      *out += "\\r";
      return;
    case '\t':
      *out += "\\t";
      return;
    default:
      break;
  }
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
    absl::StrAppend(out, "\\u", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad4));
  } else {
    out->push_back(c);
  }
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t at = 0; at < text.size();) {
    const size_t length = CharacterLength(text, at);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      ++at;
    } else if (length == 1) {
      AppendEscaped(text[at++], &out);
    } else {
      out.append(text.substr(at, length));
      at += length;
    }
  }
  return out + "\"";
}

bool NeedsQuotes(std::string_view text) {
  return text.empty() || std::any_of(text.begin(), text.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte <= ' ' || byte >= 0x7f || c == '"' || c == '=' || c == '\\';
         });
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
      absl::StrAppend(&line, "\"", field.key, "\":", IsJsonNumber(field) ? field.value : Quoted(field.value));
    } else {
      absl::StrAppend(&line, field.key, "=", NeedsQuotes(field.value) ? Quoted(field.value) : field.value);
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
