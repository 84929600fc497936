// A state becomes bytes and comes back as it was; bytes that are no state are refused, whatever is wrong with them.
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "events/values/dense_map.hpp"
#include "events/values/dependency.hpp"
#include "events/values/exec_host.hpp"
#include "events/values/job_indices.hpp"
#include "events/values/job_number_map.hpp"
#include "events/values/limit_table.hpp"
#include "events/values/select.hpp"
#include "events/values/size.hpp"
#include "events/values/stored_state.hpp"
#include "events/values/usage_formula.hpp"

using namespace annals;
using stored::state_unreadable;

namespace {

enum class colour : std::int16_t { none,
                                   red,
                                   blue = -300 };

struct point {
  int x = 0;
  std::string name;
  auto operator<=>(const point&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.x, self.name);
  }
};

// Its index follows from its names, and its number is written in another form.
class indexed {
 public:
  void add(const std::string& name) {
    places_.emplace(name, names_.size());
    names_.push_back(name);
  }
  std::size_t place(const std::string& name) const { return places_.at(name); }
  bool operator==(const indexed&) const = default;
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    // not stored: places_, because they follow from names_
    io(self.names_);
  }
  void restored() {
    places_.clear();
    for (std::size_t i = 0; i < names_.size(); ++i) places_.emplace(names_[i], i);
  }

 private:
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> places_;
};

struct by_hand {
  unsigned even = 0;
  bool operator==(const by_hand&) const = default;
  void store(stored::writer& to) const { to.number(even / 2); }
  void restore(stored::reader& from) {
    const auto half = from.number();
    if (half > 1000) from.refuse("too many");
    even = static_cast<unsigned>(2 * half);
  }
};

template <class T>
bool same(const T& a, const T& b) { return (!a && !b) || (a && b && *a == *b); }

struct all_shapes {
  bool flag = false;
  char letter = 0;
  std::int8_t small = 0;
  std::uint16_t port = 0;
  std::int64_t least = 0;
  std::uint64_t most = 0;
  double real = 0;
  float half = 0;
  colour paint = colour::none;
  std::string text;
  point one;
  std::vector<point> list;
  std::vector<bool> bits;
  std::vector<std::uint8_t> bytes;
  std::deque<int> queue;
  std::array<std::uint32_t, 3> three{};
  std::set<std::string, std::less<>> names;
  std::multiset<int, std::greater<>> often;
  std::unordered_set<std::uint64_t> hashed;
  std::map<std::string, std::vector<int>, std::less<>> by_name;
  std::multimap<int, std::string> several;
  std::unordered_map<std::string, point> by_hash;
  std::optional<point> maybe, maybe_not;
  std::pair<int, std::string> both;
  std::tuple<int, bool, std::string> parts;
  std::variant<std::monostate, int, point> either;
  std::unique_ptr<point> own;
  std::shared_ptr<const point> shared, null;
  indexed index;
  by_hand hand;

  bool operator==(const all_shapes& o) const {
    return std::tie(flag, letter, small, port, least, most, real, half, paint, text, one, list, bits, bytes, queue, three, names, often,
                    hashed, by_name, several, by_hash, maybe, maybe_not, both, parts, either, index, hand) ==
               std::tie(o.flag, o.letter, o.small, o.port, o.least, o.most, o.real, o.half, o.paint, o.text, o.one, o.list, o.bits, o.bytes,
                        o.queue, o.three, o.names, o.often, o.hashed, o.by_name, o.several, o.by_hash, o.maybe, o.maybe_not, o.both,
                        o.parts, o.either, o.index, o.hand) &&
           same(own, o.own) && same(shared, o.shared) && same(null, o.null);
  }
  template <class Io, class Self>
  static void stored_fields(Io& io, Self& self) {
    io(self.flag, self.letter, self.small, self.port, self.least, self.most, self.real, self.half, self.paint, self.text, self.one,
       self.list, self.bits, self.bytes, self.queue, self.three, self.names, self.often, self.hashed, self.by_name, self.several);
    io(self.by_hash, self.maybe, self.maybe_not, self.both, self.parts, self.either, self.own, self.shared, self.null, self.index,
       self.hand);
  }
};

