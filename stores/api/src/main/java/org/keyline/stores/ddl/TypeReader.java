package org.keyline.stores.ddl;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnType;
import org.keyline.planner.ColumnType.Field;
import org.keyline.planner.ColumnType.Kind;
import org.keyline.planner.StatementRefusedException;
import org.keyline.stores.ddl.TableDefinition.Flavour;

/** Parses a column type, up to the first word that does not belong to the type. */
final class TypeReader {

    private static final int MAX_NESTING = 9;
    private static final int MAX_FIELDS = 1_024;
    private static final int MAX_MEMBERS = 65_535;
    private static final int TINY_LENGTH = 255;
    private static final int TEXT_LENGTH = 65_535;
    private static final int MEDIUM_LENGTH = (1 << 24) - 1;
    private static final int LONGEST = Integer.MAX_VALUE;
    private static final int CHARACTER_BYTES = 4;

    private static final int MAX_FLOAT_BITS = 53;
    private static final int MAX_DIGITS = 65;

    private final DdlCursor tokens;
    private final Flavour flavour;
    private final boolean printed;

    TypeReader(DdlCursor tokens, Flavour flavour) {
        this(tokens, flavour, false);
    }

    /** @param printed whether a store printed the type, possibly in its own form */
    TypeReader(DdlCursor tokens, Flavour flavour, boolean printed) {
        this.tokens = tokens;
        this.flavour = flavour;
        this.printed = printed;
    }

    DeclaredType read() {
        DeclaredType type = base(0);
        return withAttributes(type);
    }

    private DeclaredType base(int depth) {
        int begin = tokens.index();
        String word = tokens.name("a column type").toUpperCase(Locale.ROOT);
        return switch (word) {
            case "BOOLEAN", "BOOL" -> bool();
            case "TINYINT" -> integer(Kind.TINYINT, "tinyint");
            case "SMALLINT", "INT2" -> integer(Kind.SMALLINT, "smallint");
            case "MEDIUMINT", "INT3", "MIDDLEINT" -> integer(Kind.MEDIUMINT, "mediumint");
            case "INT", "INTEGER", "INT4" -> integer(Kind.INT, "int");
            case "BIGINT", "INT8" -> integer(Kind.BIGINT, "bigint");
            case "LARGEINT" -> integer(Kind.LARGEINT, "largeint");
            case "SERIAL" -> throw StatementRefusedException.unsupported("the type SERIAL");
            case "FLOAT", "FLOAT4" -> floating(Kind.FLOAT, "float");
            case "DOUBLE", "FLOAT8", "REAL" -> {
                tokens.accept("PRECISION");
                yield floating(Kind.DOUBLE, "double");
            }
            case "DECIMAL", "DEC", "NUMERIC", "FIXED", "DECIMALV2", "DECIMALV3" -> decimal();
            case "DATE", "DATEV1", "DATEV2" -> plain(Kind.DATE, 0, 0, "date");
            case "DATETIME", "DATETIMEV1", "DATETIMEV2" -> temporal(Kind.DATETIME, "datetime");
            case "TIMESTAMP" -> temporal(Kind.TIMESTAMP, "timestamp");
            case "TIMESTAMPTZ" -> {
                width(6);
                yield other(begin);
            }
            case "TIME", "TIMEV2" -> temporal(Kind.TIME, "time");
            case "YEAR" -> {
                width(4);
                yield new DeclaredType(new ColumnType(Kind.YEAR, true, 4, 0, null), "year", List.of());
            }
            default -> textOrOther(word, begin, depth);
        };
    }

