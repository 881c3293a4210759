// The tap between a host that is not ours (tap_host, in C) and good and faulty libraries: each tool finds the
// injected bug, and nothing that a tool meets ends the host.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "build_paths.h"
#include "client/testing/tap_testing.h"

namespace diopi::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// The last words of the rows of a table, which are the functions' names, for rows whose column has a value
// other than "0".
std::set<std::string> FunctionsWith(const std::string& table, size_t column) {
  std::set<std::string> names;
  for (const std::string& line : Lines(table, "  diopi")) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() > column && absl::StartsWith(words.back(), "diopi") && words[column] != "0") {
      names.insert(words.back());
    }
  }
  return names;
}

TEST_F(TapTest, ForwardsWithoutATool) {
  for (const char* model : {"convolution", "transformer"}) {
    const Finished direct = Direct(good_, model, 5);
    const Finished tapped = Host(good_, model, 5);
    EXPECT_EQ(direct.code, 0) << direct.err;
    EXPECT_EQ(tapped.out, direct.out);
    EXPECT_EQ(tapped.err, "");
  }
}

TEST_F(TapTest, NoToolChangesAResult) {
  const Finished direct = Direct(good_, "transformer", 4);
  const Finished tapped =
      Host(good_, "transformer", 4,
           {"OP_CAPTURE_LIST=.*", "OP_AUTOCOMPARE_LIST=.*", "DIOPI_TAP_EVERY_CALL=1", "DIPU_DUMP_OP_ARGS=3",
            "DIOPI_TAP_MEMORY=1", "DIOPI_TAP_TRACE=" + (folder_ / "trace.json")});
  EXPECT_EQ(tapped.out, direct.out);
  EXPECT_THAT(tapped.err, HasSubstr(" compared, 0 failed"));
}

// The folder of a link has none of the tap's tools.
TEST_F(TapTest, ALinkNamedAsTheVendorsLibrary) {
  const std::string link = folder_ / "libdiopi_impl.so";
  std::filesystem::create_symlink(Tap(), link);
  const Finished run = RunProgram({BuildPath("tools/tap_host"), link, "transformer", "1"},
                                  {"DIOPI_TAP_IMPL=" + good_, "OP_AUTOCOMPARE_LIST=.*"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr(" compared, 0 failed"));
}

TEST_F(TapTest, ABadSettingIsSaidAndCallsAreForwarded) {
  const Finished direct = Direct(good_, "transformer", 2);
  for (const std::string setting :
       {"OP_CAPTURE_LIST=add(", "OP_FALLBACK_LIST=no_such", "DIPU_DUMP_OP_ARGS=9"}) {
    const Finished tapped = Host(good_, "transformer", 2, {setting});
    EXPECT_EQ(tapped.out, direct.out) << setting;
    EXPECT_THAT(tapped.err, HasSubstr("diopi_tap: " + setting.substr(0, setting.find('=')) + ": "))
        << setting;
    EXPECT_THAT(Lines(tapped.err), SizeIs(1)) << tapped.err;
  }
}

TEST_F(TapTest, DumpsNamesArgumentsAndValues) {
  const std::string names = Host(good_, "convolution", 1, {"DIPU_DUMP_OP_ARGS=1"}).err;
  EXPECT_THAT(Lines(names, "diopiSgd"), SizeIs(6));
  EXPECT_THAT(names, Not(HasSubstr("float32")));
  const std::string arguments = Host(good_, "convolution", 1, {"DIPU_DUMP_OP_ARGS=2"}).err;
  EXPECT_THAT(arguments, HasSubstr("input            in       float32 (10, 1, 12, 12)"));
  EXPECT_THAT(arguments, HasSubstr("lr                        0.05"));
  EXPECT_THAT(arguments, Not(HasSubstr("returned")));
  const std::string values = Host(good_, "convolution", 1, {"DIPU_DUMP_OP_ARGS=3"}).err;
  EXPECT_THAT(values, HasSubstr("diopiNonzero returned 0"));
  EXPECT_THAT(values, HasSubstr("target: 0 1 2 3 4 0 1 2 3 4"));
}

TEST_F(TapTest, TimesStepsByASchedule) {
  const std::string path = folder_ / "trace.json";
  const Finished run =
      Host(good_, "transformer", 6,
           {"DIOPI_TAP_TRACE=" + path, "DIOPI_TAP_SCHEDULE=skip=1 wait=1 warmup=1 active=2 repeat=1"});
  EXPECT_THAT(run.err, HasSubstr("Time by function\n"));
  // Two active steps with twelve parameters.
  EXPECT_THAT(Lines(run.err, "      24 "), SizeIs(::testing::Ge(1U))) << run.err;
  google::protobuf::ListValue events;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(ReadFile(path), &events).ok());
  std::set<double> steps;
  int calls = 0;
  for (const auto& value : events.values()) {
    const auto& event = value.struct_value().fields();
    if (event.at("ph").string_value() != "X") continue;
    ++calls;
    EXPECT_GT(event.at("dur").number_value(), 0);
    steps.insert(event.at("args").struct_value().fields().at("step").number_value());
  }
  EXPECT_THAT(steps, ElementsAre(3, 4));
  EXPECT_GT(calls, 2 * 40);
}

