package org.keyline.gateway.session.command;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.keyline.gateway.session.relay.Errand;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.planner.Catalog;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.stores.ResetScope;
import org.keyline.stores.Store;

/**
 * The store session's side of a client's prepared statements: what is prepared there when, and each command with the store's id.
 * Confined to one event loop.
 */
public final class StoreStatements {
    /*
     * The store hears of a statement that the gateway prepared itself when it is first executed there. It must then be read
     * as it was meant when the client prepared it: a current schema or an sql_mode that has changed since is switched back
     * for the moment of the PREPARE; where that can't be done, the client is asked to prepare anew (error 1615).
     *
     * The store's own handle dies with any change of the catalog, and is prepared again when it is executed next: what
     * the embedded store compiled, and what Doris planned, may belong to the old definition.
     */

    /** The rows of a read that is a UNION; its text has 19 bytes for each. */
    static final int MAX_UNION = 1_024;

    /** Executions that are longer are not kept: keys are short. */
    private static final int MAX_RUN_BYTES = 1_024;

    /** Ahead of a COM_QUERY's text, where attributes may be: none, in one set. */
    private static final String NO_ATTRIBUTES = "\0\1";

    private final Catalog catalog;
    private final boolean preparesAnew;
    /** Whether names in a statement go on meaning what they meant when the store first executed it. */
    private final boolean plansAtExecution;
    /** Whether COM_RESET_CONNECTION takes a session's schema from it and nothing else. */
    private final boolean resetsSchema;

    private final SessionSettings settings;
    private final boolean named;

    /** @param capabilities of the connection */
    public StoreStatements(Store store, SessionSettings settings, int capabilities) {
        this.catalog = store.catalog();
        this.preparesAnew = store.preparesAnew();
        this.plansAtExecution = store.plansAtExecution();
        this.resetsSchema = store.resetScope() == ResetScope.SCHEMA;
        this.settings = settings;
        this.named = ExecuteLayout.isNamed(capabilities);
    }

    /** What must run on the store session before a statement can be executed there. */
    List<Errand> prepare(PreparedStatement statement) {
        boolean there = statement.storeId != PreparedStatement.NOT_THERE;
        boolean current = statement.storeVersion == catalog.version()
                || (preparesAnew && statement.storeVersion != PreparedStatement.OUTDATED);
        if (there && (statement.longData || current || !settings.catalog().isSame(statement.catalog))) {
            // In another catalog it would be prepared for another table.
            return List.of();
        }
        List<Errand> errands = new ArrayList<>();
        if (there) {
            errands.add(close(statement));
        }
        List<Errand> back = new ArrayList<>();
        if (statement.isTooLong() || !asItWas(statement, errands, back)) {
            errands.add(new Errand(StoreStatements::ping, done -> ErrPacket.of(ErrorCode.ER_NEED_REPREPARE)));
            return errands;
        }
        long version = catalog.version();
        ErrPacket[] refused = new ErrPacket[1];
        errands.add(new Errand(() -> text(CommandCode.COM_STMT_PREPARE, statement.sql), done -> {
            statement.storeId = done.summary().statementId();
            statement.storeVersion = version;
            statement.ranThere = false;
            refused[0] = done.summary().error();
            return back.isEmpty() ? refused[0] : null;
        }));
        for (int i = 0; i < back.size(); i++) {
            Errand errand = back.get(i);
            boolean last = i == back.size() - 1;
            errands.add(new Errand(errand.payload(), done -> {
                ErrPacket failed = errand.done().apply(done);
                return last && refused[0] != null ? refused[0] : failed;
            }));
        }
        return errands;
    }

    /**
     * What makes the store prepare statements that it has not seen yet, and execute those that lines alone have answered, before the session
     * may go to another catalog: straight, their names would mean there what they meant before.
     */
    List<Errand> prepareAll(PreparedStatements statements) {
        return statements.notThere().stream()
                .flatMap(statement -> Stream.concat(prepare(statement).stream(), run(statement).stream()))
                .map(errand -> new Errand(errand.payload(), done -> {
                    // An error is told to the client that executes the statement.
                    var unused = errand.done().apply(done);
                    return null;
                }))
                .toList();
    }

