package org.keyline.stores.duckdb.session;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.keyline.stores.duckdb.engine.EngineConnection;
import org.keyline.stores.duckdb.engine.Write;
import org.keyline.stores.duckdb.translate.StatementText;
import org.keyline.stores.duckdb.translate.Step;
import org.keyline.stores.duckdb.translate.Translated;

/** The steps of a translated write with their values, which run in order in one transaction. */
record Steps(List<Bound> steps) implements Write.Work {
    private record Bound(Step step, List<@Nullable Object> values) {}

    static Steps of(Translated translated, StatementText text, StatementValues values) {
        List<Bound> steps = new ArrayList<>(translated.steps().size());
        for (Step step : translated.steps()) {
            List<@Nullable Object> bound = step.role() == Step.Role.ROWS ? List.of() : values.of(step, text);
            boolean needed = step.role() != Step.Role.PREPARATION_IF_NULL || bound.contains(null);
            if (needed && step.role() != Step.Role.ROWS) {
                steps.add(new Bound(step, bound));
            }
        }
        return new Steps(steps);
    }

    @Override
    public long apply(EngineConnection connection) throws SQLException {
        long affected = 0;
        for (Bound bound : steps) {
            String sql = bound.step().sql();
            switch (bound.step().role()) {
                case EXTRA_AFFECTED -> affected += connection.number(sql, bound.values());
                case PREPARATION, PREPARATION_IF_NULL -> connection.update(sql, bound.values());
                default -> affected += connection.update(sql, bound.values());
            }
        }
        return affected;
    }
}
