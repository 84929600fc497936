// A submission with a script that goes ahead, as qsub and pbs_submit make it: whatever became of the script meanwhile, one job.
#include "tools/client/queue_job.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

#include "events/model/limits.hpp"
#include "test/support/fake_gateway.hpp"

using namespace annals;
using namespace annals::client;
using annals::test::fake_gateway;

namespace {

const std::string script(limits::blob_piece_bytes + 1000, '#');

// Takes uploads as the server does; `queue` says what becomes of a submission.
struct gateway {
  using answer = std::function<bool(schema::Request::Reader, schema::Reply::Builder)>;
  explicit gateway(answer queue) : fake([this, queue = std::move(queue)](schema::Request::Reader r, schema::Reply::Builder out) {
                                     if (r.isQueueJob()) {
                                       commands.emplace(r.getCommandId().begin(), r.getCommandId().end());
                                       return queue(r, out);
                                     }
                                     const auto piece = r.getPutBlob();
                                     if (piece.getOffset() == 0) taken = 0;
                                     if (piece.getOffset() == taken) {
                                       taken += piece.getData().size();
                                       out.setDone("");
                                     } else {
                                       out.initRejected().setUploadAgain(true);
                                     }
                                     return true;
                                   }) {}
  reply submit() {
    auto server = session::open_at({"q1", fake.socket_path()});
    queue_request what;
    what.script = &script;
    return queue_job(server, what);
  }

  std::uint64_t taken = 0;         // of the script
  std::set<std::string> commands;  // command ids of submissions
  fake_gateway fake;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(queueing)

BOOST_AUTO_TEST_CASE(a_script_that_a_restart_lost_is_uploaded_again_for_the_same_command) {
  int asked = 0;
  gateway* at = nullptr;
  gateway g([&](schema::Request::Reader r, schema::Reply::Builder out) {
    if (++asked == 1) {  // the server dies with the submission on its way, and sweeps what was uploaded
      at->taken = 0;
      return false;
    }
    if (at->taken != r.getQueueJob().getScriptRef().getSize()) out.initRejected().setUploadAgain(true);
    else out.setDone("12.q1");
    return true;
  });
  at = &g;
  const auto answer = g.submit();
  BOOST_REQUIRE((*answer).isDone());
  BOOST_TEST((*answer).getDone().cStr() == "12.q1");
  BOOST_TEST(asked == 3);  // lost, asked again by the session, asked again with the script
  BOOST_TEST(g.commands.size() == 1u);
  BOOST_TEST(g.commands.begin()->size() == 16u);
}

BOOST_AUTO_TEST_CASE(a_server_that_forgets_every_upload_is_not_asked_for_ever) {
  int asked = 0;
  gateway g([&](schema::Request::Reader, schema::Reply::Builder out) {
    ++asked;
    out.initRejected().setUploadAgain(true);
    return true;
  });
  BOOST_TEST((*g.submit()).isRejected());
  BOOST_TEST(asked == 4);
}

BOOST_AUTO_TEST_CASE(another_refusal_ends_it) {
  int asked = 0;
  gateway g([&](schema::Request::Reader, schema::Reply::Builder out) {
    out.initRejected().setCode(15007);
    return ++asked > 1;  // the first answer is lost with the connection
  });
  BOOST_TEST((*g.submit()).getRejected().getCode() == 15007u);
  BOOST_TEST(asked == 2);
}

BOOST_AUTO_TEST_SUITE_END()
