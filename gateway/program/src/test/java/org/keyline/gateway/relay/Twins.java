package org.keyline.gateway.relay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;
import org.keyline.gateway.differential.Answer;
import org.keyline.gateway.differential.RawClient;
import org.keyline.gateway.fixtures.MariaDb;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.client.ClientOptions;
import org.keyline.protocol.client.StatementArguments;

/**
 * Two connections that get the same commands, one directly to a MariaDB, one through the gateway to
 * its twin. Every packet of every reply must be the same.
 */
final class Twins implements AutoCloseable {
    /** One set with one attribute: k, a text. */
    private static final byte[] ATTRIBUTE = HexFormat.of().parseHex("01010001fd00016b0476616c31");

    /** The cell of a text row that is NULL. */
    private static final byte NULL = (byte) 0xFB;

    private final RawClient straight;
    private final RawClient through;
    private final List<String> history = new ArrayList<>();
    private int replies;
    private boolean anyIndex;

    Twins(MariaDb store, int gatewayPort, ClientOptions like) throws Exception {
        straight = new RawClient(like.toBuilder().address(store.address()).build());
        through = new RawClient(like.toBuilder()
                .address(new InetSocketAddress(InetAddress.getLoopbackAddress(), gatewayPort))
                .build());
    }

    /**
     * From now on, replies may differ in the flags that say that a statement used no index, or no
     * good one.
     */
    Twins withAnyIndex() {
        anyIndex = true;
        return this;
    }

    private String comparable(String packet) {
        return anyIndex ? Answer.withoutIndexFlags(packet) : packet;
    }

    int replies() {
        return replies;
    }

    Answer query(String sql) throws Exception {
        return compare(straight.query(sql), through.query(sql), sql);
    }

    /** Runs a statement with a query attribute, if the server supports them. */
    Answer queryWithAttribute(String sql) throws Exception {
        return compare(straight.query(ATTRIBUTE, sql), through.query(ATTRIBUTE, sql), "with an attribute: " + sql);
    }

    /**
     * A statement at both ends. A server numbers its statements by a count that may continue from
     * an earlier session, so only the id may differ between the two replies.
     */
    record Statement(int straight, int through) {}

    Statement prepare(String sql) throws Exception {
        ByteBuf payload = text(CommandCode.COM_STMT_PREPARE, sql);
        Answer expected = straight.send(payload.copy());
        Answer actual = through.send(payload);
        remember("PREPARE " + sql);
        assertEquals(withoutId(expected), withoutId(actual), () -> "reply to the last of " + history);
        return new Statement(id(expected), id(actual));
    }

    private void remember(String statement) {
        replies++;
        history.add("\n" + (statement.length() > 200 ? statement.substring(0, 200) : statement));
        if (history.size() > 20) {
            history.remove(0);
        }
    }

    private static String withoutId(Answer answer) {
        String first = answer.packets().get(0);
        return answer.isError()
                ? digits(answer)
                : digits(answer).replace(first, first.substring(0, 10) + "[id]" + first.substring(18));
    }

    private static int id(Answer answer) {
        return answer.isError()
                ? -1
                : Integer.reverseBytes(
                        Integer.parseUnsignedInt(answer.packets().get(0).substring(10, 18), 16));
    }

    Answer execute(Statement statement, StatementArguments arguments, String what) throws Exception {
        return compare(
                straight.execute(statement.straight(), arguments),
                through.execute(statement.through(), arguments),
                "EXECUTE " + what);
    }

    /** Executes with one text, whose type an earlier execution has sent. */
    Answer executeUntyped(Statement statement, String text) throws Exception {
        return compare(
                straight.send(untyped(statement.straight(), text)),
                through.send(untyped(statement.through(), text)),
                "EXECUTE without types " + text);
    }

    /** Executes likewise, through the gateway alone. */
    Answer executeUntypedThroughOnly(Statement statement, String text) throws Exception {
        return through.send(untyped(statement.through(), text));
    }

    private static ByteBuf untyped(int statement, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Unpooled.buffer()
                .writeByte(CommandCode.COM_STMT_EXECUTE)
                .writeIntLE(statement)
                .writeByte(0)
                .writeIntLE(1)
                .writeZero(2)
                .writeByte(bytes.length)
                .writeBytes(bytes);
    }

    /** Prepares through the gateway alone. */
    Statement prepareThroughOnly(String sql) throws Exception {
        return new Statement(-1, through.prepare(sql));
    }

    /** Executes through the gateway alone. */
    Answer executeThroughOnly(Statement statement, StatementArguments arguments) throws Exception {
        return through.execute(statement.through(), arguments);
    }

    void close(Statement statement) {
        straight.closeStatement(statement.straight());
        through.closeStatement(statement.through());
    }

    /** Sends a command without a reply about a statement, whose id is written into it. */
    void sendAhead(Statement statement, ByteBuf payload) throws Exception {
        remember("ahead: " + ByteBufUtil.hexDump(payload));
        straight.send(payload.copy().setIntLE(1, statement.straight()));
        through.send(payload.setIntLE(1, statement.through()));
    }

