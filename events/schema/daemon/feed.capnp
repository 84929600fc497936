@0xb5b1f6d1a8c3e020;
# What a server and a follower of its log say to each other. docs/design/0069-the-feed.md is the contract.
using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("annals::schema");

struct FromFollower {
  union {
    hello @0 :FollowerHello;     # its first word on a connection
    taken @1 :UInt64;            # it has all records up to this sequence on its disk
  }
}
struct FollowerHello {
  # Where its copy of the log ends.
  protocol @0 :Text;             # "annals feed 1": a daemon with another purpose is known as one
  logUuid  @1 :Data;             # of the log that it has a copy of; empty: no record has said it yet
  sequence @2 :UInt64;           # of its last record, 0: it has none
  head     @3 :Data;             # chain hash of that record; empty: it has none
}

struct ToFollower {
  union {
    records @0 :FeedRecords;     # the first one, which may have no record, is the answer to hello
    refused @1 :FeedRefused;     # the last word on a connection
  }
}
struct FeedRecords {
  records @0 :List(Data);        # as the log has them (events/log/record.hpp), in its order
  last    @1 :UInt64;            # sequence of the log's last record
}
struct FeedRefused {
  text    @0 :Text;
  forGood @1 :Bool;              # it is refused as long as its copy is what it is; else it may come again
}
