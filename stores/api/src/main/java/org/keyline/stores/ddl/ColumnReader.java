package org.keyline.stores.ddl;

import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.TableDefinition.Flavour;

final class ColumnReader {

    private static final int MAX_NAME = 256;
    private static final Set<String> AGGREGATIONS = Set.of("""
            SUM MIN MAX REPLACE REPLACE_IF_NOT_NULL HLL_UNION BITMAP_UNION QUANTILE_UNION GENERIC
            """.strip().split("\\s+"));

    private final DdlCursor tokens;
    private final Flavour flavour;

    private boolean primary;

    private boolean unique;

    ColumnReader(DdlCursor tokens, Flavour flavour) {
        this.tokens = tokens;
        this.flavour = flavour;
    }

    boolean primary() {
        return primary;
    }

    boolean unique() {
        return unique;
    }

    DeclaredColumn read() {
        String name = tokens.name("a column name");
        if (name.isEmpty() || name.length() > MAX_NAME) {
            throw new StatementRefusedException(1166, "42000", "Incorrect column name '" + name + "'");
        }
        return read(name);
    }

    private DeclaredColumn read(String name) {
        DeclaredType type = new TypeReader(tokens, flavour).read();
        primary = false;
        unique = false;
        boolean nullable = true;
        boolean autoIncrement = false;
        @Nullable String aggregation = null;
        @Nullable String defaultSql = null;
        @Nullable String onUpdate = null;
        String comment = "";
        while (true) {
            if (tokens.accept("NOT")) {
                tokens.expect("NULL");
                nullable = false;
            } else if (tokens.accept("NULL")) {
                nullable = true;
            } else if (tokens.accept("DEFAULT")) {
                defaultSql = defaultValue();
            } else if (tokens.accept("ON")) {
                tokens.expect("UPDATE");
                onUpdate = currentTimestamp();
            } else if (tokens.accept("AUTO_INCREMENT")) {
                autoIncrement = true;
                if (tokens.acceptSymbol("(")) {
                    int first = tokens.integer("the first value", Integer.MAX_VALUE);
                    if (first != 1) {
                        throw StatementRefusedException.unsupported(
                                "AUTO_INCREMENT(" + first + ") (column '" + name + "')");
                    }
                    tokens.expectSymbol(")");
                }
            } else if (tokens.accept("COMMENT")) {
                comment = tokens.string("a comment");
            } else if (tokens.accept("PRIMARY")) {
                tokens.accept("KEY");
                primary = true;
            } else if (tokens.accept("UNIQUE")) {
                tokens.accept("KEY");
                unique = true;
            } else if (tokens.accept("KEY")) {
                primary = flavour == Flavour.MYSQL;
            } else if (aggregation == null && tokens.atAnyOf(AGGREGATIONS)) {
                aggregation = tokens.name("an aggregation").toUpperCase(Locale.ROOT);
            } else if (!ignoredAttribute(name)) {
                break;
            }
        }
        if (primary || autoIncrement) {
            nullable = false;
        }
        if (!nullable && "NULL".equals(defaultSql)) {
            throw new StatementRefusedException(1067, "42000", "Invalid default value for '" + name + "'");
        }
        return new DeclaredColumn(
                new ColumnSchema(name, type.type(), nullable, defaultSql, autoIncrement, comment),
                type,
                aggregation,
                onUpdate);
    }

    /**
     * Skips an attribute without effect in the embedded store. Returns false if no such attribute
     * is next. Refuses attributes that affect rows.
     */
    private boolean ignoredAttribute(String column) {
        if (tokens.at("GENERATED") || tokens.at("AS")) {
            throw StatementRefusedException.unsupported("generated columns (column '" + column + "')");
        }
        if (tokens.at("REFERENCES")) {
            throw StatementRefusedException.unsupported("REFERENCES (column '" + column + "')");
        }
        if (tokens.at("CHECK") || tokens.at("CONSTRAINT")) {
            throw StatementRefusedException.unsupported("CHECK constraints (column '" + column + "')");
        }
        if (tokens.accept("COLUMN_FORMAT") || tokens.accept("STORAGE") || tokens.accept("ENGINE_ATTRIBUTE")) {
            tokens.acceptSymbol("=");
            tokens.nameOrString("a value");
            return true;
        }
        if (tokens.accept("COLLATE")) {
            if (tokens.columnCollation().equals("binary")) {
                tokens.refuseUnhonoured("COLLATE binary after other attributes (column '" + column + "')");
            }
            return true;
        }
        return tokens.accept("VISIBLE") || tokens.accept("INVISIBLE");
    }

    /** Reads a string, number, NULL, or CURRENT_TIMESTAMP with its digits; returns its SQL text. */
    String defaultValue() {
        if (tokens.acceptSymbol("(")) {
            String inner = tokens.atCurrentTimestamp() ? currentTimestamp() : literal();
            tokens.expectSymbol(")");
            return inner;
        }
        return tokens.atCurrentTimestamp() ? currentTimestamp() : literal();
    }

    private String literal() {
        if (tokens.atString()) {
            return SqlText.quoted(tokens.string("a default value"));
        }
        if (tokens.accept("NULL")) {
            return "NULL";
        }
        if (tokens.accept("TRUE")) {
            return "1";
        }
        if (tokens.accept("FALSE")) {
            return "0";
        }
        if (tokens.at("CURRENT_DATE") || tokens.at("PI") || tokens.at("BITMAP_EMPTY") || tokens.at("UUID")) {
            throw StatementRefusedException.unsupported("the default " + tokens.name("a default value"));
        }
        boolean negative = tokens.acceptSymbol("-");
        if (!negative) {
            tokens.acceptSymbol("+");
        }
        return (negative ? "-" : "") + tokens.number("a default value");
    }

    private String currentTimestamp() {
        if (!tokens.atCurrentTimestamp()) {
            throw tokens.error("CURRENT_TIMESTAMP");
        }
        tokens.name("CURRENT_TIMESTAMP");
        int digits = 0;
        if (tokens.acceptSymbol("(")) {
            digits = tokens.atSymbol(")") ? 0 : tokens.integer("the fractional digits", 6);
            tokens.expectSymbol(")");
        }
        return digits == 0 ? "CURRENT_TIMESTAMP" : "CURRENT_TIMESTAMP(" + digits + ")";
    }
}
