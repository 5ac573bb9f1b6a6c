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
import org.keyline.gateway.session.relay.Preamble;
import org.keyline.gateway.session.settings.CharacterSets;
import org.keyline.gateway.session.settings.SessionSettings;
import org.keyline.gateway.session.settings.TransactionState;
import org.keyline.planner.Catalog;
import org.keyline.planner.TableName;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.ErrPacket;
import org.keyline.protocol.ErrorCode;
import org.keyline.protocol.ServerStatus;
import org.keyline.stores.ResetScope;
import org.keyline.stores.Store;
import org.keyline.stores.StoreTrait;
import org.keyline.stores.ddl.SqlText;

/** Creates {@link Preamble}s, mainly for prepared statements. Confined to one event loop. */
public final class StoreStatements {
    /*
     * A statement that only the gateway has prepared is prepared at the store before its first
     * execution there, with the same meaning as at the client's PREPARE. If the current schema or
     * the sql_mode has changed since then, internal commands restore it for the PREPARE. If that is
     * impossible, the client must prepare again (error 1615).
     *
     * After any change of a definition, the next execution prepares the statement again, except on
     * stores that do so themselves. The compiled statement of the embedded store, and the plan of
     * Doris, may belong to the old definition.
     */

    /** Maximum number of rows that {@link #rows} selects by UNION, at 19 bytes of text per row. */
    static final int MAX_UNION = 1_024;

    /** Maximum size of an execution that is retained. Executions that read by key are short. */
    private static final int MAX_RUN_BYTES = 1_024;

    private final Catalog catalog;
    private final boolean repreparesStatements;
    /** Whether names in a statement retain the meaning of its first execution at the store. */
    private final boolean plansAtExecution;
    /** Whether COM_RESET_CONNECTION resets only a session's schema. */
    private final boolean resetsSchema;

    private final SessionSettings settings;
    private final boolean named;

    /** @param capabilities the capabilities of the client's connection */
    public StoreStatements(Store store, SessionSettings settings, int capabilities) {
        this.catalog = store.catalog();
        this.repreparesStatements = store.has(StoreTrait.REPREPARES_STATEMENTS);
        this.plansAtExecution = store.has(StoreTrait.PLANS_AT_EXECUTION);
        this.resetsSchema = store.resetScope() == ResetScope.SCHEMA;
        this.settings = settings;
        this.named = ExecuteLayout.isNamed(capabilities);
    }

    /** Returns the commands that must run before the store session can execute the statement. */
    List<Preamble> prepare(PreparedStatement statement) {
        boolean atStore = statement.storeId != PreparedStatement.NOT_AT_STORE;
        boolean current = statement.storeVersion == catalog.version()
                || (repreparesStatements && statement.storeVersion != PreparedStatement.OUTDATED);
        if (atStore && (statement.longData || current || !settings.catalog().isSame(statement.catalog))) {
            // If the session has changed its catalog, the handle stays, because in the new catalog
            // the store would prepare the statement for another table.
            return statement.longDataAtStore && !statement.longData ? List.of(reset(statement)) : List.of();
        }
        List<Preamble> preambles = new ArrayList<>();
        if (atStore) {
            preambles.add(close(statement));
        }
        List<Preamble> back = new ArrayList<>();
        if (statement.isTooLong()
                || (statement.closedForRoom && !hasItsLiterals(statement))
                || !asItWas(statement, preambles, back)) {
            preambles.add(new Preamble(
                    () -> Preamble.command(CommandCode.COM_PING), done -> ErrPacket.of(ErrorCode.ER_NEED_REPREPARE)));
            return preambles;
        }
        long version = catalog.version();
        ErrPacket[] refused = new ErrPacket[1];
        preambles.add(new Preamble(() -> Preamble.command(CommandCode.COM_STMT_PREPARE, statement.sql), done -> {
            statement.storeId = done.summary().statementId();
            statement.storeVersion = version;
            statement.ranAtStore = false;
            statement.typesAtStore = statement.types.length == 0;
            refused[0] = done.summary().error();
            return back.isEmpty() ? refused[0] : null;
        }));
        for (int i = 0; i < back.size(); i++) {
            Preamble preamble = back.get(i);
            boolean last = i == back.size() - 1;
            preambles.add(new Preamble(preamble.payload(), done -> {
                ErrPacket failed = preamble.done().apply(done);
                return last && refused[0] != null ? refused[0] : failed;
            }));
        }
        return preambles;
    }

    /** Returns commands that close the least recently used handles, to make room for a handle. */
    List<Preamble> room(PreparedStatements statements) {
        return statements.surplus(this::canPrepareAgain).stream()
                .map(statement -> {
                    statement.closedForRoom = true;
                    return close(statement);
                })
                .toList();
    }

