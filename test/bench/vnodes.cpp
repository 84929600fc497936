// Hosts with very many vnodes: what each part of the server pays for one host's hello with so many, for deleting one of them and for
// making one, and what a list of all costs. Each cost has to be in proportion to the vnodes that it is about.
// usage: bench_vnodes [VNODES]
#include <functional>
#include <map>

#include "actors/gateway/directory.hpp"
#include "actors/runtime/daemon_log.hpp"
#include "actors/server/event_notes.hpp"
#include "actors/server/reactions/all.hpp"
#include "events/log/place.hpp"
#include "events/model/ledger.hpp"
#include "projections/accounting/accounting.hpp"
#include "projections/scheduling/scheduling.hpp"
#include "projections/status/query.hpp"
#include "test/bench/log_bench.hpp"

using namespace annals;
using namespace annals::bench;

namespace {

using record_list = std::vector<log::record_ptr>;
using fold = std::function<void(const log::record&)>;

class story {
 public:
  explicit story(unsigned vnodes) : vnodes_(vnodes) {
    write(begin, server, [](auto e) {
      auto s = e.initServer().initStarted();
      s.setServerName("borg");
      s.setHostName("borg");
    });
    write(begin, host, [](auto e) { e.initHost().initAdded().setName("n1"); });
    write(begin, host, [](auto e) { e.initHost().initVnodeCreated().setName("n1"); });
    for (unsigned i = 1; i < vnodes_; ++i) write(hello, host, [&](auto e) { e.initHost().initVnodeCreated().setName(name(i)); });
    write(hello, host, [&](auto e) { tell_all(e.initHost().initCameUp()); });
    for (unsigned i = vnodes_ / 2; i < vnodes_ / 2 + changed; ++i)
      write(deleted, host, [&](auto e) { e.initHost().initVnodeDeleted().setName(name(i)); });
    for (unsigned i = vnodes_ / 2; i < vnodes_ / 2 + changed; ++i)
      write(made, host, [&](auto e) { e.initHost().initVnodeCreated().setName(name(i)); });
  }

  static constexpr unsigned changed = 100;
  record_list begin, hello, deleted, made;

 private:
  static constexpr std::uint64_t server = 1, host = 2;
  static std::string name(unsigned i) { return i == 0 ? "n1" : "n1[" + std::to_string(i) + "]"; }

  void tell_all(schema::HostCameUp::Builder up) const {
    up.setLogUuid({reinterpret_cast<const kj::byte*>("0123456789abcdef"), 16});
    up.setVersion("1");
    auto list = up.initVnodes(vnodes_);
    for (unsigned i = 0; i < vnodes_; ++i) {
      list[i].setName(name(i));
      auto of = list[i].initAttributes(1)[0];
      of.setName("resources_available");
      of.setResource("ncpus");
      of.setValue("2");
    }
  }

  template <class Fill>
  void write(record_list& to, std::uint64_t stream, const Fill& fill) {
    to.push_back(std::make_shared<log::record>(schema::make<schema::Record>([&](schema::Record::Builder r) {
                                                 r.setSequence(++sequence_);
                                                 r.setStream(stream);
                                                 r.setStreamVersion(++versions_[stream]);
                                                 r.setWriterEpoch(1);
                                                 r.setWallNs(static_cast<std::int64_t>(sequence_) * 10'000'000);
                                                 fill(r.initEvent());
                                               }),
                                               log::chain_hash{}));
  }

  const unsigned vnodes_;
  std::uint64_t sequence_ = 0;
  std::map<std::uint64_t, std::uint64_t> versions_;
};

double ms_of(const std::function<void()>& work) {
  const auto began = steady::now();
  work();
  return seconds_since(began) * 1e3;
}

struct sums {
  double hello = 0, deleted = 0, made = 0;
};

void measure(const char* part, const story& s, sums& all, const fold& f) {
  const auto of = [&](const record_list& records) {
    return ms_of([&] {
      for (const auto& r : records) f(*r);
    });
  };
  (void)of(s.begin);
  const auto hello = of(s.hello), deleted = of(s.deleted) / story::changed, made = of(s.made) / story::changed;
  all.hello += hello;
  all.deleted += deleted;
  all.made += made;
  if (hello > 1) std::printf("  %-26s %9.1f ms %10.4f ms %10.4f ms\n", part, hello, deleted, made);
}

void measure_list(const story& s, const char* what, schema::ObjectKind kind) {
  projections::status now;
  for (const auto* records : {&s.begin, &s.hello})
    for (const auto& r : *records) now.fold(*r);
  const auto question = schema::make<schema::Request>([&](schema::Request::Builder r) { r.initStat().setKind(kind); });
  std::size_t rows = 0;
  const auto took = ms_of([&] {
    projections::answer_stat(now, 1, question.get().getStat(), {"root", "borg", schema::Role::MANAGER},
                             [&](const schema::sealed<schema::Reply>& reply) { rows += reply.get().getObjects().getObjects().size(); });
  });
  std::printf("  %s: %.1f ms, %zu rows\n", what, took, rows);
}

}  // namespace

int main(int argc, char** argv) {
  const auto vnodes = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 20'000;
  const directory d(std::filesystem::temp_directory_path().string());
  const story s(std::max(vnodes, 2 * story::changed));
  std::printf("%u vnodes of one host     one hello      one deleted     one made\n", vnodes);
  sums all;
  projections::status now;
  measure("status", s, all, [&](const log::record& r) { now.fold(r); });
  projections::status told;
  projections::scheduling_projection scheduling(told, "default");
  (void)scheduling.full_view();
  measure("status, scheduler's view", s, all, [&](const log::record& r) {
    told.fold(r);
    (void)scheduling.concerns(r);
    scheduling.apply(r);
  });
  actors::directory names;
  measure("directory", s, all, [&](const log::record& r) { names.fold(r); });
  model::ledger ledger;
  measure("ledger", s, all, [&](const log::record& r) {
    const auto at = log::place_of(r);
    (void)ledger.check(at, r.event());
    ledger.apply(at, r.event());
  });
  actors::daemon_log lines(d.path + "/lines", "pbs_server", 0, false);
  actors::event_notes notes(lines, true);
  measure("notes", s, all, [&](const log::record& r) { notes.learn(r); });
  projections::accounting bills;
  measure("accounting", s, all, [&](const log::record& r) { bills.fold(r, [](std::int64_t, std::string_view) {}); });
  model::host_state host;
  measure("the host's actor", s, all, [&](const log::record& r) {
    if (r.event().isHost()) model::apply(host, log::place_of(r), r.event());
  });
  for (auto& reaction : reactions::all_reactions())
    measure(("reaction " + std::string(reaction.name)).c_str(), s, all, [&](const log::record& r) { reaction.what->fold(r); });
  std::printf("  %-26s %9.1f ms %10.4f ms %10.4f ms\n", "all", all.hello, all.deleted, all.made);
  measure_list(s, "pbsnodes -av", schema::ObjectKind::NODE);
  measure_list(s, "pbsnodes -a", schema::ObjectKind::HOST);
  return 0;
}
