// Rows of a log: they say what accounting and usage say, and are the same wherever the fold begins.
#include <boost/test/unit_test.hpp>

#include <map>
#include <random>
#include <sstream>

#include "events/log/log_reader.hpp"
#include "events/values/duration.hpp"
#include "events/values/size.hpp"
#include "projections/usage/usage.hpp"
#include "test/support/made_history.hpp"
#include "test/unit/projections/accounting/accounting_fixture.hpp"
#include "test/unit/projections/exports/split_fold.hpp"

using namespace annals;
using namespace annals::test;
using exports::table_id;

namespace {

// The fields of a line: "name" or "name.resource" to the value. Values of these histories have no blanks.
std::map<std::string, std::string> fields_of(const std::string& line) {
  std::map<std::string, std::string> fields;
  std::istringstream in(line.substr(line.find(';', 22) + 1));
  for (std::string field; in >> field;)
    if (const auto at = field.find('='); at != std::string::npos) fields[field.substr(0, at)] = field.substr(at + 1);
  return fields;
}

std::string moment_of(const std::string& seconds) {
  return seconds == "0" ? "" : exports::print_moment({std::stoll(seconds) * 1'000'000'000});
}

struct run_key {
  std::string id, run_count;
  auto operator<=>(const run_key&) const = default;
};

// What a line has of a list of resources is in the table of resources, with its number.
void check_resources(const std::map<std::string, std::string>& fields, const std::string& prefix, const told_rows& rows,
                     const key_texts& list) {
  std::size_t in_line = 0, in_table = 0;
  for (const auto& [name, text] : fields) {
    if (!name.starts_with(prefix)) continue;
    ++in_line;
    auto key = list;
    key.push_back(name.substr(prefix.size()));
    const auto at = rows.of(table_id::run_resources).find(key);
    BOOST_REQUIRE_MESSAGE(at != rows.of(table_id::run_resources).end(), name << " has no row");
    BOOST_TEST(column(at->second, "text_value") == text);
    const auto type = column(at->second, "type");
    if (type == "duration") BOOST_TEST(number(at->second, "integer_value") == *values::parse_duration(text));
    if (type == "size")
      BOOST_TEST(number(at->second, "integer_value") == static_cast<std::int64_t>(values::parse_size(text)->to_kb()) * 1024);
  }
  for (const auto& [key, r] : rows.of(table_id::run_resources))
    if (key_texts(key.begin(), key.end() - 1) == list && !exports::is_null(r.values[8])) ++in_table;
  BOOST_TEST(in_line == in_table);
}

void check_run(const std::map<std::string, std::string>& fields, char letter, const exports::row& run, const told_rows& rows) {
  static const std::map<std::string, std::string> texts = {{"user", "user_name"},
                                                           {"group", "group_name"},
                                                           {"account", "account"},
                                                           {"project", "project"},
                                                           {"jobname", "job_name"},
                                                           {"queue", "queue"},
                                                           {"exec_host", "exec_host"},
                                                           {"exec_vnode", "exec_vnode"},
                                                           {"Exit_status", "exit_status"},
                                                           {"run_count", "run_count"},
                                                           {"resvname", "reservation_name"},
                                                           {"resvID", "reservation_id"}};
  for (const auto& [field, name] : texts)
    if (fields.contains(field)) BOOST_TEST(column(run, name) == fields.at(field), field);
  for (const auto& [field, name] : {std::pair("ctime", "created_at"), std::pair("qtime", "queued_at"), std::pair("etime", "eligible_at"),
                                    std::pair("start", "started_at"), std::pair("end", "ended_at")})
    BOOST_TEST(column(run, name) == moment_of(fields.at(field)), field);
  if (fields.at("session") != "0") BOOST_TEST(column(run, "session") == fields.at("session"));
  BOOST_TEST(number(run, "used_walltime_s") == *values::parse_duration(fields.at("resources_used.walltime")));
  BOOST_TEST(number(run, "used_cput_s") == *values::parse_duration(fields.at("resources_used.cput")));
  const auto outcome = column(run, "outcome");
  BOOST_TEST((outcome == "start_failed" || outcome == (letter == 'E' ? "ended" : letter == 'R' ? "requeued"
                                                                                               : "checkpointed")));
  check_resources(fields, "resources_used.", rows, {column(run, "job"), column(run, "run"), "used", "0"});
  check_resources(fields, "Resource_List.", rows, {column(run, "job"), column(run, "run"), "asked", "0"});
}

// Each record of a run's end has its row, and each row of a run that is over its record.
struct checked {
  std::size_t runs = 0, phases = 0, suspensions = 0;
};
checked check_accounting(const records& all, const told_rows& rows) {
  checked done;
  std::map<std::pair<std::string, std::string>, const exports::row*> by_sequence;
  std::size_t over = 0;
  for (const auto& [key, run] : rows.of(table_id::runs)) {
    over += column(run, "closed_at").empty() ? 0 : 1;
    by_sequence[{column(run, "job_id"), column(run, "sequence")}] = &run;
  }
  projections::accounting fold;
  std::map<std::string, std::int64_t> line_cput, row_cput;  // of phases, by job
  for (const auto& r : all)
    fold.fold(*r, [&](std::int64_t, std::string_view text) {
      const std::string line(text);
      const char letter = line[20];
      const auto id = line.substr(22, line.find(';', 22) - 22);
      const auto fields = fields_of(line);
      if (letter == 'z') ++done.suspensions;
      if (letter == 'u' || letter == 'e') line_cput[id] += *values::parse_duration(fields.at("resources_used.cput"));
      if ((letter != 'E' && letter != 'R' && letter != 'C') || !fields.contains("exec_host")) return;
      const auto run = by_sequence.find({id, std::to_string(r->sequence())});
      BOOST_REQUIRE_MESSAGE(run != by_sequence.end(), "no row of " << line);
      check_run(fields, letter, *run->second, rows);
      ++done.runs;
    });
  BOOST_TEST(done.runs == over);
  BOOST_TEST(done.suspensions == rows.of(table_id::suspensions).size());
  for (const auto& [key, phase] : rows.of(table_id::phases)) {
    ++done.phases;
    if (!column(phase, "ended_at").empty()) row_cput[column(phase, "job_id")] += number(phase, "used_cput_s");
  }
  BOOST_TEST((line_cput == row_cput));
  return done;
}

// Intervals of hosts add up to the last sample of projections/usage.
std::size_t check_usage(const records& all, const told_rows& rows) {
  std::map<std::uint64_t, projections::job_usage> usage;
  for (const auto& r : all)
    if (r->event().isJob()) usage[r->get().getStream()].fold(*r);
  std::map<key_texts, std::int64_t> cput, walltime;
  for (const auto& [key, of] : rows.of(table_id::host_usage)) {
    const key_texts host(key.begin(), key.begin() + 3);
    cput[host] += number(of, "cput_s");
    walltime[host] += number(of, "walltime_s");
  }
  std::size_t hosts = 0;
  for (const auto& [stream, job] : usage)
    for (const auto& run : job.runs())
      for (const auto& host : run.hosts) {
        if (host.samples.empty()) continue;
        const key_texts key{std::to_string(stream), std::to_string(run.run), host.host};
        BOOST_TEST(cput[key] == static_cast<std::int64_t>(host.samples.back().used.seconds("cput")));
        BOOST_TEST(walltime[key] == static_cast<std::int64_t>(host.samples.back().used.seconds("walltime")));
        ++hosts;
      }
  BOOST_TEST(hosts == cput.size());
  return hosts;
}

records history(unsigned seed, int steps = 700) { return made_records(seed, steps); }

}  // namespace

BOOST_FIXTURE_TEST_SUITE(export_rows, in_utc)

BOOST_AUTO_TEST_CASE(random_histories_have_the_sums_of_accounting_and_usage) {
  checked sum;
  std::size_t hosts = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    const auto all = history(seed);
    const auto rows = rows_of(all);
    const auto done = check_accounting(all, rows);
    sum.runs += done.runs;
    sum.suspensions += done.suspensions;
    hosts += check_usage(all, rows);
  }
  BOOST_TEST(sum.runs > 200u);
  BOOST_TEST(sum.suspensions > 20u);
  BOOST_TEST(hosts > 100u);
}

BOOST_AUTO_TEST_CASE(a_fold_that_begins_anywhere_has_the_same_rows) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto all = history(seed, 250);
    const auto whole = rows_of(all);
    std::mt19937 random(seed);
    for (int i = 0; i < 40; ++i) {
      const auto first = random() % all.size();
      BOOST_TEST(rows_in_two(all, first).differing(whole) == "", "seed " << seed << ", from " << first);
    }
  }
}

