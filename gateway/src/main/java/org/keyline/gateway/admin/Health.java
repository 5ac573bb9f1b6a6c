package org.keyline.gateway.admin;

/** What {@code /health} tells. Immutable. */
public record Health(boolean storeReachable, boolean draining) {
    public boolean up() {
        return storeReachable && !draining;
    }

    String json() {
        return "{\"status\":\"" + (up() ? "up" : "down") + "\",\"storeReachable\":" + storeReachable + ",\"draining\":"
                + draining + "}\n";
    }
}
