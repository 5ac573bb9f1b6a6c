package org.keyline.planner;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.keyline.planner.digest.Collisions;
import org.keyline.planner.digest.Digester;
import org.keyline.planner.digest.SqlMode;

final class PlanCacheTest {
    private final TestCatalog catalog = TestCatalog.shared();
    private final PlanCache cache = new PlanCache(Plans.PLANNER, catalog, 1 << 20);
    private final PlanCache.Lookup lookup = cache.lookup();
    private final Digester digester = new Digester();

    @Test
    void plan_sameShapeAgain_isTheSamePlan() {
        PlannedStatement first = plan("SELECT v FROM t WHERE k = 1", "d");
        assertThat(plan("SELECT  v FROM t WHERE k='x' -- y", "d")).isSameAs(first);
        assertThat(first.text()).isEqualTo("SELECT v FROM t WHERE k = ?");
        assertThat(first.slots()).isEqualTo(1);
        assertThat(cache.stats().hits()).isEqualTo(1);
        assertThat(cache.stats().misses()).isEqualTo(1);
    }

    @Test
    void known_isTheCachedPlanOfThisVersion_andMakesNone() {
        String sql = "SELECT v FROM t WHERE k = 1";
        assertThat(lookup.known(Plans.digest(sql), "d")).isNull();
        assertThat(cache.stats().plans()).isZero();
        PlannedStatement planned = plan(sql, "d");
        assertThat(lookup.known(Plans.digest(sql), "d")).isSameAs(planned);
        assertThat(lookup.known(Plans.digest(sql), "other")).isNull();
        assertThat(cache.stats().hits()).isZero();
        catalog.add(TestCatalog.table("d", "t", 1, "k", "v", "w", "added"));
        assertThat(lookup.known(Plans.digest(sql), "d")).isNull();
    }

    @Test
    void plan_anotherThreadsLookup_findsIt() {
        PlannedStatement first = plan("SELECT v FROM t WHERE k = 1", "d");
        PlanCache.Lookup other = cache.lookup();
        assertThat(other.plan(Plans.digest("SELECT v FROM t WHERE k = 2"), "d")).isSameAs(first);
    }

    @Test
    void plan_anotherSchema_isAnotherPlan() {
        PointRead here = (PointRead) plan("SELECT v FROM t WHERE k = 1", "d").plan();
        PointRead there =
                (PointRead) plan("SELECT v FROM t WHERE k = 1", "other").plan();
        assertThat(here.table().name().schema()).isEqualTo("d");
        assertThat(there.table().name().schema()).isEqualTo("other");
    }

    @Test
    void plan_anotherMode_isAnotherPlan() {
        String sql = "SELECT v FROM t WHERE k = 1";
        PlannedStatement plain = plan(sql, "d");
        byte[] bytes = sql.getBytes(UTF_8);
        digester.digest(bytes, 0, bytes.length, new SqlMode(false, false, true));
        assertThat(lookup.plan(digester, "d")).isNotSameAs(plain).isEqualTo(plain);
    }

    @Test
    void plan_afterDdl_isMadeAnew() {
        PlannedStatement before = plan("SELECT * FROM t WHERE k = 1", "d");
        catalog.add(TestCatalog.table("d", "t", 1, "k", "v", "w", "added"));
        PlannedStatement after = plan("SELECT * FROM t WHERE k = 1", "d");
        assertThat(((PointRead) before.plan()).projection()).hasSize(3);
        assertThat(((PointRead) after.plan()).projection()).hasSize(4);
    }

    /** The cached knowledge of a read belongs to its plan, and does not depend on other tables. */
    @Test
    void plan_afterDdlOfAnotherTable_isTheSamePlan() {
        PlannedStatement read = plan("SELECT * FROM t WHERE k = 1", "d");
        PlannedStatement write = plan("DELETE FROM t WHERE k = 1", "d");
        catalog.add(TestCatalog.table("d", "kv", 1, "id", "other"));
        assertThat(plan("SELECT * FROM t WHERE k = 1", "d")).isSameAs(read);
        assertThat(plan("DELETE FROM t WHERE k = 1", "d")).isNotSameAs(write).isEqualTo(write);
    }

