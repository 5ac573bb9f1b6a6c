package org.keyline.stores.mysql.catalog;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.keyline.planner.ForwardReason;
import org.keyline.planner.TableName;

/**
 * The tables of Doris or StarRocks that show different rows to different users. A line answers
 * every user, so it must not have rows that a policy hides from some. If the gateway's account may
 * not see the policies, each table counts as having a policy. Immutable.
 */
final class RowPolicies {
    private static final String ANY = "*";

    private final @Nullable ForwardReason everywhere;
    private final Set<TableName> tables;

    private RowPolicies(@Nullable ForwardReason everywhere, Set<TableName> tables) {
        this.everywhere = everywhere;
        this.tables = Set.copyOf(tables);
    }

    /**
     * Reads the policies. If another system decides on access, all tables count as having a policy.
     *
     * @param user the user of the gateway's account
     */
    static RowPolicies read(CatalogRows rows, Dialect dialect, String user, Set<String> remarks) throws ReadFailure {
        String setting = dialect.accessSetting();
        Set<TableName> tables = new HashSet<>();
        @Nullable ForwardReason[] everywhere = {null};
        try {
            if (setting != null) {
                rows.repeat("ADMIN SHOW FRONTEND CONFIG LIKE '" + setting + "'", row -> {
                    if (row.required("Key").equals(setting) && outside(row.text("Value"))) {
                        everywhere[0] = ForwardReason.POLICIES_UNSEEN;
                        remarks.add("the store's " + setting
                                + " delegates rights to another system, whose row filters Keyline cannot see, so no table"
                                + " is cached. Keyline can cache tables only if " + setting + " is unset");
                    }
                });
            }
            if (dialect.showsRowPolicies()) {
                rows.repeat("SHOW ROW POLICY", row -> {
                    String schema = row.text("DbName");
                    String table = row.text("TableName");
                    if (schema == null || table == null || schema.equals(ANY) || table.equals(ANY)) {
                        everywhere[0] = ForwardReason.ROW_POLICY;
                    } else {
                        tables.add(new TableName(schema, table));
                    }
                });
            }
        } catch (ReadFailure e) {
            if (!e.refused()) {
                throw e;
            }
            everywhere[0] = ForwardReason.POLICIES_UNSEEN;
            remarks.add("the gateway's account cannot see row policies, so no table is cached. Needed: "
                    + dialect.grantOfPolicies(user) + " (" + e.getMessage() + ")");
        }
        return new RowPolicies(everywhere[0], tables);
    }

    /**
     * Returns whether the setting names another system. Older versions have no such setting, or
     * leave it empty.
     */
    private static boolean outside(@Nullable String value) {
        return value != null && !value.isEmpty() && !value.equals("default") && !value.equals("native");
    }

    /** Returns why a table can show different rows to different users; null if all see the same. */
    @Nullable
    ForwardReason on(TableName table, NameRule names) {
        boolean policy = tables.stream().anyMatch(other -> names.key(other).equals(names.key(table)));
        return policy ? ForwardReason.ROW_POLICY : everywhere;
    }
}
