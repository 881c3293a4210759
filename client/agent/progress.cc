#include "client/agent/progress.h"

#include <array>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cases/base/outcome.h"
#include "cases/base/printable_stream.h"
#include "cases/base/text.h"
#include "reports/render/render.h"

namespace diopi::agent {
namespace {

constexpr int kBarWidth = 30;
constexpr std::chrono::milliseconds kBarPeriod{100};
constexpr std::chrono::seconds kFirstRate{1};  // before it, a rate says little
constexpr char kRed[] = "\033[31m";
constexpr char kGreen[] = "\033[32m";
constexpr char kPlain[] = "\033[0m";

}  // namespace

std::string HarnessTime(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm local{};
  localtime_r(&seconds, &local);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &local);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
  return absl::StrFormat("%s,%03d", text.data(), since % 1000);
}

std::string DurationText(std::chrono::seconds duration) {
  const int64_t seconds = duration.count();
  if (seconds < 60) return absl::StrCat(seconds, " s");
  if (seconds < 3600) return absl::StrFormat("%d min %02d s", seconds / 60, seconds % 60);
  return absl::StrFormat("%d h %02d min", seconds / 3600, seconds / 60 % 60);
}

void Progress::Expect(const std::string& op, const std::string& function, int64_t cases) {
  v1::Verdict verdict;
  verdict.set_operator_(op);
  verdict.set_function(function);
  tallies_[reports::HarnessName(verdict)].expected += cases;
}

void Progress::Add(const v1::Verdict& verdict) {
  ++done_;
  if (options_.quiet) return;
  const std::string name = reports::HarnessName(verdict);
  Tally& tally = tallies_[name];
  ++tally.seen;
  if (verdict.outcome() == v1::OUTCOME_PASS) ++tally.passed;
  if (verdict.outcome() == v1::OUTCOME_NOT_IMPLEMENTED) ++tally.not_implemented;
  const bool failed = IsFailure(verdict.outcome());
  if (failed) {
    ++tally.failed;
    ++failed_;
  }
  if (options_.verbose && IsListed(verdict.outcome())) {
    Line("ERROR", absl::StrCat(OneLine(verdict.case_id()), ": ", OutcomeName(verdict.outcome()), ": ",
                               OneLine(verdict.reason()), " | ",
                               reports::LocalReproCommand(options_.run, verdict, options_.data_folder)));
  }
  if (tally.seen == tally.expected) PrintTally(name, &tally);
  DrawBar(false);
}

void Progress::PrintTally(const std::string& name, Tally* tally) {
  tally->printed = true;
  const std::string run = absl::StrCat("Run diopi_functions.", OneLine(name));
  if (!harness_lines() && tally->failed == 0) return;  // the bar counts it
  if (tally->passed == tally->seen) {
    Line("INFO", absl::StrCat(run, " succeed"));
  } else if (tally->not_implemented == tally->seen) {
    Line("WARNING", absl::StrCat(run, " not implemented"));
  } else {
    const int64_t other = tally->seen - tally->passed - tally->failed - tally->not_implemented;
    std::string text = absl::StrCat(run, tally->failed > 0 ? " failed: " : " incomplete: ", tally->passed,
                                    " of ", tally->seen, " cases pass");
    if (tally->not_implemented > 0) absl::StrAppend(&text, ", ", tally->not_implemented, " not implemented");
    if (other > 0) absl::StrAppend(&text, ", ", other, " not judged");
    Line(tally->failed > 0 ? "ERROR" : "WARNING", text);
  }
}

void Progress::Finish() {
  if (options_.quiet) return;
  for (auto& [name, tally] : tallies_) {
    if (tally.seen > 0 && !tally.printed) PrintTally(name, &tally);
  }
  if (!options_.bar) return;
  DrawBar(true);
  *out_ << "\n" << std::flush;
}

void Progress::Line(const char* level, const std::string& text) {
  ClearBar();
  if (harness_lines()) {
    *out_ << HarnessTime(options_.clock()) << " - DIOPI-Test - " << level << " - ";
  } else if (options_.colours) {
    WriteControl(kRed, out_);
    *out_ << level << " ";
    WriteControl(kPlain, out_);
  } else {
    *out_ << level << " ";
  }
  *out_ << text << "\n" << std::flush;
}

void Progress::ClearBar() {
  if (bar_shown_) WriteControl("\r\033[K", out_);
  bar_shown_ = false;
}

void Progress::DrawBar(bool now) {
  if (!options_.bar) return;
  const auto time = options_.clock();
  if (!now && bar_shown_ && time - last_bar_ < kBarPeriod) return;
  last_bar_ = time;
  const int64_t total = std::max<int64_t>(options_.total, 1);
  const auto filled = static_cast<size_t>(std::min<int64_t>(kBarWidth, kBarWidth * done_ / total));
  WriteControl("\r", out_);
  *out_ << "[" << std::string(filled, '#') << std::string(kBarWidth - filled, ' ') << "] "
        << 100 * std::min(done_, total) / total << " %  " << done_ << "/" << options_.total << " cases, ";
  if (options_.colours) WriteControl(failed_ > 0 ? kRed : kGreen, out_);
  *out_ << failed_ << " failed";
  if (options_.colours) WriteControl(kPlain, out_);
  const double seconds = std::chrono::duration<double>(time - started_).count();
  const auto done_here = static_cast<double>(done_ - options_.done);
  if (time - started_ >= kFirstRate && done_here > 0) {
    const double rate = done_here / seconds;
    const auto left =
        static_cast<int64_t>(static_cast<double>(std::max<int64_t>(options_.total - done_, 0)) / rate);
    *out_ << absl::StrFormat(rate < 10 ? ", %.1f/s" : ", %.0f/s", rate)
          << (now ? ", " + DurationText(std::chrono::seconds(static_cast<int64_t>(seconds)))
                  : ", " + DurationText(std::chrono::seconds(left)) + " left");
  }
  WriteControl("\033[K", out_);
  *out_ << std::flush;
  bar_shown_ = true;
}

}  // namespace diopi::agent
