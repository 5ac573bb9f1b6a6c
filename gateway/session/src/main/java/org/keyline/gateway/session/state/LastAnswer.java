package org.keyline.gateway.session.state;

import org.keyline.gateway.read.Answer;

/** The origin of the session's last reply, for KEYLINE LAST. Confined to one event loop. */
public final class LastAnswer {
    private String source = "none";
    private String reason = "";
    private String because = "";
    private boolean fromLine;
    private int answers;
    private String filter = "";
    private long loadBeganNanos;

    public void answered(Answer answer) {
        filter = answer.filterLine();
        source = answer.hit() ? "line" : answer.fromPeer() ? "tier" : "load";
        reason = "";
        because = "";
        fromLine = true;
        answers++;
        loadBeganNanos = answer.loadBeganNanos();
    }

    /**
     * Records that the store has replied.
     *
     * @param name the reason as in metrics
     * @param why the reason as a sentence
     */
    public void forwarded(String name, String why) {
        source = "store";
        reason = name;
        because = why;
        fromLine = false;
    }

    /** Returns {@code line}, {@code tier}, {@code load}, {@code store} or {@code none}. */
    public String source() {
        return source;
    }

    /** Returns the reason for a reply from the store, as in metrics; empty for other replies. */
    public String reason() {
        return reason;
    }

    /** Returns the reason for a reply from the store as a sentence; empty for other replies. */
    public String because() {
        return because;
    }

    /** Returns whether lines answered, including lines that were loaded for the reply. */
    public boolean fromLine() {
        return fromLine;
    }

    /** Returns the number of reads that lines have answered. */
    public int answers() {
        return answers;
    }

    /** Returns the filter line that answered; empty if no filter line did. */
    public String filter() {
        return filter;
    }

    /** Returns when the load of the oldest line in the reply began, by the ticker. */
    public long loadBeganNanos() {
        return loadBeganNanos;
    }
}
