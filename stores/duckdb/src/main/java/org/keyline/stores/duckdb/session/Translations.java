package org.keyline.stores.duckdb.session;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.List;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.ColumnDefinition;
import org.keyline.stores.duckdb.meta.DuckDbCatalog;
import org.keyline.stores.duckdb.reply.ResultColumns;
import org.keyline.stores.duckdb.rewrite.Rewriter;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Translated;
import org.keyline.stores.duckdb.translate.TranslationContext;

/**
 * Caches translated statements by their shape. Statements that differ only in their values are
 * translated once. Thread-safe.
 */
public final class Translations {
    private static final long MAX_SHAPES = 10_000;
    private static final int MAX_SHAPE_LENGTH = 64 * 1024;

    /** The inputs of a translation, except the {@linkplain Translated#pinned pinned} values. */
    private record Shape(String text, String schema, SqlMode mode, boolean foundRows, long catalogVersion) {}

    /** The columns of a result for clients of one collation. */
    private record Described(int collation, List<ColumnDefinition> columns) {}

    private record PinnedShape(Shape shape, List<String> values) {}

    private final DuckDbCatalog catalog;
    private final Rewriter translator;
    private final Cache<Shape, List<Integer>> pinned =
            Caffeine.newBuilder().maximumSize(MAX_SHAPES).build();
    private final Cache<PinnedShape, Translated> translations =
            Caffeine.newBuilder().maximumSize(MAX_SHAPES).build();
    private final Cache<Translated, Described> described =
            Caffeine.newBuilder().weakKeys().maximumSize(MAX_SHAPES).build();

    public Translations(DuckDbCatalog catalog) {
        this.catalog = catalog;
        this.translator = new Rewriter(catalog);
    }

    Translated of(StatementText text, TranslationContext context) {
        String shapeText = text.shape();
        if (shapeText.length() > MAX_SHAPE_LENGTH || shapeText.indexOf('@') >= 0) {
            // Not cached, because the types of variables can change at any time.
            return translator.translate(text, context);
        }
        Shape shape = new Shape(shapeText, context.schema(), context.mode(), context.foundRows(), catalog.version());
        List<Integer> slots = pinned.getIfPresent(shape);
        if (slots != null) {
            Translated known = translations.getIfPresent(new PinnedShape(shape, values(text, slots)));
            if (known != null) {
                return known;
            }
        }
        Translated translated = translator.translate(text, context);
        if (translated.reusable()) {
            pinned.put(shape, translated.pinned());
            translations.put(new PinnedShape(shape, values(text, translated.pinned())), translated);
        }
        return translated;
    }

    /** Returns the columns of a translated query's result, for clients with this collation. */
    List<ColumnDefinition> definitions(Translated translated, int collation) {
        Described known = described.getIfPresent(translated);
        if (known != null && known.collation == collation) {
            return known.columns;
        }
        ResultColumns definitions = new ResultColumns(collation);
        List<ColumnDefinition> columns =
                translated.columns().stream().map(definitions::of).toList();
        if (translated.reusable()) {
            described.put(translated, new Described(collation, columns));
        }
        return columns;
    }

    private static List<String> values(StatementText text, List<Integer> slots) {
        List<String> values = new ArrayList<>(slots.size());
        for (int slot : slots) {
            values.add(
                    text.slots().get(slot).placeholder()
                            ? String.valueOf(text.slots().get(slot).value())
                            : text.slotText(slot));
        }
        return values;
    }
}
