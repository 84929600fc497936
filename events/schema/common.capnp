@0xb5b1f6d1a8c3e001;
# Words that events, commands and queries share.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");

struct Attribute {
  # One attribute, or one resource of a resource-list attribute, in canonical text (docs/glossary.md: attribute).
  name     @0 :Text;   # the PBS name: "Job_Name", "Resource_List"
  resource @1 :Text;   # "ncpus" for Resource_List.ncpus; empty for plain attributes
  value    @2 :Text;
  op       @3 :AttributeOp;
  derived  @4 :Bool;   # in a change: nobody asked for it, it follows from the other changes of the same event
}

enum AttributeOp {
  set       @0;   # = : replaces
  unset     @1;   # the value is taken away
  increment @2;   # +=
  decrement @3;   # -=
}

enum Role {
  # What a requester may do; derived by the gateway, never the client's word.
  user      @0;
  operator  @1;
  manager   @2;
  root      @3;   # root on the server host: a manager that may also touch hooks and acl_roots
  server    @4;   # the server itself: timers, policies
  scheduler @5;
  mom       @6;
}

struct Who {
  user @0 :Text;
  host @1 :Text;
  role @2 :Role;
}

enum ObjectKind {
  job       @0;
  queue     @1;
  server    @2;
  node      @3;   # a vnode; hosts are the MoMs behind them
  scheduler @4;
  resource  @5;
  host      @6;
  hook      @7;
  reservation @8;
}

enum HoldType { user @0; operator @1; system @2; badPassword @3; }

struct Usage {
  # resources_used: an attribute for each resource, in the order of their names. The name of the attribute is left out, it is
  # always that one.
  resources @0 :List(Attribute);
}

enum HookVerdict {
  accepted  @0;
  rejected  @1;   # the hook called reject()
  error     @2;   # an exception, or its process died
  alarm     @3;   # it was killed at its alarm
}

struct HookRun {
  # One run of a site hook, as it influenced the event of the same record: enough to see what it did and to run it again.
  hook       @0 :Text;
  event      @1 :Text;          # "queuejob"
  verdict    @2 :HookVerdict;
  message    @3 :Text;          # what reject() said, or the exception
  durationUs @4 :UInt64;
  code       @5 :Data;          # SHA-256 of the script: the blob holds it
  config     @6 :Data;          # SHA-256 of its configuration file; empty: none
  request    @7 :Data;          # what the worker was given, and the position its questions were answered at (hook.capnp)
  reply      @8 :Data;          # what it answered: changes with before and after, log lines, hashes of answers (hook.capnp)
  packed     @9 :Bool;          # request and reply are without their zeros, as Cap'n Proto packs
}

struct BlobRef {
  # A content-addressed piece of bytes (job script, policy file): SHA-256 and size.
  hash @0 :Data;
  size @1 :UInt64;
}

struct HostUsage {
  # What a job used on one of its hosts; measured there, the last value that is known.
  host       @0 :Text;
  usage      @1 :Usage;
  measuredNs @2 :Int64;   # when, nanoseconds since 1970 by that host's clock; 0: never measured
}

struct SisterAddress { host @0 :Text; address @1 :Text; port @2 :UInt16; }   # where the MoM of a run's other host listens
struct SignedTicket {
  # The server's word that a run may use its hosts (Ticket in sister.capnp).
  ticket      @0 :Data;         # a flat message with a Ticket as its root
  signature   @1 :Data;         # by the server's key
  certificate @2 :Text;         # the server's, from the cluster's CA; PEM
}
