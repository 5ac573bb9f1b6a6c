package org.keyline.gateway.session;

/** Where the last answer came from: what KEYLINE LAST tells. Confined to one event loop. */
final class LastAnswer {
    private String source = "none";
    private String reason = "";
    private String because = "";
    private boolean fromLine;
    private long loadBeganNanos;

    void answered(boolean hit, long lineLoadBeganNanos) {
        source = hit ? "line" : "load";
        reason = "";
        because = "";
        fromLine = true;
        loadBeganNanos = lineLoadBeganNanos;
    }

    /** @param why {@code name} for people */
    void forwarded(String name, String why) {
        source = "store";
        reason = name;
        because = why;
        fromLine = false;
    }

    /** {@code line}, {@code load}, {@code store} or {@code none}. */
    String source() {
        return source;
    }

    /** Why the store was asked, as metrics call it; empty where it was not. */
    String reason() {
        return reason;
    }

    /** The same for people. */
    String because() {
        return because;
    }

    boolean fromLine() {
        return fromLine;
    }

    /** When the load of the oldest line in the answer began. */
    long loadBeganNanos() {
        return loadBeganNanos;
    }
}
