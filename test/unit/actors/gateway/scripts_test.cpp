// What a job may name as its script, and who is given it: docs/design/0002-event-log.md, "Blobs".
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <filesystem>

#include "events/log/log_reader.hpp"
#include "events/log/record.hpp"
#include "events/model/exit_codes.hpp"
#include "events/model/limits.hpp"
#include "test/support/whole_server.hpp"

using namespace annals;

namespace {

using peer_ptr = std::shared_ptr<test::fake_peer>;

schema::byte_span bytes_of(const std::string& s) { return std::as_bytes(std::span(s)); }
kj::ArrayPtr<const kj::byte> data_of(const std::string& s) { return {reinterpret_cast<const kj::byte*>(s.data()), s.size()}; }

const std::string script(80 << 10, '#');
const std::string script_hash = log::content_hash(bytes_of(script));

struct server : test::whole_server {
  peer_ptr client(const std::string& user = "alice") { return std::make_shared<test::fake_peer>(wire::identity::kind::local, user); }
  template <class Fill>
  schema::Reply::Reader say(const peer_ptr& peer, Fill fill) {
    says(peer, schema::make<schema::Request>(fill));
    BOOST_REQUIRE(!peer->sent.empty());
    return peer->sent.back().root<schema::Reply>();
  }
  struct part {
    std::uint64_t at = 0;
    bool last = true;
  };
  schema::Reply::Reader put(const peer_ptr& peer, const std::string& hash, const std::string& bytes, part p) {
    return say(peer, [&](schema::Request::Builder r) {
      auto piece = r.initPutBlob();
      piece.setHash(data_of(hash));
      piece.setOffset(p.at);
      piece.setData(data_of(bytes));
      piece.setLast(p.last);
    });
  }
  schema::Reply::Reader upload(const peer_ptr& peer) { return put(peer, script_hash, script, {}); }
  schema::Reply::Reader submit(const peer_ptr& peer, const std::string& hash = script_hash, std::uint64_t size = script.size(),
                               const std::string& command = {}) {
    return say(peer, [&](schema::Request::Builder r) {
      if (!command.empty()) r.setCommandId(data_of(command));
      auto q = r.initQueueJob();
      q.setSubmitHost("borg");
      q.setHasScript(true);
      q.initScriptRef().setHash(data_of(hash));
      q.getScriptRef().setSize(size);
    });
  }
  void hang_up(const peer_ptr& peer) {
    caf::anon_send(whole->gateway(), actors::peer_closed{peer, "gone"});
    system.run();
  }
  template <class What>
  std::size_t events(What what) const {
    std::size_t n = 0;
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      n += what(r->event()) ? 1 : 0;
      return true;
    });
    return n;
  }
  std::size_t jobs() const {
    return events([](auto e) { return schema::is(e, schema::JobEvent::QUEUED); });
  }
};

// "done", "again" (upload it anew), or the refusal's text.
std::string said(schema::Reply::Reader r) {
  if (r.isDone()) return "done";
  return r.getRejected().getUploadAgain() ? "again" : schema::str(r.getRejected().getText());
}

// A server with hosts n1 and n2 that are up, and a job on n1.
struct cluster : server {
  std::map<std::string, peer_ptr> moms;
  std::uint64_t serial = 0;

  cluster() {
    for (const std::string host : {"n1", "n2"}) {
      create_node(host);
      moms[host] = hello_of(host);
    }
    const auto alice = client();
    upload(alice);
    BOOST_REQUIRE(said(submit(alice)) == "done");
    (void)log::log_reader(store).read(1, [&](const log::record_ptr& r) {
      if (schema::is(r->event(), schema::JobEvent::QUEUED)) serial = r->get().getStream();
      return true;
    });
    run_on(serial, "n1");
    BOOST_REQUIRE(events([](auto e) { return schema::is(e, schema::JobEvent::ASSIGNED); }) == 1u);
  }
  // "N bytes", or "missing".
  std::string want(const std::string& host, const std::string& hash, std::uint64_t of, std::uint32_t run = 1) {
    const auto& mom = moms.at(host);
    mom->sent.clear();
    says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto w = m.initWantBlob();
           w.setHash(data_of(hash));
           w.initRef().setJobSerial(of);
           w.getRef().setRun(run);
         }));
    BOOST_REQUIRE(mom->sent.size() == 1u);
    const auto blob = mom->sent.back().root<schema::ToMom>().getBlob();
    BOOST_TEST(blob.getRef().getJobSerial() == of);
    return blob.getMissing() ? "missing" : std::to_string(blob.getData().size()) + " bytes";
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(scripts)

