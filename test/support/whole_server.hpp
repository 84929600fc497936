// The server's actors on a log in memory, and peers that keep what they are sent.
#pragma once

#include <boost/test/unit_test.hpp>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "actors/server/messages.hpp"
#include "actors/server_system/server_system.hpp"
#include "events/log/memory_event_store.hpp"
#include "events/schema/daemon/from_mom.capnp.h"
#include "test/support/fake_peer.hpp"
#include "test/support/stepped_system.hpp"
#include "test/support/temporary_directory.hpp"

namespace annals::test {

struct whole_server {
  // change: parts that a test wants otherwise.
  explicit whole_server(std::function<void(actors::server_system_parts&)> change = {}) : change_(std::move(change)) { start(); }
  ~whole_server() { kill(); }

  void start() {
    actors::server_system_parts parts;
    parts.store = &store;
    parts.clock = &clock;
    parts.self = {"test", "borg", "borg", "UTC", std::string(16, 'u')};
    parts.server_uid = 1000;
    parts.detached = false;
    parts.upload_directory = uploads.path;
    parts.disk_writable = [] { return true; };
    parts.stop_process = [](const std::string& text) { BOOST_ERROR("stopped: " + text); };
    parts.shut_down = [](const std::string&) {};
    if (change_) change_(parts);
    whole = std::make_unique<actors::server_system>(system.actors(), std::move(parts));
    system.run();
  }
  void kill() {
    scheduler_.reset();
    system.end({whole->gateway(), whole->writer()});
    whole.reset();
  }
  // As a crash and the next start: what was uploaded and no event names is swept.
  void restart() {
    kill();
    store.sweep();
    start();
  }
  void says(const wire::connection_ptr& peer, schema::sealed_message m) {
    caf::anon_send(whole->gateway(), actors::peer_frame{peer, std::move(m)});
    system.run();
  }
  // A request of a user of this host, who is root or uid 1000; the peer has the answer.
  template <class Fill>
  std::shared_ptr<fake_peer> ask(Fill fill, const std::string& user = "root") {
    auto peer = std::make_shared<fake_peer>(wire::identity::kind::local, user);
    says(peer, schema::make<schema::Request>(fill));
    return peer;
  }
  // As a manager does; what is asked of the server itself must be taken.
  void set(const std::string& name, const std::string& value) {
    const auto peer = ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::SET);
      m.setKind(schema::ObjectKind::SERVER);
      auto change = m.initChanges(1)[0];
      change.setName(name);
      change.setValue(value);
    });
    BOOST_REQUIRE(peer->sent.at(0).root<schema::Reply>().isDone());
  }
  void create_node(const std::string& name) {
    ask([&](schema::Request::Builder r) {
      auto m = r.initManage();
      m.setVerb(schema::ManageVerb::CREATE);
      m.setKind(schema::ObjectKind::NODE);
      m.setName(name);
    });
  }
  // Its MoM comes: one vnode with four cpus.
  std::shared_ptr<fake_peer> hello_of(const std::string& host) {
    const auto mom = std::make_shared<fake_peer>(wire::identity::kind::mom, host);
    says(mom, schema::make<schema::FromMom>([&](schema::FromMom::Builder m) {
           auto hello = m.initHello();
           hello.setHost(host);
           const std::string uuid(16, host.back());
           hello.setLogUuid({reinterpret_cast<const kj::byte*>(uuid.data()), uuid.size()});
           auto vnode = hello.initVnodes(1)[0];
           vnode.setName(host);
           auto cpus = vnode.initAttributes(1)[0];
           cpus.setName("resources_available");
           cpus.setResource("ncpus");
           cpus.setValue("4");
         }));
    return mom;
  }
  std::shared_ptr<fake_peer> scheduler_comes(const std::string& name) {
    const auto peer = std::make_shared<fake_peer>(wire::identity::kind::scheduler, name);
    says(peer, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
           m.initHello().setName(name);
           m.getHello().setHost("borg");
         }));
    return peer;
  }
  // The default scheduler wants the job to run with one cpu of this host.
  void run_on(std::uint64_t serial, const std::string& host) {
    if (!scheduler_) scheduler_ = scheduler_comes("default");
    says(scheduler_, schema::make<schema::FromScheduler>([&](schema::FromScheduler::Builder m) {
           auto run = m.initRun();
           run.setJob(serial);
           run.setExecVnode("(" + host + ":ncpus=1)");
           run.setExecHost(host + "/0");
           run.initHosts(1).set(0, host);
         }));
  }

  temporary_directory uploads;
  stepped_system system;
  still_clock clock;
  log::memory_event_store store;
  std::unique_ptr<actors::server_system> whole;

 private:
  std::function<void(actors::server_system_parts&)> change_;
  std::shared_ptr<fake_peer> scheduler_;  // that was needed
};

}  // namespace annals::test