// What the driver says, a constant of 3 ms here, instead of what the host measures.
TEST_F(TapTest, TimesByTheDevicesClockWhereTheDriverIsLoaded) {
  const std::string path = folder_ / "trace.json";
  const std::vector<std::string> settings = {"DIOPI_TAP_TRACE=" + path, "DIOPI_TAP_CLOCK=device"};
  const Finished without = Host(good_, "transformer", 1, settings);
  EXPECT_THAT(without.err, HasSubstr("Times are by the host's clock, with the stream synchronised"));
  EXPECT_THAT(without.err, HasSubstr("DIOPI_TAP_CLOCK: no CUDA driver takes the stream"));
  EXPECT_THAT(ReadFile(path), Not(HasSubstr(R"("clock":"device")")));
  std::vector<std::string> preloaded = settings;
  preloaded.push_back("LD_PRELOAD=" + VendorPath("vendor_fake_cuda"));
  const Finished with = Host(good_, "transformer", 1, preloaded);
  EXPECT_THAT(with.err, HasSubstr("Times are by the device's clock, with an event before and after"));
  EXPECT_THAT(Lines(ReadFile(path), R"("ph":"X")"), Each(HasSubstr(R"("dur":3000.000,)")));
  EXPECT_THAT(ReadFile(path), Not(HasSubstr(R"("clock":"host")")));
}

class TapBugTest : public TapTest, public ::testing::WithParamInterface<Bug> {};