BOOST_AUTO_TEST_CASE(phases_of_a_run_that_gives_up_hosts_are_rows) {
  std::size_t phases = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    told_job job;
    job.story.now_s = 1795222033;
    const int hosts = static_cast<int>(2 + random() % 4);
    std::vector<std::string> names;
    std::string vnodes, slots;
    for (int i = 0; i < hosts; ++i) {
      const auto name = "h" + std::to_string(i);
      job.log.host(name, "4", "24684092kb");
      names.push_back(name);
      vnodes += (i ? "+(" : "(") + name + ":ncpus=1)";
      slots += (i ? "+" : "") + name + "/0";
    }
    job.submit({{"Resource_List", "select", std::to_string(hosts) + ":ncpus=1"}, {"Resource_List", "place", "scatter"}});
    job.runs_on(names, vnodes, slots);
    measured used{1, 1000, 1, 4};
    for (int n = 0; n < 6; ++n) {
      used.cpu_s += random() % 500;
      used.wall_s += random() % 300;
      job.story.later(300).uses(used);
      if (random() % 2)
        job.story.when(model::client_request{make_request([&](auto r) {
                         r.initReleaseNodes().initNamed(1).set(0, names[random() % names.size()]);
                       })},
                       manager());
    }
    job.story.exits(0, used);
    job.story.leaves();
    job.log.told(job.story);
    const auto rows = rows_of(job.log.records);
    phases += check_accounting(job.log.records, rows).phases;
    for (std::size_t first = 0; first <= job.log.records.size(); first += 3)
      BOOST_TEST(rows_in_two(job.log.records, first).differing(rows) == "", "seed " << seed << ", from " << first);
  }
  BOOST_TEST(phases > 40u);
}