    private Optional<Errand> run(PreparedStatement statement) {
        byte[] command = statement.ranHere;
        if (command == null || !settings.catalog().isSame(statement.catalog)) {
            return Optional.empty();
        }
        Supplier<ByteBuf> execute = () -> Unpooled.wrappedBuffer(command).copy().setIntLE(1, statement.storeId);
        return Optional.of(new Errand(execute, done -> {
            statement.executed(done);
            return null;
        }));
    }

    /** Remembers that a line answered an execution, where the store is to run it once before it may mean something else. */
    void answered(PreparedStatement statement, byte[] command, int length) {
        if (plansAtExecution && !statement.ranThere && statement.ranHere == null && length <= MAX_RUN_BYTES) {
            statement.ranHere = complete(statement, command, length);
        }
    }

    /**
     * Puts the store session into the schema and the sql_mode that a statement was prepared in, and back.
     *
     * @return false if that can't be done; the client has to prepare anew
     */
    private boolean asItWas(PreparedStatement statement, List<Errand> before, List<Errand> after) {
        String schema = settings.schema();
        if (!settings.schemaKnown()
                || statement.plannedVersion == PreparedStatement.UNREAD
                || !settings.catalog().isSame(statement.catalog)) {
            return false;
        }
        if (statement.schema != null && !statement.schema.equals(schema)) {
            if (schema == null && !resetsSchema) {
                return false;
            }
            before.add(useSchema(statement.schema));
            after.add(schema == null ? useNoSchema() : useSchema(schema));
        }
        String mode = settings.sqlModeText();
        if (!Objects.equals(statement.modeText, mode) || mode == null) {
            if (mode == null || statement.modeText == null) {
                return statement.mode.equals(settings.sqlMode());
            }
            before.add(setMode(statement.modeText));
            after.add(setMode(mode));
        }
        return true;
    }

    private Errand setMode(String mode) {
        return new Errand(query("SET sql_mode = '" + mode.replace("'", "") + "'"), done -> {
            settings.setBeside();
            return done.summary().error();
        });
    }

    private static Errand useNoSchema() {
        return new Errand(
                () -> Unpooled.buffer(1).writeByte(CommandCode.COM_RESET_CONNECTION),
                done -> done.summary().error());
    }

    private static Errand useSchema(String schema) {
        byte[] name = schema.getBytes(StandardCharsets.UTF_8);
        return new Errand(
                () -> text(CommandCode.COM_INIT_DB, name),
                done -> done.summary().error());
    }

    /**
     * The client's EXECUTE as the store needs it: with the store's id, and with types where the client left them out.
     *
     * @param command in {@code command[0..length)}; unchanged until the reply is complete
     */
    Supplier<ByteBuf> execute(PreparedStatement statement, byte[] command, int length, ByteBufAllocator alloc) {
        int count = statement.parameters.count();
        int flagAt = count == 0 ? 0 : ExecuteLayout.boundAt(Unpooled.wrappedBuffer(command, 0, length), count, named);
        boolean typed = count == 0 || command[flagAt] == 1;
        return () -> {
            byte[] types = statement.types;
            // None were ever sent: every parameter is NULL, or the store tells.
            boolean complete = typed || types.length == 0;
            ByteBuf payload = alloc.buffer(length + (complete ? 0 : 2 * types.length));
            if (complete) {
                payload.writeBytes(command, 0, length);
            } else {
                payload.writeBytes(command, 0, flagAt);
                ExecuteLayout.write(payload, types, named);
                payload.writeBytes(command, flagAt + 1, length - flagAt - 1);
            }
            return payload.setIntLE(payload.readerIndex() + 1, statement.storeId);
        };
    }

    /** Ends a statement at the store, by the id that it has there when its turn comes. */
    Errand close(PreparedStatement statement) {
        return new Errand(
                () -> {
                    int storeId = statement.storeId;
                    statement.storeId = PreparedStatement.NOT_THERE;
                    return close(storeId);
                },
                done -> null);
    }

