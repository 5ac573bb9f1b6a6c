package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.keyline.ycsb.Search.Filter;
import org.keyline.ycsb.Search.Publication;

class SearchTest {
    private static Publication publication(int id, int bytes) {
        return new Publication(id, "", 2000, null, bytes);
    }

    @Test
    void words_areDifferent_andNoneIsPartOfAnother() {
        Set<String> words = new HashSet<>();
        for (int rank = 1; rank <= 20_000; rank++) {
            assertThat(Bibliography.word(rank)).hasSize(6);
            assertThat(words.add(Bibliography.word(rank))).isTrue();
        }
    }

    @Test
    void steps_narrowOneSearchByNineYears() {
        List<Search> steps = Search.steps(1_000);
        assertThat(steps).hasSize(10);
        assertThat(steps.get(0).filters()).hasSize(1);
        assertThat(steps.get(2).sql(false))
                .endsWith(" WHERE title LIKE '%" + Bibliography.word(1_000)
                        + "%' AND year <= 2020 AND year <= 2019 ORDER BY id");
        assertThat(steps.get(9).sql(true)).contains("AGAINST", "year <= 2012");
    }

    @Test
    void mixed_haveAWordAndEvenlyNoneToTwoOthers_inAnyOrder() {
        Random random = new Random(1);
        int[] counts = new int[4];
        Set<String> first = new HashSet<>();
        for (int i = 0; i < 6_000; i++) {
            Search search = Search.mixed(random);
            counts[search.filters().size()]++;
            first.add(search.filters().get(0).kind());
            assertThat(search.filters().stream().filter(filter -> filter.kind().equals(Search.TITLE)))
                    .hasSize(1);
        }
        assertThat(IntStream.of(counts).skip(1)).allMatch(count -> count > 1_900);
        assertThat(first).hasSize(3);
    }

    @Test
    void publishedKey_isSortedByName() {
        Search search = new Search(List.of(
                new Filter(Search.YEAR, "2019"), new Filter(Search.TITLE, "word"), new Filter(Search.PUBLISHER, "p")));
        assertThat(Search.key(search.sorted())).isEqualTo("publisherp;titleword;year2019");
    }

    @Test
    void cache_keepsTheResultsThatWereUsedLast() {
        Search.Cache cache = new Search.Cache(100);
        cache.put("a", List.of(publication(1, 40)));
        cache.put("b", List.of(publication(2, 40)));
        assertThat(cache.get("a")).isNotNull();
        cache.put("c", List.of(publication(3, 40)));
        assertThat(cache.get("b")).isNull();
        assertThat(cache.get("a")).isNotNull();
        cache.put("d", List.of(publication(4, 101)));
        assertThat(cache.get("d")).isNull();
    }
}
