// The texts of qmgr's help command (pbs guide: qmgr).

#include "tools/client/query/manager_command.hpp"

namespace annals::client {
namespace {

constexpr std::string_view general =
    "General syntax: command [object][@server] [name attribute[.resource] OP value]\n"
    "To get help on any topic or subtopic, type help <topic>\n"
    "Help is available on all commands and topics.\n"
    "Available commands: \n"
    "active                 The active command will set the active objects.\n"
    "create                 The create command will create the specified object on the PBS server(s).\n"
    "delete                 The delete command will delete the specified object from the PBS server(s).\n"
    "set                    The set command sets the value for an attribute on the specified object.\n"
    "unset                  The unset command will unset an attribute on the specified object.\n"
    "list                   The list command will list out all the attributes for the specified object.\n"
    "print                  The print command's output can be fed back into qmgr as input.\n"
    "import                 This takes hook script contents.\n"
    "export                 Dumps output of hook script into.\n"
    "quit                   The quit command will exit from qmgr.\n"
    "history                The history command will show qmgr command history.\n"
    "Other topics: \n"
    "attributes             type help or ? <attributes>.\n"
    "operators              type help or ? <operators>.\n"
    "names                  type help or ? <names>.\n"
    "values                 type help or ? <values>.\n"
    "\n";

struct topic {
  std::string_view word, text;
};
constexpr topic topics[] = {
    {"active",
     "Syntax: active object [name[,name...]]\n"
     "Objects can be \"server\", \"queue\", \"node\" or \"hook\"\n"
     "Names the objects that later commands without names act on. Without names the active ones are shown.\n"
     "\n"
     "Examples:\n"
     "active queue q1,q2\n"
     "\n"},
    {"create",
     "Syntax: create object name[,name...] \n"
     "Objects can be \"queue\", \"node\", \"resource\" or \"hook\"\n"
     "The create command will create the specified object on the PBS server(s).\n"
     "For multiple names, use a comma seperated list with no intervening whitespace.\n"
     "A hook object can only be created by the Administrator, and only on the \n"
     "host on which the server runs.\n"
     "\n"
     "Examples:\n"
     "create queue q1,q2,q3\n"
     "create resource r1,r2,r3 type=long,flag=nh\n"
     "\n"},
    {"delete",
     "Syntax: delete object name[,name...]\n"
     "Objects can be \"queue\", \"node\", \"resource\", \"sched\" or \"hook\"\n"
     "\n"
     "Examples:\n"
     "delete queue q1,q2\n"
     "delete node @default\n"
     "\n"},
    {"set",
     "Syntax: set object [name,][,name...] attribute[.resource] OP value\n"
     "Objects can be \"server\", \"queue\", \"node\", \"hook\", \"resource\" or \"pbshook\"\n"
     "The \"set\" command sets the value for an attribute on the specified object.\n"
     "If the object is \"server\" and name is not specified, the attribute will be\n"
     "set on all the servers specified on the command line.\n"
     "For multiple names, use a comma seperated list with no intervening whitespace.\n"
     "A hook object can only be set by the Administrator, and only on the \n"
     "host on which the server runs.\n"
     "Examples:\n"
     "set server s1 max_running = 5\n"
     "set server managers = root@host.domain.com\n"
     "set server managers += susan@*.domain.com\n"
     "set node n1,n2 state=offline\n"
     "set queue q1@s3 resources_max.mem += 5mb\n"
     "set queue @s3 default_queue = batch\n"
     "set server default_qdel_arguments = \"-Wsuppress_email = 1000\"\n"
     "set server default_qsub_arguments = \"-m n -r n\"\n"
     "set resource r1 type=long\n"
     "\n"},
    {"unset",
     "Syntax: unset object [name][,name...] attribute[.resource][,attribute...]\n"
     "Objects can be \"server\", \"queue\", \"node\", \"sched\" or \"resource\"\n"
     "\n"
     "Examples:\n"
     "unset server comment\n"
     "unset queue q1 resources_max.mem,Priority\n"
     "\n"},
    {"list",
     "Syntax: list object [name][,name...] [attribute[,attribute...]]\n"
     "Objects can be \"server\", \"queue\", \"node\", \"sched\" or \"resource\"\n"
     "\n"
     "Examples:\n"
     "list queue @default\n"
     "list server scheduling\n"
     "\n"},
    {"print",
     "Syntax: print object [name][,name...] [attribute[,attribute...]]\n"
     "Objects can be \"server\", \"queue\", \"node\", \"sched\" or \"resource\"\n"
     "Prints commands that make the object again.\n"
     "\n"
     "Examples:\n"
     "print server\n"
     "print node n1\n"
     "\n"},
    {"attributes", "An attribute may have a resource behind a dot: resources_max.ncpus.\n\n"},
    {"operators",
     "=    set the value of the attribute\n"
     "+=   add to the value of the attribute\n"
     "-=   take from the value of the attribute\n"
     "\n"},
    {"names",
     "Names of queues, resources and schedulers begin with a letter. @default stands for all objects of the kind.\n\n"},
    {"values", "Values with blanks or commas stand in quotes: \"a b\" or 'a b'.\n\n"},
};

}  // namespace

std::string manager_help(std::string_view asked) {
  if (asked.empty()) return std::string(general);
  for (const topic& t : topics)
    if (t.word.substr(0, asked.size()) == asked) return std::string(t.text);
  return "No help available on: " + std::string(asked) + "\nCheck the PBS Reference Guide for more help.\n\n";
}

}  // namespace annals::client
