package org.keyline.rowcache;

import org.jspecify.annotations.Nullable;

/** A line that may be charged to a {@link LineShare} while it is in the cache. Its links are guarded by the share. */
sealed class SharedLine extends Line permits FilterLine {
    /** What it takes more than another line. */
    static final int LINK_BYTES = 16;

    private final @Nullable LineShare share;

    @Nullable
    SharedLine older;

    @Nullable
    SharedLine newer;

    /** @param share null: it is charged to nothing */
    SharedLine(@Nullable LineShare share, byte[] bytes, int hash, Epoch epoch, long loadBeganNanos) {
        super(bytes, hash, epoch, loadBeganNanos);
        this.share = share;
    }

    @Nullable
    LineShare share() {
        return share;
    }

    @Override
    final int weight() {
        return super.weight() + LINK_BYTES;
    }

    @Override
    Line changed(byte[] content, Epoch then, long beganNanos) {
        return new SharedLine(share, content, hash(), then, beganNanos);
    }

    @Override
    void kept() {
        if (share != null) {
            share.add(this);
        }
    }

    @Override
    void left() {
        if (share != null) {
            share.remove(this);
        }
    }
}
