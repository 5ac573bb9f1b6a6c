package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.RowConditions;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.filter.FilterLines.Found;
import org.keyline.gateway.filter.FilterSelect;
import org.keyline.gateway.table.MissReason;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.LoadListener;

/**
 * A read by conditions that bind no key prefix. Of the filter lines that have all its rows, the
 * smallest answers. If none exists, a load or the store's reply to the forwarded read can create
 * one. Confined to one event loop, except for the notification of its load.
 */
final class FilterRead implements LoadListener {
    private final PointReader reader;
    private final Read read;
    private final ReadShape shape;
    private final FilterLines filters;
    private final RowConditions conditions;
    private final Conjunction asked;
    /** The conjunction whose rows are loaded. The read's conjunction implies it. */
    private Conjunction wanted;
    /** Time at which the load began, by the cache's ticker. */
    private long loadBeganNanos;

    private boolean starting;
    /** Whether the read is forwarded, and the store's reply fills the line. */
    private boolean forwarded;

    private @Nullable Line loaded;
    private @Nullable MissReason refused;

    private FilterRead(PointReader reader, Read read, FilterLines filters, RowConditions conditions) {
        this.reader = reader;
        this.read = read;
        this.shape = read.shape;
        this.filters = filters;
        this.conditions = conditions;
        this.asked = conditions.conjunction();
        this.wanted = asked;
    }

    /** Answers the read, begins a load, or returns why the caller must forward the read. */
    static Answer read(PointReader reader, Read read, FilterLines filters) {
        RowConditions conditions = RowConditions.bind(read.plan, read.shape.table(), read.values);
        return conditions == null
                ? reader.forward(MissReason.VALUE)
                : new FilterRead(reader, read, filters, conditions).begin();
    }

    private Answer begin() {
        long now = read.cameNanos;
        int kind = read.scope.kind();
        LineTable lines = filters.lines();
        if (!lines.admits()) {
            return reader.forward(MissReason.of(lines.whyClosed()));
        }
        Found found = filters.find(asked, kind, read.maxAgeNanos, now);
        if (found != null) {
            MissReason reason = answer(found.line(), found.of(), true);
            if (reason != null) {
                return reader.forward(reason);
            }
            reader.time(read);
            return reader.answer();
        }
        wanted = filters.wider().toLoad(asked);
        KeyEncoder name = filters.name(wanted);
        if (name == null) {
            return reader.forward(MissReason.MANY_CONDITIONS);
        }
        LineProbe probe = new LineProbe(lines).aim(lines, kind, name).notOlderThan(read.maxAgeNanos);
        FilterSelect select = filters.select(wanted, name);
        ReplyLoad byReply = wanted.equals(asked) ? reader.replyLoad(read, select) : null;
        if (byReply == null
                && !(shape.loadsAnswer()
                        && filters.admission().admits(lines.keyHash(name.buffer(), 0, name.length()), now))) {
            return reader.forward(MissReason.NOT_ADMITTED);
        }
        reader.retain(read);
        filters.wider().missed(asked);
        loadBeganNanos = now;
        starting = true;
        lines.load(probe, byReply == null ? reader.loader(shape.table(), read.scope, select) : byReply, this);
        starting = false;
        if (byReply != null && byReply.begun()) {
            forwarded = true;
            return reader.answer().forward(byReply);
        }
        Line line = loaded;
        MissReason reason = line == null ? refused : loadedAnswer(line);
        if (reason != null) {
            return reader.forward(reason);
        }
        return line == null ? reader.answer().pending() : reader.answer();
    }

    /**
     * Writes the reply.
     *
     * @param of the conjunction whose rows the line has
     * @param hit whether the line was in memory before the read
     * @return the reason why nothing was written; null if the reply was written
     */
    private @Nullable MissReason answer(Line line, Conjunction of, boolean hit) {
        RowsOut out = reader.out();
        ByteBuf buffer = read.reply.out();
        int begin = buffer.writerIndex();
        out.begin(read, buffer);
        out.where(conditions.beside(of));
        out.rows(line);
        out.end();
        MissReason unfit = out.retract(begin, read.scope.basicPlane(), buffer);
        if (unfit != null) {
            return unfit;
        }
        String which = of.equals(asked) ? FilterLines.EXACT : FilterLines.CONTAINED;
        reader.answered(read, hit, line.loadBeganNanos(), which);
        if (hit) {
            filters.hit(asked, of, line.rows(), out.seen());
        } else {
            filters.admission().answered(out.seen());
            reader.answer().loadedReply(buffer.writerIndex() - begin);
        }
        read.reply.appended(out.nextSequenceId());
        read.reply.end();
        return null;
    }

    private @Nullable MissReason loadedAnswer(Line line) {
        MissReason reason = answer(line, wanted, false);
        if (reason == null) {
            shape.loaded(true);
        } else {
            unanswered();
        }
        return reason;
    }

    /** Records that the load could not answer its read. */
    private void unanswered() {
        if (!forwarded) {
            shape.loaded(false);
            filters.admission().loadsAgain();
        }
        refuseWider();
    }

    /** Records that a wider line cannot answer; the next miss loads by all conditions. */
    private void refuseWider() {
        if (!wanted.equals(asked)) {
            filters.wider().refused(wanted);
        }
    }

    // ---------------------------------------------------------------- called on any event loop

    @Override
    public void loaded(Line line) {
        onLoop(line, MissReason.LOAD_FAILED);
    }

    @Override
    public void failed(Throwable cause) {
        if (!wanted.equals(asked)) {
            filters.wider().failed(wanted, reader.now() - loadBeganNanos);
        }
        // The session forwards the read, so that the client gets the store's own error.
        onLoop(null, MissReason.LOAD_FAILED);
    }

    @Override
    public void declined(Decline reason) {
        if (reason == Decline.UNCACHEABLE) {
            unanswered();
        }
        onLoop(null, MissReason.of(reason));
    }

    private void onLoop(@Nullable Line line, MissReason otherwise) {
        Runnable step = () -> read.reply.run(() -> arrived(line, otherwise));
        if (reader.loop().inEventLoop()) {
            step.run();
        } else {
            reader.loop().execute(step);
        }
    }

    private void arrived(@Nullable Line line, MissReason otherwise) {
        if (line != null) {
            filters.loaded(wanted, read.scope.kind());
        }
        if (forwarded) {
            return;
        }
        if (starting) {
            loaded = line;
            refused = line == null ? otherwise : null;
            return;
        }
        MissReason reason = line == null ? otherwise : loadedAnswer(line);
        if (reason == null) {
            read.later.answered(reader.answer());
        } else {
            read.later.forward(reason);
        }
    }
}
