package org.keyline.gateway.warmup;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.Capabilities;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.ColumnType;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.Lenenc;
import org.keyline.protocol.OkPacket;
import org.keyline.protocol.PrepareOk;
import org.keyline.protocol.ServerStatus;
import org.keyline.protocol.codec.BinaryRowWriter;
import org.keyline.protocol.codec.ExecuteParameters;
import org.keyline.protocol.codec.Packets;
import org.keyline.protocol.codec.RowWriter;
import org.keyline.protocol.codec.StatementParameters;
import org.keyline.protocol.codec.TextRowWriter;
import org.keyline.stores.ReplyListener;
import org.keyline.stores.SessionIdentity;
import org.keyline.stores.StoreSession;

/** A session of the canned store: answers in genuine packets, by the words and numbers of a statement. Confined to one thread. */
final class CannedSession implements StoreSession {
    private static final int MOST_PARAMETER_BYTES = 1 << 10;
    private static final Map<String, String> VARIABLES = Map.of(
            "sql_mode", "",
            "character_set_client", "utf8mb4",
            "character_set_results", "utf8mb4",
            "collation_connection", "utf8mb4_general_ci",
            "time_zone", "SYSTEM",
            "sql_select_limit", "18446744073709551615",
            "transaction_isolation", "READ-COMMITTED",
            "transaction_read_only", "0",
            "session_track_transaction_info", "OFF");

    private final CannedStore store;
    private final SessionIdentity identity;
    private final Map<Integer, String> prepared = new HashMap<>();
    private final ExecuteParameters bound = new ExecuteParameters();
    private boolean inTransaction;
    private boolean closed;
    private int sequence;

    CannedSession(CannedStore store, SessionIdentity identity) {
        this.store = store;
        this.identity = identity;
    }

    @Override
    public int capabilities() {
        return identity.capabilities();
    }

    @Override
    public int initialStatus() {
        return ServerStatus.SERVER_STATUS_AUTOCOMMIT;
    }

    @Override
    public void send(ByteBuf payload, ReplyListener listener) {
        byte[] command = ByteBufUtil.getBytes(payload);
        store.later(() -> {
            if (closed) {
                listener.lost(new ClosedChannelException());
                return;
            }
            if (command[0] != CommandCode.COM_STMT_CLOSE) {
                ByteBuf reply = ByteBufAllocator.DEFAULT.buffer();
                sequence = 1;
                answer(command, reply);
                listener.packets(reply);
            }
            listener.end();
        });
    }

    private void answer(byte[] command, ByteBuf reply) {
        String text = new String(command, 1, command.length - 1, StandardCharsets.UTF_8).toLowerCase(Locale.ROOT);
        switch (command[0]) {
            case CommandCode.COM_QUERY -> run(text, text.substring(text.indexOf(" where ") + 1), false, reply);
            case CommandCode.COM_STMT_PREPARE -> {
                prepared.put(prepared.size() + 1, text);
                prepared(prepared.size(), text, reply);
            }
            case CommandCode.COM_STMT_EXECUTE -> execute(command, reply);
            default -> ok(reply, 0);
        }
    }

    private void execute(byte[] command, ByteBuf reply) {
        ByteBuf payload = ByteBufAllocator.DEFAULT.buffer(command.length).writeBytes(command);
        try {
            String text = String.valueOf(prepared.get(ExecuteParameters.statementId(payload)));
            int count = parameters(text);
            bound.decode(payload, identity.capabilities(), new StatementParameters(count, MOST_PARAMETER_BYTES));
            // The conditions as if the values stood in the text.
            StringBuilder conditions = new StringBuilder(text.contains(">") ? ">" : "");
            for (int i = 0; i < count; i++) {
                conditions.append(' ').append(bound.text(i, StandardCharsets.UTF_8));
            }
            run(text, conditions.toString(), true, reply);
        } finally {
            payload.release();
        }
    }

