// What a measurement of a running cluster needs and commands are too slow for: jobs by the thousand, submissions at a
// steady pace with their latencies, the disk's own latency, and a log that holds a million events.
// Usage: bench_load fill COUNT [distinct|accounts|queue=QUEUE] | usages COUNT | paced PER_SECOND SECONDS | lag SOCKET SECONDS |
//        sync DIRECTORY COUNT | grow LOG EVENTS
// `fill` queues held jobs, or with `distinct` jobs that all ask for something else and may run, with `accounts` the same for an account
// each (account1, account2, ...), or jobs without output that may run in that queue. `usages` gives each of these accounts a fairshare
// usage. `grow` repeats the last job that ended, stream after stream, in the log of a server that is down. (PBS_CONF_FILE names
// the cluster.)
// test/bench/cluster.py runs all of it; figures are in docs/performance.md.
#include <fcntl.h>
#include <unistd.h>

#include <thread>

#include "actors/runtime/thread_share.hpp"
#include "events/log/log_reader.hpp"
#include "test/bench/log_bench.hpp"
#include "tools/client/session.hpp"

using namespace annals;
using bench::steady;

namespace {

void print_latencies(const char* what, std::vector<double> ms) {
  if (ms.empty()) std::exit(1);
  std::sort(ms.begin(), ms.end());
  const auto at = [&](double share) { return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))]; };
  std::printf("%s: %zu, ms p50 %.2f p90 %.2f p99 %.2f max %.2f\n", what, ms.size(), at(0.5), at(0.9), at(0.99), ms.back());
}

std::string account(unsigned i) { return "account" + std::to_string(i); }

// What `qsub -- /bin/true` sends, with a short environment. `distinct` > 0 asks for what no other job asks for.
void fill_job(schema::Request::Builder r, unsigned distinct, bool accounts = false) {
  auto job = r.initQueueJob();
  job.setSubmitHost("bench");
  auto list = job.initAttributes(5 + (distinct ? 1 : 0) + (accounts ? 1 : 0));
  const auto put = [&](unsigned i, const char* name, const std::string& value) {
    list[i].setName(name);
    list[i].setValue(value);
  };
  put(0, "Job_Name", "STDIN");
  put(1, "Variable_List", "PBS_O_HOME=/tmp,PBS_O_WORKDIR=/tmp,PBS_O_SYSTEM=Linux");
  put(2, "Submit_arguments", "-- /bin/true");
  put(3, "executable", "<jsdl-hpcpa:Executable>/bin/true</jsdl-hpcpa:Executable>");
  if (!distinct) return put(4, "Hold_Types", "u");
  put(4, "Resource_List", std::to_string(60 + distinct));
  list[4].setResource("walltime");
  put(5, "Resource_List", std::to_string(1000 + distinct) + "kb");
  list[5].setResource("mem");
  if (accounts) put(6, "Account_Name", account(distinct));
}

void stop_if_refused(schema::Reply::Reader r) {
  if (!r.isRejected()) return;
  std::fprintf(stderr, "refused: %s\n", r.getRejected().getText().cStr());
  std::exit(1);
}

// One that may run, and leaves nothing behind.
void fill_runnable(schema::Request::Builder r, const std::string& queue) {
  auto job = r.initQueueJob();
  job.setSubmitHost("bench");
  job.setQueue(queue);
  auto list = job.initAttributes(5);
  const auto put = [&](unsigned i, const char* name, const char* value) {
    list[i].setName(name);
    list[i].setValue(value);
  };
  put(0, "Job_Name", "STDIN");
  put(1, "Variable_List", "PBS_O_HOME=/tmp,PBS_O_WORKDIR=/tmp,PBS_O_SYSTEM=Linux");
  put(2, "executable", "<jsdl-hpcpa:Executable>/bin/true</jsdl-hpcpa:Executable>");
  put(3, "Output_Path", "/dev/null");
  put(4, "Error_Path", "/dev/null");
}

