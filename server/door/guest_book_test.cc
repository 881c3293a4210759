#include "server/door/guest_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace diopi::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Nuisance Points(int points, int dearest) {
  Nuisance nuisance;
  nuisance.points = points;
  nuisance.dearest = dearest;
  return nuisance;
}

// A book with a clock of its own.
class GuestBookTest : public testing::Test {
 protected:
  std::shared_ptr<Guest> Arrive(const std::string& address = "10.0.0.1") {
    const GuestBook::Arrival arrival = book_.Arrive(address, "ipv4:" + address + ":1", now_);
    replaced_ = arrival.replaced;
    return arrival.guest;
  }
  // How many resets it may send at once, of at most a million.
  int Resets(Guest* guest) {
    int count = 0;
    while (count < 1'000'000 && book_.Spend(guest, Points(20, 20), 0, now_)) ++count;
    return count;
  }
  double Value(const std::string& name, const std::string& label) {
    for (const Sample& sample : book_.Samples(now_)) {
      for (const auto& [key, value] : sample.labels) {
        if (sample.name == name && value == label) return sample.value;
      }
    }
    return -1;
  }

  DoorLimits limits_ = {.connections = 20, .strangers = 10, .strangers_per_address = 4};
  GuestBook book_{limits_};
  DoorClock::time_point now_ = DoorClock::now();
  uint64_t replaced_ = 0;
};

TEST_F(GuestBookTest, AConnectionHasABudgetThatRefills) {
  const auto guest = Arrive();
  const int at_once = Resets(guest.get());
  EXPECT_GT(at_once, 50);
  EXPECT_LT(at_once, 128);  // gRPC's threads
  EXPECT_EQ(Resets(guest.get()), 0);
  now_ += seconds(1);
  const int a_second = Resets(guest.get());
  EXPECT_GT(a_second, 10);
  EXPECT_LT(a_second, at_once);
}

TEST_F(GuestBookTest, BytesThatWereSentExplainFrames) {
  const auto guest = Arrive();
  Resets(guest.get());
  EXPECT_FALSE(book_.Spend(guest.get(), Points(100, 20), 0, now_));
  EXPECT_TRUE(book_.Spend(guest.get(), Points(100, 20), 1 << 20, now_));
}

TEST_F(GuestBookTest, StrangersOfAnAddressShareABudgetAndOthersHaveTheirOwn) {
  int together = 0;
  for (int i = 0; i < 4; ++i) together += Resets(Arrive().get());
  const int alone = Resets(Arrive("10.0.0.2").get());
  EXPECT_LT(together, 4 * alone);
  // A connection on which a call was allowed has nothing to do with its neighbours.
  const auto neighbour = Arrive();
  book_.Admit(neighbour->id);
  EXPECT_GT(Resets(neighbour.get()), alone);
}

TEST_F(GuestBookTest, ManyClientsOfAnAddressMayConnectAtOnce) {
  limits_.strangers = limits_.strangers_per_address = limits_.connections = 300;
  GuestBook book(limits_);
  for (int i = 0; i < 250; ++i) {
    const auto guest = book.Arrive("10.0.0.1", "ipv4:10.0.0.1:1", now_).guest;
    ASSERT_NE(guest, nullptr);
    EXPECT_TRUE(book.Spend(guest.get(), Points(41, 10), 0, now_)) << i;
  }
}

TEST_F(GuestBookTest, AnAbuseCutsTheLimitsOfStrangersForAWhile) {
  const auto old = Arrive();
  book_.Admit(old->id);
  const int before = Resets(Arrive().get());
  now_ += seconds(100);
  book_.Closed(*Arrive(), "RST_STREAM", true, now_);
  EXPECT_LE(Resets(Arrive().get()), before / 10);
  EXPECT_GT(Resets(old.get()), before);
  EXPECT_EQ(Resets(Arrive("10.0.0.2").get()), before);
  EXPECT_EQ(Value("diopi_door_closed_total", "RST_STREAM"), 1);
  EXPECT_EQ(Value("diopi_door_offender_closed", "10.0.0.1"), 1);
  now_ += limits_.probation + seconds(1);
  EXPECT_EQ(Resets(Arrive().get()), before);
  EXPECT_EQ(Value("diopi_door_offender_closed", "10.0.0.1"), -1);
}

