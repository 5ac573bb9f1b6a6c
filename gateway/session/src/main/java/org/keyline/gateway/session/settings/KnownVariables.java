package org.keyline.gateway.session.settings;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Variables that do not affect point reads. After a SET of any other variable, lines do not answer
 * the session, unless Keyline models the variable.
 */
final class KnownVariables {
    /*
     * For a SELECT of plain columns by key, these variables change neither the permission, nor the
     * rows and their order, nor the column definitions, nor the warnings. Not listed are variables
     * that select access paths (optimizer_switch), because these change the order of rows without
     * ORDER BY. Also not listed are variables that refuse reads (max_join_size), request other
     * versions of rows (wsrep_sync_wait, tx_read_ts) or record statements (profiling).
     */

    /** Time limits. A hit is faster than any such limit. Loads have the gateway's own limit. */
    private static final Set<String> TIME = Set.of("""
            idle_readonly_transaction_timeout idle_transaction_timeout idle_write_transaction_timeout
            innodb_lock_wait_timeout insert_timeout interactive_timeout lock_wait_timeout max_execution_time
            max_statement_time net_read_timeout net_retry_count net_write_timeout query_timeout wait_timeout
            """.strip().split("\\s+"));

    /** Memory limits at the store. */
    private static final Set<String> MEMORY = Set.of("""
            bulk_insert_buffer_size group_concat_max_len join_buffer_size max_allowed_packet
            max_heap_table_size net_buffer_length query_alloc_block_size query_cache_type
            query_prealloc_size read_buffer_size read_rnd_buffer_size sort_buffer_size thread_pool_priority
            tmp_memory_table_size tmp_table_size transaction_alloc_block_size transaction_prealloc_size
            """.strip().split("\\s+"));

    /** Variables that affect only writes and definitions, and their logs. */
    private static final Set<String> WRITES = Set.of("""
            audit_plugin auto_increment_increment auto_increment_offset binlog_format binlog_row_image
            character_set_database character_set_filesystem character_set_server check_constraint_checks
            collation_database collation_server default_storage_engine default_tmp_storage_engine
            enable_insert_strict explicit_defaults_for_timestamp foreign_key_checks innodb_strict_mode
            insert_id keep_files_on_create low_priority_updates sql_log_bin sql_require_primary_key
            sql_safe_updates storage_engine transaction_read_only tx_read_only unique_checks
            updatable_views_with_limit
            """.strip().split("\\s+"));

    /** Variables that affect only the report of messages and state, SHOW CREATE, or slow logs. */
    private static final Set<String> INFORMATION = Set.of("""
            enable_profile information_schema_stats_expiry lc_messages long_query_time max_error_count
            session_track_gtids session_track_schema session_track_state_change
            session_track_system_variables session_track_transaction_info slow_query_log sql_notes
            sql_quote_show_create sql_warnings
            """.strip().split("\\s+"));

    /** Variables that are harmless only at these values. */
    private static final Map<String, Set<String>> AT_VALUES = Map.of(
            "optimizer_trace", Set.of("ENABLED=OFF"),
            "profiling", Set.of("0", "OFF", "FALSE"),
            "sql_auto_is_null", Set.of("0", "OFF", "FALSE"),
            "sql_big_selects", Set.of("1", "ON", "TRUE"));

    /** Variables by which the store lists a session's statements, including the gateway's own. */
    static final Set<String> WATCHING = Set.of("optimizer_trace", "profiling");

    private KnownVariables() {}

    /**
     * Returns true if an assignment does not affect point reads.
     *
     * @param variable the name in lower case
     * @param value the new value; null for an expression
     */
    static boolean harmless(String variable, @Nullable String value) {
        return TIME.contains(variable)
                || MEMORY.contains(variable)
                || WRITES.contains(variable)
                || INFORMATION.contains(variable)
                || (value != null
                        && AT_VALUES.getOrDefault(variable, Set.of()).contains(value.toUpperCase(Locale.ROOT)));
    }
}
