package org.keyline.gateway.doris;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.HandshakeResponse41;
import org.keyline.protocol.Lenenc;

/**
 * A server on loopback that imitates the observed behaviour of a StarRocks frontend. It reports
 * only a version number. In a SELECT of several information functions, each one has the last one's
 * value. A USE that fails may still change the catalog. Its status flags show nothing, or the flags
 * of the reply before. Each catalog has a table {@code e3.t (k INT, v VARCHAR)} with a text of its
 * own. The audit log counts each text, and each execution unless the session turns this off.
 * Thread-safe.
 */
final class ScriptedStarRocks implements AutoCloseable {
    static final String OWN = "default_catalog";
    static final String OTHER = "j";

    /** The status flags of replies. */
    enum Flags {
        /** Always none, as released frontends send. */
        NONE,
        /** The flags of the reply before. */
        LATE
    }

    private static final int AUTOCOMMIT = 2;
    private static final int IN_TRANSACTION = 1;
    private static final int CAPABILITIES = 0x0038_820C;
    private static final int VAR_STRING = 253;
    private static final int LONG = 3;
    private static final int UTF8 = 33;

    private static final String VERSIONS = "SELECT DB_NAME, TABLE_NAME, PARTITION_ID, ";
    private static final Pattern LIKE = Pattern.compile("(?i)SHOW (?:GLOBAL |SESSION )?VARIABLES(?: LIKE '(.*?)%?')?");
    private static final Pattern USE = Pattern.compile("(?i)USE (?:`?(\\w+)`?\\.)?`?(\\w+)`?");
    private static final Pattern SET_CATALOG = Pattern.compile("(?i)SET (?:CATALOG |catalog = )[`']?(\\w+)[`']?");
    private static final Pattern READ =
            Pattern.compile("(?i)SELECT (?:/\\*.*?\\*/ )?(.+?) FROM (?:(?:`?(\\w+)`?\\.)?`?e3`?\\.)?`?t`? WHERE .*");

    private final ServerSocket listening;
    private final Flags flags;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final Map<String, String> variables = new ConcurrentHashMap<>(Map.of(
            "version", "8.0.33",
            "version_comment", "3.5.0-7e63e325",
            "new_planner_optimize_timeout", "3000",
            "enable_short_circuit", "false",
            "lower_case_table_names", "0",
            "sql_mode", "ONLY_FULL_GROUP_BY",
            "time_zone", "Asia/Shanghai",
            "wait_timeout", "28800"));

    /** The text in the own catalog after a load, and the version of its partition. */
    private record Written(String text, int version) {}

    private volatile Written written = new Written(" one", 2);
    private volatile @Nullable String versionsRefused;
    private final AtomicInteger versionsAsked = new AtomicInteger();
    private final AtomicInteger versionsLogged = new AtomicInteger();

    ScriptedStarRocks(Flags flags) throws IOException {
        this.flags = flags;
        listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Loads another text into the table, past the gateway. */
    void load(String text) {
        written = new Written(" " + text, written.version() + 1);
    }

    /** Refuses to show versions from now on; null shows them again. */
    void refuseVersions(@Nullable String error) {
        versionsRefused = error;
    }

    /** Returns how often the versions were asked for. */
    int versionsAsked() {
        return versionsAsked.get();
    }

    /** Returns how often these questions came into the audit log. */
    int versionsLogged() {
        return versionsLogged.get();
    }

    /** Returns the value of a variable that a session has set last. */
    String variable(String name) {
        return variables.getOrDefault(name, "");
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                open.add(client);
                start(() -> new Session(client).serve());
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "starrocks");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        for (Socket client : open) {
            client.close();
        }
    }

    /** A connection. Confined to its thread. */
    private final class Session {
        private final Socket client;
        private final Map<Integer, String> statements = new HashMap<>();
        /** The catalog in which each statement was prepared; it reads that catalog's table. */
        private final Map<Integer, String> planned = new HashMap<>();

        private String catalog = OWN;
        private String database = "";
        private String user = "";
        private boolean logsExecutions = true;
        private int status = AUTOCOMMIT;
        private int before;
        private int sequence;

        Session(Socket client) {
            this.client = client;
        }

