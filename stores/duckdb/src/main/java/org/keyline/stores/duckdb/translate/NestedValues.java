package org.keyline.stores.duckdb.translate;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ColumnSchema;
import org.keyline.planner.ColumnType;
import org.keyline.planner.StatementRefusedException;

/**
 * Values of ARRAY, MAP and STRUCT columns. They are stored as the text in which Doris shows them, {@code [1, null]} or
 * {@code {"a":1, "b":2}}, so that every reply has the same bytes. Elements are checked, and printed, as values of columns of
 * their types are. Used once for each value.
 */
final class NestedValues {
    private static final String QUOTE = "\"";
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private final String text;
    private final ColumnSchema column;
    private final StringBuilder out = new StringBuilder();
    private int at;

    private NestedValues(String text, ColumnSchema column) {
        this.text = text;
        this.column = column;
    }

    /** A value as the column holds it; 1366 where it is none. */
    static String of(Object value, ColumnSchema column) {
        if (!(value instanceof String text)) {
            throw incorrect(column, Values.text(value));
        }
        if (column.type().kind() == ColumnType.Kind.VARIANT) {
            return VariantText.of(text, column);
        }
        NestedValues reader = new NestedValues(text, column);
        reader.value(column.type(), "");
        if (reader.peek() != 0) {
            throw reader.incorrect();
        }
        return reader.out.toString();
    }

    /** What Doris calls the field of a struct that has no name. */
    static String field(int ordinal) {
        return "col" + (ordinal + 1);
    }

    /** Text within another value. Doris shows it as it is, so that a quote in it could not be told from its end. */
    static String quoted(String value) {
        if (value.contains(QUOTE) || value.indexOf('\\') >= 0) {
            throw StatementRefusedException.unsupported("text with '\"' or '\\' inside arrays, maps and structs");
        }
        return QUOTE + value + QUOTE;
    }

    static StatementRefusedException incorrect(ColumnSchema column, String value) {
        String shown = value.length() > 64 ? value.substring(0, 64) : value;
        return new StatementRefusedException(
                1366,
                "HY000",
                "Incorrect " + column.type().kind().name().toLowerCase(Locale.ROOT) + " value: '" + shown
                        + "' for column '" + column.name() + "' at row 1");
    }

    private StatementRefusedException incorrect() {
        return incorrect(column, text);
    }

    /** The next character that is no white space; 0 at the end. */
    private char peek() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean take(char c) {
        if (peek() == c) {
            at++;
            return true;
        }
        return false;
    }

    private void expect(char c) {
        if (!take(c)) {
            throw incorrect();
        }
    }

    /** @param ends the characters that end a value without quotes */
    private void value(ColumnType type, String ends) {
        switch (type.kind()) {
            case ARRAY -> array(type);
            case MAP -> map(type);
            case STRUCT -> struct(type);
            default -> out.append(scalar(word(ends), type));
        }
    }

    private boolean takeNull() {
        peek();
        int end = at + 4;
        boolean none = text.regionMatches(true, at, "null", 0, 4)
                && (end == text.length() || ",]}: \t\n".indexOf(text.charAt(end)) >= 0);
        if (none) {
            at = end;
            out.append("null");
        }
        return none;
    }

    private void array(ColumnType type) {
        expect('[');
        out.append('[');
        if (!take(']')) {
            do {
                if (!takeNull()) {
                    value(type.fields().get(0).type(), ",]");
                }
            } while (take(',') && out.append(", ").length() > 0);
            expect(']');
        }
        out.append(']');
    }

    private void map(ColumnType type) {
        expect('{');
        out.append('{');
        if (!take('}')) {
            do {
                if (!takeNull()) {
                    value(type.fields().get(0).type(), ":");
                }
                expect(':');
                out.append(':');
                if (!takeNull()) {
                    value(type.fields().get(1).type(), ",}");
                }
            } while (take(',') && out.append(", ").length() > 0);
            expect('}');
        }
        out.append('}');
    }

    /** {@code {"a":1, "b":2}} by name in any order, {@code {1, 2}} or the names that Doris makes by position. */
    private void struct(ColumnType type) {
        expect('{');
        List<ColumnType.Field> fields = type.fields();
        @Nullable String[] values = new @Nullable String[fields.size()];
        int position = 0;
        int begin = out.length();
        do {
            int ordinal = position < fields.size() ? named(fields, position) : -1;
            if (ordinal < 0 || values[ordinal] != null) {
                throw incorrect();
            }
            int from = out.length();
            if (!takeNull()) {
                value(fields.get(ordinal).type(), ",}");
            }
            values[ordinal] = out.substring(from);
            position++;
        } while (take(','));
        expect('}');
        if (Arrays.asList(values).contains(null)) {
            throw incorrect();
        }
        out.setLength(begin);
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            shown.add(QUOTE + fields.get(i).name() + QUOTE + ":" + values[i]);
        }
        out.append('{').append(String.join(", ", shown)).append('}');
    }

    /** The field that comes next: by its name if one stands there, else by its position. */
    private int named(List<ColumnType.Field> fields, int position) {
        int before = at;
        char c = peek();
        if (c == '[' || c == '{') {
            return position;
        }
        String name = word(":,}").text();
        if (!take(':')) {
            at = before;
            return position;
        }
        for (int i = 0; i < fields.size(); i++) {
            if (fields.get(i).name().equalsIgnoreCase(name)) {
                return i;
            }
        }
        return name.equals(field(position)) ? position : -1;
    }

    /** A word of the text, and whether quotes stood around it. */
    private record Word(String text, boolean quoted) {}

    private Word word(String ends) {
        char quote = peek();
        if (quote == '"' || quote == '\'') {
            StringBuilder word = new StringBuilder();
            at++;
            while (at < text.length() && text.charAt(at) != quote) {
                at += text.charAt(at) == '\\' && at + 1 < text.length() ? 1 : 0;
                word.append(text.charAt(at++));
            }
            if (at >= text.length()) {
                throw incorrect();
            }
            at++;
            return new Word(word.toString(), true);
        }
        int from = at;
        while (at < text.length() && ends.indexOf(text.charAt(at)) < 0) {
            at++;
        }
        return new Word(text.substring(from, at).strip(), false);
    }

    private static String moment(LocalDateTime moment, int digits) {
        String micros = String.format(Locale.ROOT, "%06d", moment.getNano() / 1_000);
        return SECONDS.format(moment) + (digits == 0 ? "" : "." + micros.substring(0, digits));
    }

    private String scalar(Word word, ColumnType type) {
        if (word.text().isEmpty() && !word.quoted()) {
            throw incorrect();
        }
        ColumnSchema element = new ColumnSchema(column.name(), type, true, null, false, "");
        Object value = StoredValues.of(word.text(), element);
        if (value instanceof Boolean truth) {
            return truth ? "1" : "0";
        }
        if (value instanceof BigDecimal decimal) {
            return decimal.toPlainString();
        }
        if (value instanceof Double number) {
            return Values.text(type.kind() == ColumnType.Kind.FLOAT ? (Object) number.floatValue() : number);
        }
        if (value instanceof LocalDate date) {
            return QUOTE + date + QUOTE;
        }
        if (value instanceof LocalDateTime moment) {
            return QUOTE + moment(moment, type.scale()) + QUOTE;
        }
        if (value instanceof LocalTime) {
            throw StatementRefusedException.unsupported("times inside arrays, maps and structs");
        }
        return value instanceof String string ? quoted(string) : String.valueOf(value);
    }
}
