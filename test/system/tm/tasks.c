/* A job's program starts tasks on each node, lists them, signals one and waits for their ends (tm.h). */
#include <signal.h>
#include <string.h>

#include "check.h"

static tm_task_id spawn(tm_node_id where, char** argv, char** envp) {
  tm_task_id task = TM_NULL_TASK;
  tm_event_t event;
  int argc = 0;
  while (argv[argc]) ++argc;
  CHECK(tm_spawn(argc, argv, envp, where, &task, &event) == TM_SUCCESS);
  CHECK(done(event) == TM_SUCCESS);
  CHECK(task != TM_NULL_TASK);
  return task;
}

static int end_of(tm_task_id task) {
  tm_event_t event;
  int status = -1;
  CHECK(tm_obit(task, &status, &event) == TM_SUCCESS);
  CHECK(done(event) == TM_SUCCESS);
  return status;
}

int main(void) {
  char* say[] = {"/bin/sh", "-c", "echo task $PBS_TASKNUM of node $PBS_NODENUM says $WORD; exit $PBS_NODENUM", NULL};
  char* word[] = {"WORD=hello", NULL};
  char* sleeper[] = {"/bin/sleep", "1000", NULL};
  char* nothing[] = {"/no/such/program", NULL};
  struct tm_roots roots;
  tm_node_id *nodes, at;
  tm_task_id tasks[8], task;
  tm_event_t event, none;
  int count, found, told;
  char resources[1024], short_one[6];

  CHECK(tm_poll(TM_NULL_EVENT, &event, 0, &told) == TM_BADINIT);
  CHECK(tm_init(NULL, &roots) == TM_SUCCESS);
  CHECK(tm_init(NULL, &roots) == TM_BADINIT);
  CHECK(roots.tm_me == 1 && roots.tm_nnodes == 3 && roots.tm_ntasks == 1 && roots.tm_taskpoolid == -1);
  CHECK(tm_nodeinfo(&nodes, &count) == TM_SUCCESS && count == 3);
  CHECK(nodes[0] == 0 && nodes[2] == 2 && nodes[3] == TM_ERROR_NODE);
  free(nodes);
  CHECK(tm_poll(TM_NULL_EVENT, &event, 1, &told) == TM_ENOEVENT);

  for (at = 0; at < 3; ++at) CHECK(end_of(spawn(at, say, word)) == (int)at);
  CHECK(end_of(spawn(1, nothing, NULL)) == 254);

  task = spawn(2, sleeper, NULL);
  CHECK(tm_atnode(task, &at) == TM_SUCCESS && at == 2);
  CHECK(tm_atnode(77, &at) == TM_ENOTFOUND);
  CHECK(tm_taskinfo(2, tasks, 8, &found, &event) == TM_SUCCESS && done(event) == TM_SUCCESS);
  CHECK(found == 2 && tasks[1] == task);
  CHECK(tm_obit(task, &count, &event) == TM_SUCCESS);
  CHECK(tm_poll(TM_NULL_EVENT, &none, 0, &told) == TM_SUCCESS && none == TM_NULL_EVENT);
  {
    tm_event_t killed;
    int i, obits = 0;
    CHECK(tm_kill(task, SIGTERM, &killed) == TM_SUCCESS);
    for (i = 0; i < 2; ++i) {
      tm_event_t which;
      CHECK(tm_poll(TM_NULL_EVENT, &which, 1, &told) == TM_SUCCESS && told == TM_SUCCESS);
      obits += which == event;
    }
    CHECK(obits == 1 && count == 256 + SIGTERM);
  }
  CHECK(tm_kill(task, SIGTERM, &event) == TM_SUCCESS && done(event) == TM_ENOTFOUND);
  CHECK(tm_obit(4711, &count, &event) == TM_SUCCESS && done(event) == TM_ENOTFOUND);
  CHECK(tm_spawn(1, nothing, NULL, 3, &task, &event) == TM_SUCCESS && done(event) == TM_ENOTFOUND);

  for (at = 0; at < 3; at += 2) {
    CHECK(tm_rescinfo(at, resources, sizeof resources, &event) == TM_SUCCESS && done(event) == TM_SUCCESS);
    CHECK(strncmp(resources, "Linux ", 6) == 0 && strstr(resources, ":ncpus=3,"));
  }
  CHECK(tm_rescinfo(1, short_one, sizeof short_one, &event) == TM_SUCCESS && done(event) == TM_SUCCESS);
  CHECK(strcmp(short_one, "Linux") == 0);

  CHECK(tm_alloc("ncpus=1", &event) == TM_ENOTIMPLEMENTED && tm_dealloc(0, &event) == TM_ENOTIMPLEMENTED);
  CHECK(tm_finalize() == TM_SUCCESS);
  CHECK(tm_finalize() == TM_BADINIT);
  puts("all tasks are done");
  return 0;
}
