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
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import site.ycsb.Utils;
import site.ycsb.generator.ScrambledZipfianGenerator;

/**
 * A client with little overhead. One thread reads single rows of YCSB's table over many
 * connections. Each connection has one pending read. Every row is compared with its expected
 * content. Implements only the parts of the MySQL protocol that these reads need. Confined to one
 * thread.
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

    private final Rows rows;
    private final boolean prepared;
    private final Selector selector = Selector.open();
    private final List<Connection> connections = new ArrayList<>();

    /** @param target its URL determines whether reads execute a prepared statement */
    LightClient(Target target, int count, Rows rows) throws IOException {
        this.rows = rows;
        this.prepared = target.isPreparing();
        for (int i = 0; i < count; i++) {
            connections.add(new Connection(target));
        }
    }

    /** Reads for some seconds. Throws an IOException if a read failed or returned a wrong row. */
    Results run(int seconds) throws IOException {
        Histogram nanos = new Histogram(TimeUnit.MINUTES.toNanos(10), 3);
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
                    nanos.recordValue(now - connection.sentNanos);
                    if (now < until) {
                        connection.send();
                    } else {
                        underWay--;
                    }
                }
            }
            selector.selectedKeys().clear();
        }
        return ClientGroups.figures(nanos, (System.nanoTime() - began) / 1e9);
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
        /** The number of packets of the pending reply that have arrived. */
        private int taken;

        private int columns;

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
            taken = 0;
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

        /** Checks a packet of a reply: its column count, a definition, an EOF, or its only row. */
        private boolean take(ByteBuffer packet) throws IOException {
            int first = byteAt(packet, 0);
            if (taken == 0) {
                expect(first > OK && first < EOF, "a result", packet);
                columns = first;
            } else if (taken == columns + 2) {
                String key = new String(rows.key(row), StandardCharsets.US_ASCII);
                expect(first != EOF || packet.limit() >= MAX_EOF_BYTES, "a row of key " + key, packet);
                expect(rows.is(row, packet, prepared), "the row of its key", packet);
            } else if (taken == columns + 3) {
                expect(first == EOF && packet.limit() < MAX_EOF_BYTES, "the row of its key", packet);
            }
            return taken++ == columns + 3;
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

    /** The rows of YCSB's table as a server sends them. Confined to one thread. */
    static final class Rows {
        private static final int FIELDS = 10;
        private static final int FIELD_BYTES = 100;
        /** Header and NULL bitmap of a binary row. The bitmap has two bits more than columns. */
        private static final byte[] BINARY = new byte[1 + (FIELDS + 1 + 2 + 7) / 8];

        private final byte[][] keys;
        private final byte[][] cells;
        private final ScrambledZipfianGenerator next;

        Rows(int records) {
            keys = new byte[records][];
            cells = new byte[records][];
            for (int row = 0; row < records; row++) {
                String key = "user" + Utils.hash(row);
                keys[row] = key.getBytes(StandardCharsets.US_ASCII);
                ByteBuffer cell = ByteBuffer.allocate(1 + keys[row].length + FIELDS * (1 + FIELD_BYTES));
                cell.put((byte) keys[row].length).put(keys[row]);
                for (int field = 0; field < FIELDS; field++) {
                    cell.put((byte) FIELD_BYTES)
                            .put(VerifiedWorkload.value(key, "field" + field, FIELD_BYTES)
                                    .getBytes(StandardCharsets.US_ASCII));
                }
                cells[row] = cell.array();
            }
            next = new ScrambledZipfianGenerator(records);
        }

        /** Returns the number of a random row, by a Zipfian distribution. */
        int next() {
            return next.nextValue().intValue();
        }

        byte[] key(int row) {
            return keys[row];
        }

        /** Returns whether a row packet contains exactly this row. */
        boolean is(int row, ByteBuffer packet, boolean binary) {
            int from = binary ? BINARY.length : 0;
            return (!binary || packet.slice(0, Math.min(from, packet.limit())).equals(ByteBuffer.wrap(BINARY)))
                    && packet.limit() - from == cells[row].length
                    && packet.slice(from, packet.limit() - from).equals(ByteBuffer.wrap(cells[row]));
        }

        byte[] packet(int row, boolean binary) {
            int from = binary ? BINARY.length : 0;
            byte[] packet = Arrays.copyOf(BINARY, from + cells[row].length);
            System.arraycopy(cells[row], 0, packet, from, cells[row].length);
            return packet;
        }
    }
}
