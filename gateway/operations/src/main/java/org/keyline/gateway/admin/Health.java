package org.keyline.gateway.admin;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a health check, for {@code /live}, {@code /ready} and {@code /health}.
 *
 * @param silentLoops the number of event loops that did not answer in time
 * @param storeReachable whether the store answered in time
 * @param storeFailure a failure that only a restart of the process cures, as plain text; null if no
 * such failure occurred
 */
public record Health(
        int silentLoops, boolean storeReachable, @Nullable String storeFailure, boolean draining) {
    public boolean live() {
        return silentLoops == 0 && storeFailure == null;
    }

    public boolean ready() {
        return live() && storeReachable && !draining;
    }

    List<String> reasons() {
        List<String> reasons = new ArrayList<>();
        if (silentLoops > 0) {
            reasons.add(silentLoops == 1 ? "1 event loop does not answer" : silentLoops + " event loops do not answer");
        }
        if (!storeReachable) {
            reasons.add("the store does not answer");
        }
        if (storeFailure != null) {
            reasons.add(storeFailure);
        }
        if (draining) {
            reasons.add("draining");
        }
        return reasons;
    }

    String json() {
        ObjectNode json = JsonNodeFactory.instance
                .objectNode()
                .put("status", ready() ? "up" : "down")
                .put("live", live())
                .put("ready", ready())
                .put("storeReachable", storeReachable)
                .put("draining", draining);
        reasons().forEach(json.putArray("reasons")::add);
        return json + "\n";
    }
}
