// Logs on disk in which one file after another is removed, cut or changed: verify says so, and what is salvaged starts.
#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>

#include "events/log/check_notes.hpp"
#include "events/log/log_mark.hpp"
#include "events/log/log_reader.hpp"
#include "events/log/rocksdb_event_store.hpp"
#include "events/model/ledger.hpp"
#include "projections/accounting/checkpoint_mark.hpp"
#include "test/support/made_history.hpp"
#include "test/support/paths.hpp"
#include "test/support/run_command.hpp"

using namespace annals;
namespace fs = std::filesystem;

namespace {

const std::string program = annals::test::stage_dir() + "/sbin/pbs_audit";

test::ran audit(std::vector<std::string> words, std::function<void(pid_t)> meanwhile = {}) {
  words.insert(words.begin(), program);
  return test::run(words, {.input = {}, .environment = {{"PBS_CONF_FILE", "/none"}}, .directory = {}, .meanwhile = std::move(meanwhile)});
}

std::unique_ptr<ports::event_store> opened(const std::string& path, std::size_t memtable_bytes = 8u << 20) {
  log::store_options options;
  options.memtable_bytes = memtable_bytes;
  auto result = log::open_event_store(path, options);
  if (const auto* why = std::get_if<ports::store_status>(&result)) BOOST_FAIL(why->text);
  return std::get<0>(std::move(result));
}

// A log of a server with files of every kind, and the notes beside it.
struct whole_log {
  const test::temporary_directory own;
  const std::string home = own.at("home"), path = home + "/log";
  std::uint64_t last = 0;

  whole_log() {
    fs::create_directories(home + "/views");
    fs::create_directory(own.at("live"));
    auto store = opened(own.at("live/log"), 64 << 10);
    test::made_history history(*store, 7);
    history.begin();
    for (int i = 0; i < 700; ++i) history.step();
    last = store->last_sequence();
    const auto name = log::name_of_log(*store);
    store.reset();  // else a compaction may remove a file while it is copied
    fs::copy(own.at("live/log"), path, fs::copy_options::recursive);
    log::check_notes notes{.log = name, .last = log::check_result{}, .began_ns = 0, .present = {}};
    notes.last->upto = last;
    BOOST_REQUIRE(log::keep_check_notes(log::check_notes_file(path), notes).empty());
  }
  // Another copy to be damaged, with its notes.
  std::string copy(const std::string& name) const {
    fs::copy(home, own.at(name), fs::copy_options::recursive);
    return own.at(name) + "/log";
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
};

void flip(const std::string& file) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  const auto at = static_cast<std::streamoff>(fs::file_size(file) / 2);
  f.seekg(at);
  const char c = static_cast<char>(f.get() ^ 0x10);
  f.seekp(at);
  f.put(c);
}

// What a server would have: every record, readable; 0 when it would not start.
std::uint64_t records_a_server_has(const std::string& path) {
  const auto copy = path + ".started";
  fs::copy(path, copy, fs::copy_options::recursive);
  std::uint64_t n = 0;
  auto store = log::open_event_store(copy);
  if (store.index() == 0 && !log::log_reader(*std::get<0>(store)).read(1, [&](const auto&) { return ++n, true; })) n = 0;
  if (store.index() == 0) std::get<0>(store).reset();
  fs::remove_all(copy);
  return n;
}

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> out;
  auto store = opened(path);
  BOOST_TEST(static_cast<bool>(log::log_reader(*store).read(1, [&](const log::record_ptr& r) {
    const auto bytes = schema::is(r->event(), schema::LogEvent::RECORD_LOST) || schema::is(r->event(), schema::LogEvent::SALVAGED)
                           ? std::string()
                           : std::string(reinterpret_cast<const char*>(r->message().data()), r->message().size());
    out.push_back(bytes);
    return true;
  })));
  return out;
}

