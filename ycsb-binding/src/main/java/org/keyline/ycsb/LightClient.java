package org.keyline.ycsb;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * A client with little overhead. One thread reads single rows of YCSB's table over many
 * connections, with one pending read each, and compares every row with its expected content. It
 * implements only the parts of the MySQL protocol that these reads need. Confined to one thread.
 *
 * @see <a href="https://dev.mysql.com/doc/dev/mysql-server/latest/PAGE_PROTOCOL.html">MySQL
 * client/server protocol</a>
 */
final class LightClient implements AutoCloseable {
    private static final String READ = "SELECT * FROM usertable WHERE YCSB_KEY = ";
    private static final int COM_QUERY = 0x03;
    private static final int COM_STMT_PREPARE = 0x16;
    private static final int COM_STMT_EXECUTE = 0x17;
    private static final int VAR_STRING = 0xFD;
    private static final int OK = 0x00;
    private static final int EOF = 0xFE;
    private static final int ERR = 0xFF;
    private static final int HEADER_BYTES = 4;
    private static final int MAX_EOF_BYTES = 9;
    private static final int BUFFER_BYTES = 64 << 10;

    /** LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, SECURE_CONNECTION, PLUGIN_AUTH. */
    private static final int CAPABILITIES = 0x1 | 0x8 | 0x200 | 0x8000 | 0x80000;

    private static final int MAX_PACKET_BYTES = 0xFFFFFF;
    private static final int UTF8MB4 = 45;
    private static final long LAST_REPLY_MS = 60_000;

    /** The outcome of a run. The histogram has the latency of each read in microseconds. */
    record Seen(double seconds, Histogram micros) {
        double throughput() {
            return micros.getTotalCount() / seconds;
        }
    }

    private final LightRows rows;
    private final boolean prepared;
    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();

    /**
     * @param target the server and database. Its URL determines whether reads execute a prepared
     *     statement
     * @param count the number of connections
     */
    LightClient(Target target, int count, LightRows rows) throws IOException {
        this.rows = rows;
        this.prepared = target.isPreparing();
        for (int i = 0; i < count; i++) {
            connections.add(new Connection(target));
        }
    }

    /** Reads for some seconds. Throws an IOException if a read failed or returned a wrong row. */
    Seen run(int seconds) throws IOException {
        Histogram micros = new Histogram(TimeUnit.MINUTES.toMicros(10), 3);
        long began = System.nanoTime();
        long until = began + TimeUnit.SECONDS.toNanos(seconds);
        int underWay = 0;
        for (Connection connection : connections) {
            connection.send();
            underWay++;
        }
        while (underWay > 0) {
            if (selector.select(LAST_REPLY_MS) == 0) {
                throw new IOException("no reply for " + LAST_REPLY_MS + " ms");
            }
            for (SelectionKey key : selector.selectedKeys()) {
                Connection connection = (Connection) key.attachment();
                if (connection.receive()) {
                    long now = System.nanoTime();
                    micros.recordValue(TimeUnit.NANOSECONDS.toMicros(now - connection.sentNanos));
                    if (now < until) {
                        connection.send();
                    } else {
                        underWay--;
                    }
                }
            }
            selector.selectedKeys().clear();
        }
        return new Seen((System.nanoTime() - began) / 1e9, micros);
    }

    @Override
    public void close() throws IOException {
        for (Connection connection : connections) {
            connection.channel.close();
        }
        selector.close();
    }

    /** One connection. Only the constructor blocks, until the connection is logged in. */
    private final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        private final ByteBuffer out = ByteBuffer.allocateDirect(1024).order(ByteOrder.LITTLE_ENDIAN);
        private final int statement;
        private long sentNanos;
        private int row;
        // The number of definition packets of the pending reply that have not arrived, including
        // the EOF packet after them.
        private int definitions;
        private boolean seen;
        private boolean counted;

