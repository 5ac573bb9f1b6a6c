package org.keyline.stores.duckdb.session;

import java.util.Set;
import java.util.stream.Collectors;

/** Variables that only Doris has. */
final class DorisSystemVariables {
    /*
     * Those of the scope s say how Doris plans and runs a statement. They are kept and shown, and change no answer of this
     * store. Those of the scope d would change answers or what a write does: only the value they begin with is understood.
     */
    static final String DEFINITIONS = """
            s i analyze_timeout 43200
            s i batch_size 4064
            s i cpu_resource_limit -1
            s t disable_nereids_rules
            s b disable_colocate_plan OFF
            s b disable_join_reorder OFF
            s b disable_file_cache OFF
            s b enable_auto_analyze ON
            s b enable_bucket_shuffle_join ON
            s b enable_common_expr_pushdown ON
            s b enable_decimal256 OFF
            s b enable_dml_materialized_view_rewrite ON
            s b enable_fallback_to_original_planner OFF
            s b enable_file_cache OFF
            s b enable_fold_constant_by_be OFF
            s b enable_group_commit_full_prepare ON
            s b enable_insert_value_auto_cast ON
            s b enable_inverted_index_query ON
            s b enable_local_shuffle ON
            s b enable_materialized_view_rewrite ON
            s b enable_memtable_on_sink_node ON
            s b enable_nereids_dml ON
            s b enable_nereids_planner ON
            s b enable_nereids_timeout ON
            s b enable_parallel_result_sink ON
            s b enable_pipeline_engine ON
            s b enable_pipeline_x_engine ON
            s b enable_prepared_stmt_audit_log OFF
            s b enable_profile OFF
            s b enable_query_cache OFF
            s b enable_runtime_filter_prune ON
            s b enable_segment_cache ON
            s b enable_server_side_prepared_statement ON
            s b enable_short_circuit_query ON
            s b enable_snapshot_point_query ON
            s b enable_spill OFF
            s b enable_sql_cache ON
            s b enable_stats ON
            s b enable_strong_consistency_read ON
            s b enable_two_phase_read_opt ON
            s b enable_vectorized_engine ON
            s i exec_mem_limit 100147483648
            s b experimental_enable_local_shuffle ON
            s b experimental_enable_nereids_planner ON
            s b experimental_enable_pipeline_engine ON
            s b fe_debug OFF
            s b forbid_unknown_col_stats OFF
            s b forward_to_master ON
            s t group_commit off_mode
            s i insert_timeout 14400
            s i insert_visible_timeout_ms 60000
            s i max_scan_key_num 48
            s i mem_limit 100147483648
            s i nereids_timeout_second 30
            s i parallel_exchange_instance_num 100
            s i parallel_fragment_exec_instance_num 1
            s i parallel_pipeline_task_num 0
            s t prefer_join_method broadcast
            s i profile_level 1
            s t resource_group
            s t runtime_filter_mode GLOBAL
            s t runtime_filter_type IN_OR_BLOOM_FILTER,MIN_MAX
            s i runtime_filter_wait_time_ms 1000
            s i send_batch_parallelism 1
            s t session_context
            s t storage_engine olap
            s t topn_filter_ratio 0.5
            s i topn_opt_limit_threshold 1024
            s t workload_group
            d i default_order_by_limit -1
            d b delete_without_partition OFF
            d b dry_run_query OFF
            d b enable_ansi_query_organization_behavior ON
            d b enable_short_circuit_query_access_column_store ON
            d b enable_insert_strict ON
            d b enable_strict_cast OFF
            d b enable_unicode_name_support ON
            d b enable_unique_key_partial_update OFF
            d t insert_max_filter_ratio 1.0
            d t partial_update_new_key_behavior APPEND
            d b return_object_data_as_binary OFF
            d b show_hidden_columns OFF
            d b skip_delete_bitmap OFF
            d b skip_delete_predicate OFF
            d b skip_delete_sign OFF
            d b skip_missing_version OFF
            d b skip_storage_engine_merge OFF
            d t sql_dialect doris
            d b truncate_char_or_varchar_columns OFF
            d i use_fix_replica -1
            """;

    /** Names of those that change no answer of this store. */
    static final Set<String> HARMLESS = DEFINITIONS
            .lines()
            .map(line -> line.split(" ", -1))
            .filter(definition -> definition[0].equals("s"))
            .map(definition -> definition[2])
            .collect(Collectors.toUnmodifiableSet());

    private DorisSystemVariables() {}
}