BOOST_AUTO_TEST_CASE(a_job_names_what_its_connection_uploaded) {
  server s;
  const auto alice = s.client();
  BOOST_TEST(said(s.submit(alice)) == "again");
  BOOST_TEST(said(s.upload(alice)) == "done");
  BOOST_TEST(said(s.submit(alice)) == "done");
  BOOST_TEST(said(s.submit(alice)) == "done");             // one upload, two jobs
  BOOST_TEST(said(s.submit(s.client("bob"))) == "again");  // that alice has such a script is nothing to bob
  BOOST_TEST(s.jobs() == 2u);
}

BOOST_AUTO_TEST_CASE(hash_and_size_are_those_of_the_upload) {
  server s;
  const auto alice = s.client();
  s.upload(alice);
  BOOST_TEST(said(s.submit(alice, "xy")) == "again");
  BOOST_TEST(said(s.submit(alice, script_hash, 99'999'999'999)) ==
             "Batch protocol error: the job's script has 81920 bytes, not 99999999999");
  BOOST_TEST(said(s.put(alice, "xy", script, {})) == "Batch protocol error: the hash of an upload has 32 bytes, not 2");
  BOOST_TEST(s.jobs() == 0u);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_not_those_of_the_hash_are_not_kept) {
  server s;
  const auto alice = s.client();
  const std::string other(70'000, 'o');
  BOOST_TEST(said(s.put(alice, script_hash, other, {})) == "System error: the script's bytes are not those its hash was made of");
  BOOST_TEST(!s.store.read_blob(log::content_hash(bytes_of(other))));
  BOOST_TEST(said(s.submit(alice)) == "again");
}

BOOST_AUTO_TEST_CASE(no_job_names_the_code_of_a_hook_as_its_script) {
  server s;
  const std::string code = "import pbs\n";
  s.ask([](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::CREATE);
    m.setKind(schema::ObjectKind::HOOK);
    m.setName("h");
  });
  const auto imported = s.ask([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::IMPORT);
    m.setKind(schema::ObjectKind::HOOK);
    m.setName("h");
    m.setContentType("application/x-python");
    m.setContent(data_of(code));
  });
  BOOST_REQUIRE(said(imported->sent.back().root<schema::Reply>()) == "done");
  const auto hash = log::content_hash(bytes_of(code));
  BOOST_REQUIRE(s.store.read_blob(hash).has_value());
  BOOST_TEST(said(s.submit(s.client(), hash, code.size())) == "again");
}

BOOST_AUTO_TEST_CASE(an_upload_is_forgotten_with_its_connection) {
  server s;
  const auto alice = s.client();
  s.upload(alice);
  s.hang_up(alice);
  BOOST_TEST(said(s.submit(alice)) == "again");
  BOOST_TEST(said(s.put(alice, script_hash, "#", {1, true})) == "again");
}

BOOST_AUTO_TEST_CASE(after_a_restart_the_client_uploads_again_and_the_job_keeps_its_script) {
  server s;
  const auto before = s.client();
  s.upload(before);
  s.restart();
  const auto after = s.client();
  BOOST_TEST(said(s.submit(after)) == "again");
  BOOST_TEST(said(s.put(after, script_hash, script.substr(100), {100, true})) == "again");  // in the middle of an upload
  BOOST_TEST(said(s.upload(after)) == "done");
  BOOST_TEST(said(s.submit(after)) == "done");
  s.restart();
  BOOST_REQUIRE(s.store.read_blob(script_hash).has_value());
  BOOST_TEST(s.store.read_blob(script_hash)->size() == script.size());
}

BOOST_AUTO_TEST_CASE(a_command_that_was_done_is_answered_as_then_when_its_script_is_here_again) {
  server s;
  const std::string command(16, 'c');
  const auto before = s.client(), after = s.client();
  s.upload(before);
  const auto id = schema::str(s.submit(before, script_hash, script.size(), command).getDone());
  s.restart();
  BOOST_TEST(said(s.submit(after, script_hash, script.size(), command)) == "again");
  s.upload(after);
  BOOST_TEST(schema::str(s.submit(after, script_hash, script.size(), command).getDone()) == id);
  BOOST_TEST(s.jobs() == 1u);
}

BOOST_AUTO_TEST_CASE(two_upload_the_same_at_once) {
  server s;
  const auto alice = s.client(), bob = s.client("bob");
  const auto half = script.size() / 2;
  for (const auto& who : {alice, bob}) BOOST_TEST(said(s.put(who, script_hash, script.substr(0, half), {0, false})) == "done");
  for (const auto& who : {alice, bob}) BOOST_TEST(said(s.put(who, script_hash, script.substr(half), {half, true})) == "done");
  BOOST_TEST(said(s.submit(bob)) == "done");
  BOOST_TEST(said(s.submit(alice)) == "done");
  s.restart();
  BOOST_TEST(s.store.read_blob(script_hash).has_value());
}

BOOST_AUTO_TEST_CASE(uploads_that_are_begun_and_not_ended_are_limited) {
  server s;
  const auto begin = [&](const peer_ptr& who, std::size_t n) {
    return said(s.put(who, std::string(32, static_cast<char>(n)), "x", {0, false}));
  };
  std::vector<peer_ptr> clients;
  std::size_t begun = 0;
  while (begun < limits::open_uploads_of_user_max) {
    clients.push_back(s.client());
    for (std::size_t i = 0; i < limits::open_uploads_of_client_max; ++i, ++begun) BOOST_REQUIRE(begin(clients.back(), i) == "done");
  }
  BOOST_TEST(begin(clients.front(), 100) == "System error: too many uploads of one client at once (limit 4)");
  BOOST_TEST(begin(s.client(), 1) == "System error: too many uploads of one user at once (limit 64)");
  BOOST_TEST(begin(s.client("bob"), 1) == "done");
  s.hang_up(clients.front());
  BOOST_TEST(begin(s.client(), 1) == "done");
}

BOOST_AUTO_TEST_CASE(a_connection_that_uploaded_many_scripts_is_asked_for_the_first_again) {
  server s;
  const auto alice = s.client();
  s.upload(alice);
  for (std::size_t i = 1; i < limits::remembered_uploads_max; ++i) {
    const std::string other(100, static_cast<char>(i));
    BOOST_REQUIRE(said(s.put(alice, log::content_hash(bytes_of(other)), other, {})) == "done");
  }
  BOOST_TEST(said(s.submit(alice)) == "done");
  BOOST_REQUIRE(said(s.put(alice, log::content_hash(bytes_of("one more")), "one more", {})) == "done");
  BOOST_TEST(said(s.submit(alice)) == "again");
}

BOOST_AUTO_TEST_CASE(a_host_is_given_the_scripts_of_its_runs_alone) {
  cluster c;
  BOOST_TEST(c.want("n1", script_hash, c.serial) == "81920 bytes");
  BOOST_TEST(c.want("n2", script_hash, c.serial) == "missing");
  BOOST_TEST(c.want("n1", script_hash, c.serial, 2) == "missing");
  BOOST_TEST(c.want("n1", script_hash, c.serial + 1) == "missing");
  BOOST_TEST(c.want("n1", script_hash, 0) == "missing");  // a script is no file of a hook
  const auto bob = c.client("bob");
  const std::string secret(70'000, 's'), hash = log::content_hash(bytes_of(secret));
  BOOST_REQUIRE(said(c.put(bob, hash, secret, {})) == "done");
  BOOST_REQUIRE(said(c.submit(bob, hash, secret.size())) == "done");
  BOOST_TEST(c.want("n1", hash, c.serial) == "missing");  // another's script, in the name of a run it has
}

BOOST_AUTO_TEST_CASE(a_script_that_is_asked_for_again_while_it_is_being_read_comes_once) {
  cluster c;
  const auto& mom = c.moms.at("n1");
  mom->sent.clear();
  for (int i = 0; i < 3; ++i)
    caf::anon_send(c.whole->gateway(), actors::peer_frame{mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
                                                            auto w = m.initWantBlob();
                                                            w.setHash(data_of(script_hash));
                                                            w.initRef().setJobSerial(c.serial);
                                                            w.getRef().setRun(1);
                                                          })});
  c.system.run();
  BOOST_TEST(mom->sent.size() == 1u);
  BOOST_TEST(c.want("n1", script_hash, c.serial) == "81920 bytes");  // later it comes again
}

