package org.keyline.gateway.load;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.keyline.gateway.table.CachedTable;
import org.keyline.gateway.table.LoadSelect;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.codec.RowReader;
import org.keyline.rowcache.KeyEncoder;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.StoreException;
import org.keyline.stores.StoreSession;

/**
 * A store session that runs one load job at a time. It reads text rows by COM_QUERY, and binary
 * rows by prepared statements. It retains prepared statements, except on stores where they may
 * continue to read a renamed table. Confined to its event loop.
 */
final class LoadSession {
    private static final int MAX_STATEMENTS = 256;
    /**
     * The store's errors for a prepared statement that it has lost, or whose table changed. The
     * session prepares the statement again.
     */
    private static final int UNKNOWN_STATEMENT = 1243;

    private static final int NEEDS_REPREPARE = 1615;

    private final LoadPool pool;
    private final KeyEncoder key = new KeyEncoder();
    private @Nullable StoreSession session;
    private @Nullable LoadJob running;

    /** Ids of prepared statements by their text, oldest first. */
    private final Map<String, Integer> statements = new LinkedHashMap<>();

    private final LastColumns lastColumns = new LastColumns();

    LoadSession(LoadPool pool) {
        this.pool = pool;
    }

    void opened(StoreSession opened) {
        session = opened;
    }

    void run(LoadJob job) {
        running = job;
        job.session = this;
        if (job.binary) {
            execute(job, true);
        } else {
            query(job);
        }
    }

    private void query(LoadJob job) {
        ByteBuf payload = ByteBufAllocator.DEFAULT.buffer();
        payload.writeByte(CommandCode.COM_QUERY);
        job.write(pool.reliableReadHint(), LoadSelect.LITERALS, payload);
        send(payload, new Rows(job, true));
    }

    private void execute(LoadJob job, boolean retry) {
        ByteBuf sql = ByteBufAllocator.DEFAULT.buffer();
        LoadParameters parameters = new LoadParameters();
        try {
            job.write(pool.reliableReadHint(), parameters, sql);
            String text = sql.toString(StandardCharsets.UTF_8);
            Integer id = statements.get(text);
            if (id == null) {
                prepare(job, text, sql, retry);
            } else {
                send(parameters.execute(id), new Rows(job, retry));
            }
        } finally {
            sql.release();
            parameters.release();
        }
    }

    private void prepare(LoadJob job, String text, ByteBuf sql, boolean retry) {
        if (statements.size() >= MAX_STATEMENTS) {
            closeOldest(new Closing(job, retry));
            return;
        }
        ByteBuf payload = ByteBufAllocator.DEFAULT.buffer(1 + sql.readableBytes());
        payload.writeByte(CommandCode.COM_STMT_PREPARE).writeBytes(sql, sql.readerIndex(), sql.readableBytes());
        send(payload, new Prepared(job, text, retry));
    }

    private void closeOldest(ReplyListener listener) {
        int oldest =
                requireNonNull(statements.remove(statements.keySet().iterator().next()));
        ByteBuf close = ByteBufAllocator.DEFAULT
                .buffer(5)
                .writeByte(CommandCode.COM_STMT_CLOSE)
                .writeIntLE(oldest);
        send(close, listener);
    }

    /** Sends a command and releases the payload. */
    private void send(ByteBuf payload, ReplyListener listener) {
        try {
            StoreSession open = session;
            if (open == null) {
                listener.lost(new IllegalStateException("the session is closed"));
            } else {
                open.send(payload, listener);
            }
        } finally {
            payload.release();
        }
    }

    /** Repeats the job with the hint, because the fast path may have omitted rows. */
    private void useHint(LoadJob job) {
        if (job.loads.size() > 1) {
            finished(job);
            pool.singly(job);
        } else {
            job.useHint();
            run(job);
        }
    }

    private void finished(LoadJob job) {
        if (running == job) {
            running = null;
            if (pool.closed()) {
                abandon();
            } else if (session != null) {
                pool.ready(this);
            }
        }
    }

    /** Called when the session was lost before the job received a row. */
    private void lostWith(LoadJob job, Throwable cause) {
        running = null;
        lost();
        pool.again(job, cause);
    }

    void lost() {
        if (session != null) {
            session = null;
            LoadJob job = running;
            running = null;
            pool.sessionClosed(this);
            if (job != null) {
                pool.again(job, new IllegalStateException("the store closed the session during a load"));
            }
        }
    }

    /** Closes the session even while a job is running. */
    void abandon() {
        StoreSession open = session;
        if (open != null) {
            session = null;
            running = null;
            open.close();
            pool.sessionClosed(this);
        }
    }

    void abandonQuietly() {
        StoreSession open = session;
        if (open != null) {
            session = null;
            open.close();
        }
    }

