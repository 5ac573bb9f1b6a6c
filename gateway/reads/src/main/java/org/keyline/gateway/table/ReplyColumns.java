package org.keyline.gateway.table;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.planner.PointRead;
import org.keyline.protocol.Collation;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.protocol.codec.Packets;

/**
 * The column definitions of a reply. They must fit the session state that the gateway assumes, and
 * the columns that loads of the table receive. Immutable.
 *
 * @param definitions the definitions in the order of the reply
 */
public record ReplyColumns(List<ColumnDefinition> definitions) {
    /*
     * The gateway derives a session's state from its statements and the store's replies. Templates
     * and lines serve all sessions, so the reply's own definitions must confirm this state.
     */

    public enum Text {
        UTF8MB4,
        /** UTF-8 of at most three bytes per character. The store replaces longer characters. */
        UTF8MB3,
        /** Each column's text in its own character set. */
        AS_STORED,
        /** UTF-8, from a store that shows one character set for all columns. */
        ANY_UTF8
    }

    private static final Set<String> UTF8 = Set.of("utf8mb4", "utf8mb3");

    /** Character sets whose stored bytes are UTF-8. */
    private static final Set<String> PART_OF_UTF8 = Set.of("utf8mb4", "utf8mb3", "ascii");

    public ReplyColumns {
        definitions = List.copyOf(definitions);
    }

    /**
     * Reads definitions from the packets of a reply.
     *
     * @param from the index of the first definition's packet
     * @param extended whether the definitions have MariaDB's extended type information
     */
    public static ReplyColumns read(byte[] packets, int from, int count, boolean extended) {
        List<ColumnDefinition> definitions = new ArrayList<>();
        ByteBuf in = Unpooled.wrappedBuffer(packets).readerIndex(from);
        for (int i = 0; i < count; i++) {
            int length = in.readUnsignedMediumLE();
            in.skipBytes(1);
            definitions.add(ColumnDefinition.decode(in.readSlice(length), extended));
        }
        return new ReplyColumns(definitions);
    }

    /** Reads the columns from the reply to a PREPARE, after the definitions of its parameters. */
    public static ReplyColumns prepared(byte[] packets, int parameters, int count, boolean extended) {
        int at = next(packets, 0);
        for (int i = 0; i < parameters; i++) {
            at = next(packets, at);
        }
        boolean end = parameters > 0 && at + Packets.HEADER_BYTES < packets.length && packets[at + 4] == (byte) 0xFE;
        return read(packets, end ? next(packets, at) : at, count, extended);
    }

    public static int next(byte[] packets, int at) {
        return at + Packets.HEADER_BYTES + Unpooled.wrappedBuffer(packets).getUnsignedMediumLE(at);
    }

    /** Returns whether the definitions show the assumed character set of the session's results. */
    public boolean areIn(Text text, PointRead plan) {
        List<Integer> ordinals = switch (plan.answer()) {
            case ROWS, DISTINCT -> plan.projection();
            case COUNT, EXISTS, AGGREGATES -> List.of();
        };
        int collation = 0;
        for (int i = 0; i < definitions.size(); i++) {
            ColumnDefinition definition = definitions.get(i);
            if (definition.name().indexOf('\uFFFD') >= 0) {
                return false;
            }
            int ordinal = i < ordinals.size() ? ordinals.get(i) : PointRead.ONE;
            String stored = ordinal == PointRead.ONE
                    ? null
                    : charset(plan.table().columns().get(ordinal).type());
            if (stored != null && !isIn(text, charset(definition.collation()), stored)) {
                return false;
            }
            if (stored != null && (text == Text.UTF8MB4 || text == Text.UTF8MB3)) {
                // Definitions have the collation of the session's results, so all must be the same.
                if (collation != 0 && collation != definition.collation()) {
                    return false;
                }
                collation = definition.collation();
            }
        }
        return true;
    }

    private static boolean isIn(Text text, @Nullable String shown, String stored) {
        return switch (text) {
            case UTF8MB4 -> "utf8mb4".equals(shown);
            case UTF8MB3 -> "utf8mb3".equals(shown);
            // Results without a character set have the stored bytes, and their definitions show
            // binary.
            case AS_STORED -> stored.equals(shown) || "binary".equals(shown);
            case ANY_UTF8 -> shown == null || UTF8.contains(shown) || shown.equals("binary");
        };
    }

    /**
     * Returns whether the table's loads receive the same columns, with text in the same bytes.
     *
     * @param kind {@link CachedTable#TEXT} or {@link CachedTable#BINARY}
     */
    public boolean areThoseOfLoads(CachedTable table, int kind) {
        List<ColumnDefinition> loaded = table.columns(kind);
        if (loaded == null || loaded.size() != definitions.size()) {
            return false;
        }
        for (int i = 0; i < loaded.size(); i++) {
            if (!isSame(loaded.get(i), definitions.get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(ColumnDefinition loaded, ColumnDefinition shown) {
        return loaded.type() == shown.type()
                && loaded.flags() == shown.flags()
                && loaded.decimals() == shown.decimals()
                && loaded.schema().equals(shown.schema())
                && loaded.orgTable().equals(shown.orgTable())
                && loaded.orgName().equals(shown.orgName())
                && isSameText(charset(loaded.collation()), charset(shown.collation()));
    }

    private static boolean isSameText(@Nullable String loaded, @Nullable String shown) {
        return loaded != null
                && shown != null
                && (loaded.equals(shown) || (PART_OF_UTF8.contains(loaded) && PART_OF_UTF8.contains(shown)));
    }

    private static @Nullable String charset(int collation) {
        Collation known = Collation.byId(collation);
        return known == null ? null : known.charset();
    }

    /**
     * Returns the character set of a column; null if the column has no text, or if its character
     * set is unknown.
     */
    private static @Nullable String charset(ColumnType type) {
        return switch (type.kind()) {
            case CHAR, VARCHAR, TEXT, ENUM, SET, JSON -> {
                Collation collation = type.collation() == null ? null : Collation.byName(type.collation());
                yield collation == null ? null : collation.charset();
            }
            default -> null;
        };
    }
}