TEST_P(TapBugTest, CompareFindsIt) {
  const Bug& bug = GetParam();
  const Finished run = Host(VendorPath(bug.library), bug.model, 3,
                            {"OP_AUTOCOMPARE_LIST=.*", "DIOPI_MUTANT=" + bug.switched_on});
  EXPECT_THAT(FunctionsWith(run.err, 1), ElementsAre(bug.function)) << run.err;
  EXPECT_THAT(run.err, HasSubstr("First failure: " + bug.function + ", call "));
  // The failed call is captured, and fails again offline.
  const Finished replay =
      Cli({"replay", Capture(), "--impl", VendorPath(bug.library)}, {"DIOPI_MUTANT=" + bug.switched_on});
  EXPECT_EQ(replay.code, 1) << replay.out << replay.err;
  EXPECT_THAT(replay.out, HasSubstr("(when captured: fail)"));
  EXPECT_EQ(Cli({"replay", Capture(), "--impl", good_}).code, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Bugs, TapBugTest,
    ::testing::Values(Bug{"libdiopi_faulty", "", "convolution", "diopiRelu"},
                      Bug{"libdiopi_mutants", "conv_kernel_flipped", "convolution", "diopiConvolution2d"},
                      Bug{"libdiopi_mutants", "conv_backward_weight_of_last_image", "convolution",
                          "diopiConvolution2dBackward"},
                      Bug{"libdiopi_mutants", "softmax_backward_without_sum", "transformer",
                          "diopiSoftmaxBackward"},
                      Bug{"libdiopi_mutants", "adamw_no_bias_correction", "transformer", "diopiAdamW"}),
    [](const auto& test) { return test.param.function; });

// Tensors of more than a page count as large here.
TEST_F(TapTest, LargeCallsAreComparedOnSlices) {
  const std::vector<std::string> settings = {"OP_AUTOCOMPARE_LIST=.*", "DIOPI_TAP_COMPARE_BYTES=5000"};
  const Finished good = Host(good_, "convolution", 2, settings);
  EXPECT_THAT(good.err, HasSubstr(" compared, 0 failed"));
  EXPECT_THAT(good.err, HasSubstr("calls: diopiRelu: on slices, because its tensors have more than"));
  EXPECT_THAT(good.err, HasSubstr("calls: diopiNonzero: on slices, because its tensors have more than"));
  EXPECT_THAT(good.err, Not(HasSubstr("Not compared")));
  const Finished bad = Host(faulty_, "convolution", 2, settings);
  EXPECT_THAT(FunctionsWith(bad.err, 1), ElementsAre("diopiRelu")) << bad.err;
  EXPECT_THAT(bad.err, HasSubstr("compared on slices: "));
  const Finished none = Host(good_, "convolution", 2, {settings[0], "DIOPI_TAP_COMPARE_BYTES=1"});
  EXPECT_THAT(none.err, HasSubstr("its tensors have more than 16 times DIOPI_TAP_COMPARE_BYTES"));
}

TEST_F(TapTest, FallingBackMendsTheLoss) {
  const std::string loss = Lines(Direct(good_, "convolution", 20).out).back();
  EXPECT_NE(Lines(Host(faulty_, "convolution", 20).out).back(), loss);
  for (const char* list : {"OP_FALLBACK_LIST=diopiRelu", "DIPU_FORCE_FALLBACK_OPS_LIST=rel."}) {
    const Finished run = Host(faulty_, "convolution", 20, {list});
    EXPECT_EQ(Lines(run.out).back(), loss) << list;
    EXPECT_THAT(run.err, HasSubstr("diopiRelu falls back to the CPU reference"));
    EXPECT_THAT(run.err, HasSubstr("20 calls fell back"));
  }
}

// Every function of both models, outputs that the library allocates included.
TEST_F(TapTest, EverythingCanFallBack) {
  for (const char* model : {"convolution", "transformer"}) {
    const Finished run = Host(faulty_, model, 10, {"OP_FALLBACK_LIST=.*"});
    EXPECT_EQ(run.out, Direct(good_, model, 10).out) << run.err;
    EXPECT_THAT(run.err, Not(HasSubstr("does not fall back")));
  }
}

TEST_F(TapTest, CapturesAreShownReplayedAndTimed) {
  const std::vector<std::string> bug = {"DIOPI_MUTANT=softmax_backward_without_sum"};
  std::vector<std::string> settings = bug;
  settings.insert(settings.end(),
                  {"OP_CAPTURE_LIST=.*", "OP_CAPTURE_DISABLE_LIST=linear", "DIOPI_TAP_STEPS=1-2"});
  const Finished run = Host(mutants_, "transformer", 4, settings);
  EXPECT_THAT(run.err, HasSubstr(" captured in " + Capture())) << run.err;

  const Finished list = Cli({"show", Capture()});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(list.out, HasSubstr("diopiSoftmaxBackward"));
  EXPECT_THAT(list.out, HasSubstr("step 1, thread "));
  EXPECT_THAT(list.out, Not(HasSubstr("step 0")));
  EXPECT_THAT(list.out, Not(HasSubstr("diopiLinear ")));
  const std::string file =
      std::string(absl::StripLeadingAsciiWhitespace(Lines(list.out, "SoftmaxBackward.h5").at(0)));
  const Finished shown = Cli({"show", file, "--values", "3"});
  EXPECT_THAT(shown.out, HasSubstr("grad_input: float32 (2, 6, 6): "));
  EXPECT_THAT(shown.out, HasSubstr("Library    " + mutants_));

  const Finished replay = Cli({"replay", Capture(), "--impl", mutants_}, bug);
  EXPECT_EQ(replay.code, 1);
  EXPECT_THAT(Lines(replay.out, "fail "), ElementsAre(HasSubstr("diopiSoftmaxBackward"))) << replay.out;
  EXPECT_THAT(replay.out, HasSubstr("(when captured: fail)"));
  const Finished forward = Cli({"replay", Capture(), "--impl", mutants_, "--forward-only"}, bug);
  EXPECT_EQ(forward.code, 0) << forward.out << forward.err;
  const Finished times = Cli({"replay", Capture(), "--impl", mutants_, "--time", "3", "--fname", "bmm"});
  EXPECT_EQ(times.code, 0) << times.err;
  EXPECT_THAT(Lines(times.out, "diopiBmm"), Not(IsEmpty()));
  EXPECT_THAT(times.out, Not(HasSubstr("diopiSoftmax")));
}

TEST_F(TapTest, ACaptureIsReadableWithoutUs) {
  Host(good_, "convolution", 1, {"OP_CAPTURE_LIST=.*"});
  const Finished read =
      RunProgram({"/usr/bin/python3", DIOPI_SOURCE_DIR "/client/testing/read_capture.py", Capture()});
  EXPECT_EQ(read.out, "the capture is what the host passed\n") << read.err;
}

TEST_F(TapTest, CapturedCallsBecomeCases) {
  const std::vector<std::string> bug = {"DIOPI_MUTANT=softmax_backward_without_sum"};
  std::vector<std::string> settings = bug;
  settings.push_back("OP_CAPTURE_LIST=.*");
  Host(mutants_, "transformer", 1, settings);
  Host(mutants_, "convolution", 1, settings);
  for (const std::string extra : {"--most-values=4096", "--without-data"}) {
    const std::string cases = folder_ / ("cases" + extra);
    const Finished made = Cli({"capture-to-cases", Capture(), "--output", cases, extra});
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_THAT(made.out, Not(HasSubstr("left out"))) << made.err;
    std::string id;
    for (const auto& entry : std::filesystem::directory_iterator(cases)) {
      if (absl::StrContains(ReadFile(entry.path()), "functions: \"diopiSoftmaxBackward\"")) {
        id = absl::StrCat("softmax.backward.float32.", entry.path().stem().string());
      }
    }
    const auto repro = [&](const std::string& library) {
      return Cli({"repro", id, "--cases", cases, "--impl", library, "--output", folder_ / "repro.c"}, bug);
    };
    EXPECT_EQ(repro(good_).code, 0) << id;
    const Finished bad = repro(mutants_);
    EXPECT_EQ(bad.code, 1) << bad.out << bad.err;
    EXPECT_THAT(bad.out, HasSubstr("elements differ"));
  }
}

TEST_F(TapTest, MemoryTellsWhatALibraryRequiresAndKeeps) {
  const Finished run = Host(faulty_, "convolution", 5, {"DIOPI_TAP_MEMORY=1"});
  std::string nonzero;
  std::string cumsum;
  for (const std::string& line : Lines(run.err, "  diopi")) {
    if (absl::EndsWith(line, "diopiNonzero")) nonzero = line;
    if (absl::EndsWith(line, "diopiCumsum")) cumsum = line;
  }
  const std::vector<std::string> required = absl::StrSplit(nonzero, ' ', absl::SkipEmpty());
  const std::vector<std::string> kept = absl::StrSplit(cumsum, ' ', absl::SkipEmpty());
  ASSERT_THAT(required, SizeIs(8)) << run.err;
  ASSERT_THAT(kept, SizeIs(8)) << run.err;
  EXPECT_EQ(required[1], "5") << "a tensor in each of five calls";
  EXPECT_GT(std::stoll(required[3]), 0);
  EXPECT_THAT(run.err, HasSubstr("The largest request of diopiNonzero, "));
  EXPECT_THAT(run.err, HasSubstr("libdiopi_faulty.so("));
#if defined(__SANITIZE_ADDRESS__) || defined(DIOPI_THREAD_SANITIZER)
  GTEST_SKIP() << "a sanitizer's heap does not say how large it is";
#endif
  EXPECT_EQ(kept[6], "5") << "calls after which the heap was larger";
  EXPECT_GE(std::stoll(kept[5]), 5 << 20) << "it keeps 1 MiB of each call";
}

TEST_F(TapTest, SeveralThreads) {
  const std::string path = folder_ / "trace.json";
  const Finished run = Host(good_, "transformer", 2,
                            {"OP_CAPTURE_LIST=.*", "OP_AUTOCOMPARE_LIST=.*", "OP_FALLBACK_LIST=gelu",
                             "DIOPI_TAP_EVERY_CALL=1", "DIOPI_TAP_MEMORY=1", "DIOPI_TAP_TRACE=" + path},
                            {"9", "4"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, Direct(good_, "transformer", 2).out);
  EXPECT_THAT(run.err, HasSubstr(" compared, 0 failed"));
  EXPECT_THAT(run.err, HasSubstr("16 calls fell back"));
  google::protobuf::ListValue events;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(ReadFile(path), &events).ok());
  std::set<double> threads;
  std::set<std::string> streams;
  for (const auto& value : events.values()) {
    const auto& event = value.struct_value().fields();
    if (event.at("ph").string_value() != "X") continue;
    threads.insert(event.at("tid").number_value());
    streams.insert(event.at("args").struct_value().fields().at("stream").string_value());
  }
  EXPECT_THAT(threads, SizeIs(4));
  EXPECT_THAT(streams, SizeIs(4));
  const Finished replay = Cli({"replay", Capture(), "--impl", good_, "--fname", "softmax"});
  EXPECT_EQ(replay.code, 0) << replay.out;
  EXPECT_THAT(replay.out, HasSubstr("16 calls replayed, 0 failed"));
}

TEST_F(TapTest, CompleteCallsSurviveTheEndOfTheHost) {
  Running host({BuildPath("tools/tap_host"), Tap(), "transformer", "1000000"},
               {"DIOPI_TAP_IMPL=" + good_, "DIOPI_TAP_CAPTURE=" + Capture(), "OP_CAPTURE_LIST=.*",
                "DIOPI_TAP_EVERY_CALL=1", "STDBUF=L"});
  // The host's output is buffered, so wait for files.
  const auto files = [&] {
    std::error_code error;
    int64_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(Capture(), error)) {
      if (entry.path().extension() == ".h5") ++count;
    }
    return count;
  };
  while (files() < 50) usleep(1000);
  host.Signal(SIGKILL);
  EXPECT_EQ(host.Finish().code, 128 + SIGKILL);
  const int64_t complete = files();
  const Finished list = Cli({"show", Capture()});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(Lines(list.out, "returned 0"), SizeIs(static_cast<size_t>(complete)));
}