    private static int parameters(String text) {
        return (int) text.chars().filter(character -> character == '?').count();
    }

    private void run(String text, String conditions, boolean binary, ByteBuf reply) {
        List<CannedTable> tables = CannedTable.in(text);
        if (text.startsWith("select") && !tables.isEmpty()) {
            CannedTable table = tables.get(0);
            rows(table, table.columnsOf(text), table.rows(conditions), binary, reply);
        } else {
            inTransaction = text.startsWith("begin") || (inTransaction && !text.startsWith("commit"));
            ok(reply, tables.isEmpty() ? 0 : 1);
        }
    }

    private void prepared(int id, String text, ByteBuf reply) {
        int parameters = parameters(text);
        List<ColumnDefinition> columns = new ArrayList<>();
        if (text.startsWith("select")) {
            CannedTable.in(text)
                    .forEach(table -> table.columnsOf(text).forEach(column -> columns.add(table.definition(column))));
        }
        packet(reply, body -> new PrepareOk(id, columns.size(), parameters, 0).encode(body));
        for (int i = 0; i < parameters; i++) {
            packet(reply, ColumnDefinition.of("?", Collation.BINARY, 0, ColumnType.VAR_STRING, 0, 0)::encode);
        }
        if (parameters > 0) {
            endOfColumns(reply);
        }
        columns.forEach(column -> packet(reply, column::encode));
        if (!columns.isEmpty()) {
            endOfColumns(reply);
        }
    }

    private void rows(CannedTable table, List<String> asked, List<List<Long>> keys, boolean binary, ByteBuf reply) {
        List<ColumnDefinition> columns = asked.stream().map(table::definition).toList();
        packet(reply, body -> Lenenc.writeInt(body, columns.size()));
        columns.forEach(column -> packet(reply, column::encode));
        endOfColumns(reply);
        RowWriter row = binary ? new BinaryRowWriter(columns) : new TextRowWriter(columns);
        for (List<Long> key : keys) {
            packet(reply, body -> {
                row.beginRow(body);
                table.write(asked, key, row);
                row.endRow();
            });
        }
        if (deprecatesEof()) {
            packet(reply, body -> OkPacket.of(status()).encode(body, OkPacket.HEADER_AS_EOF));
        } else {
            eof(reply);
        }
    }

    private void ok(ByteBuf reply, int rows) {
        packet(reply, body -> new OkPacket(rows, 0, status(), 0).encode(body));
    }

    private void endOfColumns(ByteBuf reply) {
        if (!deprecatesEof()) {
            eof(reply);
        }
    }

    private void eof(ByteBuf reply) {
        packet(reply, body -> body.writeByte(0xFE).writeShortLE(0).writeShortLE(status()));
    }

    private boolean deprecatesEof() {
        return Capabilities.has(identity.capabilities(), Capabilities.CLIENT_DEPRECATE_EOF);
    }

    private int status() {
        return ServerStatus.SERVER_STATUS_AUTOCOMMIT | (inTransaction ? ServerStatus.SERVER_STATUS_IN_TRANS : 0);
    }

    private void packet(ByteBuf reply, Consumer<ByteBuf> body) {
        int begin = Packets.begin(reply);
        body.accept(reply);
        sequence = Packets.end(reply, begin, sequence);
    }

    @Override
    public CompletionStage<Told> ask(List<String> asked, List<String> counts, boolean nothingFound) {
        Map<String, @Nullable String> told = new HashMap<>(VARIABLES);
        told.put("CURRENT_USER()", identity.user());
        told.put("DATABASE()", CannedTable.SCHEMA);
        told.put("CURRENT_ROLE()", "NONE");
        CompletableFuture<Told> answer = new CompletableFuture<>();
        store.later(() -> answer.complete(new Told(told, status())));
        return answer;
    }

    @Override
    public void pause() {}

    @Override
    public void resume() {}

    @Override
    public void close() {
        closed = true;
    }
}
