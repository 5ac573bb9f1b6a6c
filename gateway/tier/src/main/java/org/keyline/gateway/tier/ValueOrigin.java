package org.keyline.gateway.tier;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.keyline.gateway.table.CachedTable;
import org.keyline.protocol.ColumnDefinition;

/** The store, account, table definition and format of rows. Forms the names of their lines. */
final class ValueOrigin {
    /**
     * The prefixes of the names of values and leases in the tier.
     *
     * @param loadedBy names the account and the store; rows of another account are not used
     */
    record Names(String values, String leases, String loadedBy) {
        static Names of(String namespace, String loadedBy) {
            return new Names(namespace + ":line:", namespace + ":load:", loadedBy);
        }
    }

    private static final HexFormat HEX = HexFormat.of();

    private final byte[] digest;
    private final byte[] values;
    private final byte[] leases;

    private ValueOrigin(Names names, byte[] digest) {
        String end = "{" + HEX.formatHex(digest, 0, Long.BYTES) + ":";
        this.digest = digest;
        this.values = (names.values() + end).getBytes(UTF_8);
        this.leases = (names.leases() + end).getBytes(UTF_8);
    }

    static ValueOrigin of(Names names, CachedTable table, int kind) {
        List<ColumnDefinition> columns = new ArrayList<>();
        for (int i = 0; i < table.schema().columns().size(); i++) {
            columns.add(table.column(kind, i));
        }
        String text = names.loadedBy() + "\n" + table.origin().definition() + "\n" + kind + "\n" + columns;
        try {
            return new ValueOrigin(names, MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** Returns the digest. The caller must not modify it. */
    byte[] digest() {
        return digest;
    }

    byte[] key(byte[] prefix) {
        return join(values, prefix);
    }

    byte[] lease(byte[] prefix) {
        return join(leases, prefix);
    }

    /**
     * Returns the name of a line or a lease. In a cluster, the text in braces selects the server.
     * This text ends with a hash of the prefix, so a line and its lease are at the same server. The
     * prefix itself comes after the braces, because it may contain braces.
     */
    private static byte[] join(byte[] begin, byte[] prefix) {
        byte[] end = (HEX.toHexDigits(Arrays.hashCode(prefix)) + "}:").getBytes(US_ASCII);
        return ByteBuffer.allocate(begin.length + end.length + prefix.length)
                .put(begin)
                .put(end)
                .put(prefix)
                .array();
    }
}