TEST_F(TapTest, ACutFileCostsOneCall) {
  Host(good_, "transformer", 1, {"OP_CAPTURE_LIST=diopiSoftmax,diopiGelu"});
  const Finished list = Cli({"show", Capture()});
  const std::string file =
      std::string(absl::StripLeadingAsciiWhitespace(Lines(list.out, "-diopiGelu.h5").at(0)));
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const Finished replay = Cli({"replay", Capture(), "--impl", good_});
  EXPECT_EQ(replay.code, 2);
  EXPECT_THAT(replay.out, HasSubstr("1 calls replayed, 0 failed, 1 could not be replayed"));
  EXPECT_THAT(replay.err, HasSubstr(file));
}

TEST_F(TapTest, ReplayIsIsolatedFromALibraryThatCrashes) {
  Host(good_, "transformer", 1, {"OP_CAPTURE_LIST=add,softmax"});
  const Finished replay = Cli({"replay", Capture(), "--impl", VendorPath("vendor_segfault")});
  EXPECT_EQ(replay.code, 1);
  EXPECT_THAT(replay.out, HasSubstr("crash            diopiAdd"));
  EXPECT_THAT(replay.out, HasSubstr("not_implemented  diopiSoftmax"));
}

// Everything is the reference's but diopiAdd, in which the library crashes: all earlier calls are there, and
// the last line says which call it was.
TEST_F(TapTest, WhenTheLibraryCrashesTheEarlierCallsAreThere) {
  const Finished run = Host(VendorPath("vendor_segfault"), "transformer", 1,
                            {"OP_FALLBACK_LIST=.*", "OP_FALLBACK_DISABLE_LIST=diopiAdd", "OP_CAPTURE_LIST=.*",
                             "DIOPI_TAP_EVERY_CALL=1", "DIPU_DUMP_OP_ARGS=1",
                             // Without effect unless the host is built with one of them.
                             "ASAN_OPTIONS=handle_segv=0", "TSAN_OPTIONS=handle_segv=0"});
  EXPECT_EQ(run.code, 128 + SIGSEGV) << run.err;
  const std::vector<std::string> names = Lines(run.err, "diopi_tap: diopi");
  std::vector<std::string> called;
  for (const std::string& line : names) {
    if (!absl::StrContains(line, " falls back")) called.push_back(line.substr(line.find("diopi_tap: ") + 11));
  }
  ASSERT_THAT(called, Not(IsEmpty()));
  EXPECT_EQ(called.back(), "diopiAdd");
  const Finished list = Cli({"show", Capture()});
  EXPECT_EQ(list.code, 0) << list.err;
  EXPECT_THAT(Lines(list.out, "returned 0"), SizeIs(called.size() - 1));
  EXPECT_THAT(list.out, Not(HasSubstr("diopiAdd ")));
}

