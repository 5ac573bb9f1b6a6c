package frameworks;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;

/** The entities of a page. */
final class Clinic {
    private Clinic() {}

    @Entity(name = "Owner")
    static class Owner {
        @Id
        int id;

        String name;
    }

    @Entity(name = "Pet")
    static class Pet {
        @Id
        int id;

        int owner;
        int kind;
        String name;
    }

    @Entity(name = "Kind")
    static class Kind {
        @Id
        int id;

        String name;
    }
}