BOOST_AUTO_TEST_CASE(resources_are_typed_as_they_are_defined_even_when_they_are_deleted) {
  log::memory_event_store store;
  made_history h(store, 1);
  h.begin();
  const auto server = std::uint64_t{1};
  h.write(server, [](auto e) {
    auto r = e.initServer().initResourceCreated();
    r.setName("scratch");
    r.setType("size");
    r.setFlags("nh");
  });
  const auto job = h.write(0, [](auto e) {
    auto q = e.initJob().initQueued();
    q.setId("1.borg");
    q.setNumber(1);
    q.setQueue("workq");
    auto a = q.initAttributes(2);
    a[0].setName("Resource_List");
    a[0].setResource("scratch");
    a[0].setValue("3mb");
    a[1].setName("Resource_List");
    a[1].setResource("walltime");
    a[1].setValue("01:00:01");
  });
  h.write(server, [](auto e) { e.initServer().initResourceDeleted().setName("scratch"); });
  h.write(job, [](auto e) {
    auto c = e.initJob().initAltered().initChanges(1)[0];
    c.setName("Resource_List");
    c.setResource("walltime");
    c.setOp(schema::AttributeOp::UNSET);
  });
  records all;
  BOOST_REQUIRE(static_cast<bool>(log::log_reader(store).read(1, [&](const log::record_ptr& r) {
    all.push_back(r);
    return true;
  })));
  const auto rows = rows_of(all);
  const auto& of = rows.of(table_id::run_resources);
  const auto id = std::to_string(job);
  const auto& scratch = of.at({id, "0", "asked", "0", "scratch"});
  BOOST_TEST(column(scratch, "type") == "size");
  BOOST_TEST(number(scratch, "integer_value") == 3 * 1024 * 1024);
  const auto& walltime = of.at({id, "0", "asked", "0", "walltime"});
  BOOST_TEST(column(walltime, "text_value") == "");  // it is asked for no more
  BOOST_TEST(column(rows.of(table_id::jobs).at({id}), "walltime_s") == "");
  bool is_defined = false;
  for (const auto& [key, r] : rows.of(table_id::resources))
    if (key[0] == "scratch") {
      is_defined = true;
      BOOST_TEST(column(r, "unit") == "bytes");
      BOOST_TEST(column(r, "deleted_at") != "");
    }
  BOOST_TEST(is_defined);
  BOOST_TEST(rows.of(table_id::job_requests).size() == 1u);
}

BOOST_AUTO_TEST_CASE(notes_are_read_as_they_are_printed_or_refused) {
  exports::fold_notes notes;
  BOOST_TEST(exports::read_notes("streams 1 5 9\nrecords\n", notes));
  BOOST_TEST((notes.streams == std::set<std::uint64_t>{1, 5, 9}));
  for (const char* wrong :
       {"", "streams\n", "streams 1", "streams x\nrecords\n", "streams\nrecords\nmore", "streams 99999999999999999999\nrecords\n"})
    BOOST_TEST(!exports::read_notes(wrong, notes), wrong);
}

BOOST_AUTO_TEST_SUITE_END()
