package frameworks;

import org.springframework.data.jpa.repository.JpaRepository;

/** As Spring Data makes it: every read is in a transaction that only reads. */
public interface Items extends JpaRepository<Item, Integer> {}
