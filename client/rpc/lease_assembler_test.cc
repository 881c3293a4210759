#include "client/rpc/lease_assembler.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace diopi::rpc {
namespace {

v1::LeaseMessage Header(int cases) {
  v1::LeaseMessage message;
  message.mutable_header()->set_lease_id("L1");
  message.mutable_header()->set_cases(cases);
  return message;
}

v1::LeaseMessage Start(const std::string& id, int inputs, int references) {
  v1::LeaseMessage message;
  auto* start = message.mutable_case_start();
  start->mutable_case_()->set_id(id);
  start->set_inputs(inputs);
  start->set_references(references);
  return message;
}

v1::TensorChunk Chunk(const std::string& key, int64_t elements, int64_t offset, const std::string& data) {
  v1::TensorChunk chunk;
  chunk.set_key(key);
  chunk.set_dtype(v1::Dtype::uint8);
  chunk.add_shape(elements);
  chunk.set_offset(offset);
  chunk.set_total_bytes(elements);
  chunk.set_data(data);
  return chunk;
}

v1::LeaseMessage Input(const v1::TensorChunk& chunk) {
  v1::LeaseMessage message;
  *message.mutable_input() = chunk;
  return message;
}

v1::LeaseMessage Reference(const v1::TensorChunk& chunk) {
  v1::LeaseMessage message;
  *message.mutable_reference() = chunk;
  return message;
}

v1::LeaseMessage End() {
  v1::LeaseMessage message;
  message.set_case_end(true);
  return message;
}

absl::Status Feed(std::vector<v1::LeaseMessage> messages, std::vector<LeasedCase>* cases) {
  LeaseAssembler assembler([cases](LeasedCase leased) {
    cases->push_back(std::move(leased));
    return absl::OkStatus();
  });
  for (v1::LeaseMessage& message : messages) {
    absl::Status status = assembler.Add(&message);
    if (!status.ok()) return status;
  }
  return assembler.Finish();
}

TEST(LeaseAssembler, PutsChunksTogether) {
  std::vector<LeasedCase> cases;
  ASSERT_TRUE(Feed({Header(2), Start("a.x", 2, 1), Input(Chunk("input", 5, 0, "ab")),
                    Input(Chunk("input", 5, 2, "cde")), Input(Chunk("empty", 0, 0, "")),
                    Reference(Chunk("out", 2, 0, "yz")), End(), Start("a.y", 0, 0), End()},
                   &cases)
                  .ok());
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].lease_id, "L1");
  EXPECT_EQ(cases[0].c.id(), "a.x");
  EXPECT_EQ(cases[0].inputs.at("input").data, "abcde");
  EXPECT_EQ(cases[0].inputs.at("input").shape, std::vector<int64_t>{5});
  EXPECT_EQ(cases[0].inputs.at("empty").data, "");
  EXPECT_EQ(cases[0].references.at("out").data, "yz");
  EXPECT_EQ(TensorBytes(cases[0]), 7);
  EXPECT_TRUE(cases[1].inputs.empty());
}

TEST(LeaseAssembler, RefusesBrokenStreams) {
  struct Row {
    const char* name;
    std::vector<v1::LeaseMessage> messages;
    const char* text;
  };
  const v1::TensorChunk half = Chunk("input", 4, 0, "ab");
  const std::vector<Row> rows = {
      {"no header", {Start("a", 0, 0)}, "first message"},
      {"nothing", {}, "before its header"},
      {"two headers", {Header(0), Header(0)}, "second header"},
      {"gap", {Header(1), Start("a", 1, 0), Input(half), Input(Chunk("input", 4, 3, "d"))}, "at byte 3"},
      {"late start", {Header(1), Start("a", 1, 0), Input(Chunk("input", 4, 2, "cd"))}, "first byte"},
      {"too long",
       {Header(1), Start("a", 1, 0), Input(half), Input(Chunk("input", 4, 2, "cde"))},
       "more bytes"},
      {"other key",
       {Header(1), Start("a", 2, 0), Input(half), Input(Chunk("other", 4, 0, "abcd"))},
       "goes on"},
      {"incomplete", {Header(1), Start("a", 1, 0), Input(half), End()}, "incomplete"},
      {"missing tensor", {Header(1), Start("a", 1, 0), End()}, "instead of 1 and 0"},
      {"cut", {Header(1), Start("a", 0, 0)}, "inside the case"},
      {"fewer cases", {Header(2), Start("a", 0, 0), End()}, "1 cases instead of 2"},
      {"tensor outside", {Header(0), Input(half)}, "outside a case"},
      {"wrong total",
       {Header(1), Start("a", 1, 0), Input([] {
          v1::TensorChunk chunk = Chunk("input", 4, 0, "abcd");
          chunk.set_total_bytes(5);
          return chunk;
        }())},
       "5 bytes instead of 4"},
  };
  for (const Row& row : rows) {
    std::vector<LeasedCase> cases;
    const absl::Status status = Feed(row.messages, &cases);
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << row.name;
    EXPECT_NE(std::string(status.message()).find(row.text), std::string::npos) << row.name << ": " << status;
  }
}

TEST(LeaseAssembler, ConsumersErrorEndsTheLease) {
  LeaseAssembler assembler([](LeasedCase) { return absl::CancelledError("enough"); });
  for (v1::LeaseMessage message : {Header(1), Start("a", 0, 0)}) ASSERT_TRUE(assembler.Add(&message).ok());
  v1::LeaseMessage end = End();
  EXPECT_EQ(assembler.Add(&end).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace diopi::rpc