        void serve() {
            try (client;
                    DataInputStream in = new DataInputStream(client.getInputStream());
                    OutputStream out = client.getOutputStream()) {
                client.setTcpNoDelay(true);
                ByteBuf greeting = Unpooled.buffer().writeByte(10);
                greeting.writeCharSequence("8.0.33\0", StandardCharsets.UTF_8);
                greeting.writeIntLE(1).writeBytes("12345678\0".getBytes(StandardCharsets.US_ASCII));
                greeting.writeShortLE(CAPABILITIES & 0xFFFF).writeByte(UTF8).writeShortLE(0);
                greeting.writeShortLE(CAPABILITIES >>> 16).writeByte(21).writeZero(10);
                greeting.writeCharSequence("123456789012\0mysql_native_password\0", StandardCharsets.US_ASCII);
                send(out, greeting);
                HandshakeResponse41 login = HandshakeResponse41.decode(Unpooled.wrappedBuffer(read(in)));
                user = login.user();
                place(login.database() == null ? "" : login.database());
                send(out, ok());
                while (true) {
                    sequence = 0;
                    byte[] command = read(in);
                    if (command[0] == CommandCode.COM_QUIT) {
                        return;
                    }
                    if (command[0] != CommandCode.COM_STMT_CLOSE) {
                        for (ByteBuf packet : reply(command)) {
                            send(out, packet);
                        }
                    }
                }
            } catch (EOFException gone) {
                // the client has disconnected
            } catch (IOException e) {
                // The test is over.
            } finally {
                open.remove(client);
            }
        }

        private List<ByteBuf> reply(byte[] command) {
            String text = new String(command, 1, command.length - 1, StandardCharsets.UTF_8);
            ByteBuf bytes = Unpooled.wrappedBuffer(command);
            return switch (command[0]) {
                case CommandCode.COM_QUERY ->
                    query(text.replaceFirst("^/\\* mysql-connector.*?\\*/", "").strip(), true);
                case CommandCode.COM_INIT_DB -> List.of(place(text) ? ok() : error("Unknown database"));
                case CommandCode.COM_STMT_PREPARE -> prepare(text);
                case CommandCode.COM_STMT_EXECUTE -> {
                    int id = bytes.getIntLE(1);
                    String sql = statements.getOrDefault(id, "");
                    yield sql.startsWith(VERSIONS) || sql.contains("SHOW ")
                            ? binary(query(sql, logsExecutions))
                            : rows(sql, planned.getOrDefault(id, catalog), true);
                }
                case CommandCode.COM_RESET_CONNECTION -> {
                    catalog = OWN;
                    yield List.of(ok());
                }
                default -> List.of(ok());
            };
        }

        private List<ByteBuf> prepare(String text) {
            int id = statements.size();
            log(text, true);
            statements.put(id, text);
            planned.put(id, catalog);
            int parameters = (int) text.chars().filter(c -> c == '?').count();
            List<ByteBuf> packets = new ArrayList<>();
            packets.add(Unpooled.buffer()
                    .writeByte(0)
                    .writeIntLE(id)
                    .writeShortLE(0)
                    .writeShortLE(parameters)
                    .writeByte(0)
                    .writeShortLE(0));
            for (int i = 0; i < parameters; i++) {
                packets.add(definition("?", VAR_STRING));
            }
            if (parameters > 0) {
                packets.add(end());
            }
            return packets;
        }

        /** Changes the database. A catalog in the name is changed first. */
        private boolean place(String named) {
            if (named.startsWith("catalog ")) {
                return into(named.substring("catalog ".length()));
            }
            String[] parts = named.split("\\.", 2);
            if (parts.length == 2 && !catalogs().contains(parts[0])) {
                return false;
            }
            catalog = parts.length == 2 ? parts[0] : catalog;
            boolean there = named.isEmpty() || parts[parts.length - 1].equals("e3");
            database = there ? parts[parts.length - 1] : database;
            return there;
        }

        private boolean into(String named) {
            boolean there = catalogs().contains(named);
            catalog = there ? named : catalog;
            database = there ? "" : database;
            return there;
        }

        private List<String> catalogs() {
            return List.of(OWN, OTHER);
        }

        private void log(String sql, boolean logged) {
            if (logged && sql.startsWith(VERSIONS)) {
                versionsLogged.incrementAndGet();
            }
        }

        private List<ByteBuf> query(String sql, boolean logged) {
            log(sql, logged);
            Matcher like = LIKE.matcher(sql);
            Matcher use = USE.matcher(sql);
            Matcher set = SET_CATALOG.matcher(sql);
            if (like.matches()) {
                return shown(like.group(1));
            }
            if (use.matches()) {
                return List.of(
                        place((use.group(1) == null ? "" : use.group(1) + ".") + use.group(2))
                                ? ok()
                                : error("Unknown database"));
            }
            if (set.matches()) {
                String kept = database;
                boolean there = into(set.group(1));
                // Setting the variable retains the database; SET CATALOG does not.
                database = sql.contains("=") ? kept : database;
                return List.of(there ? ok() : error("Unknown catalog"));
            }
            if (sql.equals("BEGIN") || sql.equals("COMMIT")) {
                status = sql.equals("BEGIN") ? status | IN_TRANSACTION : status & ~IN_TRANSACTION;
                return List.of(ok());
            }
            if (sql.startsWith("SET ")) {
                logsExecutions &= !sql.equals("SET audit_execute_stmt = false");
                Matcher one = Pattern.compile("(\\w+) = '?([^,']*)'?").matcher(sql);
                while (one.find()) {
                    variables.computeIfPresent(
                            one.group(1), (name, old) -> name.startsWith("enable") ? one.group(2) : old);
                }
                return List.of(ok());
            }
            return table(sql);
        }