    private DeclaredType textOrOther(String word, int begin, int depth) {
        return switch (word) {
            case "CHAR", "CHARACTER", "NCHAR" ->
                tokens.accept("VARYING") ? varchar() : character(Kind.CHAR, "char", 1, 255);
            case "VARCHAR", "NVARCHAR", "VARCHARACTER" -> varchar();
            case "STRING", "TEXT" -> sized(Kind.TEXT, "text", CHARACTER_BYTES);
            case "TINYTEXT" -> text(Kind.TEXT, "tinytext", TINY_LENGTH);
            case "MEDIUMTEXT" -> text(Kind.TEXT, "mediumtext", MEDIUM_LENGTH);
            case "LONGTEXT" -> text(Kind.TEXT, "longtext", LONGEST);
            case "LONG" -> {
                tokens.accept("VARCHAR");
                yield text(Kind.TEXT, "mediumtext", MEDIUM_LENGTH);
            }
            case "BINARY" -> character(Kind.BINARY, "binary", 1, 255);
            case "VARBINARY" -> varbinary();
            case "BLOB" -> sized(Kind.BLOB, "blob", 1);
            case "TINYBLOB" -> text(Kind.BLOB, "tinyblob", TINY_LENGTH);
            case "MEDIUMBLOB" -> text(Kind.BLOB, "mediumblob", MEDIUM_LENGTH);
            case "LONGBLOB" -> text(Kind.BLOB, "longblob", LONGEST);
            case "JSON", "JSONB" -> text(Kind.JSON, "json", LONGEST);
            case "IPV4" -> text(Kind.IPV4, "ipv4", 15);
            case "IPV6" -> text(Kind.IPV6, "ipv6", 45);
            case "BIT" -> {
                int bits = width(64);
                int length = bits < 0 ? 1 : bits;
                yield new DeclaredType(
                        new ColumnType(Kind.BIT, true, length, 0, null), "bit(" + length + ")", List.of());
            }
            case "ENUM" -> members(Kind.ENUM, "enum");
            case "SET" -> members(Kind.SET, "set");
            case "ARRAY", "MAP", "STRUCT" -> nested(Kind.valueOf(word), begin, depth);
            case "VARIANT", "AGG_STATE" -> {
                boolean plain = word.equals("VARIANT") && !tokens.atSymbol("<");
                if (tokens.atSymbol("<")) {
                    tokens.skipAngles();
                }
                if (tokens.atSymbol("(")) {
                    tokens.skipGroup();
                }
                yield plain ? declared(Kind.VARIANT, begin, List.of()) : other(begin);
            }
            case "BITMAP", "HLL", "QUANTILE_STATE" -> other(begin);
            case "GEOMETRY", "POINT", "LINESTRING", "POLYGON", "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON" ->
                plain(Kind.GEOMETRY, 0, 0, word.toLowerCase(Locale.ROOT));
            default -> throw tokens.back().error("a column type");
        };
    }

    private DeclaredType bool() {
        return flavour == Flavour.DORIS
                ? plain(Kind.BOOLEAN, 1, 0, "boolean")
                : plain(Kind.TINYINT, 1, 0, "tinyint(1)");
    }

    private DeclaredType integer(Kind kind, String name) {
        int width = width(255);
        boolean one = kind == Kind.TINYINT && width == 1 && flavour == Flavour.MYSQL;
        return plain(kind, one ? 1 : 0, 0, one ? name + "(1)" : name);
    }

    private DeclaredType floating(Kind kind, String name) {
        if (tokens.acceptSymbol("(")) {
            int precision = tokens.integer("a precision", 255);
            if (tokens.acceptSymbol(",")) {
                int scale = tokens.integer("a scale", 30);
                tokens.refuseUnhonoured("the type " + name + "(" + precision + "," + scale + "); declare a DECIMAL");
            } else if (kind == Kind.FLOAT && precision > MAX_FLOAT_BITS) {
                throw new StatementRefusedException(
                        1063, "42000", "float(" + precision + "): the precision must be at most " + MAX_FLOAT_BITS);
            } else if (kind == Kind.FLOAT && precision > 24) {
                tokens.expectSymbol(")");
                return plain(Kind.DOUBLE, 0, 0, "double");
            }
            tokens.expectSymbol(")");
        }
        return plain(kind, 0, 0, name);
    }

    private DeclaredType decimal() {
        int precision = flavour == Flavour.DORIS ? 38 : 10;
        int scale = flavour == Flavour.DORIS ? 9 : 0;
        if (tokens.acceptSymbol("(")) {
            precision = tokens.integer("a precision", 76);
            scale = 0;
            if (tokens.acceptSymbol(",")) {
                scale = tokens.integer("a scale", 76);
            }
            tokens.expectSymbol(")");
        }
        if (precision == 0 && flavour == Flavour.MYSQL) {
            precision = 10;
        }
        if (precision > MAX_DIGITS && flavour == Flavour.MYSQL) {
            throw new StatementRefusedException(
                    1426,
                    "42000",
                    "decimal(" + precision + "," + scale + "): the precision must be at most " + MAX_DIGITS);
        }
        if (scale > precision || precision == 0) {
            throw new StatementRefusedException(
                    1427, "42000", "decimal(" + precision + "," + scale + "): the scale must not exceed the precision");
        }
        return plain(Kind.DECIMAL, precision, scale, "decimal(" + precision + "," + scale + ")");
    }

