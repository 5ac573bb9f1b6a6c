package org.keyline.gateway.admin;

import java.util.ArrayList;
import java.util.List;

/**
 * What {@code /live}, {@code /ready} and {@code /health} tell. Immutable.
 *
 * @param silentLoops event loops that did not answer in time
 * @param storeReachable whether the store answered in time
 */
public record Health(int silentLoops, boolean storeReachable, boolean draining) {
    /** Whether the process does its work; where it does not, only a new one helps. */
    public boolean live() {
        return silentLoops == 0;
    }

    /** Whether clients should come. */
    public boolean ready() {
        return live() && storeReachable && !draining;
    }

    /** What is wrong. */
    List<String> reasons() {
        List<String> reasons = new ArrayList<>();
        if (silentLoops > 0) {
            reasons.add(silentLoops + " event loops do not answer");
        }
        if (!storeReachable) {
            reasons.add("the store does not answer");
        }
        if (draining) {
            reasons.add("draining");
        }
        return reasons;
    }

    String json() {
        StringBuilder json = new StringBuilder("{\"status\":\"")
                .append(ready() ? "up" : "down")
                .append("\",\"live\":")
                .append(live())
                .append(",\"ready\":")
                .append(ready())
                .append(",\"storeReachable\":")
                .append(storeReachable)
                .append(",\"draining\":")
                .append(draining)
                .append(",\"reasons\":[");
        String comma = "";
        for (String reason : reasons()) {
            json.append(comma).append('"').append(reason).append('"');
            comma = ",";
        }
        return json.append("]}\n").toString();
    }
}