    private final class Rows extends LoadReply {
        private final LoadJob job;
        private final boolean retry;
        private @Nullable RowReader reader;
        private boolean wanted = true;
        private @Nullable Throwable failure;
        private boolean again;
        private boolean begun;

        Rows(LoadJob job, boolean retry) {
            super(lastColumns);
            this.job = job;
            this.retry = retry;
        }

        @Override
        void columns(List<ColumnDefinition> columns) {
            begun = true;
            int kind = job.binary ? CachedTable.BINARY : CachedTable.TEXT;
            if (!job.table.columns(kind, columns)) {
                failure = new IllegalStateException(
                        "the definition of " + job.table.schema().name().table() + " has changed");
                pool.definitionsChanged(job.table.schema().name());
                return;
            }
            job.table.seenAsDefined(pool.now());
            reader = job.table.reader(kind);
        }

        @Override
        void row(byte[] row, int length) {
            RowReader cells = reader;
            if (!wanted || failure != null || cells == null) {
                return;
            }
            try {
                cells.read(row, 0, length);
                wanted = job.row(job.keyOf(cells, key), row, length);
            } catch (RuntimeException unreadable) {
                failure = unreadable;
            }
        }

        @Override
        void unfit() {
            job.unfit();
        }

        @Override
        void done() {
            // The load completes in end(), when the session is idle again, so that listeners can
            // start the next load.
        }

        @Override
        void failed(Throwable cause) {
            if (retry && job.binary && cause instanceof StoreException refused && isStale(refused.error())) {
                again = true;
            } else {
                failure = cause;
            }
        }

        @Override
        public void end() {
            super.end();
            if (pool.preparesAfresh() && !statements.isEmpty()) {
                closeOldest(NO_REPLY);
            }
            if (again && !job.ended()) {
                statements.clear();
                execute(job, false);
                return;
            }
            if (failure == null && !job.ended() && !job.unasked() && pool.needsHint(job)) {
                useHint(job);
                return;
            }
            finished(job);
            if (job.ended()) {
                return;
            }
            if (job.unasked()) {
                pool.singly(job);
            } else if (failure == null) {
                pool.succeeded();
                job.took(pool.now() - job.loads.get(0).beganNanos());
                job.succeed();
            } else {
                job.fail(failure);
            }
        }

        @Override
        public void lost(Throwable cause) {
            super.lost(cause);
            running = null;
            LoadSession.this.lost();
            if (begun) {
                pool.failed();
                job.fail(cause);
            } else {
                pool.again(job, cause);
            }
        }

        private boolean isStale(ErrPacket error) {
            return error.code() == UNKNOWN_STATEMENT || error.code() == NEEDS_REPREPARE;
        }
    }

    /** Reads the statement id in the reply to COM_STMT_PREPARE, and ignores the definitions. */
    private final class Prepared implements ReplyListener {
        private final LoadJob job;
        private final String text;
        private final boolean retry;
        private boolean first = true;
        private @Nullable Throwable failure;

        Prepared(LoadJob job, String text, boolean retry) {
            this.job = job;
            this.text = text;
            this.retry = retry;
        }

        @Override
        public void packets(ByteBuf framed) {
            try {
                if (first) {
                    first = false;
                    int length = framed.readUnsignedMediumLE();
                    framed.skipBytes(1);
                    if (framed.getByte(framed.readerIndex()) == 0) {
                        statements.put(text, framed.getIntLE(framed.readerIndex() + 1));
                    } else {
                        failure = new StoreException(ErrPacket.decode(framed.readSlice(length)));
                    }
                }
            } finally {
                framed.release();
            }
        }

        @Override
        public void end() {
            if (job.ended()) {
                finished(job);
            } else if (failure == null && statements.containsKey(text)) {
                execute(job, retry);
            } else {
                finished(job);
                job.fail(failure != null ? failure : new IllegalStateException("no reply to COM_STMT_PREPARE"));
            }
        }

        @Override
        public void lost(Throwable cause) {
            lostWith(job, cause);
        }
    }

    /** Continues a job after its session has closed the oldest statement to make room. */
    private final class Closing implements ReplyListener {
        private final LoadJob job;
        private final boolean retry;

        Closing(LoadJob job, boolean retry) {
            this.job = job;
            this.retry = retry;
        }

        @Override
        public void packets(ByteBuf framed) {
            framed.release();
        }

        @Override
        public void end() {
            if (job.ended()) {
                finished(job);
            } else {
                execute(job, retry);
            }
        }

        @Override
        public void lost(Throwable cause) {
            lostWith(job, cause);
        }
    }

    private static final ReplyListener NO_REPLY = new ReplyListener() {
        @Override
        public void packets(ByteBuf framed) {
            framed.release();
        }

        @Override
        public void end() {}

        @Override
        public void lost(Throwable cause) {}
    };
}
