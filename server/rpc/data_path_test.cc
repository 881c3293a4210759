// Tensors on their way from the store to an agent: the bytes on the wire, and what need not travel.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cases/base/hash.h"
#include "cases/fill/fill.h"
#include "server/rpc/chunk_pool.h"
#include "server/rpc/lease_frame.h"
#include "server/rpc/server_testing.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  EXPECT_TRUE(buffer.Dump(&slices).ok());
  std::string bytes;
  for (const grpc::Slice& slice : slices)
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

TEST(DataPathTest, AChunkIsOnTheWireAsProtobufWritesIt) {
  ChunkPool pool(2);
  for (const size_t size : {size_t{0}, size_t{1}, size_t{127}, size_t{128}, kChunkBytes - 1, kChunkBytes}) {
    for (const bool reference : {false, true}) {
      SCOPED_TRACE(::testing::Message() << size << " " << reference);
      v1::TensorChunk head;
      head.set_key("out.sigma");
      head.set_dtype(v1::Dtype::float64);
      for (const int64_t n : {3, 0, 1 << 20}) head.add_shape(n);
      head.set_offset(static_cast<int64_t>(size) * 7);
      head.set_total_bytes(int64_t{1} << 33);
      ChunkPool::Chunk chunk = pool.Get(size);
      for (size_t i = 0; i < size; ++i) chunk.data()[i] = static_cast<char>(i * 31 + size);
      v1::LeaseMessage expected;
      v1::TensorChunk& whole = reference ? *expected.mutable_reference() : *expected.mutable_input();
      whole = head;
      whole.set_data(chunk.data(), size);
      EXPECT_TRUE(BytesOf(EncodeChunk(head, reference, chunk.Release())) == expected.SerializeAsString());
      EXPECT_TRUE(BytesOf(EncodeMessage(expected)) == expected.SerializeAsString());
    }
  }
}

// The messages that Lease and Fetch send.
std::vector<v1::LeaseMessage> LeaseAll(TestAgent* agent, const v1::LeaseRequest& request) {
  grpc::ClientContext context;
  const auto reader = agent->stub().Lease(&context, request);
  std::vector<v1::LeaseMessage> messages;
  for (v1::LeaseMessage message; reader->Read(&message);) messages.push_back(message);
  EXPECT_TRUE(reader->Finish().ok());
  return messages;
}

std::vector<v1::LeaseMessage> FetchAll(TestAgent* agent, const v1::FetchRequest& request,
                                       grpc::Status* status) {
  grpc::ClientContext context;
  const auto reader = agent->stub().Fetch(&context, request);
  std::vector<v1::LeaseMessage> messages;
  for (v1::LeaseMessage message; reader->Read(&message);) messages.push_back(message);
  *status = reader->Finish();
  return messages;
}

v1::LeaseRequest RequestOf(const std::string& run) {
  v1::LeaseRequest request;
  request.set_run_id(run);
  request.set_agent_id("a");
  request.set_max_cases(100);
  return request;
}

TEST(DataPathTest, InputsOfTheSameGeneratorDoNotTravel) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  struct Row {
    uint32_t version;
    bool travel;
  };
  for (const Row& row : {Row{0, true}, Row{kGeneratorVersion + 1, true}, Row{kGeneratorVersion, false}}) {
    SCOPED_TRACE(row.version);
    v1::LeaseRequest request = RequestOf(agent.CreateRun({"relu"})->run_id());
    request.set_generator_version(row.version);
    int inputs = 0;
    int announced = 0;
    for (const v1::LeaseMessage& message : LeaseAll(&agent, request)) {
      inputs += message.has_input() ? 1 : 0;
      if (!message.has_case_start()) continue;
      const auto made = FillInputs(message.case_start().case_());
      ASSERT_TRUE(made.ok());
      for (const v1::TensorInfo& info : message.case_start().tensors()) {
        if (info.reference()) continue;
        ++announced;
        EXPECT_EQ(info.how(), row.travel ? v1::TensorInfo::BYTES : v1::TensorInfo::RECIPE);
        EXPECT_EQ(info.xxh64(), Xxh64(made->at(info.key()).data));
      }
    }
    EXPECT_EQ(announced, 2);
    EXPECT_EQ(inputs, row.travel ? 2 : 0);
  }
}

TEST(DataPathTest, LargeTensorsComeWhenTheyAreAskedFor) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"add"})->run_id();
  v1::LeaseRequest request = RequestOf(run);
  request.set_fetch_above(1000);
  v1::FetchRequest fetch;
  fetch.set_run_id(run);
  fetch.set_agent_id("a");
  v1::Case large;
  for (const v1::LeaseMessage& message : LeaseAll(&agent, request)) {
    EXPECT_LE(message.reference().total_bytes(), 1000);
    for (const v1::TensorInfo& info : message.case_start().tensors()) {
      EXPECT_EQ(info.how() == v1::TensorInfo::ON_REQUEST, info.bytes() > 1000);
      if (info.how() != v1::TensorInfo::ON_REQUEST || !info.reference() || fetch.cases_size() > 0) continue;
      large = message.case_start().case_();
      fetch.add_cases()->set_case_id(large.id());
      *fetch.mutable_cases(0)->add_tensors() = info;
    }
  }
  ASSERT_EQ(fetch.cases_size(), 1);
  grpc::Status status;
  std::vector<v1::LeaseMessage> messages = FetchAll(&agent, fetch, &status);
  EXPECT_TRUE(status.ok());
  ASSERT_FALSE(messages.empty());
  EXPECT_TRUE(messages.back().has_case_end());
  std::string data;
  for (const v1::LeaseMessage& message : messages) data += message.reference().data();
  EXPECT_TRUE(data == ReferencesOf(large).at(fetch.cases(0).tensors(0).key()).data);

  // The content differs from the announced one by now.
  fetch.mutable_cases(0)->mutable_tensors(0)->set_xxh64(1);
  messages = FetchAll(&agent, fetch, &status);
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_THAT(messages[0].damaged(), HasSubstr("replaced"));
  fetch.mutable_cases(0)->set_case_id("no.such.case");
  messages = FetchAll(&agent, fetch, &status);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace diopi::server