    /** Returns COM_STMT_SEND_LONG_DATA for a statement's first parameter. */
    static ByteBuf longData(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        return Unpooled.buffer(7 + bytes.length)
                .writeByte(CommandCode.COM_STMT_SEND_LONG_DATA)
                .writeIntLE(0)
                .writeShortLE(0)
                .writeBytes(bytes);
    }

    /** COM_STMT_RESET. */
    Answer reset(Statement statement) throws Exception {
        return compare(straight.send(reset(statement.straight())), through.send(reset(statement.through())), "RESET");
    }

    private static ByteBuf reset(int statement) {
        return Unpooled.buffer(5).writeByte(CommandCode.COM_STMT_RESET).writeIntLE(statement);
    }

    /** COM_STMT_FETCH. */
    Answer fetch(Statement statement, int rows) throws Exception {
        return compare(
                straight.send(fetch(statement.straight(), rows)),
                through.send(fetch(statement.through(), rows)),
                "FETCH " + rows);
    }

    /** Fetches through the gateway alone, because an error contains the statement's id. */
    Answer fetchThroughOnly(Statement statement, int rows) throws Exception {
        return through.send(fetch(statement.through(), rows));
    }

    private static ByteBuf fetch(int statement, int rows) {
        return Unpooled.buffer(9)
                .writeByte(CommandCode.COM_STMT_FETCH)
                .writeIntLE(statement)
                .writeIntLE(rows);
    }

    Answer send(ByteBuf payload, String what) throws Exception {
        return compare(straight.send(payload.copy()), through.send(payload), what);
    }

    private Answer compare(Answer expected, Answer actual, String what) {
        remember(what);
        List<String> packets = expected.packets();
        for (int i = 0; i < Math.min(packets.size(), actual.packets().size()); i++) {
            int at = i;
            assertEquals(
                    comparable(packets.get(i)),
                    comparable(actual.packets().get(i)),
                    () -> "packet " + at + " of the reply to the last of " + history);
        }
        assertEquals(packets.size(), actual.packets().size(), () -> "packets of the reply to the last of " + history);
        return expected;
    }

    private static String digits(Answer answer) {
        return String.join("\n", answer.packets());
    }

    static ByteBuf text(int command, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return Unpooled.buffer(1 + bytes.length).writeByte(command).writeBytes(bytes);
    }

    /** Runs a statement through the gateway alone. */
    Answer throughOnly(String sql) throws Exception {
        return through.query(sql);
    }

    /** Runs a statement directly at the store alone. */
    Answer straightOnly(String sql) throws Exception {
        return straight.query(sql);
    }

    /** Sends a command through the gateway alone, which must succeed. */
    void sendThroughOnly(int command, byte[] text) throws Exception {
        Answer answer = through.send(Unpooled.wrappedBuffer(new byte[] {(byte) command}, text));
        assertFalse(answer.isError(), () -> readable(answer));
    }

    /** Returns the cells of the first row of a text reply, separated by spaces. */
    static String row(Answer answer) {
        List<String> packets = answer.packets();
        assertFalse(answer.isError(), () -> readable(answer));
        int columns = Integer.parseInt(packets.get(0).substring(8, 10), 16);
        String first = packets.get(columns + 1).substring(8);
        if (columns + 2 == packets.size() && first.startsWith("fe")) {
            return "no row";
        }
        byte[] cells = HexFormat.of().parseHex(first);
        StringJoiner row = new StringJoiner(" ");
        for (int at = 0; at < cells.length; ) {
            int length = cells[at] == NULL ? 0 : Byte.toUnsignedInt(cells[at]);
            row.add(cells[at] == NULL ? "NULL" : new String(cells, at + 1, length, StandardCharsets.UTF_8));
            at += 1 + length;
        }
        return row.toString();
    }

    /** Runs a statement through the gateway alone, which must succeed. */
    void run(String sql) throws Exception {
        Answer answer = through.query(sql);
        assertFalse(answer.isError(), () -> sql + ": " + readable(answer));
    }

    /**
     * Runs a statement through the gateway alone; returns its reply with a space for bytes that are
     * no text.
     */
    String readable(String sql) throws Exception {
        return readable(through.query(sql));
    }

    static String readable(Answer answer) {
        byte[] bytes = HexFormat.of().parseHex(String.join("", answer.packets()));
        return new String(bytes, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]+", " ");
    }

    /** Repeats a read, as text or by one prepared statement. */
    void ask(int rounds, RangeQuestions.Question question, String where) throws Exception {
        StatementArguments arguments = question.arguments();
        Statement prepared = arguments == null ? null : prepare(question.sql());
        for (int round = 0; round < rounds; round++) {
            if (prepared == null || arguments == null) {
                query(question.sql());
            } else {
                execute(prepared, arguments, where + ": " + question.values());
            }
        }
        if (prepared != null) {
            close(prepared);
        }
    }

    @Override
    public void close() {
        straight.close();
        through.close();
    }
}
