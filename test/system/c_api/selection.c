/* pbs_selectjob and pbs_selstat: the held jobs of a queue. selection QUEUE ID: just this one is held there. */
#include "check.h"

#include <pthread.h>

/* Jobs that come and go. */
static void* submits_and_deletes(void* done) {
  int c = connected(), n;
  for (n = 0; n < 40; ++n) {
    struct attropl held = {NULL, ATTR_h, NULL, "u", SET};
    char* id = pbs_submit(c, &held, NULL, NULL, NULL);
    CHECK(id);
    CHECK(pbs_deljob(c, id, DELETEHISTORY) == 0);
    free(id);
  }
  pbs_disconnect(c);
  __atomic_store_n((int*)done, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* A job that goes while pbs_selstat works is no error: neither its number nor its text stay. */
static void selects_what_comes_and_goes(int c) {
  pthread_t other;
  int done = 0;
  struct attropl held = {NULL, ATTR_state, NULL, "H", EQ};
  CHECK(pthread_create(&other, NULL, submits_and_deletes, &done) == 0);
  while (!__atomic_load_n(&done, __ATOMIC_SEQ_CST)) {
    pbs_statfree(pbs_selstat(c, &held, NULL, NULL));
    CHECK(pbs_errno == 0 && pbs_geterrmsg(c) == NULL);
  }
  CHECK(pthread_join(other, NULL) == 0);
}

int main(int argc, char** argv) {
  int c = connected();
  char** ids;
  struct batch_status* jobs;
  struct attropl queue = {NULL, ATTR_q, NULL, argv[1], EQ};
  struct attropl held = {&queue, ATTR_state, NULL, "H", EQ};
  struct attropl walltime = {&queue, ATTR_l, "walltime", "99:00:00", GT};
  struct attropl nowhere = {NULL, ATTR_q, NULL, "nosuch", EQ};
  struct attrl only = {NULL, ATTR_N, NULL, NULL, SET};
  CHECK(argc == 3);
  ids = pbs_selectjob(c, &held, NULL);
  CHECK(ids && ids[0] && strcmp(ids[0], argv[2]) == 0 && !ids[1]);
  free(ids);
  ids = pbs_selectjob(c, &walltime, NULL);
  CHECK(ids && !ids[0]);
  free(ids);
  CHECK(pbs_selectjob(c, &nowhere, NULL) == NULL && pbs_errno == PBSE_UNKQUE);
  jobs = pbs_selstat(c, &held, &only, NULL);
  CHECK(count(jobs) == 1 && strcmp(jobs->name, argv[2]) == 0);
  CHECK(value_of(jobs, ATTR_N, NULL) && !jobs->attribs->next);
  pbs_statfree(jobs);
  CHECK(pbs_selstat(c, &walltime, NULL, NULL) == NULL && pbs_errno == 0);
  selects_what_comes_and_goes(c);
  return pbs_disconnect(c);
}
