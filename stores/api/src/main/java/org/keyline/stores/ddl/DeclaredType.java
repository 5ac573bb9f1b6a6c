package org.keyline.stores.ddl;

import java.util.List;
import org.keyline.planner.ColumnType;

/**
 * A column type as declared.
 *
 * @param type the type as the catalog has it; of kind OTHER if Keyline only parses it
 * @param text canonical text in lower case, as SHOW CREATE TABLE prints it, e.g.
 * {@code decimal(20,3)}
 * @param members unescaped values of ENUM and SET; empty for other types
 */
public record DeclaredType(ColumnType type, String text, List<String> members) {
    public DeclaredType {
        members = List.copyOf(members);
    }
}
