package org.keyline.gateway.config;

/**
 * The number of leading key columns that a load binds.
 *
 * @param columns the number; 0 if lines are ranges of keys, {@link #FULL_COLUMNS} for all columns,
 * {@link #AUTO_COLUMNS} if the gateway chooses the number by measurement
 */
public record Granularity(int columns) {
    private static final int FULL_COLUMNS = Integer.MAX_VALUE;
    private static final int AUTO_COLUMNS = -1;

    public static final Granularity FULL = new Granularity(FULL_COLUMNS);

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

    /** Returns the number for a key with {@code keyColumns} columns. Not for {@link #AUTO}. */
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