    private boolean canPrepareAgain(PreparedStatement statement) {
        return settings.verified()
                && !statement.cursorAtStore
                && !statement.longData
                && !statement.planStays()
                && statement.meaning.mode().equals(settings.variables().sqlMode())
                && hasItsLiterals(statement)
                && settings.catalog().isSame(statement.catalog);
    }

    /** Returns whether the store would still read the statement's literals as at the PREPARE. */
    private boolean hasItsLiterals(PreparedStatement statement) {
        CharacterSets now = settings.variables().characterSets();
        return settings.verified()
                && now.client().equals(statement.meaning.characterSets().client())
                && now.connection().equals(statement.meaning.characterSets().connection());
    }

    /**
     * Returns commands that prepare the statements that only the gateway knows, and execute those
     * that only lines have answered. The commands must run before the session changes its catalog,
     * so that names retain their meaning.
     */
    List<Preamble> prepareAll(PreparedStatements statements) {
        return statements.notAtStore().stream()
                .flatMap(statement -> Stream.concat(prepare(statement).stream(), run(statement).stream()))
                .map(preamble -> new Preamble(preamble.payload(), done -> {
                    // An error is ignored here; the later execution reports it to the client.
                    var unused = preamble.done().apply(done);
                    return null;
                }))
                .toList();
    }

    private Optional<Preamble> run(PreparedStatement statement) {
        byte[] command = statement.ranHere;
        if (command == null || !settings.catalog().isSame(statement.catalog)) {
            return Optional.empty();
        }
        Supplier<ByteBuf> execute = () -> Unpooled.wrappedBuffer(command).copy().setIntLE(1, statement.storeId);
        return Optional.of(new Preamble(execute, done -> {
            statement.executed(done);
            return null;
        }));
    }

    /** Records an execution that lines answered, if the store must later run it as well. */
    void answered(PreparedStatement statement, byte[] command, int length) {
        if (plansAtExecution && !statement.ranAtStore && statement.ranHere == null && length <= MAX_RUN_BYTES) {
            statement.ranHere = complete(statement, command, length);
        }
    }

    /**
     * Adds commands that set schema and sql_mode as at the client's PREPARE, and restore them.
     *
     * @return false if that is impossible; the client must prepare again
     */
    private boolean asItWas(PreparedStatement statement, List<Preamble> before, List<Preamble> after) {
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
        String mode = settings.variables().sqlModeText();
        if (!Objects.equals(statement.meaning.modeText(), mode) || mode == null) {
            if (mode == null || statement.meaning.modeText() == null) {
                return statement.meaning.mode().equals(settings.variables().sqlMode());
            }
            before.add(setMode(statement.meaning.modeText()));
            after.add(setMode(mode));
        }
        return true;
    }

    private Preamble setMode(String mode) {
        return new Preamble(query("SET sql_mode = '" + mode.replace("'", "") + "'"), done -> {
            settings.setBeside();
            return done.summary().error();
        });
    }

    private static Preamble useNoSchema() {
        return new Preamble(
                () -> Preamble.command(CommandCode.COM_RESET_CONNECTION),
                done -> done.summary().error());
    }

    private static Preamble useSchema(String schema) {
        byte[] name = schema.getBytes(StandardCharsets.UTF_8);
        return new Preamble(
                () -> Preamble.command(CommandCode.COM_INIT_DB, name),
                done -> done.summary().error());
    }

    /**
     * Returns the client's EXECUTE with the store's id, and with types if the client omitted them.
     *
     * @param command the client's command in {@code command[0..length)}; the caller must not change
     * it until the reply is complete
     */
    Supplier<ByteBuf> execute(PreparedStatement statement, byte[] command, int length, ByteBufAllocator alloc) {
        return () -> {
            statement.typesAtStore = true;
            return withTypes(statement, command, length, alloc);
        };
    }

    private ByteBuf withTypes(PreparedStatement statement, byte[] command, int length, ByteBufAllocator alloc) {
        int count = statement.parameters.count();
        int flagAt = count == 0 ? 0 : ExecuteLayout.boundAt(Unpooled.wrappedBuffer(command, 0, length), count, named);
        byte[] types = statement.types;
        // If types were never sent, every parameter is NULL, or the store reports an error.
        boolean complete = count == 0 || command[flagAt] == 1 || types.length == 0;
        ByteBuf payload = alloc.buffer(length + (complete ? 0 : 2 * types.length));
        if (complete) {
            payload.writeBytes(command, 0, length);
        } else {
            payload.writeBytes(command, 0, flagAt);
            ExecuteLayout.write(payload, types, named);
            payload.writeBytes(command, flagAt + 1, length - flagAt - 1);
        }
        return payload.setIntLE(payload.readerIndex() + 1, statement.storeId);
    }

