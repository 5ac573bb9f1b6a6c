package org.keyline.stores.mysql.catalog;

import java.util.Set;

/** Session variables of Apache Doris. */
final class DorisVariables {
    /*
     * A session that sets a variable outside HARMLESS gets no hits. Such a variable can change rows
     * or their version (ReadVariables), values or types (enable_decimal256, enable_strict_cast,
     * sql_dialect, serde_dialect, return_object_data_as_binary, truncate_char_or_varchar_columns),
     * or the reply to PREPARE. It can also decide whether materialized views are used, or which
     * reads the backend refuses.
     */

    /**
     * Variables that change neither rows nor metadata of a read by key. The groups are: access path
     * of a read; parallelism, memory and time; joins and aggregates; caches of read data, which the
     * store keeps consistent; logs of a statement; writes.
     */
    static final Set<String> HARMLESS = Set.of("""
            enable_short_circuit_query enable_two_phase_read_opt topn_opt_limit_threshold
            enable_nereids_planner enable_fallback_to_original_planner enable_pipeline_engine
            enable_pipeline_x_engine experimental_enable_nereids_planner
            experimental_enable_pipeline_engine experimental_enable_pipeline_x_engine
            enable_local_shuffle experimental_enable_local_shuffle experimental_enable_parallel_scan
            experimental_enable_shared_scan experimental_enable_nereids_distribute_planner

            query_timeout max_execution_time insert_timeout parallel_pipeline_task_num
            parallel_fragment_exec_instance_num deprecated_parallel_fragment_exec_instance_num
            parallel_exchange_instance_num max_instance_num max_scanners_concurrency
            min_scanners_concurrency batch_size exec_mem_limit scan_queue_mem_limit enable_spill
            enable_force_spill workload_group bypass_workload_group cpu_resource_limit
            query_slot_count nereids_timeout_second enable_nereids_timeout analyze_timeout

            disable_join_reorder disable_colocate_plan enable_bucket_shuffle_join enable_bushy_tree
            enable_cost_based_join_reorder prefer_join_method auto_broadcast_join_threshold
            broadcast_row_count_limit runtime_filter_mode runtime_filter_type
            runtime_filter_wait_time_ms runtime_filter_wait_infinitely runtime_filters_max_num
            runtime_filter_max_in_num runtime_bloom_filter_size runtime_bloom_filter_min_size
            runtime_bloom_filter_max_size enable_runtime_filter_prune
            disable_streaming_preaggregations multi_distinct_strategy enable_auto_analyze
            forbid_unknown_col_stats

            enable_page_cache enable_segment_cache enable_condition_cache
            enable_inverted_index_query_cache enable_file_cache disable_file_cache

            enable_profile profile_level auto_profile_threshold_ms enable_audit_plugin
            enable_prepared_stmt_audit_log session_context dump_nereids_memo enable_nereids_trace

            enable_insert_strict group_commit enable_unique_key_partial_update
            partial_update_new_key_behavior require_sequence_in_insert insert_max_filter_ratio
            insert_visible_timeout_ms enable_memtable_on_sink_node enable_strict_consistency_dml
            enable_insert_value_auto_cast delete_without_partition load_stream_per_node
            default_rowset_type storage_engine default_storage_engine default_tmp_storage_engine
            """.strip().split("\\s+"));

    private DorisVariables() {}
}
