// pbs.EXPORTED_TYPES_DICT: the class that an attribute or a word of PBS has. And pbs.v1, where PBS keeps its classes:
// scripts name it in imports, and pickle by the classes' names.
#include "hooks-runtime/pbs_module/module.hpp"

namespace annals::hooks::py {
namespace {

struct exported {
  const char* word;
  const char* type;  // a name of this module
};
const exported exported_types[] = {
    {"interactive", "pbs_int"},
    {"block", "pbs_int"},
    {"Authorized_Users", "acl"},
    {"Authorized_Groups", "acl"},
    {"Authorized_Hosts", "acl"},
    {"array_index", "pbs_int"},
    {"array_indices_submitted", "range"},
    {"array_state_count", "state_count"},
    {"group_list", "group_list"},
    {"managers", "acl"},
    {"operators", "acl"},
    {"User_List", "user_list"},
    {"Shell_Path_List", "path_list"},
    {"Output_Path", "path"},
    {"Error_Path", "path"},
    {"Priority", "priority"},
    {"Job_Name", "name"},
    {"project", "project"},
    {"Reserve_Name", "name"},
    {"Join_Path", "join_path"},
    {"default_qsub_arguments", "args"},
    {"default_qdel_arguments", "args"},
    {"select", "select"},
    {"schedselect", "select"},
    {"place", "place"},
    {"exec_host", "exec_host"},
    {"exec_vnode", "exec_vnode"},
    {"Checkpoint", "checkpoint"},
    {"depend", "depend"},
    {"Hold_Types", "hold_types"},
    {"Keep_Files", "keep_files"},
    {"Mail_Points", "mail_points"},
    {"Mail_Users", "email_list"},
    {"stagein", "staging_list"},
    {"stageout", "staging_list"},
    {"range", "range"},
    {"state_count", "state_count"},
    {"license_count", "license_count"},
    {"scheduler_iteration", "duration"},
    {"reserve_duration", "duration"},
    {"args", "args"},
    {"job_sort_formula", "job_sort_formula"},
    {"node_group_key", "node_group_key"},
    {"sandbox", "sandbox"},
    {"pbs_version", "version"},
    {"software", "software"},
    {"acl_roots", "acl"},
    {"acl_hosts", "acl"},
    {"acl_resv_hosts", "acl"},
    {"acl_resv_groups", "acl"},
    {"acl_resv_users", "acl"},
    {"acl_groups", "acl"},
    {"acl_users", "acl"},
    {"route_destinations", "route_destinations"},
    {"Variable_List", "pbs_env"},
    {"license", "pbs_str"},
    {"license_info", "pbs_int"},
    {"pbs_bool", "pbs_bool"},
    {"pbs_int", "pbs_int"},
    {"pbs_env", "pbs_env"},
    {"pbs_list", "pbs_str"},
    {"pbs_str", "pbs_str"},
    {"pbs_float", "pbs_float"},
    {"pbs_resource", "pbs_resource"},
    {"size", "size"},
    {"generic_time", "duration"},
    {"generic_acl", "acl"},
    {"queue", "queue"},
    {"default_queue", "queue"},
    {"job", "job"},
    {"management", "management"},
    {"server_attribute", "server_attribute"},
    {"server", "_server"},
    {"resv", "resv"},
    {"vnode", "vnode"},
    {"event", "_event"},
    {"state", "vnode_state"},
    {"sharing", "vnode_sharing"},
    {"ntype", "vnode_ntype"},
    {"EventIncompatibleError", "EventIncompatibleError"},
    {"UnsetAttributeNameError", "UnsetAttributeNameError"},
    {"BadAttributeValueTypeError", "BadAttributeValueTypeError"},
    {"BadAttributeValueError", "BadAttributeValueError"},
    {"UnsetResourceNameError", "UnsetResourceNameError"},
    {"BadResourceValueTypeError", "BadResourceValueTypeError"},
    {"BadResourceValueError", "BadResourceValueError"},
};

bool add_dictionary(PyObject* module) {
  ref types(PyDict_New());
  if (!types) return false;
  for (const exported& e : exported_types) {
    ref type(PyObject_GetAttrString(module, e.type));
    if (!type || PyDict_SetItemString(types.get(), e.word, type.get()) < 0) return false;
  }
  return PyModule_AddObjectRef(module, "EXPORTED_TYPES_DICT", types.get()) == 0;
}

// What PBS has in files of its own is all here.
bool add_other_names(PyObject* module) {
  PyObject* imported = PyImport_GetModuleDict();
  for (const char* name : {"pbs.v1", "pbs.v1._base_types", "pbs.v1._svr_types", "pbs.v1._exc_types"})
    if (PyDict_SetItemString(imported, name, module) < 0) return false;
  for (const char* name : {"v1", "svr_types", "_base_types", "_svr_types", "_exc_types"})
    if (PyModule_AddObjectRef(module, name, module) < 0) return false;
  return true;
}

}  // namespace

bool add_exported_types(PyObject* module) { return add_dictionary(module) && add_other_names(module); }

}  // namespace annals::hooks::py
