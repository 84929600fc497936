/* A job array: submitted, listed with its subjobs, selected, and deleted in parts. Nothing is run meanwhile. */
#include "check.h"

static char id_of_index[64];
/* "12[3].server" of "12[].server". */
static char* subjob(const char* array, const char* index) {
  const char* bracket = strchr(array, '[');
  snprintf(id_of_index, sizeof id_of_index, "%.*s[%s]%s", (int)(bracket - array), array, index, bracket + 2);
  return id_of_index;
}

int main(void) {
  int c = connected();
  char *array, **ids;
  struct batch_status* s;
  struct attropl at_once = {NULL, ATTR_max_run_subjobs, NULL, "2", SET};
  struct attropl range = {&at_once, ATTR_J, NULL, "1-8:2", SET};
  struct attropl name = {&range, ATTR_N, NULL, "from_c", SET};
  struct attropl no_array = {NULL, ATTR_max_run_subjobs, NULL, "2", SET};
  struct attropl bad = {NULL, ATTR_J, NULL, "8-1", SET};
  struct attropl named = {NULL, ATTR_N, NULL, "from_c", EQ};
  struct attrl remaining = {NULL, ATTR_array_indices_remaining, NULL, NULL, SET};
  CHECK(pbs_submit(c, &no_array, NULL, NULL, NULL) == NULL && pbs_errno == PBSE_NOTARRAY_ATTR);
  CHECK(pbs_submit(c, &bad, NULL, NULL, NULL) == NULL && pbs_errno == PBSE_BADATVAL);
  array = pbs_submit(c, &name, NULL, NULL, NULL);
  CHECK(array && strstr(array, "[]."));

  s = pbs_statjob(c, array, NULL, NULL);
  CHECK(count(s) == 1 && strcmp(value_of(s, ATTR_array_indices_submitted, NULL), "1-8:2") == 0);
  CHECK(strcmp(value_of(s, ATTR_array, NULL), "True") == 0 && strcmp(value_of(s, ATTR_max_run_subjobs, NULL), "2") == 0);
  pbs_statfree(s);
  s = pbs_statjob(c, array, NULL, "t");
  CHECK(count(s) == 5 && strcmp(s->name, array) == 0 && strcmp(s->next->name, subjob(array, "1")) == 0);
  pbs_statfree(s);
  s = pbs_statjob(c, subjob(array, "3"), NULL, NULL);
  CHECK(count(s) == 1 && strcmp(s->name, subjob(array, "3")) == 0);
  pbs_statfree(s);

  ids = pbs_selectjob(c, &named, NULL);
  CHECK(ids && strcmp(ids[0], array) == 0 && !ids[1]);
  free(ids);
  ids = pbs_selectjob(c, &named, "T");
  CHECK(ids && ids[0] && strcmp(ids[0], subjob(array, "1")) == 0 && ids[3] && !ids[4]);
  free(ids);
  s = pbs_selstat(c, &named, NULL, "T");
  CHECK(count(s) == 4 && strcmp(s->name, subjob(array, "1")) == 0);
  pbs_statfree(s);

  CHECK(pbs_holdjob(c, array, NULL, NULL) == 0 && pbs_rlsjob(c, array, NULL, NULL) == 0);
  CHECK(pbs_holdjob(c, subjob(array, "3"), NULL, NULL) == PBSE_IVALREQ);
  CHECK(pbs_deljob(c, subjob(array, "5-7"), NULL) == 0);
  s = pbs_statjob(c, array, &remaining, NULL);
  CHECK(count(s) == 1 && strcmp(value_of(s, ATTR_array_indices_remaining, NULL), "1-3:2") == 0);
  pbs_statfree(s);
  CHECK(pbs_deljob(c, subjob(array, "5"), NULL) == PBSE_NOHISTARRAYSUBJOB);
  CHECK(pbs_deljob(c, array, DELETEHISTORY) == 0);
  CHECK(pbs_statjob(c, array, NULL, "x") == NULL && pbs_errno == PBSE_UNKJOBID);
  free(array);
  return pbs_disconnect(c);
}