    /** Asks the store whether it would run a statement, without running anything: by a PREPARE, which several statements in one cannot pass. */
    List<Errand> consent(byte[] sql) {
        int[] id = new int[1];
        return List.of(
                new Errand(() -> text(CommandCode.COM_STMT_PREPARE, sql), done -> {
                    id[0] = done.summary().statementId();
                    return done.summary().error();
                }),
                new Errand(() -> close(id[0]), done -> null));
    }

    /** A COM_STMT_CLOSE. */
    static ByteBuf close(int storeId) {
        return Unpooled.buffer(5).writeByte(CommandCode.COM_STMT_CLOSE).writeIntLE(storeId);
    }

    /** The client's EXECUTE with types where it left them out, so that it means the same whenever it is executed. */
    byte[] complete(PreparedStatement statement, byte[] command, int length) {
        ByteBuf whole = execute(statement, command, length, UnpooledByteBufAllocator.DEFAULT)
                .get();
        byte[] bytes = new byte[whole.readableBytes()];
        whole.readBytes(bytes).release();
        return bytes;
    }

    /** A COM_QUERY of the gateway's own. */
    Supplier<ByteBuf> query(String sql) {
        byte[] text = ((named ? NO_ATTRIBUTES : "") + sql).getBytes(StandardCharsets.UTF_8);
        return () -> text(CommandCode.COM_QUERY, text);
    }

    /**
     * A read with so many rows, for FOUND_ROWS() to tell of.
     *
     * @param clears whether it is to clear what SHOW WARNINGS tells, as a read of a table does; one of more than {@value #MAX_UNION}
     *     rows always does
     */
    Errand rows(long count, boolean clears) {
        StringBuilder select = new StringBuilder("SELECT 1");
        if (clears || count > MAX_UNION) {
            select.append(" FROM (SELECT 1) AS t0");
            for (long rows = 1; rows < count; rows *= 2) {
                select.append(", (SELECT 1 UNION ALL SELECT 1) AS t").append(rows);
            }
        } else {
            // To MariaDB a derived table is a table, and a statement that has one forgets the error of the last.
            for (long rows = 1; rows < count; rows++) {
                select.append(" UNION ALL SELECT 1");
            }
        }
        return new Errand(query(select + " LIMIT " + count), done -> null);
    }

    /**
     * Returns statements that give a session the counts of another one.
     *
     * @param found by FOUND_ROWS()
     * @param read whether ROW_COUNT() is -1, as behind a read; else it is 0
     */
    public List<Errand> counts(long found, boolean read) {
        Errand set = new Errand(query("SET net_write_timeout = @@net_write_timeout"), done -> {
            settings.setBeside();
            return null;
        });
        return read ? List.of(rows(found, false)) : List.of(rows(found, false), set);
    }

    /** A statement that does nothing but what every statement without rows does: ROW_COUNT() is 0 then. */
    Errand nothing() {
        return new Errand(query("DO 0"), done -> null, null, false, true);
    }

    /** A statement by which ROW_COUNT() is 1 then. FOUND_ROWS() is 1 as well; no other statement without effect counts a row. */
    Errand one() {
        return new Errand(
                query("SELECT 1 INTO @keyline_merged"), done -> done.summary().error(), null, false, true);
    }

    /** Keeps the statement behind it from being sent: the store itself is made to say this, so that SHOW WARNINGS tells of it. */
    Errand refusal(ErrPacket error) {
        return new Errand(signal(error), done -> error);
    }

    /** A statement that fails with this error, whose text has no backslashes, and does nothing else. */
    Supplier<ByteBuf> signal(ErrPacket error) {
        return query("SIGNAL SQLSTATE '" + error.sqlState() + "' SET MYSQL_ERRNO = " + error.code()
                + ", MESSAGE_TEXT = '" + error.message().replace("'", "''") + "'");
    }

    private static ByteBuf text(int code, byte[] text) {
        return Unpooled.buffer(1 + text.length).writeByte(code).writeBytes(text);
    }

    private static ByteBuf ping() {
        return Unpooled.buffer(1).writeByte(CommandCode.COM_PING);
    }
}
