// Sums of reports are those of the accounting records, to the last second, by whatever they are made.
#include <boost/test/unit_test.hpp>

#include <algorithm>

#include "projections/usage/efficiency.hpp"
#include "test/support/made_history.hpp"
#include "test/unit/tools/report/random_lives.hpp"
#include "test/unit/tools/report/report_fixture.hpp"
#include "test/unit/tools/report/written_sums.hpp"
#include "tools/report/moments.hpp"

using namespace annals;
using namespace annals::test;
using namespace annals::reporting;

namespace {

const std::vector<std::string> resources{"naccelerators", "mem", "ncpus"};

struct field_of_dimension {
  dimension of;
  const char* field;
};
const field_of_dimension fields[] = {
    {dimension::user, "user"},
    {dimension::group, "group"},
    {dimension::project, "project"},
    {dimension::account, "account"},
    {dimension::queue, "queue"},
    {dimension::reservation, "resvID"}};

using records = std::vector<log::record_ptr>;

// Account names stand in quotes.
std::string without_quotes(const std::string& name) {
  return name.size() > 1 && name.front() == '"' ? name.substr(1, name.size() - 2) : name;
}

void check_sum(const use_sum& use, const written_sum& written) {
  BOOST_TEST(use.jobs == static_cast<std::int64_t>(written.jobs.size()));
  BOOST_TEST(use.runs == written.runs);
  BOOST_TEST(print(use.walltime_s) == print(written.walltime_s));
  BOOST_TEST(print(use.cput_s) == print(written.cput_s));
  BOOST_TEST(print(use.core_s) == print(written.core_s));
  BOOST_TEST(use.mem_bytes_max == written.mem_kb_max * 1024);
  BOOST_TEST(print(use.mem_byte_s) == print(written.mem_kb_s * 1024));
  BOOST_TEST(print(use.held[0].amount_s) == print(written.naccelerators_s * amount_scale));
  BOOST_TEST(print(use.held[1].amount_s) == print(written.asked_kb_s * 1024));
  BOOST_TEST(print(use.held[2].amount_s) == print(exact{written.core_s} * amount_scale));
}

struct timed_line {
  std::int64_t at_ns;
  written_line line;
};

std::vector<timed_line> lines_written(const records& all) {
  std::vector<timed_line> lines;
  projections::accounting fold;
  for (const auto& r : all)
    fold.fold(*r, [&](std::int64_t wall_s, std::string_view text) {
      lines.push_back({wall_s * 1'000'000'000, written_line(std::string(text))});
    });
  return lines;
}

// Phases before the period belong to a run that ends in it, and those of one that ended before it to none.
std::map<std::string, written_sum> written_by(const std::vector<timed_line>& lines, const std::string& field, const period& in) {
  written_sums sums(field);
  for (const auto& [at_ns, line] : lines) {
    const bool ends_run = std::string("ERC").find(line.letter) != std::string::npos;
    if (!ends_run || (at_ns >= in.from_ns && at_ns < in.until_ns)) sums.add(line);
    else sums.forget(line.id);
  }
  return sums.groups;
}

// By every dimension. How many runs there were.
std::int64_t check_all(const std::vector<timed_line>& all, exporting::row_source& source, const period& in) {
  std::int64_t runs = 0;
  for (const auto& [by, field] : fields) {
    const auto table = table_of(source, {by}, resources, in);
    const auto written = written_by(all, field, in);
    BOOST_TEST(table.groups().size() == written.size());
    for (const auto& [name, sum] : written) {
      const group_key key{name == "(none)" ? std::nullopt : std::optional(without_quotes(name))};
      const auto at = table.groups().find(key);
      BOOST_REQUIRE_MESSAGE(at != table.groups().end(), field << " " << name << " is in no line");
      BOOST_TEST_CONTEXT(field << " " << name) { check_sum(at->second, sum); }
    }
    runs = table.all().runs;
  }
  return runs;
}

std::int64_t check_log(const ports::record_log& store, const records& all) {
  temporary_directory files;
  export_to_file(store, files.at("db"));
  const auto source = exporting::read_sqlite(files.at("db"));
  const auto lines = lines_written(all);
  const auto runs = check_all(lines, *source, {});
  const auto first = all.front()->get().getWallNs(), last = all.back()->get().getWallNs();
  const auto middle = (first + (last - first) / 2) / 1'000'000'000 * 1'000'000'000;
  const auto before = check_all(lines, *source, {period().from_ns, middle});
  const auto after = check_all(lines, *source, {middle, period().until_ns});
  BOOST_TEST(before + after == runs);
  return runs;
}

records records_of(const ports::record_log& store) {
  records all;
  BOOST_REQUIRE(static_cast<bool>(log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    all.push_back(r);
    return true;
  })));
  return all;
}

// Compares the report with `pbs_audit efficiency`, which adds up the log by itself.
void check_efficiency(const records& all, exporting::row_source& source) {
  projections::job_efficiency fold;
  std::map<std::string, projections::efficiency_sum> by_queue;
  for (const auto& r : all)
    if (const auto run = fold.fold(*r)) by_queue[run->queue].add(*run);
  const auto table = table_of(source, {dimension::queue});
  for (const auto& [key, use] : table.groups()) {
    BOOST_TEST(print(use.cput_s) == std::to_string(by_queue[*key[0]].cput_s()));
    BOOST_TEST(print(use.core_s) == std::to_string(by_queue[*key[0]].cpu_given_s()));
  }
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(report_sums, in_utc)

BOOST_AUTO_TEST_CASE(lives_with_reruns_releases_suspensions_and_lost_hosts) {
  std::int64_t runs = 0;
  std::map<char, int> letters;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const random_lives lives(seed, 700);
    BOOST_TEST_CONTEXT("seed " << seed) { runs += check_log(lives.log.store, lives.log.records); }
    for (const auto& l : lines_written(lives.log.records)) ++letters[l.line.letter];
  }
  BOOST_TEST(runs > 500);
  for (const char letter : {'E', 'R', 'u', 'e', 'z', 'r'}) BOOST_TEST(letters[letter] > 20, "letter " << letter);
}

BOOST_AUTO_TEST_CASE(invented_histories) {
  std::int64_t runs = 0;
  for (unsigned seed = 1; seed <= 8; ++seed) {
    log::memory_event_store store;
    made_history history(store, seed);
    history.begin();
    for (int i = 0; i < 700; ++i) history.step();
    BOOST_TEST_CONTEXT("seed " << seed) { runs += check_log(store, records_of(store)); }
  }
  BOOST_TEST(runs > 100);
}

BOOST_AUTO_TEST_CASE(efficiency_is_that_of_pbs_audit) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    log::memory_event_store store;
    made_history history(store, seed);
    history.begin();
    for (int i = 0; i < 700; ++i) history.step();
    temporary_directory files;
    export_to_file(store, files.at("db"));
    const auto source = exporting::read_sqlite(files.at("db"));
    BOOST_TEST_CONTEXT("seed " << seed) { check_efficiency(records_of(store), *source); }
  }
}