        private List<ByteBuf> table(String sql) {
            return switch (sql) {
                case "SHOW DATABASES" ->
                    result(List.of("Database"), List.of(List.of("e3"), List.of("information_schema")));
                case "SHOW PROC '/dbs'" -> result(List.of("DbId", "DbName"), List.of(List.of("1", "e3")));
                case "ADMIN SHOW FRONTEND CONFIG LIKE 'access_control'" ->
                    result(List.of("Key", "Value"), List.of(List.of("access_control", "native")));
                case "SHOW FULL TABLES FROM `e3`" ->
                    result(List.of("Tables_in_e3", "Table_type"), List.of(List.of("t", "BASE TABLE")));
                case "SHOW CREATE TABLE `e3`.`t`" ->
                    result(
                            List.of("Table", "Create Table"),
                            List.of(List.of(
                                    "t",
                                    "CREATE TABLE `t` (\n  `k` int(11) NOT NULL COMMENT \"\",\n  `v` varchar(20) NULL COMMENT \"\"\n)"
                                            + " ENGINE=OLAP \nPRIMARY KEY(`k`)\nDISTRIBUTED BY HASH(`k`) BUCKETS 1 \nPROPERTIES (\n"
                                            + "\"storage_type\" = \"COLUMN_WITH_ROW\"\n);")));
                case VERSIONS + "VISIBLE_VERSION FROM information_schema.partitions_meta WHERE DB_NAME IN ('e3')" ->
                    versions();
                case VERSIONS + "PARTITION_KEY, PARTITION_VALUE FROM information_schema.partitions_meta"
                        + " WHERE DB_NAME IN ('e3') AND TABLE_NAME IN ('t')" ->
                    result(
                            List.of("DB_NAME", "TABLE_NAME", "PARTITION_ID", "PARTITION_KEY", "PARTITION_VALUE"),
                            List.of(List.of("e3", "t", "15066", "", "")));
                default -> READ.matcher(sql).matches() ? rows(sql, catalog, false) : functions(sql);
            };
        }

        private List<ByteBuf> versions() {
            versionsAsked.incrementAndGet();
            String refused = versionsRefused;
            return refused != null
                    ? List.of(error(refused))
                    : result(
                            List.of("DB_NAME", "TABLE_NAME", "PARTITION_ID", "VISIBLE_VERSION"),
                            List.of(List.of("e3", "t", "15066", "" + written.version())));
        }

        /** Answers variables and functions: all functions have the value of the last one. */
        private List<ByteBuf> functions(String sql) {
            if (!sql.toUpperCase(Locale.ROOT).startsWith("SELECT ")) {
                return List.of(error("not scripted: " + sql));
            }
            List<String> names =
                    List.of(sql.substring("SELECT ".length()).strip().split("\\s*,\\s*", -1));
            String last = null;
            for (String name : names) {
                last = name.endsWith("()") ? function(name) : last;
            }
            List<@Nullable String> row = new ArrayList<>();
            for (String name : names) {
                String variable = name.replaceFirst("(?i)@@(?:session\\.)?(\\w+).*", "$1");
                row.add(name.endsWith("()") ? last : value(variable));
            }
            List<String> titles = names.stream()
                    .map(name -> name.replaceFirst("(?i).* AS ", ""))
                    .toList();
            return result(titles, List.of(row));
        }

        private @Nullable String function(String name) {
            return switch (name.toUpperCase(Locale.ROOT)) {
                case "DATABASE()" -> database;
                case "CURRENT_USER()" -> "'" + user + "'@'%'";
                case "CATALOG()" -> catalog;
                default -> "1";
            };
        }

        private String value(String variable) {
            return switch (variable) {
                case "catalog" -> catalog;
                case "autocommit", "auto_increment_increment" -> "1";
                case "max_allowed_packet" -> "33554432";
                case "interactive_timeout", "net_write_timeout" -> "3600";
                case "init_connect", "system_time_zone", "license" -> "";
                case "character_set_client",
                        "character_set_connection",
                        "character_set_results",
                        "character_set_server" -> "utf8mb3";
                case "collation_connection", "collation_server" -> "utf8_general_ci";
                case "sql_select_limit" -> "9223372036854775807";
                case "tx_isolation", "transaction_isolation" -> "REPEATABLE-READ";
                default -> variables.getOrDefault(variable, "0");
            };
        }