all_shapes with_something_of_everything() {
  all_shapes s;
  s.flag = true;
  s.letter = 'x';
  s.small = -128;
  s.port = 65535;
  s.least = std::numeric_limits<std::int64_t>::min();
  s.most = std::numeric_limits<std::uint64_t>::max();
  s.real = -0.1;
  s.half = 2.5f;
  s.paint = colour::blue;
  s.text = std::string("with\0nul", 8);
  s.one = {-7, "one"};
  s.list = {{1, "a"}, {2, std::string(300, 'b')}};
  s.bits = {true, false, true};
  s.bytes = {0, 255, 128};
  s.queue = {3, -1, 2};
  s.three = {1, 2, 4'000'000'000u};
  s.names = {"b", "a"};
  s.often = {1, 3, 3};
  for (std::uint64_t i = 0; i < 40; ++i) s.hashed.insert(i * 977);
  s.by_name = {{"empty", {}}, {"two", {1, 2}}};
  s.several = {{1, "second"}, {1, "first"}, {0, "zero"}};
  for (int i = 0; i < 40; ++i) s.by_hash["key" + std::to_string(i)] = {i, "v"};
  s.maybe = point{5, "five"};
  s.both = {8, "eight"};
  s.parts = {9, true, "nine"};
  s.either = point{6, "six"};
  s.own = std::make_unique<point>(point{10, "own"});
  s.shared = std::make_shared<const point>(point{11, "shared"});
  for (const auto* name : {"n1", "n0"}) s.index.add(name);
  s.hand.even = 84;
  return s;
}

template <class T>
std::string stored_bytes(const T& value) {
  stored::writer to;
  to(value);
  return to.take();
}
template <class T>
T restored(std::string_view bytes) {
  T value{};
  stored::restore_whole(bytes, value);
  return value;
}
template <class T>
void comes_back(const T& value) {
  const auto bytes = stored_bytes(value);
  const auto back = restored<T>(bytes);
  BOOST_TEST((back == value));
  BOOST_TEST(stored_bytes(back) == bytes);
}

// As a block of dense_numbers is stored.
struct dense_block {
  std::vector<std::uint8_t> lows;
  unsigned width = 1;
  std::vector<std::uint8_t> numbers;
  void store(stored::writer& to) const { to(lows, width, std::uint64_t{0}, numbers); }
};

// What number() of a writer makes.
std::string number(std::uint64_t n) {
  stored::writer to;
  to.number(n);
  return to.take();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(stored_states)

BOOST_AUTO_TEST_CASE(every_shape_comes_back) {
  comes_back(all_shapes());
  comes_back(with_something_of_everything());
  BOOST_TEST(restored<all_shapes>(stored_bytes(with_something_of_everything())).index.place("n0") == 1u);
}

BOOST_AUTO_TEST_CASE(what_was_there_before_is_replaced) {
  auto state = with_something_of_everything();
  stored::restore_whole(stored_bytes(all_shapes()), state);
  BOOST_TEST((state == all_shapes()));
}

BOOST_AUTO_TEST_CASE(reals_come_back_bit_by_bit) {
  for (const double real : {0.0, -0.0, 1e-310, std::numeric_limits<double>::infinity(), std::nan("")})
    BOOST_TEST(std::bit_cast<std::uint64_t>(restored<double>(stored_bytes(real))) == std::bit_cast<std::uint64_t>(real));
}

BOOST_AUTO_TEST_CASE(equal_states_have_equal_bytes) {
  std::unordered_map<std::string, int> one, other;
  for (int i = 0; i < 100; ++i) one["key" + std::to_string(i)] = i;
  other.reserve(5000);
  for (int i = 99; i >= 0; --i) other["key" + std::to_string(i)] = i;
  BOOST_TEST(stored_bytes(one) == stored_bytes(other));
}

BOOST_AUTO_TEST_CASE(a_state_that_is_cut_anywhere_is_refused) {
  const auto bytes = stored_bytes(with_something_of_everything());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    BOOST_CHECK_THROW(restored<all_shapes>(std::string_view(bytes).substr(0, n)), state_unreadable);
  BOOST_CHECK_THROW(restored<all_shapes>(bytes + '\0'), state_unreadable);
}

// A changed byte may still be a state: it is one that can be stored, too.
BOOST_AUTO_TEST_CASE(a_state_with_a_changed_byte_is_refused_or_another_state) {
  const auto bytes = stored_bytes(with_something_of_everything());
  unsigned refused = 0;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int by : {1, 2, 127, 128, 255}) {
      auto changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ by);
      try {
        const auto state = stored_bytes(restored<all_shapes>(changed));
        BOOST_TEST(stored_bytes(restored<all_shapes>(state)) == state);
      } catch (const state_unreadable&) {
        ++refused;
      }
    }
  BOOST_TEST(refused > 100u);
}

BOOST_AUTO_TEST_CASE(an_alternative_that_there_is_not_is_refused) {
  using either = std::variant<int, std::string>;
  comes_back(either(7));
  comes_back(either("seven"));
  for (const auto index : {std::uint64_t{2}, UINT64_MAX}) BOOST_CHECK_THROW(restored<either>(number(index) + number(0)), state_unreadable);
}

BOOST_AUTO_TEST_CASE(a_count_that_is_not_true_is_refused) {
  for (const auto count : {std::uint64_t{2}, std::uint64_t{1} << 40, UINT64_MAX}) {
    const auto bytes = number(count) + '\1';
    BOOST_CHECK_THROW(restored<std::string>(bytes), state_unreadable);
    BOOST_CHECK_THROW(restored<std::vector<int>>(bytes), state_unreadable);
    BOOST_CHECK_THROW(restored<std::vector<bool>>(bytes), state_unreadable);
    BOOST_CHECK_THROW(restored<std::vector<std::uint8_t>>(bytes), state_unreadable);
    BOOST_CHECK_THROW(restored<std::deque<int>>(bytes), state_unreadable);
    BOOST_CHECK_THROW(restored<std::set<int>>(bytes), state_unreadable);
    BOOST_CHECK_THROW(restored<std::unordered_set<int>>(bytes), state_unreadable);
    BOOST_CHECK_THROW((restored<std::map<int, int>>(bytes)), state_unreadable);
    BOOST_CHECK_THROW((restored<std::unordered_map<int, int>>(bytes)), state_unreadable);
  }
}

