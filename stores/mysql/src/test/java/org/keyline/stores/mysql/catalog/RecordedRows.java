package org.keyline.stores.mysql.catalog;

import static java.util.Objects.requireNonNull;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Recorded answers of a store, from a test resource. After {@code > } is a query, its beginning, or
 * the table that it reads; then the names of the columns and the rows, cells separated by tabs,
 * NULL as {@code \N}. After {@code ! } is the error instead. A query without a recording fails its
 * test.
 */
public final class RecordedRows implements CatalogRows {
    private final Map<String, List<String>> answers = new LinkedHashMap<>();
    private final List<String> asked = new ArrayList<>();

    /** Reads the answers of a resource of the package. */
    public RecordedRows(String resource) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(
                requireNonNull(RecordedRows.class.getResourceAsStream(resource), resource), StandardCharsets.UTF_8))) {
            List<String> answer = new ArrayList<>();
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("> ")) {
                    answer = new ArrayList<>();
                    answers.put(line.substring(2), answer);
                } else if (!line.isEmpty() && !line.startsWith("# ")) {
                    answer.add(line);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns these answers with another answer to a query: its lines, as in the resource. */
    public RecordedRows with(String query, String... lines) {
        answers.put(query, List.of(lines));
        return this;
    }

    /** Returns these answers with one more row. */
    public RecordedRows plus(String query, String row) {
        List<String> lines = new ArrayList<>(requireNonNull(answers.get(query)));
        lines.add(row);
        answers.put(query, lines);
        return this;
    }

    /** Returns these answers with another word in one of them. */
    public RecordedRows replacing(String query, String word, String other) {
        List<String> lines = new ArrayList<>(requireNonNull(answers.get(query)));
        lines.replaceAll(line -> line.replace(word, other));
        answers.put(query, lines);
        return this;
    }

    public List<String> asked() {
        return asked;
    }

    @Override
    public void query(String sql, RowTaker taker) throws ReadFailure {
        asked.add(sql);
        List<String> lines = answers.entrySet().stream()
                .filter(answer ->
                        sql.startsWith(answer.getKey()) || (sql + " ").contains(" FROM " + answer.getKey() + " "))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow(() -> new AssertionError("not recorded: " + sql));
        if (lines.get(0).startsWith("! ")) {
            throw new ReadFailure(lines.get(0).substring(2));
        }
        List<String> columns = List.of(lines.get(0).split("\t", -1));
        for (String line : lines.subList(1, lines.size())) {
            taker.row(new RecordedRow(columns, List.of(line.split("\t", -1))));
        }
    }

    /** One row. Immutable. */
    private record RecordedRow(List<String> columns, List<String> cells) implements Row {
        @Override
        public @Nullable String text(String column) throws ReadFailure {
            for (int i = 0; i < columns.size(); i++) {
                if (columns.get(i).equalsIgnoreCase(column)) {
                    return text(i + 1);
                }
            }
            throw new ReadFailure("no column " + column);
        }

        @Override
        public @Nullable String text(int position) {
            String cell = position <= cells.size() ? cells.get(position - 1) : "";
            if (cell.equals("\\N")) {
                return null;
            }
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < cell.length(); i++) {
                char at = cell.charAt(i);
                if (at == '\\' && i + 1 < cell.length()) {
                    i++;
                    text.append(cell.charAt(i) == 'n' ? '\n' : cell.charAt(i));
                } else {
                    text.append(at);
                }
            }
            return text.toString();
        }
    }
}
