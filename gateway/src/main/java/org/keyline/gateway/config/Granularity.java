package org.keyline.gateway.config;

/**
 * The load granularity of a table: how many leading key columns a load binds.
 *
 * @param columns leading key columns, ≥ 0; with 0 lines are ranges of keys; {@link #FULL_COLUMNS}
 *     means all of them, {@link #AUTO_COLUMNS} means that the gateway chooses by measurement
 */
public record Granularity(int columns) {
    private static final int FULL_COLUMNS = Integer.MAX_VALUE;
    private static final int AUTO_COLUMNS = -1;

    /** One load per key. */
    public static final Granularity FULL = new Granularity(FULL_COLUMNS);

    /** Chosen by measurement. */
    public static final Granularity AUTO = new Granularity(AUTO_COLUMNS);

    public Granularity {
        if (columns < AUTO_COLUMNS) {
            throw new IllegalArgumentException("columns: " + columns + " (expected: >= 0)");
        }
    }

    public static Granularity prefix(int columns) {
        if (columns < 0) {
            throw new IllegalArgumentException("prefix: " + columns + " (expected: >= 0)");
        }
        return new Granularity(columns);
    }

    /** Returns whether lines are adjacent ranges of keys. */
    public boolean ranged() {
        return columns == 0;
    }

    public boolean auto() {
        return columns == AUTO_COLUMNS;
    }

    /**
     * Returns the prefix length for a table with that many key columns; undefined for
     * {@link #AUTO}.
     */
    public int columnsOf(int keyColumns) {
        return Math.min(columns, keyColumns);
    }

    @Override
    public String toString() {
        return switch (columns) {
            case FULL_COLUMNS -> "full";
            case AUTO_COLUMNS -> "auto";
            default -> Integer.toString(columns);
        };
    }
}