BOOST_AUTO_TEST_CASE(days_and_pairs_add_up_to_all) {
  const random_lives lives(3, 2000);
  temporary_directory files;
  export_to_file(lives.log.store, files.at("db"));
  const auto source = exporting::read_sqlite(files.at("db"));
  for (const auto& by : {std::vector{dimension::day}, std::vector{dimension::month, dimension::user, dimension::queue}}) {
    const auto table = table_of(*source, by, resources);
    exact core_s = 0, walltime_s = 0;
    std::int64_t runs = 0;
    for (const auto& [key, use] : table.groups()) {
      BOOST_TEST(key.size() == by.size());
      core_s += use.core_s;
      walltime_s += use.walltime_s;
      runs += use.runs;
    }
    BOOST_TEST(runs == table.all().runs);
    BOOST_TEST(print(core_s) == print(table.all().core_s));
    BOOST_TEST(print(walltime_s) == print(table.all().walltime_s));
    BOOST_TEST(table.groups().size() > 1u);
  }
}

BOOST_AUTO_TEST_CASE(each_price_of_a_run_is_rounded_once_so_that_money_adds_up) {
  const auto prices = std::get<rates>(parse_rates(
      "currency EUR 2\nprice ncpus 0.0173\nprice ncpus 0.009 queue night\nprice mem 0.003 per gb\n"
      "price naccelerators 1.5 from 2026-11-22\n"));
  const random_lives lives(7, 1500);
  temporary_directory files;
  export_to_file(lives.log.store, files.at("db"));
  const auto source = exporting::read_sqlite(files.at("db"));
  std::map<std::string, std::vector<double>> about;  // by queue
  each_run(*source, {}, resources, [&](const counted_run& r) {
    const auto hours = [&](std::size_t i) { return static_cast<double>(r.held[i].amount_s) / 3600; };
    double money = hours(2) / amount_scale * (*r.of[4] == "night" ? 0.009 : 0.0173) + hours(1) / (1u << 30) * 0.003;
    if (local_day(r.closed_ns) >= "2026-11-22") money += hours(0) / amount_scale * 1.5;
    about[*r.of[4]].push_back(money);
    return true;
  });
  exact whole = 0;
  const auto by_queue = table_of(*source, {dimension::queue}, resources, {}, &prices);
  for (const auto& [key, use] : by_queue.groups()) {
    double money = 0;
    for (const double m : about[*key[0]]) money += m;
    BOOST_TEST(std::abs(static_cast<double>(use.cost) / 100 - money) <= 0.015 * static_cast<double>(about[*key[0]].size()));
    whole += use.cost;
  }
  BOOST_TEST((whole > 0));
  exact by_users = 0;
  const auto by_user = table_of(*source, {dimension::user, dimension::day}, resources, {}, &prices);
  for (const auto& [key, use] : by_user.groups()) by_users += use.cost;
  BOOST_TEST(print(by_users) == print(whole));
  BOOST_TEST(print(by_queue.all().cost) == print(whole));
}

BOOST_AUTO_TEST_CASE(waits_are_ranks_of_what_was_waited) {
  use_sum sum;
  BOOST_TEST(!sum.wait_s(50).has_value());
  for (int i = 1; i <= 20; ++i) {
    counted_run r;
    r.job = i;
    r.wait_s = 21 - i;
    sum.add(r, 0);
  }
  counted_run never;
  never.job = 20;
  sum.add(never, 0);
  BOOST_TEST(*sum.wait_s(50) == 10);
  BOOST_TEST(*sum.wait_s(95) == 19);
  BOOST_TEST(*sum.wait_s(100) == 20);
  BOOST_TEST(sum.jobs == 20);
  BOOST_TEST(sum.runs == 21);
}

BOOST_AUTO_TEST_SUITE_END()
