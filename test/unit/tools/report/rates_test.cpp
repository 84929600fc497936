// Files of prices: what they say, and what is said of those that are wrong.
#include <boost/test/unit_test.hpp>

#include "test/unit/projections/accounting/accounting_fixture.hpp"
#include "tools/report/limits.hpp"
#include "tools/report/rates.hpp"

using namespace annals;
using namespace annals::reporting;

namespace {

rates good(const std::string& text) {
  const auto read = parse_rates(text);
  if (const auto* wrong = std::get_if<rates_error>(&read)) BOOST_FAIL(wrong->print());
  return std::get<rates>(read);
}

std::string wrong(const std::string& text) {
  const auto read = parse_rates(text);
  const auto* found = std::get_if<rates_error>(&read);
  return found ? found->print() : "it is right";
}

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t july = 1'782'864'000 * second;  // 2026-07-01 UTC

exact cost(const rates& r, std::int64_t cores, std::int64_t seconds) {
  return charge(r, r.prices.front(), amount_kind::number, exact{cores} * amount_scale * seconds);
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(report_rates, test::in_utc)

BOOST_AUTO_TEST_CASE(the_price_of_a_queue_comes_before_that_of_all) {
  const auto r = good(
      "# of 2026\n\n currency EUR 2\t# cents\nprice ncpus 0.02\r\nprice ncpus 0.01 queue night from 2026-07-01 until 2026-08-01T12:00\n"
      "price mem 0.5 per gb");
  BOOST_TEST(r.currency == "EUR");
  BOOST_TEST(r.decimals == 2u);
  BOOST_REQUIRE(r.prices.size() == 3u);
  BOOST_TEST(r.find("ncpus", "night", july)->nano == 10'000'000);
  BOOST_TEST(r.find("ncpus", "night", july - 1)->nano == 20'000'000);
  BOOST_TEST(r.find("ncpus", "night", july + (31 * 24 + 12) * 3600 * second - 1)->nano == 10'000'000);
  BOOST_TEST(r.find("ncpus", "night", july + (31 * 24 + 12) * 3600 * second)->nano == 20'000'000);
  BOOST_TEST(r.find("ncpus", "day", july)->nano == 20'000'000);
  BOOST_TEST(r.find("mem", "day", july)->shift == 30u);
  BOOST_TEST(!r.find("gpus", "day", july));
  BOOST_TEST((r.resources() == std::vector<std::string>{"ncpus", "mem"}));
}

BOOST_AUTO_TEST_CASE(prices_follow_each_other) {
  const auto r = good("currency EUR 2\nprice gpus 2 from 2026-07-01\nprice gpus 1 until 2026-07-01\n");
  BOOST_TEST(r.find("gpus", "q", july - 1)->nano == 1'000'000'000);
  BOOST_TEST(r.find("gpus", "q", july)->nano == 2'000'000'000);
}

BOOST_AUTO_TEST_CASE(money_is_rounded_half_up_to_the_smallest_unit) {
  const auto r = good("currency EUR 2\nprice ncpus 0.02\n");
  BOOST_TEST(print(cost(r, 1, 3600)) == "2");
  BOOST_TEST(print(cost(r, 1, 899)) == "0");
  BOOST_TEST(print(cost(r, 1, 900)) == "1");  // half a cent
  BOOST_TEST(print(cost(r, 1, 2699)) == "1");
  BOOST_TEST(print(cost(r, 1, 2700)) == "2");
  BOOST_TEST(print(cost(r, 1'000'000, 36'000'000)) == "20000000000");
  BOOST_TEST(print(cost(good("currency JPY 0\nprice ncpus 0.000000001\n"), 1'000'000'000, 3600)) == "1");
  const auto of_memory = good("currency EUR 3\nprice mem 999999.999999999 per kb\n");
  const auto pb_for_a_year = times(exact{1} << 50, 31'536'000);
  BOOST_CHECK_THROW((void)charge(of_memory, of_memory.prices[0], amount_kind::size, times(pb_for_a_year, 1'000'000)), too_large);
  const auto usual = good("currency EUR 2\nprice mem 0.004 per gb\n");
  BOOST_TEST(print(charge(usual, usual.prices[0], amount_kind::size, pb_for_a_year)) == "3674210304");  // 2^20 gb for 8760 h
}

BOOST_AUTO_TEST_CASE(a_price_of_a_size_is_per_a_size) {
  const auto r = good("currency EUR 2\nprice ncpus 0.02 per gb\nprice mem 1\n");
  BOOST_CHECK_EXCEPTION((void)charge(r, r.prices[0], amount_kind::number, 1), rates_trouble,
                        [](const rates_trouble& e) { return std::string(e.what()) == "line 2: ncpus is a number: its price has no per"; });
  BOOST_CHECK_EXCEPTION((void)charge(r, r.prices[1], amount_kind::size, 1), rates_trouble, [](const rates_trouble& e) {
    return std::string(e.what()) == "line 3: mem is a size: its price is per kb, mb, gb, tb or pb";
  });
}

BOOST_AUTO_TEST_CASE(an_error_names_line_and_word) {
  const std::string eur = "currency EUR 2\n";
  const std::pair<std::string, std::string> all[] = {
      {"", "there is no line \"currency NAME DECIMALS\""},
      {"# nothing\n", "there is no line \"currency NAME DECIMALS\""},
      {"price ncpus 1\n", "line 1: \"price\": a line \"currency NAME DECIMALS\" comes before the first price"},
      {"currency EUR\n", "line 1: currency is followed by a name and how many decimals it has, as \"currency EUR 2\""},
      {"currency EUR 7\n", "line 1: \"7\": a currency has 0 to 6 decimals"},
      {"currency EUR 02\n", "line 1: \"02\": a currency has 0 to 6 decimals"},
      {"currency <b> 2\n", "line 1: \"<b>\": a currency is named by at most 16 letters"},
      {"currency EUR 2 x\n", "line 1: \"x\": nothing comes behind the decimals"},
      {eur + "currency USD 2\n", "line 2: \"currency\": there is a currency already"},
      {eur + "Price ncpus 1\n", "line 2: \"Price\": a line begins with currency or price"},
      {eur + "price ncpus\n", "line 2: price is followed by a resource and an amount, as \"price ncpus 0.02\""},
      {eur + "price n'cpus 1\n", "line 2: \"n'cpus\": this is no name of a resource"},
      {eur + "\nprice ncpus 0,02\n", "line 3: \"0,02\": an amount is at most 6 digits, and behind a point at most 9, as 0.02"},
      {eur + "price ncpus -1\n", "line 2: \"-1\": an amount is at most 6 digits, and behind a point at most 9, as 0.02"},
      {eur + "price ncpus 1.\n", "line 2: \"1.\": an amount is at most 6 digits, and behind a point at most 9, as 0.02"},
      {eur + "price ncpus 1000000\n", "line 2: \"1000000\": an amount is at most 6 digits, and behind a point at most 9, as 0.02"},
      {eur + "price ncpus 0.0000000001\n",
       "line 2: \"0.0000000001\": an amount is at most 6 digits, and behind a point at most 9, as 0.02"},
      {eur + "price mem 1 per GB\n", "line 2: \"GB\": a price is per kb, mb, gb, tb or pb"},
      {eur + "price mem 1 per\n", "line 2: something comes behind per"},
      {eur + "price mem 1 for gb\n", "line 2: \"for\": per, queue, from or until comes here"},
      {eur + "price ncpus 1 queue a queue b\n", "line 2: \"queue\": it stands there twice"},
      {eur + "price ncpus 1 from today\n", "line 2: \"today\": a time is YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS]"},
      {eur + "price ncpus 1 from 2026-02-30\n", "line 2: \"2026-02-30\": a time is YYYY-MM-DD or YYYY-MM-DDTHH:MM[:SS]"},
      {eur + std::string("price ncpus 1\0\x1b\n", 16),
       "line 2: \"1^@^[\": an amount is at most 6 digits, and behind a point at most 9, as 0.02"},
      {eur + "price ncpus 1 from 2026-07-01 until 2026-07-01\n", "line 2: \"until\": it must be later than from"},
      {eur + "price ncpus 1\nprice ncpus 2 from 2026-07-01\n",
       "line 3: \"ncpus\": line 2 has a price of it for a part of the same time"}};
  for (const auto& [text, error] : all) BOOST_TEST(wrong(text) == error);
}

BOOST_AUTO_TEST_CASE(each_limit_has_two_sides) {
  std::string many = "currency EUR 2\n";
  for (std::size_t i = 0; i < limits::prices_max; ++i) many += "price ncpus 1 queue q" + std::to_string(i) + "\n";
  BOOST_TEST(good(many).prices.size() == limits::prices_max);
  BOOST_TEST(wrong(many + "price ncpus 1\n") == "line 10002: \"price\": there are more than 10000 prices");
  const std::string eur = "currency EUR 2\n#";
  BOOST_TEST(wrong(eur + std::string(limits::rates_bytes_max - eur.size(), 'x')) == "it is right");
  BOOST_TEST(wrong(eur + std::string(limits::rates_bytes_max - eur.size() + 1, 'x')) == "the file has more than 1 MB");
  BOOST_TEST(good("currency EUR 6\nprice ncpus 999999.999999999\n").prices[0].nano == 999'999'999'999'999);
  const std::string name(limits::resource_name_bytes_max, 'r');
  BOOST_TEST(wrong("currency EUR 2\nprice " + name + " 1\n") == "it is right");
  BOOST_TEST(wrong("currency EUR 2\nprice " + name + "r 1\n") == "line 2: \"" + name + "r\": this is no name of a resource");
}

BOOST_AUTO_TEST_SUITE_END()