TEST_F(TapTest, AFullDiskEndsCapturingAndNotTheHost) {
  if (geteuid() != 0 || RunProgram({"/usr/bin/unshare", "--mount", "true"}).code != 0) {
    GTEST_SKIP() << "only root may mount, and only where mount namespaces are allowed";
  }
  std::filesystem::create_directories(Capture());
  constexpr char kScript[] =
      "mount -t tmpfs -o size=256k none \"$1\" || exit 99; \"$2\" \"$3\" transformer 20; "
      "code=$?; ls \"$1\"; exit $code";
  const Finished run =
      RunProgram({"/usr/bin/unshare", "--mount", "--propagation", "private", "/bin/bash", "-c", kScript,
                  "bash", Capture(), BuildPath("tools/tap_host"), Tap()},
                 {"DIOPI_TAP_IMPL=" + good_, "DIOPI_TAP_CAPTURE=" + Capture(), "OP_CAPTURE_LIST=.*",
                  "DIOPI_TAP_EVERY_CALL=1", "DIOPI_TAP_TRACE=/dev/full"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr(Lines(Direct(good_, "transformer", 20).out).back()));
  EXPECT_THAT(Lines(run.err, "Capturing ends: "), ElementsAre(HasSubstr("No space left on device")))
      << run.err;
  EXPECT_THAT(run.err, HasSubstr("/dev/full: the trace is incomplete: No space left on device"));
}

}  // namespace
}  // namespace diopi::testing
