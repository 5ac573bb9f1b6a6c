package org.keyline.stores.mysql.signal;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.keyline.planner.TableName;

/**
 * The partitions of a table with their versions, and its definition, as digests: two that are equal tell of the same rows. Immutable.
 *
 * @param versions of SHA-256, its first 64 bits
 * @param definition likewise
 */
record TablePrint(long versions, long definition) {
    private static final HexFormat HEX = HexFormat.of();
    private static final int HEX_CHARS = 2 * Long.BYTES;

    static TablePrint of(Map<Long, Long> versions, String definition) {
        return new TablePrint(digest(new TreeMap<>(versions).toString()), digest(definition));
    }

    private static long digest(String text) {
        try {
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)))
                    .getLong();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Of many tables, as {@link #parse} reads it. */
    static String write(Map<TableName, TablePrint> tables) {
        return tables.entrySet().stream()
                .map(entry -> HEX.toHexDigits(entry.getValue().versions())
                        + HEX.toHexDigits(entry.getValue().definition())
                        + base64(entry.getKey().schema())
                        + "."
                        + base64(entry.getKey().table()))
                .collect(Collectors.joining(","));
    }

    /** @throws IllegalArgumentException if it is not of this kind */
    static Map<TableName, TablePrint> parse(String text) {
        Map<TableName, TablePrint> tables = new HashMap<>();
        for (String each : text.isEmpty() ? new String[0] : text.split(",", -1)) {
            int dot = each.indexOf('.');
            if (dot < 2 * HEX_CHARS) {
                throw new IllegalArgumentException("position: " + each + " (expected: two numbers and a table)");
            }
            tables.put(
                    new TableName(text(each.substring(2 * HEX_CHARS, dot)), text(each.substring(dot + 1))),
                    new TablePrint(
                            HexFormat.fromHexDigitsToLong(each, 0, HEX_CHARS),
                            HexFormat.fromHexDigitsToLong(each, HEX_CHARS, 2 * HEX_CHARS)));
        }
        return Map.copyOf(tables);
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    private static String text(String base64) {
        return new String(Base64.getDecoder().decode(base64), UTF_8);
    }
}