    private DeclaredType temporal(Kind kind, String name) {
        int digits = Math.max(width(6), 0);
        return plain(kind, 0, digits, digits == 0 ? name : name + "(" + digits + ")");
    }

    private DeclaredType varchar() {
        if (flavour == Flavour.DORIS && (!tokens.atSymbol("(") || tokens.atStarInParentheses())) {
            if (tokens.acceptSymbol("(")) {
                tokens.expectSymbol("*");
                tokens.expectSymbol(")");
            }
            return plain(Kind.VARCHAR, 65_533, 0, "varchar(65533)");
        }
        if (!tokens.atSymbol("(")) {
            throw tokens.error("'(' and the length of the varchar");
        }
        return character(Kind.VARCHAR, "varchar", 1, flavour == Flavour.DORIS ? 65_533 : TEXT_LENGTH);
    }

    /** Reads a VARBINARY, whose length MySQL requires. */
    private DeclaredType varbinary() {
        if (flavour == Flavour.MYSQL && !tokens.atSymbol("(")) {
            throw tokens.error("'(' and the length of the varbinary");
        }
        return character(Kind.VARBINARY, "varbinary", TEXT_LENGTH, LONGEST);
    }

    /**
     * Reads a type with an optional length. In MySQL, a length selects the smallest sufficient TEXT
     * or BLOB.
     */
    private DeclaredType sized(Kind kind, String name, int unit) {
        long bytes = Math.max(width(LONGEST), 0) * (long) unit;
        if (flavour == Flavour.DORIS && kind == Kind.TEXT) {
            return text(kind, name, LONGEST);
        }
        if (flavour == Flavour.DORIS || bytes == 0) {
            return text(kind, name, TEXT_LENGTH);
        }
        if (bytes <= TINY_LENGTH) {
            return text(kind, "tiny" + name, TINY_LENGTH);
        }
        if (bytes <= TEXT_LENGTH) {
            return text(kind, name, TEXT_LENGTH);
        }
        return bytes <= MEDIUM_LENGTH ? text(kind, "medium" + name, MEDIUM_LENGTH) : text(kind, "long" + name, LONGEST);
    }

    private DeclaredType character(Kind kind, String name, int missing, int max) {
        int given = width(max);
        int length = given < 0 ? missing : given;
        return plain(kind, length, 0, name + "(" + length + ")");
    }

    private static DeclaredType text(Kind kind, String name, int length) {
        return plain(kind, length, 0, name);
    }

    private static DeclaredType plain(Kind kind, int length, int scale, String text) {
        return new DeclaredType(new ColumnType(kind, false, length, scale, null), text, List.of());
    }

    private DeclaredType members(Kind kind, String name) {
        List<String> members = new ArrayList<>();
        StringBuilder text = new StringBuilder(name).append('(');
        tokens.expectSymbol("(");
        int longest = 0;
        do {
            if (members.size() == MAX_MEMBERS) {
                throw tokens.error("at most " + MAX_MEMBERS + " members");
            }
            String member = tokens.string("a member of the " + name);
            text.append(members.isEmpty() ? "" : ",").append(SqlText.quoted(member));
            longest = kind == Kind.SET ? longest + member.length() + 1 : Math.max(longest, member.length());
            members.add(member);
        } while (tokens.acceptSymbol(","));
        tokens.expectSymbol(")");
        return new DeclaredType(
                new ColumnType(kind, false, longest, 0, null), text.append(')').toString(), members);
    }

    /** Reads a nested type. Element types can be missing, as in Doris; then the kind is OTHER. */
    private DeclaredType nested(Kind kind, int begin, int depth) {
        List<Field> fields = fields(kind, depth);
        boolean whole = kind == Kind.STRUCT ? !fields.isEmpty() : fields.size() == (kind == Kind.MAP ? 2 : 1);
        return whole ? declared(kind, begin, fields) : other(begin);
    }