TEST_F(GuestBookTest, ArrivalsOfAnAddressAreLimited) {
  const auto count = [this] {
    int arrived = 0;
    while (const auto guest = Arrive()) {
      ++arrived;
      book_.Leave(*guest);
    }
    return arrived;
  };
  const int at_once = count();
  EXPECT_GT(at_once, 100);
  EXPECT_LT(at_once, 1000);
  // Now it is on probation.
  now_ += seconds(2);
  EXPECT_GT(count(), 0);
  EXPECT_NE(Arrive("10.0.0.2"), nullptr);
  EXPECT_EQ(Value("diopi_door_closed_total", "new connections"), 2);
}

TEST_F(GuestBookTest, ANewStrangerReplacesTheOneOfNoUseForTheLongest) {
  std::vector<std::shared_ptr<Guest>> guests;
  for (int i = 0; i < 4; ++i) {
    now_ += milliseconds(1);
    guests.push_back(Arrive());
  }
  book_.Admit(guests[0]->id);
  guests[1]->useful = now_ + milliseconds(1);
  Arrive();
  EXPECT_EQ(replaced_, 0u);  // three strangers
  Arrive();
  EXPECT_EQ(replaced_, guests[2]->id);
  EXPECT_EQ(Value("diopi_door_closed_total", "connections at a time"), 1);
  Arrive("10.0.0.2");
  EXPECT_EQ(replaced_, 0u);
  EXPECT_EQ(Value("diopi_door_connections", "admitted"), 1);
  EXPECT_EQ(Value("diopi_door_connections", "stranger"), 6);
}

TEST_F(GuestBookTest, AdmittedConnectionsAreKeptWhileTheyAreOfUse) {
  std::vector<std::shared_ptr<Guest>> guests;
  for (int i = 0; i < limits_.connections; ++i) {
    guests.push_back(Arrive("10.0.0." + std::to_string(i)));
    book_.Admit(guests.back()->id);
  }
  EXPECT_EQ(Arrive("10.0.1.1"), nullptr);
  EXPECT_EQ(Value("diopi_door_closed_total", "all connections in use"), 1);
  now_ += seconds(20);
  for (size_t i = 1; i < guests.size(); ++i) guests[i]->useful = now_;
  EXPECT_NE(Arrive("10.0.1.1"), nullptr);
  EXPECT_EQ(replaced_, guests[0]->id);
}

TEST(GuestBookOfAProxyTest, CountsNoAddresses) {
  GuestBook book({.count_addresses = false});
  const DoorClock::time_point now = DoorClock::now();
  std::vector<std::shared_ptr<Guest>> guests;
  for (int i = 0; i < 250; ++i) {
    const GuestBook::Arrival arrival = book.Arrive("10.0.0.1", "ipv4:10.0.0.1:1", now);
    ASSERT_NE(arrival.guest, nullptr);
    EXPECT_EQ(arrival.replaced, 0u);
    book.Closed(*arrival.guest, "RST_STREAM", true, now);
    guests.push_back(arrival.guest);
  }
  for (const auto& guest : guests) EXPECT_TRUE(book.Spend(guest.get(), Points(1500, 20), 0, now));
}

TEST(GuestBookMemoryTest, ForgetsAddresses) {
  GuestBook book(DoorLimits{});
  const DoorClock::time_point now = DoorClock::now();
  for (int i = 0; i < 10'000; ++i) {
    const std::string address = "address " + std::to_string(i);
    const GuestBook::Arrival arrival = book.Arrive(address, address, now);
    ASSERT_NE(arrival.guest, nullptr) << i;
    book.Closed(*arrival.guest, "RST_STREAM", true, now);
    book.Leave(*arrival.guest);
  }
  const std::vector<Sample> samples = book.Samples(now);
  EXPECT_LT(samples.size(), 30u);
  for (const Sample& sample : samples) {
    if (sample.name == "diopi_door_offenders") {
      EXPECT_LE(sample.value, 4096);
    }
  }
}

}  // namespace
}  // namespace diopi::server