// Requests 1 to `count`, many in flight.
template <class Fill>
int ask(unsigned count, Fill&& fill) {
  constexpr std::size_t in_flight = 256;
  auto server = client::session::open();
  for (unsigned i = 1; i <= count; ++i) {
    while (server.in_flight() >= in_flight) stop_if_refused(*server.receive());
    server.send([&](schema::Request::Builder r) { fill(r, i); });
  }
  while (server.in_flight() > 0) stop_if_refused(*server.receive());
  return 0;
}

int fill(unsigned count, const std::string& how) {
  const bool accounts = how == "accounts", distinct = accounts || how == "distinct";
  const std::string queue = how.rfind("queue=", 0) == 0 ? how.substr(6) : "";
  return ask(count, [&](schema::Request::Builder r, unsigned i) {
    if (queue.empty()) fill_job(r, distinct ? i : 0, accounts);
    else fill_runnable(r, queue);
  });
}

int usages(unsigned count) {
  return ask(count, [](schema::Request::Builder r, unsigned i) {
    auto f = r.initFairshare();
    f.setScheduler("default");
    auto set = f.initSet();
    set.setEntity(account(i));
    set.setUsage(1 + (i * 7919U) % 100'000);
  });
}

// Each submission is due at its time whether or not those before it were answered; its latency counts from then, so that
// a server that stalls is not spared.
int paced(double per_second, double seconds) {
  // Stands for a client on another host: it must not wait for the processors that the server and the other commands use.
  actors::set_thread_share(actors::prompt_share);
  const auto count = static_cast<unsigned>(per_second * seconds);
  const auto start = steady::now();
  std::vector<std::vector<double>> each(8);
  std::vector<std::thread> clients;
  for (unsigned c = 0; c < each.size(); ++c)
    clients.emplace_back([&, c] {
      auto server = client::session::open();
      for (unsigned i = c; i < count; i += 8) {
        const auto due = start + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(i / per_second));
        std::this_thread::sleep_until(due);
        stop_if_refused(*server.call([](schema::Request::Builder r) { fill_job(r, 0); }));
        each[c].push_back(bench::seconds_since(due) * 1000);
      }
    });
  for (auto& c : clients) c.join();
  std::vector<double> all;
  for (const auto& e : each) all.insert(all.end(), e.begin(), e.end());
  print_latencies("paced submissions", std::move(all));
  return 0;
}

bool knows_job(client::session& server, const std::string& id) {
  bool knows = false;
  server.query(
      [&](schema::Request::Builder r) {
        auto stat = r.initStat();
        stat.setKind(schema::ObjectKind::JOB);
        stat.initNames(1).set(0, id);
      },
      [&](schema::Reply::Reader reply) { knows |= reply.isObjects() && reply.getObjects().getObjects().size() > 0; });
  return knows;
}

// From the server's answer to a submission until the follower at `socket` knows the job: asked each millisecond, some ten jobs a second.
int lag(const std::string& socket, double seconds) {
  actors::set_thread_share(actors::prompt_share);
  auto server = client::session::open();
  auto follower = client::session::open_at({client::server_name(), socket, {}, false, true});
  std::vector<double> ms;
  for (const auto start = steady::now(); bench::seconds_since(start) < seconds;) {
    const auto answer = server.call([](schema::Request::Builder r) { fill_job(r, 0); });
    const auto answered = steady::now();
    stop_if_refused(*answer);
    while (!knows_job(follower, (*answer).getDone().cStr())) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ms.push_back(bench::seconds_since(answered) * 1000);
    std::this_thread::sleep_for(std::chrono::milliseconds(83));  // no multiple of the 20 ms in which a follower is told
  }
  print_latencies("until the follower knows a job", std::move(ms));
  return 0;
}

