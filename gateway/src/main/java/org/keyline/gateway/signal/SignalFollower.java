package org.keyline.gateway.signal;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;
import org.keyline.stores.ChangeListener;
import org.keyline.stores.ResumableSignal;
import org.keyline.stores.RowImage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what another gateway's signal tells, in place of this gateway's own: from when on, and where that goes on afterwards. The rules are
 * those of {@code docs/tier.md}. Confined to one thread, but for {@link #follows} and {@link #events}.
 */
final class SignalFollower {
    private static final Logger LOG = LoggerFactory.getLogger(SignalFollower.class);

    private final ResumableSignal own;
    private final ChangeListener listener;
    private final Function<TableName, @Nullable TableSchema> schemas;
    private final SchemaHashes hashes = new SchemaHashes();
    private final LongAdder events = new LongAdder();
    private volatile boolean follows;

    /** Whether the other gateway keeps what it tells for this one. */
    private boolean kept;
    /** Since when it does, at the latest. */
    private long keptNanos;
    /** How far it has told. */
    private @Nullable String told;

    /**
     * @param own paused while another gateway reads
     * @param schemas the definitions of tables that may have rows in memory; null for others
     */
    SignalFollower(ResumableSignal own, ChangeListener listener, Function<TableName, @Nullable TableSchema> schemas) {
        this.own = own;
        this.listener = listener;
        this.schemas = schemas;
    }

    /** Whether this gateway has stopped to read by itself. */
    boolean follows() {
        return follows;
    }

    /** Changes that another gateway told. */
    long events() {
        return events.sum();
    }

    /**
     * Takes a reply.
     *
     * @param nowNanos when it came
     * @param askedNanos when a question of this connection was asked; empty if that is not known any more
     */
    void take(List<SignalMessage> messages, long nowNanos, LongFunction<OptionalLong> askedNanos) {
        if (!kept) {
            kept = true;
            keptNanos = nowNanos;
        }
        for (SignalMessage message : messages) {
            if (message instanceof SignalMessage.Told position) {
                told = position.position();
            } else if (message instanceof SignalMessage.Complete complete) {
                if (follows) {
                    complete(complete.table(), askedNanos.apply(complete.question()));
                }
                // Else there may be changes that neither has told.
            } else {
                events.increment();
                change(message);
            }
        }
    }

    private void complete(@Nullable TableName table, OptionalLong asOf) {
        if (asOf.isEmpty()) {
            return;
        }
        if (table == null) {
            listener.complete(asOf.getAsLong());
        } else {
            listener.complete(table, asOf.getAsLong());
        }
    }

    private void change(SignalMessage message) {
        if (message instanceof SignalMessage.Row row) {
            TableSchema schema = schemas.apply(row.table());
            if (schema != null && hashes.of(schema) == row.definition()) {
                List<RowImage> images = new ArrayList<>();
                row.images().forEach(cells -> images.add(cells::get));
                listener.row(schema, row.key(), images);
            } else {
                listener.table(row.table());
            }
        } else if (message instanceof SignalMessage.Table table) {
            listener.table(table.table());
        } else if (message instanceof SignalMessage.Definitions definitions) {
            listener.definitions(definitions.tables());
        } else if (message instanceof SignalMessage.Everything) {
            listener.everything();
        } else if (message instanceof SignalMessage.AllDefinitions) {
            listener.allDefinitions();
        } else {
            listener.privileges();
        }
    }

    /** Stops to read if all is told that was there when the other gateway began to keep what it tells; whether it just did. */
    boolean join() {
        if (follows || !kept || !own.hasTold(keptNanos)) {
            return false;
        }
        follows = true;
        own.pause();
        return true;
    }

    /** Nothing more comes of the other gateway: goes on where it had told; whether it had followed it. */
    boolean leave() {
        boolean did = follows;
        if (did) {
            follows = false;
            try {
                own.resume(told);
            } catch (IllegalArgumentException e) {
                LOG.error("Another gateway told a position that is none, so all lines are dropped: {}", e.getMessage());
                own.resume(null);
            }
        }
        kept = false;
        told = null;
        return did;
    }
}