    /** Returns the command that closes the statement's current id at the store. */
    Preamble close(PreparedStatement statement) {
        return new Preamble(
                () -> {
                    int storeId = statement.storeId;
                    statement.storeId = PreparedStatement.NOT_AT_STORE;
                    statement.longDataAtStore = false;
                    return Preamble.close(storeId);
                },
                done -> null);
    }

    /**
     * Removes long data of an execution that was refused before it reached the store, because the
     * store would append the next long data to it.
     */
    private static Preamble reset(PreparedStatement statement) {
        return new Preamble(
                () -> Unpooled.buffer(5).writeByte(CommandCode.COM_STMT_RESET).writeIntLE(statement.storeId), done -> {
                    statement.longDataAtStore = false;
                    return done.summary().error();
                });
    }

    /** Returns commands that ask for the store's permission by a PREPARE, which runs nothing. */
    List<Preamble> consent(byte[] sql) {
        return Preamble.prepare(sql, done -> done.summary().error());
    }

    /** Adds omitted types, so that the EXECUTE can be repeated later with the same meaning. */
    byte[] complete(PreparedStatement statement, byte[] command, int length) {
        ByteBuf whole = execute(statement, command, length, UnpooledByteBufAllocator.DEFAULT)
                .get();
        byte[] bytes = new byte[whole.readableBytes()];
        whole.readBytes(bytes).release();
        return bytes;
    }

    Supplier<ByteBuf> query(String sql) {
        return Preamble.query(sql, named);
    }

    /**
     * Returns a read with this number of rows, which sets FOUND_ROWS().
     *
     * @param clears whether the read must clear the warnings, as a read of a table does; with more
     * than {@value #MAX_UNION} rows it always clears them
     */
    Preamble rows(long count, boolean clears) {
        StringBuilder select = new StringBuilder("SELECT 1");
        if (clears || count > MAX_UNION) {
            select.append(" FROM (SELECT 1) AS t0");
            for (long rows = 1; rows < count; rows *= 2) {
                select.append(", (SELECT 1 UNION ALL SELECT 1) AS t").append(rows);
            }
        } else {
            // On MariaDB, any table, even a derived one, would clear the last statement's error.
            for (long rows = 1; rows < count; rows++) {
                select.append(" UNION ALL SELECT 1");
            }
        }
        return new Preamble(query(select + " LIMIT " + count), done -> null);
    }

    /**
     * Returns commands that set a new session's FOUND_ROWS() and ROW_COUNT().
     *
     * @param found the value of FOUND_ROWS()
     * @param read whether ROW_COUNT() is -1, as after a read; if not, it is 0
     */
    public List<Preamble> counts(long found, boolean read) {
        return read ? List.of(rows(found, false)) : List.of(rows(found, false), set());
    }

    /** Returns a command that begins a transaction by reading the table. ROW_COUNT() is then 0. */
    Preamble beginningBy(TableName table, TransactionState current) {
        return new Preamble(
                query("SET @keyline_read = (SELECT 1 FROM " + SqlText.name(table.schema()) + "."
                        + SqlText.name(table.table()) + " LIMIT 0)"),
                done -> {
                    settings.setBeside();
                    if ((done.summary().status() & ServerStatus.SERVER_STATUS_IN_TRANS) != 0) {
                        current.recordOpenAtStore();
                    }
                    return null;
                },
                null,
                false,
                false,
                true);
    }

    /**
     * Returns a command that sets ROW_COUNT() to 0. FOUND_ROWS() and the warnings remain. The
     * command is a COM_PING, because on MySQL any statement would clear the warnings.
     */
    Preamble nothing() {
        return new Preamble(() -> Preamble.command(CommandCode.COM_PING), done -> null, null, false, true, false);
    }

    private Preamble set() {
        return new Preamble(query("SET net_write_timeout = @@net_write_timeout"), done -> {
            settings.setBeside();
            return null;
        });
    }

    /** Returns a command that sets ROW_COUNT() and FOUND_ROWS() to 1. */
    Preamble one() {
        return new Preamble(
                query("SELECT 1 INTO @keyline_merged"), done -> done.summary().error(), null, false, true, false);
    }

    /** Returns a command that makes the store raise the error, so that SHOW WARNINGS shows it. */
    Preamble refusal(ErrPacket error) {
        return new Preamble(signal(error), done -> error);
    }

    /** Returns a SIGNAL of the error, whose text must not have backslashes. */
    Supplier<ByteBuf> signal(ErrPacket error) {
        return query("SIGNAL SQLSTATE '" + error.sqlState() + "' SET MYSQL_ERRNO = " + error.code()
                + ", MESSAGE_TEXT = '" + error.message().replace("'", "''") + "'");
    }
}
