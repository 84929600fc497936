@0xb7c41e5a90d2f386;
# What the pbs_comm of a login host says to a server. Its connections carry one command after another; a command hears Replies
# (client.capnp), as everywhere. docs/design/0063-login-hosts.md is its contract.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");

struct CommWord {
  # A word may begin a command and hold its first request.
  begins  @0 :FromComm;   # there: a command of this user begins. None is on this connection now
  request @1 :Data;              # there: what the command asks, a Request (client.capnp) byte for byte as it came
  ended   @2 :UInt64;            # not 0: the command is gone. The Reply to this number is the last that is said because of it; no command
                                 # can have asked by it, as it is a secret until then
}
struct FromComm {
  # Whose command begins.
  user @0 :Text;
}