// A log of one record, which says who it is. Answers its name.
std::string begin_log(const std::string& path, const std::string& identity) {
  const auto store = opened(path);
  test::made_history(*store, 1).write(0, [&](auto e) {
    auto s = e.initServer().initStarted();
    s.setServerName("borg");
    s.setLogUuid({reinterpret_cast<const kj::byte*>(identity.data()), identity.size()});
  });
  return log::name_of_log(*store);
}

// The salvaged log is sound, what it has is what was there, and it goes on without giving a number twice.
void check_salvaged(const std::string& to, const std::vector<std::string>& before, const std::string& what) {
  const auto verified = audit({"--log", to, "verify"});
  BOOST_TEST(verified.status == 0, what + verified.out + verified.err);
  const auto after = lines_of(to);
  BOOST_TEST(after.size() > before.size(), what);
  std::size_t same = 0;
  for (std::size_t i = 0; i < before.size() && i < after.size(); ++i) same += after[i] == before[i];
  BOOST_TEST(same > 0u, what);
  auto store = opened(to);
  test::history_clock clock;
  log::event_log log(*store, clock);
  BOOST_TEST(log.last_sequence() == after.size(), what);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(damaged_logs)

BOOST_AUTO_TEST_CASE(verify_passes_exactly_when_a_server_starts_and_has_everything) {
  const whole_log log;
  int found = 0, tried = 0;
  const std::pair<const char*, void (*)(const std::string&)> damages[] = {
      {"removed", [](const std::string& f) { fs::remove(f); }},
      {"cut", [](const std::string& f) { fs::resize_file(f, fs::file_size(f) / 2); }},
      {"emptied", [](const std::string& f) { fs::resize_file(f, 0); }},
      {"flipped", flip},
  };
  for (const auto& file : log.files()) {
    if (fs::file_size(log.path + "/" + file) == 0) continue;
    for (const auto& [name, damage] : damages) {
      const std::string what = file + " " + name + ": ";
      const auto path = log.copy("damaged");
      damage(path + "/" + file);
      const bool whole = records_a_server_has(path) == log.last;
      const auto verified = audit({"--log", path, "verify"});
      if (!whole) BOOST_TEST(verified.status == 1, what + verified.out + verified.err);
      if (verified.status == 0) BOOST_TEST(whole, what + verified.out);
      if (verified.status == 1) BOOST_TEST(verified.out.find("DAMAGED") != std::string::npos, what + verified.out);
      found += verified.status == 1;
      ++tried;
      fs::remove_all(log.own.at("damaged"));
    }
  }
  BOOST_TEST(found > tried / 2);
  BOOST_TEST(audit({"--log", log.path, "verify"}).status == 0);
}

BOOST_AUTO_TEST_CASE(a_file_in_the_place_of_another_is_noticed) {
  const whole_log log;
  std::vector<std::string> tables;
  for (const auto& f : log.files())
    if (f.ends_with(".sst")) tables.push_back(f);
  BOOST_REQUIRE(tables.size() >= 2u);
  const auto path = log.copy("exchanged");
  fs::copy_file(path + "/" + tables[0], path + "/" + tables.back(), fs::copy_options::overwrite_existing);
  const auto verified = audit({"--log", path, "verify"});
  BOOST_TEST(verified.status == 1, verified.out + verified.err);
}

BOOST_AUTO_TEST_CASE(what_is_salvaged_is_sound_and_starts_whatever_was_damaged) {
  const whole_log log;
  const auto before = lines_of(log.copy("as_it_was"));
  for (const auto& file : log.files()) {
    const bool table = file.ends_with(".sst"), needed = file == "CURRENT" || file.starts_with("MANIFEST") || file.ends_with(".log");
    if (!table && !needed) continue;
    for (const bool gone : {false, true}) {
      const std::string what = file + (gone ? " removed: " : " flipped: ");
      const auto path = log.copy("damaged"), to = log.own.at("salvaged");
      if (gone) fs::remove(path + "/" + file);
      else if (fs::file_size(path + "/" + file) > 0) flip(path + "/" + file);
      const auto salvaged = audit({"salvage", path, to});
      BOOST_TEST((salvaged.status == 0 || salvaged.status == 1), what + salvaged.out + salvaged.err);
      if (fs::exists(to)) check_salvaged(to, before, what);
      BOOST_TEST(test::slurp(to + ".account").find(" records are known of: ") != std::string::npos, what);
      for (const auto& entry : fs::directory_iterator(log.own.path))
        BOOST_TEST(entry.path().string().find(".scratch") == std::string::npos);
      fs::remove_all(log.own.at("damaged"));
      fs::remove_all(to);
      fs::remove(to + ".account");
    }
  }
}

BOOST_AUTO_TEST_CASE(a_sound_log_is_salvaged_whole) {
  const whole_log log;
  const auto to = log.own.at("salvaged");
  const auto salvaged = audit({"salvage", log.path, to});
  BOOST_TEST(salvaged.status == 0, salvaged.out + salvaged.err);
  const auto before = lines_of(log.copy("as_it_was")), after = lines_of(to);
  BOOST_REQUIRE(after.size() == before.size() + 1);  // the last says that it was salvaged
  BOOST_TEST(std::equal(before.begin(), before.end(), after.begin()));
  BOOST_TEST(salvaged.out.find("held:") == std::string::npos, salvaged.out);
}

BOOST_AUTO_TEST_CASE(a_gap_that_an_accepted_loss_explains_is_sound_and_a_salvage_keeps_it) {
  const whole_log log;
  const auto path = log.copy("lost"), to = log.own.at("salvaged");
  {
    auto store = opened(path);
    test::history_clock clock;
    clock.ns += 1'000'000'000'000'000;
    log::event_log writer(*store, clock);
    writer.skip_lost(log.last + 1000, 90'000);
    log::append a;
    a.by = {"root", "borg", schema::Role::ROOT};
    a.events.push_back(model::make_event([&](schema::Event::Builder e) {
      e.initLog().initLossAccepted().setLastSequence(log.last);
      e.getLog().getLossAccepted().setNextNumber(77'000);
    }));
    BOOST_REQUIRE(std::holds_alternative<log::staged>(writer.stage(std::move(a))));
    std::vector<log::record_ptr> committed;
    BOOST_REQUIRE(static_cast<bool>(writer.commit(committed)));
  }
  const auto verified = audit({"--log", path, "verify"});
  BOOST_TEST(verified.status == 0, verified.out + verified.err);
  const auto listed = audit({"--log", path, "log", "--kind", "log"});
  BOOST_TEST(listed.status == 0, listed.out + listed.err);
  BOOST_TEST(listed.out.find("job numbers go on at 77000") != std::string::npos, listed.out);

  const auto salvaged = audit({"salvage", path, to});
  BOOST_TEST(salvaged.status == 0, salvaged.out + salvaged.err);
  BOOST_TEST(salvaged.out.find("the next job has number 77000 or a higher one") != std::string::npos, salvaged.out);
  const auto all = std::to_string(log.last + 1);
  BOOST_TEST(salvaged.out.find(all + " records are known of: " + all + " are kept, 0 are lost") != std::string::npos, salvaged.out);
  BOOST_TEST(audit({"--log", to, "verify"}).status == 0);
  std::vector<std::uint64_t> behind;
  auto store = opened(to);
  BOOST_REQUIRE(static_cast<bool>(
      log::log_reader(*store).read(log.last + 1, [&](const log::record_ptr& r) { return behind.push_back(r->sequence()), true; })));
  BOOST_REQUIRE(behind.size() == 2u);  // the loss, and the salvage's last word
  BOOST_TEST(behind.front() == log.last + 1000);
}

BOOST_AUTO_TEST_CASE(a_log_that_ends_before_its_mark_is_not_sound) {
  const whole_log log;
  const auto path = log.copy("short");
  const auto mark = fs::path(path).parent_path() / "log.mark";
  log::replace_file(mark, log::print({std::string(16, 'o'), log.last, {}, 0, 0}));
  BOOST_TEST(audit({"--log", path, "verify"}).status == 0);
  log::replace_file(mark, log::print({std::string(16, 'o'), log.last + 10, {}, 0, 0}));
  const auto verified = audit({"--log", path, "verify"});
  BOOST_TEST(verified.status == 1);
  BOOST_TEST(verified.out.find("but record " + std::to_string(log.last + 10) + " was written to it") != std::string::npos, verified.out);
}

BOOST_AUTO_TEST_CASE(marks_of_another_log_and_older_ones_say_nothing_of_this_one) {
  const test::temporary_directory own;
  const auto path = own.at("log"), mark = own.at("log.mark"), notes = log::check_notes_file(path), accounting = own.at("views/accounting");
  fs::create_directory(own.at("views"));
  const std::string identity(16, 'o'), foreign(16, 'f'), foreign_name(64, 'f');
  const auto name = begin_log(path, identity);
  const auto expect = [&](int status, const std::string& what) {
    const auto verified = audit({"--log", path, "verify"});
    BOOST_TEST(verified.status == status, what + verified.out + verified.err);
  };
  const auto say_mark = [&](const std::string& of) { log::replace_file(mark, log::print({of, 100, {}, 0, 0})); };
  const auto say_notes = [&](const std::string& of) {
    log::check_notes n{.log = of, .last = log::check_result{}, .began_ns = 0, .present = {}};
    n.last->upto = 100;
    BOOST_REQUIRE(log::keep_check_notes(notes, n).empty());
  };
  const auto say_accounting = [&](const projections::checkpoint_mark& newer, const projections::checkpoint_mark& older) {
    std::ofstream(accounting) << projections::print(newer) << projections::print(older);
  };
  say_mark(foreign);
  say_notes(foreign_name);
  say_accounting({2, foreign_name.substr(0, 32), 100, "", 0}, {1, foreign_name.substr(0, 32), 100, "", 0});
  expect(0, "all of another log: ");
  const auto salvaged = audit({"salvage", path, own.at("new")});
  BOOST_TEST(salvaged.status == 0, salvaged.out + salvaged.err);
  BOOST_TEST(salvaged.out.find("\n1 records are known of: 1 are kept, 0 are lost") != std::string::npos, salvaged.out);

  say_mark(identity);
  expect(1, "the mark: ");
  fs::remove(mark);
  say_notes(name);
  expect(1, "the notes: ");
  fs::remove(notes);
  say_accounting({2, name.substr(0, 32), 1, "", 0}, {1, name.substr(0, 32), 100, "", 0});
  expect(0, "an older mark of the accounting: ");
  say_accounting({2, name.substr(0, 32), 100, "", 0}, {1, name.substr(0, 32), 1, "", 0});
  expect(1, "the accounting: ");
}

BOOST_AUTO_TEST_CASE(a_server_that_writes_on_is_not_taken_for_one_whose_log_lost_its_end) {
  const test::temporary_directory own;
  const auto path = own.at("log");
  const auto store = opened(path);
  test::made_history history(*store, 5);
  history.begin();
  for (int i = 0; i < 500; ++i) history.step();  // to verify it takes longer than to write a record
  const auto write_on = [&](pid_t verifying) {
    for (siginfo_t ended{}; ended.si_pid == 0; (void)::waitid(P_PID, static_cast<id_t>(verifying), &ended, WEXITED | WNOHANG | WNOWAIT)) {
      history.change_server("comment", "still here");
      log::replace_file(own.at("log.mark"), log::print({std::string(16, 'o'), store->last_sequence(), {}, 0, 0}));
      ::usleep(2000);
    }
  };
  for (int i = 0; i < 3; ++i) {
    const auto verified = audit({"--log", path, "verify"}, write_on);
    BOOST_TEST(verified.status == 0, verified.out + verified.err);
  }
}

BOOST_AUTO_TEST_CASE(salvage_refuses_what_would_overwrite_or_is_in_use) {
  const whole_log log;
  const auto to = log.own.at("salvaged");
  fs::create_directory(to);
  BOOST_TEST(audit({"salvage", log.path, to}).err.find("salvaged exists: name a directory that does not") != std::string::npos);
  BOOST_TEST(audit({"salvage", log.own.at("nothing"), to + "2"}).err.find("there is no event log here") != std::string::npos);
  const auto live = opened(log.copy("live2"));
  const auto ran = audit({"salvage", log.own.at("live2") + "/log", to + "2"});
  BOOST_TEST(ran.status == 3);
  BOOST_TEST(ran.err.find("a daemon has it open: stop it first") != std::string::npos, ran.err);
  BOOST_TEST(!fs::exists(to + "2"));
}

BOOST_AUTO_TEST_CASE(a_job_with_a_hole_is_kept_up_to_it_and_held_and_no_number_is_given_twice) {
  const test::temporary_directory own;
  std::uint64_t job = 0, last = 0;
  {
    auto store = opened(own.at("log"));
    test::made_history history(*store, 3);
    history.begin();
    history.submit("alice");
    history.submit("bob");
    last = store->last_sequence();
  }
  {  // alice's job is altered twice; the first of the two is damaged
    auto store = opened(own.at("log"));
    test::history_clock clock;
    log::event_log log(*store, clock);
    BOOST_REQUIRE(store->read(last - 1, [&](std::uint64_t, ports::byte_span bytes) {
      const auto decoded = log::decode(bytes);
      job = std::get<log::record_ptr>(decoded)->get().getStream();
      return false;
    }));
    log::chain_hash head = log.head();
    for (std::uint64_t v = 2; v <= 3; ++v) {
      log::record_meta m;
      m.sequence = ++last;
      m.stream = job;
      m.version = v;
      m.epoch = 1;
      m.wall_ns = clock.ns + 1'000'000'000'000;
      auto encoded = log::encode(m, model::make_event([&](auto e) {
                                   auto c = e.initJob().initAltered().initChanges(1)[0];
                                   c.setName("Priority");
                                   c.setValue(std::to_string(v));
                                 }),
                                 head);
      head = encoded.hash;
      if (v == 2) encoded.bytes[60] ^= std::byte{1};
      ports::write_batch b;
      b.epoch = store->epoch();
      b.records.push_back({last, job, v, std::move(encoded.bytes)});
      BOOST_REQUIRE(static_cast<bool>(store->append(b)));
    }
  }
  const auto salvaged = audit({"salvage", own.at("log"), own.at("new")});
  BOOST_TEST(salvaged.status == 1, salvaged.out + salvaged.err);
  BOOST_TEST(salvaged.out.find("stream: job 1.borg (stream " + std::to_string(job) + "): kept up to version 1; lost: #" +
                               std::to_string(last - 1) + "; left out: #" + std::to_string(last) + " JobAltered") != std::string::npos,
             salvaged.out);
  BOOST_TEST(salvaged.out.find("held: job 1.borg: records of it are lost") != std::string::npos, salvaged.out);
  BOOST_TEST(salvaged.out.find("held: job 2.borg") == std::string::npos, salvaged.out);  // the index knows whose record it was
  BOOST_TEST(salvaged.out == test::slurp(own.at("new.account")) + own.at("new") + ": a server can start on it; the account is in " +
                                 own.at("new.account") + "\n");
  auto store = opened(own.at("new"));
  projections::status now;
  model::ledger ledger;
  std::vector<std::string> kinds;
  BOOST_REQUIRE(static_cast<bool>(log::log_reader(*store).read(1, [&](const log::record_ptr& r) {
    now.fold(*r);
    model::event_place at;
    at.sequence = r->sequence();
    at.stream = r->get().getStream();
    at.version = r->get().getStreamVersion();
    ledger.apply(at, r->event());
    return true;
  })));
  const auto held = now.job_by_id("1.borg");
  BOOST_REQUIRE(held);
  BOOST_TEST(model::state_letter(*held) == 'H');
  BOOST_TEST(held->attributes.get(attributes::job::comment).value_or("") == "Held by pbs_audit salvage: records of it are lost");
  BOOST_TEST(held->attributes.get(attributes::job::Priority).value_or("") == "0");
  BOOST_TEST(model::state_letter(*now.job_by_id("2.borg")) == 'Q');
  BOOST_TEST(ledger.next_job_number() > 3u);  // one record is lost that may have been a submission
  BOOST_TEST(store->last_stream() > job + 1);
}

BOOST_AUTO_TEST_CASE(a_record_that_the_model_refuses_fails_verify_and_is_left_out_of_a_salvage) {
  const test::temporary_directory own;
  std::uint64_t last = 0;
  {
    auto store = opened(own.at("log"));
    test::made_history history(*store, 3);
    history.begin();
    last = store->last_sequence() + 1;
    log::chain_hash head{};
    BOOST_REQUIRE(store->read(last - 1, [&](std::uint64_t, ports::byte_span bytes) {
      const auto decoded = log::decode(bytes);
      head = std::get<log::record_ptr>(decoded)->hash();
      return false;
    }));
    log::record_meta m;
    m.sequence = last;
    m.stream = store->last_stream() + 1;
    m.version = 1;
    m.epoch = 1;
    m.wall_ns = INT64_MAX / 2;
    ports::write_batch b;
    b.epoch = store->epoch();
    b.records.push_back({last, m.stream, 1, log::encode(m, model::make_event([](auto e) { e.initJob().initEnded(); }), head).bytes});
    BOOST_REQUIRE(static_cast<bool>(store->append(b)));
  }
  const auto verified = audit({"--log", own.at("log"), "verify"});
  BOOST_TEST(verified.status == 1);
  BOOST_TEST(verified.out.find("record " + std::to_string(last) + ": a server can't take it in: ") != std::string::npos,
             verified.out + verified.err);
  const auto salvaged = audit({"salvage", own.at("log"), own.at("new")});
  BOOST_TEST(salvaged.status == 1, salvaged.out + salvaged.err);
  BOOST_TEST(salvaged.out.find("left out: #" + std::to_string(last)) != std::string::npos, salvaged.out);
  BOOST_TEST(audit({"--log", own.at("new"), "verify"}).status == 0);
}

BOOST_AUTO_TEST_CASE(a_job_whose_script_is_lost_is_held_and_other_scripts_are_kept) {
  const test::temporary_directory own;
  const std::string scripts[] = {"#!/bin/sh\n", "#!/bin/sh\n# long" + std::string(3 << 20, 'x'), "#!/bin/sh\n# lost"};
  std::vector<std::string> hashes;
  {
    auto store = opened(own.at("log"));
    test::made_history history(*store, 3);
    history.begin();
    for (std::uint64_t n = 0; n < 3; ++n) {
      const auto bytes = std::as_bytes(std::span(scripts[n]));
      hashes.push_back(log::content_hash(bytes));
      ports::write_batch b;
      b.epoch = store->epoch();
      if (n != 2) b.blobs.push_back({hashes[n], {bytes.begin(), bytes.end()}});
      BOOST_REQUIRE(static_cast<bool>(store->append(b)));
      history.write(0, [&](auto e) {
        auto q = e.initJob().initQueued();
        q.setId(std::to_string(n) + ".borg");
        q.setNumber(n);
        q.setQueue("workq");
        q.setOwner("alice@front");
        auto script = q.initScript();
        script.setHash({reinterpret_cast<const kj::byte*>(hashes[n].data()), hashes[n].size()});
        script.setSize(bytes.size());
      });
    }
  }
  BOOST_TEST(audit({"--log", own.at("log"), "verify"}).status == 1);
  const auto salvaged = audit({"salvage", own.at("log"), own.at("new")});
  BOOST_TEST(salvaged.status == 1, salvaged.out + salvaged.err);
  BOOST_TEST(salvaged.out.find("held: job 2.borg: its script is lost\n") != std::string::npos, salvaged.out);
  BOOST_TEST(salvaged.out.find("blob lost: ") != std::string::npos, salvaged.out);
  BOOST_TEST(salvaged.out.find("held: job 1.borg") == std::string::npos, salvaged.out);
  for (int i = 0; i < 2; ++i) {  // each time it is said, and it is no damage
    const auto verified = audit({"--log", own.at("new"), "verify"});
    BOOST_TEST(verified.status == 0, verified.out + verified.err);
    BOOST_TEST(verified.out.find("blob " + log::hex(hashes[2]) + ", named by record ") != std::string::npos, verified.out);
    BOOST_TEST(verified.out.find("3 blobs (1 lost since a salvage)") != std::string::npos, verified.out);
  }
  const auto listed = audit({"--log", own.at("new"), "log", "--kind", "log"});
  BOOST_TEST(listed.out.find("BlobLost") != std::string::npos, listed.out);
  const auto again = audit({"salvage", own.at("new"), own.at("newer")});
  BOOST_TEST(again.out.find("blob lost: ") != std::string::npos, again.out);
  BOOST_TEST(audit({"--log", own.at("newer"), "verify"}).status == 0);
  auto store = opened(own.at("new"));
  for (int n : {0, 1}) {
    const auto kept = store->read_blob(hashes[static_cast<std::size_t>(n)]);
    BOOST_REQUIRE(kept);
    BOOST_TEST(kept->size() == scripts[n].size());
  }
  test::made_history(*store, 4).write(0, [&](auto e) {  // another one, which nobody has said is lost
    auto q = e.initJob().initQueued();
    q.setId("900.borg");
    q.setNumber(900);
    q.setQueue("workq");
    const std::string hash(32, 'h');
    q.initScript().setHash({reinterpret_cast<const kj::byte*>(hash.data()), hash.size()});
  });
  store.reset();
  const auto verified = audit({"--log", own.at("new"), "verify"});
  BOOST_TEST(verified.status == 1, verified.out + verified.err);
  BOOST_TEST(verified.out.find("the blob it names is missing") != std::string::npos, verified.out);
}

BOOST_AUTO_TEST_CASE(status_tells_size_and_what_the_last_verification_found) {
  const whole_log log;
  auto status = audit({"--log", log.path, "status"});
  BOOST_TEST(status.status == 0, status.out + status.err);
  BOOST_TEST(status.out.find("last record         #" + std::to_string(log.last)) != std::string::npos, status.out);
  auto notes = *log::read_check_notes(log::check_notes_file(log.path));
  notes.last->fault_count = 1;
  notes.last->faults = {"record 3 (stream 1, version 3): wrong checksum"};
  notes.present = log::check_state{};
  notes.present->upto = 900;
  notes.present->next = 401;
  BOOST_REQUIRE(log::keep_check_notes(log::check_notes_file(log.path), notes).empty());
  status = audit({"--log", log.path, "status"});
  BOOST_TEST(status.status == 1);
  BOOST_TEST(status.out.find("DAMAGED: 1 fault\n  record 3 (stream 1, version 3): wrong checksum\n") != std::string::npos, status.out);
  BOOST_TEST(status.out.find("record 400 of 900; so far sound") != std::string::npos, status.out);
  BOOST_TEST(audit({"--log", log.path, "status", "--json"}).out.find("\"faultCount\":1") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