    @Test
    void plan_tableUnknownForAMoment_isForwardedAndThenTheSamePlan() {
        PlannedStatement read = plan("SELECT * FROM t WHERE k = 1", "d");
        TableSchema table = ((PointRead) read.plan()).table();
        catalog.remove("d", "t");
        PlannedStatement meanwhile = plan("SELECT * FROM t WHERE k = 1", "d");
        assertThat(meanwhile.plan()).isInstanceOf(Forward.class);
        assertThat(plan("SELECT * FROM t WHERE k = 1", "d")).isSameAs(meanwhile);
        catalog.add(table);
        assertThat(plan("SELECT * FROM t WHERE k = 1", "d")).isSameAs(read);
    }

    /** A definition that returned may have been another one in between. */
    @Test
    void plan_anotherObjectOfTheSameDefinition_isMadeAnew() {
        PlannedStatement read = plan("SELECT v FROM t WHERE k = 1", "d");
        catalog.add(TestCatalog.table("d", "t", 1, "k", "v", "w"));
        assertThat(plan("SELECT v FROM t WHERE k = 1", "d")).isNotSameAs(read);
    }

    @Test
    void plan_changeWhilePlanning_isNotCachedAsNew() {
        Catalog moving = new Catalog() {
            @Override
            public TableSchema table(String schema, String table) {
                TableSchema old = catalog.table("d", "t");
                catalog.add(TestCatalog.table("d", "t", 1, "k", "v", "w", "added"));
                if (old == null) {
                    throw new AssertionError("no table");
                }
                return old;
            }

            @Override
            public long version() {
                return catalog.version();
            }

            /** Otherwise the view itself would be looked up as well. */
            @Override
            public boolean storedFunctions() {
                return false;
            }
        };
        PlanCache.Lookup racing = new PlanCache(Plans.PLANNER, moving, 1 << 20).lookup();
        PointRead during = (PointRead)
                racing.plan(Plans.digest("SELECT * FROM t WHERE k = 1"), "d").plan();
        PointRead after = (PointRead)
                racing.plan(Plans.digest("SELECT * FROM t WHERE k = 1"), "d").plan();
        assertThat(during.projection()).hasSize(3);
        assertThat(after.projection()).hasSize(4);
    }

    @Test
    void plan_manyShapes_staysWithinItsWeight() {
        PlanCache small = new PlanCache(Plans.PLANNER, catalog, 20L * PlanCache.ENTRY_BYTES);
        PlanCache.Lookup into = small.lookup();
        for (int i = 0; i < 200; i++) {
            into.plan(Plans.digest("SELECT v AS a" + i + " FROM t WHERE k = 1"), "d");
        }
        PlanCache.Stats stats = small.stats();
        assertThat(stats.plans()).isBetween(1L, 20L);
        assertThat(stats.bytes()).isLessThanOrEqualTo(20L * PlanCache.ENTRY_BYTES);
        assertThat(stats.evictions()).isGreaterThanOrEqualTo(180);
    }

    @Test
    void clear_forgetsPlans() {
        PlannedStatement before = plan("SELECT v FROM t WHERE k = 1", "d");
        cache.clear();
        assertThat(cache.stats().plans()).isZero();
        assertThat(plan("SELECT v FROM t WHERE k = 1", "d")).isNotSameAs(before);
    }

    @Test
    void plan_undigested_isNotCached() {
        assertThat(plan("SELECT 'x", "d").plan()).isInstanceOf(Forward.class);
        assertThat(plan("SELECT " + "1,".repeat(50_000) + "1", "d").plan()).isInstanceOf(Forward.class);
        assertThat(cache.stats().plans()).isZero();
    }

    @Test
    void equalHashes_stillHaveTheirOwnPlans() {
        Digester colliding = Collisions.digester();
        PlannedStatement[] plans = new PlannedStatement[20];
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < plans.length; i++) {
                byte[] sql = ("SELECT v AS a" + i + " FROM t WHERE k = 1").getBytes(UTF_8);
                colliding.digest(sql, 0, sql.length, SqlMode.DEFAULT);
                assertThat(colliding.hashLow()).isZero();
                PlannedStatement planned = lookup.plan(colliding, "d");
                assertThat(planned.text()).isEqualTo("SELECT v AS a" + i + " FROM t WHERE k = ?");
                if (round == 1) {
                    assertThat(planned).isSameAs(plans[i]);
                }
                plans[i] = planned;
            }
        }
    }

    private PlannedStatement plan(String sql, String schema) {
        byte[] bytes = sql.getBytes(UTF_8);
        digester.digest(bytes, 0, bytes.length, SqlMode.DEFAULT);
        return lookup.plan(digester, schema);
    }
}