BOOST_AUTO_TEST_CASE(a_host_is_given_the_files_of_hooks_that_hosts_run) {
  cluster c;
  const std::string code = "import pbs\n", hash = log::content_hash(bytes_of(code));
  const auto set_event = [&](const char* event) {
    c.ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::SET);
      m.setKind(schema::ObjectKind::HOOK);
      m.setName("h");
      auto a = m.initChanges(1)[0];
      a.setName("event");
      a.setValue(event);
    });
  };
  c.ask([](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::CREATE);
    m.setKind(schema::ObjectKind::HOOK);
    m.setName("h");
  });
  c.ask([&](schema::Request::Builder r) {
    auto m = r.initManage();
    m.setVerb(schema::ManageVerb::IMPORT);
    m.setKind(schema::ObjectKind::HOOK);
    m.setName("h");
    m.setContentType("application/x-python");
    m.setContent(data_of(code));
  });
  set_event("queuejob");
  BOOST_TEST(c.want("n1", hash, 0) == "missing");
  set_event("execjob_begin");
  BOOST_TEST(c.want("n1", hash, 0) == "11 bytes");
}

BOOST_AUTO_TEST_CASE(a_job_whose_script_is_damaged_is_held_and_the_server_starts) {
  cluster c;
  ports::write_batch damage;
  damage.epoch = c.store.epoch();
  damage.blobs.push_back({script_hash, {std::byte{'!'}}});
  BOOST_REQUIRE(c.store.append(damage));
  BOOST_TEST(c.want("n1", script_hash, c.serial) == "missing");
  c.says(c.moms.at("n1"), schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto r = m.initRunRefused();
           r.initRef().setJobSerial(c.serial);
           r.getRef().setRun(1);
           r.setCode(model::exit_script_lost);
           r.setText("the server does not have the job's script");
         }));
  const auto held = [](schema::Event::Reader e) {
    return schema::is(e, schema::JobEvent::REQUEUED) && e.getJob().getRequeued().getHolds().size() == 1 &&
           e.getJob().getRequeued().getHolds()[0] == schema::HoldType::SYSTEM &&
           schema::text(e.getJob().getRequeued().getComment()) == "job held, the server has lost its script";
  };
  BOOST_TEST(c.events(held) == 1u);
  BOOST_TEST(c.events([](auto e) { return schema::is(e, schema::JobEvent::START_FAILED); }) == 1u);
  BOOST_TEST(c.events([](auto e) { return schema::is(e, schema::JobEvent::ENDED); }) == 0u);
  c.restart();
  BOOST_TEST(said(c.submit(c.client())) == "again");  // it answers
}

BOOST_AUTO_TEST_SUITE_END()
