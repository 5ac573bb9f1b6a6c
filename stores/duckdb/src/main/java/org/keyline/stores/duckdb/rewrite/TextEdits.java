package org.keyline.stores.duckdb.rewrite;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.keyline.stores.ddl.SqlText;
import org.keyline.stores.duckdb.translate.OutputColumn;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.ViewQuery;

/** What the text of a query lacks to mean the same at any time and in any database. Used once. */
final class TextEdits {

    /** A replacement of bytes; a name's database may be left out where it is the view's own. */
    private record Edit(int from, int to, String text, String schema) {}

    private final List<Edit> edits = new ArrayList<>();

    /** A star between two offsets stands for these columns. */
    void star(int from, int to, List<String> columns) {
        edits.add(new Edit(from, to, String.join(", ", columns), ""));
    }

    /** The name of a table that begins at an offset has no database before it, and means one of this database. */
    void table(int offset, String schema) {
        edits.add(new Edit(offset, offset, SqlText.name(schema) + ".", schema));
    }

    /** The text with all edits, without those that name this database; empty names none. */
    String applied(StatementText text, String ownSchema) {
        byte[] source = text.source();
        StringBuilder out = new StringBuilder();
        int from = 0;
        edits.sort(Comparator.comparingInt(Edit::from));
        for (Edit edit : edits) {
            if (!edit.schema().isEmpty() && edit.schema().equals(ownSchema)) {
                continue;
            }
            out.append(new String(source, from, edit.from() - from, UTF_8)).append(edit.text());
            from = edit.to();
        }
        return out.append(new String(source, from, source.length - from, UTF_8)).toString();
    }

    /** The query as a view of this database keeps it. */
    ViewQuery.Read read(StatementText text, List<OutputColumn> columns, String schema) {
        return new ViewQuery.Read(columns, applied(text, schema), applied(text, ""));
    }
}