        Connection(Target target) throws IOException {
            channel = SocketChannel.open(target.address());
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            in.limit(0);
            logIn(target.user(), target.database());
            statement = prepared ? prepare() : 0;
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ, this);
        }

        private void logIn(String user, @Nullable String database) throws IOException {
            packet();
            int sequence = 1;
            begin(sequence);
            out.putInt(CAPABILITIES)
                    .putInt(MAX_PACKET_BYTES)
                    .put((byte) UTF8MB4)
                    .put(new byte[23]);
            text(user);
            out.put((byte) 0); // no password
            text(database == null ? "" : database);
            text("mysql_native_password");
            end();
            for (ByteBuffer reply = packet(); byteAt(reply, 0) != OK; reply = packet()) {
                expect(byteAt(reply, 0) == EOF, "login", reply);
                sequence += 2;
                begin(sequence);
                end();
            }
        }

        private void text(String text) {
            out.put(text.getBytes(StandardCharsets.UTF_8)).put((byte) 0);
        }

        private int prepare() throws IOException {
            begin(0);
            out.put((byte) COM_STMT_PREPARE).put((READ + "?").getBytes(StandardCharsets.US_ASCII));
            end();
            ByteBuffer reply = packet();
            expect(byteAt(reply, 0) == OK, "PREPARE", reply);
            int id = reply.getInt(1);
            int columns = reply.getShort(5);
            int parameters = reply.getShort(7);
            for (int count : new int[] {parameters, columns}) {
                for (int i = 0; count > 0 && i <= count; i++) {
                    packet();
                }
            }
            return id;
        }

        void send() throws IOException {
            row = rows.next();
            byte[] key = rows.key(row);
            begin(0);
            if (prepared) {
                out.put((byte) COM_STMT_EXECUTE).putInt(statement).put((byte) 0).putInt(1);
                out.put((byte) 0).put((byte) 1).put((byte) VAR_STRING).put((byte) 0);
                out.put((byte) key.length).put(key);
            } else {
                out.put((byte) COM_QUERY).put(READ.getBytes(StandardCharsets.US_ASCII));
                out.put((byte) '\'').put(key).put((byte) '\'');
            }
            counted = false;
            seen = false;
            sentNanos = System.nanoTime();
            end();
        }

        /** Reads the bytes that have arrived. Returns whether the reply is complete. */
        boolean receive() throws IOException {
            fill();
            boolean ended = false;
            for (ByteBuffer packet = buffered(); packet != null; packet = buffered()) {
                ended = take(packet);
            }
            return ended;
        }

        private boolean take(ByteBuffer packet) throws IOException {
            if (!counted) {
                expect(byteAt(packet, 0) > OK && byteAt(packet, 0) < EOF, "a result", packet);
                counted = true;
                definitions = byteAt(packet, 0) + 1; // one more for the EOF packet
                return false;
            }
            if (definitions > 0) {
                definitions--;
                return false;
            }
            if (byteAt(packet, 0) == EOF && packet.limit() < MAX_EOF_BYTES) {
                expect(seen, "a row of key " + new String(rows.key(row), StandardCharsets.US_ASCII), packet);
                return true;
            }
            expect(!seen && rows.is(row, packet, prepared), "the row of its key", packet);
            seen = true;
            return false;
        }

        // ------------------------------------------------------------ packets

        private void begin(int sequence) {
            out.clear();
            out.putInt(sequence << 24);
        }

        private void end() throws IOException {
            out.putInt(0, out.getInt(0) | (out.position() - HEADER_BYTES));
            out.flip();
            while (out.hasRemaining()) {
                channel.write(out); // a command is much shorter than a socket's buffer
            }
        }

        private ByteBuffer packet() throws IOException {
            ByteBuffer packet = buffered();
            while (packet == null) {
                fill();
                packet = buffered();
            }
            return packet;
        }

        private void fill() throws IOException {
            in.compact();
            int read = channel.read(in);
            in.flip();
            if (read < 0) {
                throw new IOException("the server closed the connection");
            }
        }

        /** Returns the next complete packet, valid until the next read; null if there is none. */
        private @Nullable ByteBuffer buffered() {
            int length = in.remaining() < HEADER_BYTES ? Integer.MAX_VALUE : in.getInt(in.position()) & 0xFFFFFF;
            if (in.remaining() - HEADER_BYTES < length) {
                return null;
            }
            ByteBuffer packet = in.slice(in.position() + HEADER_BYTES, length).order(ByteOrder.LITTLE_ENDIAN);
            in.position(in.position() + HEADER_BYTES + length);
            return packet;
        }

        private int byteAt(ByteBuffer packet, int index) {
            return index < packet.limit() ? packet.get(index) & 0xFF : -1;
        }

        private void expect(boolean holds, String what, ByteBuffer packet) throws IOException {
            if (!holds) {
                byte[] bytes = new byte[Math.min(packet.limit(), 200)];
                packet.get(0, bytes);
                boolean error = byteAt(packet, 0) == ERR;
                throw new IOException((error ? "an error instead of " : "expected " + what + ", but was ")
                        + (error ? what + ": " : "")
                        + new String(bytes, StandardCharsets.ISO_8859_1));
            }
        }
    }
}
