package org.keyline.gateway.session.settings;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Tracks variables that affect INSERTs of values but not reads. Confined to one event loop. */
final class InsertSettings {
    /*
     * If a session sets a variable that is neither compared nor known to be irrelevant, its INSERTs
     * are no longer merged.
     */

    /**
     * Variables that this class ignores, because they do not affect stored rows, or because another
     * class compares their values.
     */
    private static final Set<String> HARMLESS = Set.of("""
            autocommit character_set_client character_set_connection character_set_results
            collation_connection innodb_lock_wait_timeout interactive_timeout lock_wait_timeout names
            net_read_timeout net_write_timeout session_track_schema session_track_state_change
            session_track_system_variables session_track_transaction_info sql_mode sql_select_limit
            time_zone tx_isolation transaction_isolation wait_timeout
            """.strip().split("\\s+"));

    private static final String LONGEST_PACKET = "max_allowed_packet";
    /** Minimum of the store's max_allowed_packet for merging, so that the longest batch fits. */
    private static final long LEAST_PACKET_BYTES = 4 << 20;

    private static final Pattern BYTES = Pattern.compile("\\d{1,18}");

    private List<String> compared = List.of();
    private @Nullable String values;
    private boolean alike = true;

    void compare(List<String> variables) {
        compared = List.copyOf(variables);
    }

    void reset() {
        values = null;
        alike = true;
    }

    /** Records a SET of the variable. Returns whether Keyline must ask the store for its value. */
    boolean set(String variable) {
        boolean asks = compared.contains(variable) || variable.equals("transaction");
        alike &= asks || HARMLESS.contains(variable);
        return asks && !compared.isEmpty();
    }

    void received(Map<String, @Nullable String> received) {
        values = null;
        if (compared.isEmpty() || !received.keySet().containsAll(compared)) {
            return;
        }
        StringBuilder all = new StringBuilder();
        for (String variable : compared) {
            all.append(variable).append('=').append(received.get(variable)).append(';');
        }
        String longest = String.valueOf(received.get(LONGEST_PACKET));
        boolean room = BYTES.matcher(longest).matches() && Long.parseLong(longest) >= LEAST_PACKET_BYTES;
        values = room ? all.toString() : null;
    }

    /**
     * Returns the values as text; null if a value is unknown. In sessions with equal texts, INSERTs
     * have the same effect.
     */
    @Nullable
    String values() {
        return alike ? values : null;
    }
}
