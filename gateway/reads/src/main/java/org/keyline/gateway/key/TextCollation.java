package org.keyline.gateway.key;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Compares text by bytes, as far as bytes decide how the store compares it. Immutable. */
final class TextCollation {
    /*
     * Binary collations compare code points, so the UTF-8 bytes are the key bytes. Under folding
     * (case-insensitive) collations, bytes decide only the comparison of printable ASCII (20 to
     * 7E). The key has the rank of each byte in the collation's order, the same for both cases of a
     * letter. Other characters may equal an ASCII letter ('á' = 'a'), so texts with them get no key
     * bytes.
     * Under PAD SPACE, trailing spaces do not count. With a character below the space, a longer
     * text would sort before its own prefix, so such texts get no key bytes either. Stored CHAR
     * values are padded, so they sort this way under every collation.
     * Tests compare the ranks of each collation with a real MariaDB, and on demand with a real
     * MySQL. The order of utf8mb4_0900_ai_ci is not used, because a build cannot check it.
     */

    /** Order of collations without Unicode's table: by code point, letters in upper case. */
    private static final byte[] CODE_POINTS =
            ranks(" !\"#$%&'()*+,-./0123456789:;<=>?@abcdefghijklmnopqrstuvwxyz[\\]^_`{|}~");

    /** Order of Unicode's default collation table up to version 5.2. */
    private static final byte[] UNICODE_4 =
            ranks(" `^_-,;:!?.'\"()[]{}@*/\\&#%+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz");

    /** Order of Unicode's default collation table since version 6.0. */
    private static final byte[] UNICODE_6 =
            ranks(" _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz");

    private static final Map<String, byte[]> FOLDING = Map.of(
            "general_ci", CODE_POINTS,
            "swedish_ci", CODE_POINTS,
            "unicode_ci", UNICODE_4,
            "unicode_520_ci", UNICODE_4,
            "uca1400_ai_ci", UNICODE_6,
            "uca1400_as_ci", UNICODE_6,
            "0900_ai_ci", UNICODE_6);

    private static final String BINARY = "bin";
    private static final String NO_PAD = "nopad_";

    /**
     * The name of MySQL's only {@code _bin} collation with NO PAD. Doris and StarRocks have the
     * same collation.
     */
    private static final String BYTES = "utf8mb4_0900_bin";

    private static final String MYSQL_8 = "utf8mb4_0900_ai_ci";

    private static final char SPACE = ' ';
    private static final char DELETE = 0x7F;
    private static final int ASCII = 1;
    private static final int LATIN = 2;
    private static final int BASIC_PLANE = 3;
    private static final int UNICODE = 4;

    private final String name;
    private final boolean pads;
    /** Whether bytes decide the comparison of characters below the space. */
    private final boolean controls;
    /** Maximum UTF-8 length, in bytes, of a character that key bytes can compare. */
    private final int widest;

    private final byte @Nullable [] ranks;
    private final char[] characters;

    private TextCollation(String name, boolean pads, boolean fixed, int widest, byte @Nullable [] ranks) {
        this.name = name;
        this.pads = pads;
        this.controls = !pads && !fixed;
        this.widest = widest;
        this.ranks = ranks;
        this.characters = ranks == null ? new char[0] : characters(ranks);
    }

    /**
     * Returns the collation with this name; null if bytes never decide its comparisons.
     *
     * @param fixed whether the column is a CHAR
     */
    static @Nullable TextCollation of(@Nullable String name, boolean fixed) {
        if (name == null) {
            return null;
        }
        String lower = name.toLowerCase(Locale.ROOT);
        int charsetEnd = lower.indexOf('_');
        String charset = charsetEnd < 0 ? lower : lower.substring(0, charsetEnd);
        String kind = lower.substring(charsetEnd + 1);
        int widest = switch (charset) {
            case "ascii" -> ASCII;
            case "latin1" -> LATIN;
            case "utf8", "utf8mb3" -> BASIC_PLANE;
            case "utf8mb4" -> UNICODE;
            default -> 0;
        };
        if (widest == 0) {
            return null;
        }
        if (lower.equals(BYTES)) {
            return new TextCollation(lower, false, fixed, widest, null);
        }
        boolean pads = !kind.contains(NO_PAD) && !lower.equals(MYSQL_8);
        String padded = kind.replace(NO_PAD, "");
        if (padded.equals(BINARY)) {
            return new TextCollation(lower, pads, fixed, widest, null);
        }
        boolean exists = switch (padded) {
            case "swedish_ci" -> widest == LATIN;
            case "general_ci" -> widest != LATIN;
            case "0900_ai_ci" -> widest == UNICODE;
            default -> widest >= BASIC_PLANE;
        };
        byte[] ranks = exists ? FOLDING.get(padded) : null;
        return ranks == null ? null : new TextCollation(lower, pads, fixed, ASCII, ranks);
    }

    /** Returns whether comparisons ignore trailing spaces. */
    boolean pads() {
        return pads;
    }

    /** Returns whether the declared length of a column may be in bytes instead of characters. */
    boolean countsBytes() {
        return name.equals(BYTES);
    }

    /** Returns whether key bytes sort as the store does. */
    boolean ordered() {
        return !name.equals(MYSQL_8);
    }

    /** Returns the rank of each byte; null if each byte is its own rank. */
    byte @Nullable [] ranks() {
        return ranks;
    }

    /**
     * Returns the number of leading bytes of a text that decide its comparisons.
     *
     * @param text valid UTF-8
     * @return the length without padding, or -1 if bytes do not decide the comparison
     */
    int significant(byte[] text, int offset, int length) {
        int end = offset + length;
        while (pads && end > offset && text[end - 1] == SPACE) {
            end--;
        }
        for (int i = offset; i < end; i++) {
            int at = text[i] & 0xFF;
            int next = i + 1 < end ? text[i + 1] & 0xFF : 0;
            if (ranks != null ? ranks[at] == 0 : !exact(at, next)) {
                return -1;
            }
        }
        return end - offset;
    }

    /** Returns whether the store keeps the character at these bytes and compares it by bytes. */
    private boolean exact(int at, int next) {
        if (at < SPACE) {
            return controls;
        }
        return switch (widest) {
            case ASCII -> at < DELETE;
            // U+00A0 to U+00FF. The store may replace other characters when it writes them.
            case LATIN -> at < DELETE || (at >= 0x80 && at < 0xC0) || (at == 0xC2 && next >= 0xA0) || at == 0xC3;
            case BASIC_PLANE -> at < 0xF0;
            default -> true;
        };
    }

    /** Returns a text with these key bytes. Under a folding collation, key bytes are ranks. */
    byte[] representative(byte[] key) {
        if (ranks == null) {
            return key;
        }
        byte[] text = new byte[key.length];
        for (int i = 0; i < key.length; i++) {
            text[i] = (byte) characters[key[i]];
        }
        return text;
    }

    private static byte[] ranks(String order) {
        byte[] ranks = new byte[256];
        for (int i = 0; i < order.length(); i++) {
            char at = order.charAt(i);
            ranks[at] = (byte) (i + 1);
            ranks[Character.toUpperCase(at)] = (byte) (i + 1);
        }
        return ranks;
    }

    private static char[] characters(byte[] ranks) {
        char[] characters = new char[128];
        Arrays.fill(characters, SPACE);
        for (char at = 0; at < ranks.length; at++) {
            characters[ranks[at]] = at;
        }
        return characters;
    }

    @Override
    public String toString() {
        return name;
    }
}
