// PBS's error numbers, their symbols and messages. The exit status of a refused command is the number modulo 256.
// Source: pbs guide, "error numbers"; five messages end in a blank, as section "commands" says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace annals::values {

namespace pbs_error {
inline constexpr std::uint32_t unknown_job = 15001;
inline constexpr std::uint32_t undefined_attribute = 15002;
inline constexpr std::uint32_t read_only_attribute = 15003;
inline constexpr std::uint32_t invalid_request = 15004;
inline constexpr std::uint32_t unknown_request = 15005;
inline constexpr std::uint32_t too_many = 15006;
inline constexpr std::uint32_t unauthorized = 15007;
inline constexpr std::uint32_t bad_host = 15008;
inline constexpr std::uint32_t job_exists = 15009;
inline constexpr std::uint32_t system_error = 15010;
inline constexpr std::uint32_t internal = 15011;
inline constexpr std::uint32_t parent_in_routing_queue = 15012;
inline constexpr std::uint32_t unknown_signal = 15013;
inline constexpr std::uint32_t bad_value = 15014;
inline constexpr std::uint32_t cannot_modify_running = 15015;
inline constexpr std::uint32_t bad_state = 15016;
inline constexpr std::uint32_t unknown_queue = 15018;
inline constexpr std::uint32_t bad_credential = 15019;
inline constexpr std::uint32_t expired_credential = 15020;
inline constexpr std::uint32_t queue_not_enabled = 15021;
inline constexpr std::uint32_t queue_access_denied = 15022;
inline constexpr std::uint32_t bad_user = 15023;
inline constexpr std::uint32_t too_many_hops = 15024;
inline constexpr std::uint32_t queue_exists = 15025;
inline constexpr std::uint32_t incompatible_type = 15026;
inline constexpr std::uint32_t object_busy = 15027;
inline constexpr std::uint32_t queue_name_too_long = 15028;
inline constexpr std::uint32_t no_support = 15029;
inline constexpr std::uint32_t queue_incomplete = 15030;
inline constexpr std::uint32_t protocol = 15031;
inline constexpr std::uint32_t bad_attribute_list = 15032;
inline constexpr std::uint32_t no_connections = 15033;
inline constexpr std::uint32_t no_server = 15034;
inline constexpr std::uint32_t unknown_resource = 15035;
inline constexpr std::uint32_t exceeds_queue_resources = 15036;
inline constexpr std::uint32_t no_default_queue = 15037;
inline constexpr std::uint32_t not_rerunnable = 15038;
inline constexpr std::uint32_t all_destinations_rejected = 15039;
inline constexpr std::uint32_t route_expired = 15040;
inline constexpr std::uint32_t mom_rejected = 15041;
inline constexpr std::uint32_t bad_script = 15042;
inline constexpr std::uint32_t stage_in_failed = 15043;
inline constexpr std::uint32_t resource_unavailable = 15044;
inline constexpr std::uint32_t bad_group = 15045;
inline constexpr std::uint32_t too_many_queued = 15046;
inline constexpr std::uint32_t checkpoint_busy = 15047;
inline constexpr std::uint32_t exceeds_limit = 15048;
inline constexpr std::uint32_t bad_account = 15049;
inline constexpr std::uint32_t already_exited = 15050;
inline constexpr std::uint32_t no_copy_file = 15051;
inline constexpr std::uint32_t cleaned_out = 15052;
inline constexpr std::uint32_t no_sync_master = 15053;
inline constexpr std::uint32_t bad_dependency = 15054;
inline constexpr std::uint32_t duplicate_in_list = 15055;
inline constexpr std::uint32_t bad_disconnect = 15056;
inline constexpr std::uint32_t must_execute_there = 15057;
inline constexpr std::uint32_t sister_rejected = 15058;
inline constexpr std::uint32_t sister_unreachable = 15059;
inline constexpr std::uint32_t server_down = 15060;
inline constexpr std::uint32_t checkpoint_too_short = 15061;
inline constexpr std::uint32_t unknown_node = 15062;
inline constexpr std::uint32_t unknown_node_attribute = 15063;
inline constexpr std::uint32_t no_nodes = 15064;
inline constexpr std::uint32_t node_name_too_long = 15065;
inline constexpr std::uint32_t node_exists = 15066;
inline constexpr std::uint32_t bad_node_value = 15067;
inline constexpr std::uint32_t mutually_exclusive = 15068;
inline constexpr std::uint32_t modification_failed = 15069;
inline constexpr std::uint32_t mom_unreachable = 15070;
inline constexpr std::uint32_t no_time_shared_node = 15071;
inline constexpr std::uint32_t reservation_needs_walltime = 15075;
inline constexpr std::uint32_t not_a_reservation_job = 15076;
inline constexpr std::uint32_t too_late = 15077;
inline constexpr std::uint32_t reservation_internal = 15078;
inline constexpr std::uint32_t reservation_exists = 15080;
inline constexpr std::uint32_t reservation_failed = 15081;
inline constexpr std::uint32_t batch_request_failed = 15082;
inline constexpr std::uint32_t manager_request_failed = 15083;
inline constexpr std::uint32_t unknown_reservation = 15084;
inline constexpr std::uint32_t delete_in_progress = 15085;
inline constexpr std::uint32_t bad_time = 15086;
inline constexpr std::uint32_t reservation_message = 15087;
inline constexpr std::uint32_t not_a_reservation = 15088;
inline constexpr std::uint32_t bad_node_spec = 15089;
inline constexpr std::uint32_t license_invalid = 15091;
inline constexpr std::uint32_t reservation_host_denied = 15092;
inline constexpr std::uint32_t reservation_group_denied = 15093;
inline constexpr std::uint32_t reservation_user_denied = 15094;
inline constexpr std::uint32_t reservation_bad_user = 15095;
inline constexpr std::uint32_t reservation_bad_group = 15096;
inline constexpr std::uint32_t switch_error = 15097;
inline constexpr std::uint32_t no_scheduler = 15099;
inline constexpr std::uint32_t resource_not_string = 15100;
inline constexpr std::uint32_t array_too_large = 15107;
inline constexpr std::uint32_t invalid_in_select = 15108;
inline constexpr std::uint32_t invalid_with_select = 15109;
inline constexpr std::uint32_t nodes_with_select = 15110;
inline constexpr std::uint32_t place_without_select = 15111;
inline constexpr std::uint32_t indirect_hop = 15112;
inline constexpr std::uint32_t indirect_target_undefined = 15113;
inline constexpr std::uint32_t node_stale = 15115;
inline constexpr std::uint32_t duplicate_resource = 15116;
inline constexpr std::uint32_t connection_table_full = 15117;
inline constexpr std::uint32_t license_min_bad = 15118;
inline constexpr std::uint32_t license_max_bad = 15119;
inline constexpr std::uint32_t license_linger_bad = 15120;
inline constexpr std::uint32_t bad_formula = 15123;
inline constexpr std::uint32_t bad_formula_keyword = 15124;
inline constexpr std::uint32_t bad_formula_type = 15125;
inline constexpr std::uint32_t rrule_yearly = 15126;
inline constexpr std::uint32_t rrule_monthly = 15127;
inline constexpr std::uint32_t rrule_weekly = 15128;
inline constexpr std::uint32_t rrule_daily = 15129;
inline constexpr std::uint32_t rrule_hourly = 15130;
inline constexpr std::uint32_t rrule_minutely = 15131;
inline constexpr std::uint32_t rrule_secondly = 15132;
inline constexpr std::uint32_t rrule_syntax = 15133;
inline constexpr std::uint32_t rrule_needs_end = 15134;
inline constexpr std::uint32_t bad_time_zone = 15135;
inline constexpr std::uint32_t hook_error = 15136;
inline constexpr std::uint32_t queue_type_needed = 15137;
inline constexpr std::uint32_t eligible_time_off = 15138;
inline constexpr std::uint32_t job_has_finished = 15139;
inline constexpr std::uint32_t no_history = 15140;
inline constexpr std::uint32_t mixed_limits = 15141;
inline constexpr std::uint32_t count_limit = 15142;
inline constexpr std::uint32_t resource_limit = 15143;
inline constexpr std::uint32_t value_out_of_range = 15144;
inline constexpr std::uint32_t provision_server_host = 15145;
inline constexpr std::uint32_t vnode_provisioning = 15146;
inline constexpr std::uint32_t vnode_state_provisioning = 15147;
inline constexpr std::uint32_t vnode_delete_provisioning = 15148;
inline constexpr std::uint32_t bad_current_aoe = 15149;
inline constexpr std::uint32_t no_loopback = 15153;
inline constexpr std::uint32_t bad_aoe_chunk = 15155;
inline constexpr std::uint32_t reservation_conflict = 15156;
inline constexpr std::uint32_t altered_during_cycle = 15157;
inline constexpr std::uint32_t history_job_deleted = 15158;
inline constexpr std::uint32_t finished_subjob = 15159;
inline constexpr std::uint32_t force_qsub_update = 15160;
inline constexpr std::uint32_t save_failed = 15161;
inline constexpr std::uint32_t max_without_min_walltime = 15162;
inline constexpr std::uint32_t min_above_max_walltime = 15163;
inline constexpr std::uint32_t shrink_in_reservation = 15164;
inline constexpr std::uint32_t shrink_in_array = 15165;
inline constexpr std::uint32_t no_limit_on_resource = 15166;
inline constexpr std::uint32_t mom_hook_pending = 15167;
inline constexpr std::uint32_t mom_rejects_root = 15168;
inline constexpr std::uint32_t hook_rejected = 15169;
inline constexpr std::uint32_t hook_rejected_rerun = 15170;
inline constexpr std::uint32_t hook_rejected_delete = 15171;
inline constexpr std::uint32_t invalid_object_name = 15172;
inline constexpr std::uint32_t name_too_long = 15173;
inline constexpr std::uint32_t resource_busy = 15174;
inline constexpr std::uint32_t script_too_large = 15175;
inline constexpr std::uint32_t bad_script_size = 15176;
inline constexpr std::uint32_t wrong_resume = 15177;
inline constexpr std::uint32_t reservation_not_empty = 15178;
inline constexpr std::uint32_t occurrence_conflict = 15179;
inline constexpr std::uint32_t soft_walltime_shrink = 15180;
inline constexpr std::uint32_t reservation_from_reservation = 15181;
inline constexpr std::uint32_t reservation_from_array = 15182;
inline constexpr std::uint32_t select_not_subset = 15183;
inline constexpr std::uint32_t rm_unknown = 15201;
inline constexpr std::uint32_t rm_bad_parameter = 15202;
inline constexpr std::uint32_t rm_no_parameter = 15203;
inline constexpr std::uint32_t rm_exists = 15204;
inline constexpr std::uint32_t rm_system = 15205;
inline constexpr std::uint32_t rm_part = 15206;
inline constexpr std::uint32_t try_again = 15208;
inline constexpr std::uint32_t alps_release = 15209;
inline constexpr std::uint32_t job_moved = 15210;
inline constexpr std::uint32_t scheduler_exists = 15211;
inline constexpr std::uint32_t scheduler_name_too_long = 15212;
inline constexpr std::uint32_t unknown_scheduler = 15213;
inline constexpr std::uint32_t cannot_delete_scheduler = 15214;
inline constexpr std::uint32_t sched_log_in_use = 15215;
inline constexpr std::uint32_t sched_priv_in_use = 15216;
inline constexpr std::uint32_t route_queue_partition = 15217;
inline constexpr std::uint32_t cannot_become_route_queue = 15218;
inline constexpr std::uint32_t queue_not_in_partition = 15219;
inline constexpr std::uint32_t partition_not_in_queue = 15220;
inline constexpr std::uint32_t invalid_queue_partition = 15221;
inline constexpr std::uint32_t alps_switch = 15222;
inline constexpr std::uint32_t not_on_default_scheduler = 15223;
inline constexpr std::uint32_t partition_in_use = 15224;
inline constexpr std::uint32_t bad_max_job_sequence_id = 15225;
inline constexpr std::uint32_t formula_conflict = 15226;
inline constexpr std::uint32_t node_busy = 15227;
inline constexpr std::uint32_t default_partition = 15228;
inline constexpr std::uint32_t finished_dependency = 15229;
inline constexpr std::uint32_t scheduler_connected = 15230;
inline constexpr std::uint32_t not_an_array = 15231;
}  // namespace pbs_error

// The message of a number ("Unknown Job Id"), with its trailing blank where it has one; empty for an unknown number or
// one without a message.
std::string_view pbs_error_text(std::uint32_t number);
std::string_view pbs_error_symbol(std::uint32_t number);  // "PBSE_UNKJOBID", empty for an unknown number
constexpr int exit_code_of(std::uint32_t number) { return static_cast<int>(number % 256); }

// A refusal as PBS says it: model::rejection in a form that values and attributes can make.
struct refusal {
  std::uint32_t code = 0;
  std::string text;
  bool operator==(const refusal&) const = default;
};
refusal refuse(std::uint32_t number);
// The message, a blank and the detail: "Unknown resource Resource_List.nosuch", "Undefined attribute  estimated".
refusal refuse(std::uint32_t number, std::string_view detail);
// The message, a colon, a blank and the detail: "Unknown resource: foo".
refusal refuse_about(std::uint32_t number, std::string_view detail);

}  // namespace annals::values
