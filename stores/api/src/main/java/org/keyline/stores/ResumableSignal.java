package org.keyline.stores;

import org.jspecify.annotations.Nullable;

/** A change signal that can stop, and go on where another one of the same store has told. */
public interface ResumableSignal extends ChangeSignal {
    /** Tells and asks nothing more until it goes on; returns without waiting for a call under way. From any thread. */
    void pause();

    /**
     * Goes on after a pause; does not block. From any thread.
     *
     * @param from a {@link #position} of a signal of the same store, up to which the listener has been told; null to begin anew
     */
    void resume(@Nullable String from);

    /**
     * A position up to which all has been told, in the store's own words; null where none is known. What comes after it may have been told,
     * too. From any thread.
     */
    @Nullable
    String position();

    /**
     * Whether all has been told that was visible in the store at a moment, of all tables that may have rows in memory. From any thread.
     *
     * @param nanos by {@link System#nanoTime}
     */
    boolean hasTold(long nanos);
}
