// Calendar days, as expectations write them: 2027-01-31, in UTC.
#ifndef REPORTS_GATE_DATE_H_
#define REPORTS_GATE_DATE_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace diopi::reports {

using Day = std::chrono::sys_days;

// Nullopt unless `text` is YYYY-MM-DD and the day exists.
std::optional<Day> ParseDay(std::string_view text);

// "2027-01-31".
std::string DayText(Day day);

// The wall clock's day, in UTC.
Day Today();

}  // namespace diopi::reports

#endif  // REPORTS_GATE_DATE_H_
