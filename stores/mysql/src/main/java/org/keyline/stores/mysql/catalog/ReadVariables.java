package org.keyline.stores.mysql.catalog;

import java.util.List;
import org.keyline.stores.ReadVariable;

/**
 * The variables of each kind of store that affect the rows, the row versions or the bytes that a
 * plain read returns. Variables that every store has (names, sql_mode, sql_select_limit, time zone,
 * autocommit and isolation) are not in these lists.
 */
final class ReadVariables {
    /*
     * A session begins with the global value of a variable, and returns to it by SET … = DEFAULT.
     * Load sessions therefore set each of these variables to the value given here, and lines do not
     * answer sessions with another value. Variables unknown to a release are omitted.
     */

    /** With this variable, rows pass through a temporary table, whose columns lack flags. */
    private static final ReadVariable BUFFERED = new ReadVariable("sql_buffer_result", "0", "0");

    static final List<ReadVariable> MARIADB = List.of(
            // Makes sessions read system-versioned tables as of another moment. DEFAULT means the
            // present, whatever the global value is.
            new ReadVariable("system_versioning_asof", "DEFAULT", "DEFAULT"),
            // Changes the matches of REGEXP.
            new ReadVariable("default_regex_flags", "''", ""),
            // With this variable, IS NULL finds the last inserted row.
            new ReadVariable("sql_auto_is_null", "0", "0"),
            // The store rejects a read that may examine more than max_join_size rows.
            new ReadVariable("sql_big_selects", "1", "1"),
            // In Galera, the first variable allows reads on a node that has lost its cluster. The
            // second makes reads wait for commits of other nodes.
            new ReadVariable("wsrep_dirty_reads", "0", "0"),
            new ReadVariable("wsrep_sync_wait", "0", "0"),
            BUFFERED,
            // Determines the collation of a character set after SET NAMES. Column definitions show
            // the number of this collation.
            ReadVariable.ofCollations("character_set_collations"));

    static final List<ReadVariable> MYSQL = List.of(
            new ReadVariable("sql_auto_is_null", "0", "0"),
            new ReadVariable("sql_big_selects", "1", "1"),
            BUFFERED,
            ReadVariable.ofCollations("default_collation_for_utf8mb4"));

    static final List<ReadVariable> DORIS = List.of(
            // These variables select versions older than the newest visible one.
            new ReadVariable("enable_snapshot_point_query", "true", "true"),
            new ReadVariable("query_freshness_tolerance_ms", "-1", "-1"),
            new ReadVariable("enable_prefer_cached_rowset", "false", "false"),
            ReadVariable.ofLoads("cloud_force_sync_version", "true"),
            ReadVariable.ofLoads("enable_materialized_view_rewrite", "false"),
            new ReadVariable("use_fix_replica", "-1", "-1"),
            new ReadVariable("skip_missing_version", "false", "false"),
            new ReadVariable("skip_bad_tablet", "false", "false"),
            // These variables select other rows.
            new ReadVariable("skip_delete_sign", "false", "false"),
            new ReadVariable("skip_delete_bitmap", "false", "false"),
            new ReadVariable("skip_delete_predicate", "false", "false"),
            new ReadVariable("skip_storage_engine_merge", "false", "false"),
            new ReadVariable("default_order_by_limit", "-1", "-1"),
            new ReadVariable("dry_run_query", "false", "false"),
            new ReadVariable("inverted_index_max_expansions", "50", "50"),
            // These variables change columns and bytes.
            new ReadVariable("show_hidden_columns", "false", "false"),
            new ReadVariable("use_mysql_bigint_for_largeint", "false", "false"),
            new ReadVariable("return_object_data_as_binary", "false", "false"),
            new ReadVariable("truncate_char_or_varchar_columns", "false", "false"),
            new ReadVariable("serde_dialect", "'doris'", "doris"),
            new ReadVariable("sql_dialect", "'doris'", "doris"));

    static final List<ReadVariable> STARROCKS = List.of(
            // A materialized view may lag behind its table.
            ReadVariable.ofLoads("enable_materialized_view_rewrite", "false"),
            // Allows the fast path to one row by its key, for tables with a row store.
            ReadVariable.ofLoads("enable_short_circuit", "true"),
            new ReadVariable("sql_dialect", "'StarRocks'", "StarRocks"));

    private ReadVariables() {}
}
