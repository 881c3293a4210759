// Structured log lines on stderr: time, level, event and fields, as logfmt or as JSON. The only user of
// spdlog. Thread-safe.
#ifndef SERVER_TELEMETRY_LOG_H_
#define SERVER_TELEMETRY_LOG_H_

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace diopi::server {

enum class LogFormat { kLogfmt, kJson };
enum class LogLevel { kDebug, kInfo, kWarn, kError };

// KEY=VALUE. Keys are ours: letters, digits and underscores. Values may hold any bytes.
struct Field {
  Field(std::string_view name, std::string_view text) : key(name), value(text) {}
  Field(std::string_view name, const std::string& text) : key(name), value(text) {}
  Field(std::string_view name, const char* text) : key(name), value(text) {}
  template <typename Number>
  requires std::integral<Number> || std::floating_point<Number> Field(std::string_view name, Number number)
      : key(name), value(absl::StrCat(number)), is_number(true) {}

  std::string key;
  std::string value;
  bool is_number = false;
};

// Sets up the log of this process, which is spdlog's default logger. `level`: trace, debug, info, warn, error
// or off. Lines logged earlier go to spdlog's default logger, as logfmt.
void StartLog(LogFormat format, const std::string& level);

// event=EVENT KEY=VALUE ...: one line, whatever the values hold.
void Log(LogLevel level, std::string_view event, std::initializer_list<Field> fields);
// event=refused, for what anybody who can reach the server may cause: after a burst only a few lines a
// minute, so that a scanner does not fill the disk. event=refusals_left_out before the next line says how
// many were left out.
void LogRefusal(LogLevel level, std::initializer_list<Field> fields);
// False: Log would drop the line, so callers need not build its fields.
bool Logs(LogLevel level);

// The line without time and level. A logfmt value is quoted when it is empty or holds a space, '=', '"' or a
// control character or one beyond ASCII. Quoted values are JSON strings with only printable characters
// (QuotedText in cases/base/text.h), of which no more than the first 16 KiB are shown.
std::string FormatLine(LogFormat format, std::string_view event, std::initializer_list<Field> fields);

}  // namespace diopi::server

#endif  // SERVER_TELEMETRY_LOG_H_
