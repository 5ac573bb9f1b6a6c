package org.keyline.stores.duckdb.session;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.engine.Errors;

/** The system variables there are, and their global values. Thread-safe. */
public final class SystemVariables {
    /** Names of Doris's variables that change no answer of this store. */
    public static Set<String> harmless() {
        return DorisSystemVariables.HARMLESS;
    }

    /** Who may set a variable. */
    enum Scope {
        /** Sessions have a value of their own. */
        SESSION,
        /** One value for all. */
        GLOBAL,
        /** Nobody sets it. */
        FIXED,
        /** Both, and only its initial value is understood. */
        INITIAL_ONLY
    }

    /** What a value is. */
    enum Kind {
        INTEGER,
        SWITCH,
        TEXT
    }

    /** A variable. */
    record Definition(String name, Scope scope, Kind kind, String initial) {}

    /*
     * One variable a line: scope (s, g, f or d), kind (i = integer, b = ON or OFF, t = text), name, initial value.
     */
    private static final String DEFINITIONS = """
            s i auto_increment_increment 1
            s i auto_increment_offset 1
            s b autocommit ON
            f t basedir /
            s i bulk_insert_buffer_size 8388608
            s t character_set_client utf8mb4
            s t character_set_connection utf8mb4
            s t character_set_database utf8mb4
            s t character_set_filesystem binary
            s t character_set_results utf8mb4
            s t character_set_server utf8mb4
            f t character_set_system utf8mb3
            s t collation_connection utf8mb4_0900_ai_ci
            s t collation_database utf8mb4_0900_bin
            s t collation_server utf8mb4_0900_bin
            s t completion_type NO_CHAIN
            g i connect_timeout 10
            f t datadir /
            f t default_authentication_plugin caching_sha2_password
            s t default_storage_engine OLAP
            s t default_tmp_storage_engine OLAP
            s i default_week_format 0
            s i div_precision_increment 4
            f b event_scheduler OFF
            s b explicit_defaults_for_timestamp ON
            s b foreign_key_checks ON
            f t gtid_mode OFF
            s i group_concat_max_len 1024
            f b have_openssl ON
            f b have_profiling OFF
            f b have_query_cache OFF
            f b have_ssl ON
            f t hostname localhost
            g t init_connect
            s i innodb_lock_wait_timeout 50
            s i interactive_timeout 28800
            s i last_insert_id 0
            s t lc_messages en_US
            s t lc_time_names en_US
            f t license Apache-2.0
            g b local_infile ON
            s i lock_wait_timeout 31536000
            f b log_bin OFF
            s b log_bin_trust_function_creators OFF
            f i lower_case_file_system 0
            f i lower_case_table_names 2
            s i max_allowed_packet 67108864
            g i max_connections 10000
            s i max_error_count 1024
            s i max_execution_time 0
            s i max_join_size 18446744073709551615
            g i max_prepared_stmt_count 16382
            s i max_sort_length 1024
            g i max_user_connections 0
            s i net_buffer_length 16384
            s i net_read_timeout 30
            s i net_write_timeout 60
            s b new OFF
            s t optimizer_switch
            f b performance_schema OFF
            f t pid_file /
            f t plugin_dir /
            f i port 9030
            f i protocol_version 10
            s i query_cache_size 0
            s t query_cache_type OFF
            s i query_timeout 900
            g b read_only OFF
            s b require_secure_transport OFF
            f b secure_auth ON
            f i server_id 1
            f t server_uuid 00000000-0000-0000-0000-000000000000
            s b session_track_schema ON
            s t session_track_system_variables time_zone,autocommit,character_set_client,character_set_results,character_set_connection
            s b session_track_state_change OFF
            s t session_track_transaction_info OFF
            f b skip_name_resolve ON
            f b skip_networking OFF
            f t socket
            s b sql_auto_is_null OFF
            s b sql_big_selects ON
            s b sql_log_bin ON
            s t sql_mode ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION
            s b sql_notes ON
            s b sql_quote_show_create ON
            s b sql_require_primary_key OFF
            s b sql_safe_updates OFF
            s i sql_select_limit 18446744073709551615
            s b sql_warnings OFF
            g b super_read_only OFF
            f t system_time_zone UTC
            s t time_zone SYSTEM
            f t tls_version TLSv1.2,TLSv1.3
            s t transaction_isolation REPEATABLE-READ
            s b transaction_read_only OFF
            s t tx_isolation REPEATABLE-READ
            s b tx_read_only OFF
            s b unique_checks ON
            f t version @version@
            f t version_comment Keyline gateway, embedded store (DuckDB)
            f t version_compile_machine x86_64
            f t version_compile_os Linux
            s i wait_timeout 28800
            """;

    private final Map<String, Definition> definitions = new LinkedHashMap<>();
    private final Map<String, String> globals = new ConcurrentHashMap<>();

    /** @param version what {@code @@version} says */
    public SystemVariables(String version) {
        Stream.concat(DEFINITIONS.lines(), DorisSystemVariables.DEFINITIONS.lines())
                .forEach(line -> {
                    String[] words = line.split(" ", 4);
                    String initial = words.length == 4 ? words[3].replace("@version@", version) : "";
                    Scope scope = switch (words[0]) {
                        case "s" -> Scope.SESSION;
                        case "g" -> Scope.GLOBAL;
                        case "d" -> Scope.INITIAL_ONLY;
                        default -> Scope.FIXED;
                    };
                    Kind kind = switch (words[1]) {
                        case "i" -> Kind.INTEGER;
                        case "b" -> Kind.SWITCH;
                        default -> Kind.TEXT;
                    };
                    definitions.put(words[2], new Definition(words[2], scope, kind, initial));
                });
    }

    /** The variable of this name; null if there is none. Names that begin with {@code keyline_} are a session's own. */
    @Nullable
    Definition find(String name) {
        String key = name.toLowerCase(Locale.ROOT);
        Definition definition = definitions.get(key);
        return definition == null && key.startsWith("keyline_")
                ? new Definition(key, Scope.SESSION, Kind.TEXT, "")
                : definition;
    }

    /** As {@link #find}; 1193 where there is none. */
    Definition require(String name) {
        Definition definition = find(name);
        if (definition == null) {
            throw Errors.error(1193, "HY000", "Unknown system variable '" + name + "'");
        }
        return definition;
    }

    Collection<Definition> all() {
        return definitions.values();
    }

    String global(Definition definition) {
        return globals.getOrDefault(definition.name(), definition.initial());
    }

    void setGlobal(Definition definition, String value) {
        globals.put(definition.name(), value);
    }
}