        private List<ByteBuf> shown(@Nullable String like) {
            List<List<@Nullable String>> rows = new ArrayList<>();
            if (like == null || like.equals("catalog")) {
                rows.add(List.of("catalog", catalog));
            }
            variables.forEach((name, value) -> {
                if (like == null || (like.equals("version") ? name.startsWith(like) : name.equals(like))) {
                    rows.add(List.of(name, value));
                }
            });
            return result(List.of("Variable_name", "Value"), rows);
        }

        /** Returns the row of a read of the table, for any key. */
        private List<ByteBuf> rows(String sql, String at, boolean binary) {
            Matcher read = READ.matcher(sql);
            if (!read.matches()) {
                return List.of(error("not scripted: " + sql));
            }
            String from = read.group(2) == null ? at : read.group(2);
            String text = from + (from.equals(OWN) ? written.text() : " one");
            boolean all = !read.group(1).replace("`", "").equals("v");
            List<ByteBuf> packets = new ArrayList<>();
            packets.add(Unpooled.buffer().writeByte(all ? 2 : 1));
            if (all) {
                packets.add(definition("k", LONG));
            }
            packets.add(definition("v", VAR_STRING));
            packets.add(end());
            ByteBuf row = Unpooled.buffer();
            if (binary) {
                row.writeByte(0).writeByte(0);
            }
            if (all && binary) {
                row.writeIntLE(1);
            } else if (all) {
                Lenenc.writeString(row, "1");
            }
            Lenenc.writeString(row, text);
            packets.add(row);
            packets.add(end());
            return packets;
        }

        private List<ByteBuf> result(List<String> columns, List<? extends List<@Nullable String>> rows) {
            List<ByteBuf> packets = new ArrayList<>();
            packets.add(Unpooled.buffer().writeByte(columns.size()));
            columns.forEach(column -> packets.add(definition(column, VAR_STRING)));
            packets.add(end());
            for (List<@Nullable String> cells : rows) {
                ByteBuf row = Unpooled.buffer();
                for (String cell : cells) {
                    if (cell == null) {
                        row.writeByte(0xFB);
                    } else {
                        Lenenc.writeString(row, cell);
                    }
                }
                packets.add(row);
            }
            packets.add(end());
            return packets;
        }

        /** Returns a text reply, which has no NULL, in the binary format. */
        private static List<ByteBuf> binary(List<ByteBuf> text) {
            int columns = text.get(0).getByte(0);
            List<ByteBuf> packets = new ArrayList<>(text);
            for (int i = columns + 2; columns > 0 && i < text.size() - 1; i++) {
                ByteBuf begin = Unpooled.buffer().writeZero(1 + (columns + 9) / 8);
                packets.set(i, Unpooled.wrappedBuffer(begin, text.get(i)));
            }
            return packets;
        }

        private ByteBuf definition(String name, int type) {
            ByteBuf packet = Unpooled.buffer();
            for (String part : List.of("def", "", "", "", name, name)) {
                Lenenc.writeString(packet, part);
            }
            return packet.writeByte(12)
                    .writeShortLE(UTF8)
                    .writeIntLE(60)
                    .writeByte(type)
                    .writeShortLE(0)
                    .writeByte(0)
                    .writeShortLE(0);
        }

        private int flags() {
            int shown = flags == Flags.NONE ? 0 : before;
            before = status;
            return shown;
        }

        private ByteBuf ok() {
            return Unpooled.buffer()
                    .writeByte(0)
                    .writeByte(0)
                    .writeByte(0)
                    .writeShortLE(flags())
                    .writeShortLE(0);
        }

        private ByteBuf end() {
            return Unpooled.buffer().writeByte(0xFE).writeShortLE(0).writeShortLE(flags());
        }

        private ByteBuf error(String message) {
            ByteBuf packet = Unpooled.buffer().writeByte(0xFF).writeShortLE(5501);
            packet.writeCharSequence("#3F000" + message, StandardCharsets.UTF_8);
            return packet;
        }

        private byte[] read(DataInputStream in) throws IOException {
            byte[] header = in.readNBytes(4);
            if (header.length < 4) {
                throw new EOFException();
            }
            sequence = header[3] + 1;
            return in.readNBytes(Unpooled.wrappedBuffer(header).getMediumLE(0));
        }

        private void send(OutputStream out, ByteBuf payload) throws IOException {
            ByteBuf framed = Unpooled.buffer().writeIntLE(payload.readableBytes() | sequence++ << 24);
            out.write(ByteBufUtil.getBytes(framed.writeBytes(payload)));
            out.flush();
        }
    }
}
