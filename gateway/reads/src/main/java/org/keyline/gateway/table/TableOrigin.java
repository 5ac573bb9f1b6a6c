package org.keyline.gateway.table;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.TableName;
import org.keyline.planner.TableSchema;

/** Identifies a table's definition and granularity for files and other gateways. Thread-safe. */
public final class TableOrigin {
    private static final String INNODB = "InnoDB";

    private final TableSchema schema;
    private final int prefixCells;
    private byte @Nullable [] digest;

    TableOrigin(TableSchema schema, int prefixCells) {
        this.schema = schema;
        this.prefixCells = prefixCells;
    }

    public TableName name() {
        return schema.name();
    }

    /** Returns whether transactions read snapshots of the table: whether its engine is InnoDB. */
    public boolean hasSnapshots() {
        return INNODB.equalsIgnoreCase(schema.properties().get("ENGINE"));
    }

    /** Returns a digest of what determines key bytes and lines: columns, key, granularity. */
    public String definition() {
        return HexFormat.of().formatHex(digest());
    }

    /** Returns a short form of {@link #definition}. */
    public long definitionHash() {
        return ByteBuffer.wrap(digest()).getLong();
    }

    private synchronized byte[] digest() {
        if (digest == null) {
            digest = sha256(schema.name() + "\n" + schema.model() + "\n" + schema.columns() + "\n" + schema.keyColumns()
                    + "\n" + prefixCells);
        }
        return digest;
    }

    private static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
