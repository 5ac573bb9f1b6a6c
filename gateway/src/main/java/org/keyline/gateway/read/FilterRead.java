package org.keyline.gateway.read;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.condition.Conjunction;
import org.keyline.gateway.condition.RowConditions;
import org.keyline.gateway.filter.FilterLines;
import org.keyline.gateway.filter.FilterLines.Found;
import org.keyline.gateway.filter.FilterSelect;
import org.keyline.gateway.key.SlotValues;
import org.keyline.gateway.read.PointReader.Continuation;
import org.keyline.gateway.read.PointReader.Outcome;
import org.keyline.gateway.table.MissReason;
import org.keyline.protocol.server.Reply;
import org.keyline.rowcache.Decline;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.rowcache.Line;
import org.keyline.rowcache.LineProbe;
import org.keyline.rowcache.LineTable;
import org.keyline.rowcache.LoadListener;

/**
 * A read by conditions alone, outside of transactions. The smallest filter line with all of its
 * rows answers it, or one that is loaded for it; or it is forwarded, and the store's reply may be
 * the load. Confined to one event loop, except for the notification of its load.
 */
final class FilterRead implements LoadListener {
    private final PointReader reader;
    private final ReadShape shape;
    private final FilterLines filters;
    private final Template template;
    private final ReadScope scope;
    private final RowConditions conditions;
    private final Conjunction asked;
    /** The conjunction to load; asked implies it. */
    private Conjunction wanted;
    /** Start of the load, by the cache's ticker. */
    private long loadBeganNanos;

    private final long offset;
    private final long limit;
    private final Reply reply;
    private final Continuation later;

    private boolean starting;
    /** Whether the store's reply to the read itself is the load. */
    private boolean forwarded;

    private @Nullable Line loaded;
    private @Nullable MissReason refused;

    private FilterRead(
            PointReader reader,
            ReadShape shape,
            FilterLines filters,
            Template template,
            ReadScope scope,
            RowConditions conditions,
            long offset,
            long limit,
            Reply reply,
            Continuation later) {
        this.reader = reader;
        this.shape = shape;
        this.filters = filters;
        this.template = template;
        this.scope = scope;
        this.conditions = conditions;
        this.asked = conditions.conjunction();
        this.wanted = asked;
        this.offset = offset;
        this.limit = limit;
        this.reply = reply;
        this.later = later;
    }

    /** Answers the read, or begins a load, or leaves it to the store. */
    static Outcome read(
            PointReader reader,
            ReadShape shape,
            FilterLines filters,
            Template template,
            ReadScope scope,
            SlotValues values,
            long maxAgeNanos,
            long offset,
            long limit,
            long now,
            Reply reply,
            Continuation later) {
        RowConditions conditions = RowConditions.bind(shape.plan(), shape.table(), values);
        return conditions == null
                ? reader.forward(MissReason.VALUE)
                : new FilterRead(reader, shape, filters, template, scope, conditions, offset, limit, reply, later)
                        .begin(maxAgeNanos, now);
    }

    private Outcome begin(long maxAgeNanos, long now) {
        LineTable lines = filters.lines();
        if (!lines.admits()) {
            return reader.forward(MissReason.of(lines.whyClosed()));
        }
        Found found = filters.find(asked, scope.kind(), maxAgeNanos, now);
        if (found != null) {
            MissReason reason = answer(found.line(), found.of(), true);
            if (reason != null) {
                return reader.forward(reason);
            }
            reader.time(shape, now);
            return Outcome.ANSWERED;
        }
        wanted = filters.wider().toLoad(asked);
        KeyEncoder name = filters.name(wanted);
        if (name == null) {
            return reader.forward(MissReason.MANY_CONDITIONS);
        }
        LineProbe probe = new LineProbe(lines).aim(lines, scope.kind(), name).notOlderThan(maxAgeNanos);
        FilterSelect select = filters.select(wanted, name);
        ReplyLoad byReply = wanted.equals(asked) ? reader.replyLoad(shape, template, scope, limit, select) : null;
        if (byReply == null
                && !(shape.loadsAnswer()
                        && filters.admission().admits(lines.keyHash(name.buffer(), 0, name.length()), now))) {
            return reader.forward(MissReason.NOT_WORTH);
        }
        filters.wider().missed(asked);
        loadBeganNanos = now;
        starting = true;
        lines.load(probe, byReply == null ? reader.loader(shape.table(), scope, select) : byReply, this);
        starting = false;
        if (byReply != null && byReply.begun()) {
            forwarded = true;
            return reader.forward(byReply);
        }
        Line line = loaded;
        MissReason reason = line == null ? refused : loadedAnswer(line);
        if (reason != null) {
            return reader.forward(reason);
        }
        return line == null ? Outcome.PENDING : Outcome.ANSWERED;
    }

    /**
     * Writes the reply; returns null, or the reason if nothing was written.
     *
     * @param of the conjunction of the line
     * @param hit whether the line was present
     */
    private @Nullable MissReason answer(Line line, Conjunction of, boolean hit) {
        RowsOut out = reader.out();
        ByteBuf buffer = reply.out();
        int begin = buffer.writerIndex();
        out.begin(shape, template, scope, offset, limit, null, buffer);
        out.where(conditions.beside(of));
        out.rows(line);
        out.end();
        MissReason unfit = out.takeBack(begin, scope.basicPlane(), buffer);
        if (unfit != null) {
            return unfit;
        }
        String which = of.equals(asked) ? FilterLines.EXACT : FilterLines.CONTAINED;
        reader.answered(shape, template, out.seen() > 0, hit, line.loadBeganNanos(), which);
        if (hit) {
            filters.hit(asked, of, line.rows(), out.seen());
        } else {
            filters.admission().answered(out.seen());
            reader.loadedReply(buffer.writerIndex() - begin);
        }
        reply.appended(out.nextSequenceId());
        reply.end();
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

    /** Records that the load did not answer the read, which is forwarded. */
    private void unanswered() {
        if (!forwarded) {
            shape.loaded(false);
            filters.admission().loadsAgain();
        }
        refuseWider();
    }

    /**
     * Records that the line of weaker conditions does not answer the stronger ones, which are
     * loaded themselves next time.
     */
    private void refuseWider() {
        if (!wanted.equals(asked)) {
            filters.wider().refused(wanted);
        }
    }

    // ---------------------------------------------------------------- the load, on whichever loop
    // it ran

    @Override
    public void loaded(Line line) {
        onLoop(line, MissReason.LOAD_FAILED);
    }

    @Override
    public void failed(Throwable cause) {
        if (!wanted.equals(asked)) {
            filters.wider().failed(wanted, reader.now() - loadBeganNanos);
        }
        // The store itself reports the error to the client: the read is forwarded.
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
        Runnable step = () -> reply.run(() -> arrived(line, otherwise));
        if (reader.loop().inEventLoop()) {
            step.run();
        } else {
            reader.loop().execute(step);
        }
    }

    private void arrived(@Nullable Line line, MissReason otherwise) {
        if (line != null) {
            filters.loaded(wanted, scope.kind());
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
            later.answered();
        } else {
            later.forward(reason);
        }
    }
}