int sync_latency(const std::string& directory, unsigned count) {
  const std::string path = directory + "/bench.sync";
  const int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
  const std::string bytes(2048, 'x');
  std::vector<double> ms;
  for (unsigned i = 0; file >= 0 && i < count; ++i) {
    const auto t = steady::now();
    if (::write(file, bytes.data(), bytes.size()) < 0 || ::fdatasync(file) != 0) break;
    ms.push_back(bench::seconds_since(t) * 1000);
  }
  ::close(file);
  ::unlink(path.c_str());
  print_latencies("write of 2 KB and fdatasync", std::move(ms));
  return 0;
}

// The events of the last job that came to its end.
std::vector<log::record_ptr> last_ended_job(const log::log_reader& reader) {
  std::uint64_t stream = 0;
  std::vector<log::record_ptr> records;
  (void)reader.read(1, [&](const log::record_ptr& r) {
    if (schema::is(r->event(), schema::JobEvent::ENDED)) stream = r->get().getStream();
    return true;
  });
  (void)reader.read_stream(stream, 1, [&](const log::record_ptr& r) {
    records.push_back(r);
    return true;
  });
  return records;
}

model::event renumbered(const log::record& r, std::uint64_t number) {
  if (!schema::is(r.event(), schema::JobEvent::QUEUED)) return schema::copy_of<schema::Event>(r.event());
  capnp::MallocMessageBuilder copy;
  copy.setRoot(r.event());
  auto queued = copy.getRoot<schema::Event>().getJob().getQueued();
  const auto id = schema::str(queued.asReader().getId());
  queued.setNumber(number);
  queued.setId(std::to_string(number) + id.substr(id.find('.')));
  return model::event(schema::sealed_message::from_builder(copy));
}

int grow(const std::string& path, std::uint64_t events) {
  const auto store = bench::open_or_exit(path);
  const bench::system_time clock;
  const log::log_reader reader(*store);
  log::event_log log(*store, clock);
  const auto job = last_ended_job(reader);
  if (job.empty()) {
    std::fprintf(stderr, "%s: no job in this log has ended\n", path.c_str());
    return 1;
  }
  std::vector<log::record_ptr> committed;
  for (std::uint64_t number = 1'000'000; log.last_sequence() < events;) {
    for (int i = 0; i < 1000; ++i, ++number) {
      log::append a;
      for (const auto& r : job) a.events.push_back(renumbered(*r, number));
      a.by = {"bench", "bench", schema::Role::SERVER};
      (void)log.stage(std::move(a));
    }
    if (const auto ok = log.commit(committed); !ok) {
      std::fprintf(stderr, "%s\n", ok.text.c_str());
      return 1;
    }
  }
  std::printf("%llu events, %zu of them a job's\n", static_cast<unsigned long long>(log.last_sequence()), job.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 2 ? argv[1] : "";
  const auto number = [&](int i) { return i < argc ? std::strtoul(argv[i], nullptr, 10) : 0; };
  try {
    if (mode == "fill") return fill(static_cast<unsigned>(number(2)), argc == 4 ? argv[3] : "");
    if (mode == "usages" && argc == 3) return usages(static_cast<unsigned>(number(2)));
    if (mode == "paced" && argc == 4) return paced(std::atof(argv[2]), std::atof(argv[3]));
    if (mode == "lag" && argc == 4) return lag(argv[2], std::atof(argv[3]));
    if (mode == "sync" && argc == 4) return sync_latency(argv[2], static_cast<unsigned>(number(3)));
    if (mode == "grow" && argc == 4) return grow(argv[2], number(3));
  } catch (const client::session_error& e) {
    return client::print_session_error("bench_load", e);
  }
  std::fprintf(stderr,
               "usage: %s fill COUNT [distinct|accounts|queue=QUEUE] | usages COUNT | paced PER_SECOND SECONDS | "
               "lag SOCKET SECONDS | sync DIRECTORY COUNT | grow LOG EVENTS\n",
               argv[0]);
  return 2;
}