BOOST_AUTO_TEST_CASE(a_number_that_does_not_fit_is_refused) {
  BOOST_TEST(restored<std::uint8_t>(number(255)) == 255);
  BOOST_CHECK_THROW(restored<std::uint8_t>(number(256)), state_unreadable);
  BOOST_TEST(restored<std::int8_t>(number(255)) == -128);
  BOOST_CHECK_THROW(restored<std::int8_t>(number(256)), state_unreadable);
  BOOST_CHECK_THROW(restored<colour>(number(UINT64_MAX)), state_unreadable);
  BOOST_TEST(restored<std::uint64_t>(number(UINT64_MAX)) == UINT64_MAX);
  BOOST_CHECK_THROW(restored<std::uint64_t>(std::string(9, '\xff') + '\2'), state_unreadable);  // more than 64 bits
  BOOST_CHECK_THROW(restored<std::uint64_t>(std::string(10, '\x80') + '\1'), state_unreadable);
}

BOOST_AUTO_TEST_CASE(what_a_type_refuses_is_refused) {
  comes_back(by_hand{2000});
  BOOST_CHECK_THROW(restored<by_hand>(number(1001)), state_unreadable);
}

BOOST_AUTO_TEST_CASE(values_come_back) {
  comes_back(values::size_value{3, 30, true});
  comes_back(values::dependency{values::dependency_type::afterok, "12.borg", 0});
  comes_back(*values::parse_select("2:ncpus=2:mem=1gb+ncpus=1"));
  comes_back(values::exec_host_spec{{"n1", 0, 2}, {"n2", 1, 1}});
  comes_back(*values::usage_formula::parse("(cput + 0.1*mem)/2"));
  const auto limits = values::parse_limits("[u:bob=2],[g:PBS_GENERIC=5],[o:PBS_ALL=10]");
  comes_back(values::limit_table(*limits, [](const std::string& text) { return std::optional(std::stoll(text)); }));
}

BOOST_AUTO_TEST_CASE(indices_come_back) {
  const auto range = *values::parse_index_range("1-99:2");
  auto some = values::index_set::all(range);
  some.remove(7);
  some.remove(99);
  comes_back(some);
  comes_back(values::index_set());
  const values::index_range no_step{1, 5, 0}, backwards{5, 1, 1};
  for (const auto& wrong : {no_step, backwards}) BOOST_CHECK_THROW(restored<values::index_range>(stored_bytes(wrong)), state_unreadable);
}

BOOST_AUTO_TEST_CASE(dense_maps_come_back) {
  values::dense_map<std::string> texts;
  values::dense_numbers numbers;
  values::job_number_map jobs;
  for (std::uint64_t i = 0; i < 2000; i += 1 + i % 3) {
    texts.put(i * 7, std::to_string(i));
    numbers.put(i, 1'000'000 + i * i);
    jobs.put(i, i + 5);
    jobs.put(values::subjob_number(12, static_cast<std::uint32_t>(i)), i);
  }
  numbers.erase(6);
  comes_back(texts);
  comes_back(numbers);
  comes_back(jobs);
  BOOST_TEST(restored<values::dense_numbers>(stored_bytes(numbers)).size() == numbers.size());
  auto on = restored<values::dense_numbers>(stored_bytes(numbers));
  on.put(6, 1);
  numbers.put(6, 1);
  BOOST_TEST((on == numbers));
  BOOST_TEST(stored_bytes(on) == stored_bytes(numbers));
}

BOOST_AUTO_TEST_CASE(a_dense_map_costs_as_much_as_it_takes) {
  values::dense_numbers numbers;
  for (std::uint64_t i = 0; i < 100'000; ++i) numbers.put(i, i);
  BOOST_TEST(stored_bytes(numbers).size() < 210'000u);  // a byte of the key, one of the number
}

BOOST_AUTO_TEST_CASE(a_dense_map_that_does_not_fit_together_is_refused) {
  const auto with = [](const dense_block& b) { return stored_bytes(std::map<std::uint64_t, dense_block>{{3, b}}); };
  BOOST_TEST(restored<values::dense_numbers>(with({{1, 2}, 2, {1, 0, 2, 0}})).at(3 * 256 + 2) == 2u);
  const dense_block wrong[] = {{{2, 1}, 1, {1, 2}},
                               {{1, 1}, 1, {1, 2}},
                               {{}, 1, {}},
                               {{1, 2}, 1, {1}},
                               {{1}, 1, {1, 2}},
                               {{1}, 2, {1}},
                               {{1}, 0, {1}},
                               {{1}, 9, std::vector<std::uint8_t>(9)}};
  for (const auto& b : wrong) BOOST_CHECK_THROW(restored<values::dense_numbers>(with(b)), state_unreadable);
}

BOOST_AUTO_TEST_SUITE_END()
