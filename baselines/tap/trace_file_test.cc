#include "baselines/tap/trace_file.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "cases/base/temporary_folder.h"

namespace diopi::tap {
namespace {

using google::protobuf::Value;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::SizeIs;
using Event = std::map<std::string, Value>;

// The events of a trace, whose list need not be closed: so says the format.
std::vector<Event> Parse(std::string text) {
  if (text.find("\n]\n") == std::string::npos) text += "]";
  google::protobuf::ListValue list;
  const auto parsed = google::protobuf::util::JsonStringToMessage(text, &list);
  EXPECT_TRUE(parsed.ok()) << parsed.ToString() << "\n" << text;
  std::vector<Event> events;
  for (const Value& value : list.values()) {
    const auto& fields = value.struct_value().fields();
    events.emplace_back(fields.begin(), fields.end());
  }
  return events;
}

class TraceFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto file = TraceFile::Create(path_);
    ASSERT_TRUE(file.ok()) << file.status();
    file_ = *std::move(file);
  }
  std::vector<Event> Events() const {
    std::ifstream file(path_);
    std::stringstream text;
    text << file.rdbuf();
    return Parse(text.str());
  }

  TemporaryFolder folder_ = TemporaryFolder::Make().value();
  const std::string path_ = folder_ / "trace.json";
  std::unique_ptr<TraceFile> file_;
};

// The phases that are used and the fields that each must have, by the Trace Event Format.
TEST_F(TraceFileTest, EveryEventHasTheFieldsOfItsPhase) {
  file_->Add(
      {"diopiAdd", 12.5, 3.25, true, 17, reinterpret_cast<void*>(0x40), 2, "out \"float32\" (2,)\\\n", 64});
  file_->Add({"diopiMul", 13, 1, false, 18, nullptr, 2, "", 0});
  ASSERT_TRUE(file_->Close().ok());
  const std::vector<Event> events = Events();
  ASSERT_THAT(events, SizeIs(7));
  EXPECT_THAT(events[0], ElementsAre(Key("args"), Key("name"), Key("ph"), Key("pid")));
  EXPECT_EQ(events[0].at("ph").string_value(), "M");
  EXPECT_EQ(events[0].at("args").struct_value().fields().at("name").string_value(),
            program_invocation_short_name);
  const Event& call = events[1];
  EXPECT_THAT(call, ElementsAre(Key("args"), Key("cat"), Key("dur"), Key("name"), Key("ph"), Key("pid"),
                                Key("tid"), Key("ts")));
  EXPECT_EQ(call.at("ph").string_value(), "X");
  EXPECT_EQ(call.at("name").string_value(), "diopiAdd");
  EXPECT_EQ(call.at("ts").number_value(), 12.5);
  EXPECT_EQ(call.at("dur").number_value(), 3.25);
  EXPECT_EQ(call.at("tid").number_value(), 17);
  const auto& args = call.at("args").struct_value().fields();
  EXPECT_EQ(args.at("stream").string_value(), "0x40");
  EXPECT_EQ(args.at("clock").string_value(), "device");
  EXPECT_EQ(args.at("arguments").string_value(), "out \"float32\" (2,)\\\n");
  // The bytes of the thread's call, from its start to its end.
  for (const size_t at : {2, 3}) {
    const Event& counter = events[at];
    EXPECT_THAT(counter, ElementsAre(Key("args"), Key("id"), Key("name"), Key("ph"), Key("pid"), Key("ts")));
    EXPECT_EQ(counter.at("ph").string_value(), "C");
    EXPECT_EQ(counter.at("id").number_value(), 17);
    EXPECT_EQ(counter.at("ts").number_value(), at == 2 ? 12.5 : 15.75);
    EXPECT_EQ(counter.at("args").struct_value().fields().at("bytes").number_value(), at == 2 ? 64 : 0);
  }
}

TEST_F(TraceFileTest, ARowIsNamedOnceAsItsThread) {
  std::thread host([this] {
    ASSERT_EQ(pthread_setname_np(pthread_self(), "loader \"1\""), 0);
    for (int call = 0; call < 2; ++call) file_->Add({"diopiAdd", 1, 1, false, gettid(), nullptr, 0, "", 0});
  });
  host.join();
  ASSERT_TRUE(file_->Close().ok());
  const std::vector<Event> events = Events();
  ASSERT_THAT(events, SizeIs(8));
  EXPECT_EQ(events[1].at("name").string_value(), "thread_name");
  EXPECT_EQ(events[1].at("tid").number_value(), events[2].at("tid").number_value());
  EXPECT_EQ(events[1].at("args").struct_value().fields().at("name").string_value(), "loader \"1\"");
}

TEST_F(TraceFileTest, ATraceWithoutCallsIsAList) {
  ASSERT_TRUE(file_->Close().ok());
  EXPECT_THAT(Events(), SizeIs(1));
}

}  // namespace
}  // namespace diopi::tap
