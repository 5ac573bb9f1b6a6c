package org.keyline.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Generated point reads have one plan in all spellings. */
@Tag("explores")
final class SpellingPropertyTest {
    private static final int READS = Integer.getInteger("keyline.spellings", 1_500);
    private static final String[] GAPS = {" ", "  ", "\n", "\t", " /* c */ ", " -- c\n", "/**/ ", " # c\n"};
    private static final List<String> COLUMNS = List.of("k1", "k2", "k3", "v", "w");

    @Test
    void plan_randomSpellings_areOne() {
        Seeds.forEach(1, READS, random -> {
            List<String> conditions = new ArrayList<>();
            int bound = 1 + random.nextInt(3);
            List<List<String>> values = new ArrayList<>();
            for (int i = 0; i < bound; i++) {
                values.add(values(random));
            }
            List<Integer> projection = random.ints(1 + random.nextInt(4), 0, COLUMNS.size())
                    .boxed()
                    .toList();
            boolean ordered = random.nextBoolean();
            boolean descending = random.nextBoolean();
            boolean limited = ordered && bound < 3 && random.nextBoolean();
            String[] spellings = new String[2];
            for (int i = 0; i < 2; i++) {
                conditions.clear();
                for (int column = 0; column < bound; column++) {
                    conditions.add(condition(COLUMNS.get(column), values.get(column), random));
                }
                spellings[i] = keyword("select", random)
                        + gap(random)
                        + projection.stream()
                                .map(ordinal -> name(COLUMNS.get(ordinal), random))
                                .collect(Collectors.joining(gap(random) + ","))
                        + gap(random)
                        + keyword("from", random)
                        + gap(random)
                        + (random.nextBoolean() ? "d." : "")
                        + "c "
                        + keyword("where", random)
                        + gap(random)
                        + String.join(gap(random) + keyword("and", random) + gap(random), conditions)
                        + (ordered ? order(descending, bound, values, random) : "")
                        + (limited ? limit(random) : "")
                        + (random.nextBoolean() ? ";" : "");
            }
            Plan first = Plans.plan(spellings[0]);
            assertThat(first).as(spellings[0]).isInstanceOf(PointRead.class);
            assertThat(Plans.text(Plans.plan(spellings[1])))
                    .as("%s%n%s", spellings[0], spellings[1])
                    .isEqualTo(Plans.text(first));
            assertThat(((PointRead) first).projection()).isEqualTo(projection);
            assertThat(((PointRead) first).ranges())
                    .hasSize(values.stream().mapToInt(List::size).reduce(1, (a, b) -> a * b));
        });
    }

    private static List<String> values(SplittableRandom random) {
        int count = random.nextInt(3) == 0 ? 1 + random.nextInt(4) : 1;
        List<String> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            values.add(random.nextInt(3) == 0 ? "-" : "");
        }
        return values;
    }

    private static String condition(String column, List<String> signs, SplittableRandom random) {
        String name = name(column, random);
        if (signs.size() == 1 && random.nextBoolean()) {
            String value = signs.get(0) + literal(random);
            String equals = random.nextBoolean() ? name + gap(random) + "=" + value : value + gap(random) + "= " + name;
            return random.nextBoolean() ? equals : "(" + equals + ")";
        }
        String list = signs.stream().map(sign -> sign + literal(random)).collect(Collectors.joining(gap(random) + ","));
        return name + gap(random) + keyword("in", random) + gap(random) + "(" + list + ")";
    }

    private static String order(boolean descending, int bound, List<List<String>> values, SplittableRandom random) {
        List<String> items = new ArrayList<>();
        for (int column = 0; column < 3; column++) {
            boolean constant = column < bound && values.get(column).size() == 1;
            if (!constant) {
                items.add(name(COLUMNS.get(column), random)
                        + (descending ? " DESC" : random.nextBoolean() ? " asc" : ""));
            } else if (random.nextBoolean()) {
                items.add(name(COLUMNS.get(column), random) + (random.nextBoolean() ? " DESC" : ""));
            }
        }
        return items.isEmpty() ? "" : gap(random) + "order by " + String.join(",", items);
    }

    private static String limit(SplittableRandom random) {
        return gap(random) + keyword("limit", random) + gap(random) + random.nextInt(100);
    }

    private static String name(String column, SplittableRandom random) {
        String written = keyword(column, random);
        String quoted = random.nextBoolean() ? "`" + written + "`" : written;
        return switch (random.nextInt(4)) {
            case 0 -> "c." + quoted;
            case 1 -> "d . `c`. " + quoted;
            default -> quoted;
        };
    }

    private static String literal(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0 -> "'a''b\\'c'";
            case 1 -> "\"--\"";
            case 2 -> "1.5";
            case 3 -> "?";
            case 4 -> "0x1F";
            default -> String.valueOf(random.nextInt(1000));
        };
    }

    private static String keyword(String word, SplittableRandom random) {
        return random.nextBoolean() ? word : word.toUpperCase(java.util.Locale.ROOT);
    }

    private static String gap(SplittableRandom random) {
        return GAPS[random.nextInt(GAPS.length)];
    }
}
