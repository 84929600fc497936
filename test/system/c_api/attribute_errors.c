/* pbs_get_attribute_errors after each call that takes attributes, and pbse_to_txt. attribute_errors JOB: one that the caller may alter. */
#include "check.h"

static void told(int c, int code, const char* name, const char* resource, const char* value) {
  struct ecl_attribute_errors* errors = pbs_get_attribute_errors(c);
  struct attropl* wrong;
  CHECK(pbs_errno == code);
  CHECK(errors && errors->ecl_numerrors == 1 && errors->ecl_attrerr[0].ecl_errcode == code);
  CHECK(strcmp(errors->ecl_attrerr[0].ecl_errmsg, pbs_geterrmsg(c)) == 0);
  wrong = errors->ecl_attrerr[0].ecl_attribute;
  CHECK(strcmp(wrong->name, name) == 0 && strcmp(wrong->value, value) == 0 && !wrong->next);
  CHECK(resource ? wrong->resource && strcmp(wrong->resource, resource) == 0 : !wrong->resource);
}

int main(int argc, char** argv) {
  int c = connected();
  struct attropl good = {NULL, ATTR_N, NULL, "fine", SET};
  struct attropl undefined = {&good, "nosuch", NULL, "1", SET};
  struct attropl mem = {&good, ATTR_l, "mem", "1gb", SET};
  struct attropl walltime = {&mem, ATTR_l, "walltime", "soon", SET};
  struct attropl two_chunks = {&mem, ATTR_l, "select", "1:ncpus=x", SET};
  struct attropl nodes = {NULL, "resources_available", "ncpus", "many", SET};
  struct attrl priority = {NULL, ATTR_p, NULL, "high", SET};
  struct attrl resource = {NULL, ATTR_l, "nosuch", "1", SET};
  CHECK(argc == 2);

  CHECK(pbs_get_attribute_errors(c) == NULL);
  CHECK(pbs_submit(c, &undefined, NULL, NULL, NULL) == NULL);
  told(c, PBSE_NOATTR, "nosuch", NULL, "1");
  CHECK(pbs_submit(c, &walltime, NULL, NULL, NULL) == NULL);
  told(c, PBSE_BADATVAL, ATTR_l, "walltime", "soon");
  CHECK(pbs_submit(c, two_chunks.next = &good, NULL, "nosuch", NULL) == NULL && pbs_errno == PBSE_UNKQUE);
  CHECK(pbs_get_attribute_errors(c) == NULL); /* no attribute's fault */
  CHECK(pbs_submit(c, &two_chunks, NULL, NULL, NULL) == NULL);
  told(c, PBSE_BADATVAL, ATTR_l, "select", "1:ncpus=x");

  CHECK(pbs_alterjob(c, argv[1], &priority, NULL) == PBSE_BADATVAL);
  told(c, PBSE_BADATVAL, ATTR_p, NULL, "high");
  CHECK(pbs_alterjob(c, argv[1], &resource, NULL) == PBSE_UNKRESC);
  told(c, PBSE_UNKRESC, ATTR_l, "nosuch", "1");
  CHECK(pbs_manager(c, MGR_CMD_SET, MGR_OBJ_NODE, "a", &nodes, NULL) == PBSE_BADATVAL);
  told(c, PBSE_BADATVAL, "resources_available", "ncpus", "many");
  undefined.next = NULL;
  CHECK(pbs_submit_resv(c, &undefined, NULL) == NULL);
  told(c, PBSE_NOATTR, "nosuch", NULL, "1");
  CHECK(pbs_holdjob(c, argv[1], "u", NULL) == 0 && pbs_get_attribute_errors(c) == NULL); /* of the last call */
  CHECK(pbs_get_attribute_errors(c + 1) == NULL);

  CHECK(strcmp(pbse_to_txt(PBSE_UNKJOBID), "Unknown Job Id") == 0);
  CHECK(strcmp(pbse_to_txt(PBSE_NOSUP), "No support for requested service") == 0);
  CHECK(pbse_to_txt(PBSE_NONE) == NULL && pbse_to_txt(-1) == NULL && pbse_to_txt(99999) == NULL);
  return pbs_disconnect(c);
}
