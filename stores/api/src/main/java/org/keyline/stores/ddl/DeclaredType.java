package org.keyline.stores.ddl;

import java.util.List;
import org.keyline.planner.ColumnType;

/**
 * A column type as declared.
 *
 * @param type what it means; kind OTHER for types that are read and have no meaning here
 * @param text canonical text in lower case, as SHOW CREATE TABLE prints it, e.g. {@code decimal(20,3)}
 * @param members values of ENUM and SET, unescaped; else empty
 */
public record DeclaredType(ColumnType type, String text, List<String> members) {
    public DeclaredType {
        members = List.copyOf(members);
    }
}
