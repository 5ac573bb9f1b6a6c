package org.keyline.gateway.session.state;

import org.keyline.gateway.read.Answer;

/** Where the last answer came from: what KEYLINE LAST tells. Confined to one event loop. */
public final class LastAnswer {
    private String source = "none";
    private String reason = "";
    private String because = "";
    private boolean fromLine;
    private String filter = "";
    private long loadBeganNanos;
    private int patchedLines;

    /** Lines answered. */
    public void answered(Answer answer) {
        filter = answer.filterLine();
        source = answer.hit() ? "line" : answer.fromPeer() ? "tier" : "load";
        reason = "";
        because = "";
        fromLine = true;
        patchedLines = 0;
        loadBeganNanos = answer.loadBeganNanos();
    }

    /**
     * The store answered.
     *
     * @param why {@code name} for people
     */
    public void forwarded(String name, String why) {
        source = "store";
        reason = name;
        because = why;
        fromLine = false;
        patchedLines = 0;
    }

    /** The store took a write, which changed so many lines instead of dropping them. */
    public void patched(int lines) {
        patchedLines = lines;
    }

    /** Lines that the statement changed. */
    public int patchedLines() {
        return patchedLines;
    }

    /** {@code line}, {@code tier}, {@code load}, {@code store} or {@code none}. */
    public String source() {
        return source;
    }

    /** Returns why the store was asked, as metrics call it; empty where it was not. */
    public String reason() {
        return reason;
    }

    /** The same for people. */
    public String because() {
        return because;
    }

    /** Returns whether lines answered, also ones that were loaded for it. */
    public boolean fromLine() {
        return fromLine;
    }

    /** Of which conditions the filter line was that answered; empty where none did. */
    public String filter() {
        return filter;
    }

    /** When the load of the oldest line in the answer began. */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }
}
