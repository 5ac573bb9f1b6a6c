package frameworks;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.math.BigDecimal;

/** A row. */
@Entity
@Table(name = "item")
public class Item {
    @Id
    private Integer id;

    private String name;
    private BigDecimal price;

    public String getName() {
        return name;
    }
}