    private List<Field> fields(Kind kind, int depth) {
        List<Field> fields = new ArrayList<>();
        if (depth == MAX_NESTING) {
            throw tokens.error("at most " + MAX_NESTING + " levels of nested types");
        }
        if (!tokens.acceptSymbol("<")) {
            return fields;
        }
        do {
            String name = "";
            if (kind == Kind.STRUCT) {
                name = tokens.atString() ? tokens.string("a field name") : tokens.name("a field name");
                if (!printed) {
                    tokens.expectSymbol(":");
                } else {
                    // StarRocks prints a field without a colon.
                    tokens.acceptSymbol(":");
                }
            }
            if (fields.size() == MAX_FIELDS) {
                throw tokens.error("at most " + MAX_FIELDS + " fields");
            }
            fields.add(new Field(name, base(depth + 1).type()));
            if (tokens.accept("NOT")) {
                tokens.expect("NULL");
            } else {
                tokens.accept("NULL");
            }
            if (tokens.accept("COMMENT")) {
                tokens.string("a comment");
            }
        } while (tokens.acceptSymbol(","));
        tokens.closeAngle();
        return fields;
    }

    private DeclaredType declared(Kind kind, int begin, List<Field> fields) {
        return new DeclaredType(
                new ColumnType(kind, false, 0, 0, null, fields),
                tokens.textSince(begin).toLowerCase(Locale.ROOT),
                List.of());
    }

    private DeclaredType other(int begin) {
        return declared(Kind.OTHER, begin, List.of());
    }

    /** Reads attributes in any order. */
    private DeclaredType withAttributes(DeclaredType declared) {
        boolean unsigned = declared.type().unsigned();
        boolean binary = false;
        @Nullable String collation = null;
        boolean more = true;
        boolean numeric = isNumeric(declared.type().kind());
        while (more) {
            if (numeric && tokens.at("ZEROFILL")) {
                tokens.refuseUnhonoured("ZEROFILL");
            }
            if (numeric && (tokens.accept("UNSIGNED") || tokens.accept("ZEROFILL"))) {
                unsigned = true;
            } else if (numeric && tokens.accept("SIGNED")) {
                unsigned = false;
            } else if (tokens.accept("CHARACTER") || tokens.accept("CHARSET")) {
                tokens.accept("SET");
                binary = tokens.characterSet().equalsIgnoreCase("binary");
            } else if (tokens.accept("COLLATE")) {
                collation = tokens.columnCollation();
                binary |= collation.equals("binary");
            } else if (tokens.accept("BINARY")) {
                more = true;
            } else if (tokens.at("ASCII") || tokens.at("UNICODE")) {
                tokens.characterSet();
            } else {
                more = false;
            }
        }
        ColumnType t = declared.type();
        Kind kind = binary ? binaryOf(t.kind()) : t.kind();
        String text = binary && kind != t.kind() ? SqlText.binaryName(declared.text()) : declared.text();
        return new DeclaredType(
                new ColumnType(
                        kind,
                        unsigned,
                        t.length(),
                        t.scale(),
                        isText(kind) && flavour == Flavour.MYSQL ? collation : null,
                        t.fields()),
                unsigned && numeric && kind != Kind.YEAR && kind != Kind.BIT ? text + " unsigned" : text,
                declared.members());
    }

    private static Kind binaryOf(Kind kind) {
        return switch (kind) {
            case CHAR -> Kind.BINARY;
            case VARCHAR -> Kind.VARBINARY;
            case TEXT -> Kind.BLOB;
            default -> kind;
        };
    }

    private static boolean isText(Kind kind) {
        return switch (kind) {
            case CHAR, VARCHAR, TEXT, ENUM, SET -> true;
            default -> false;
        };
    }

    private static boolean isNumeric(Kind kind) {
        return switch (kind) {
            case TINYINT, SMALLINT, MEDIUMINT, INT, BIGINT, LARGEINT, FLOAT, DOUBLE, DECIMAL -> true;
            default -> false;
        };
    }

    /** Reads a width in parentheses. Returns -1 if there is no parenthesis at the cursor. */
    private int width(int max) {
        if (!tokens.acceptSymbol("(")) {
            return -1;
        }
        int width = tokens.integer("a length", max);
        tokens.expectSymbol(")");
        return width;
    }
}
