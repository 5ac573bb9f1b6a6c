package org.keyline.stores.ddl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.keyline.planner.digest.SqlMode;
import org.keyline.protocol.fixtures.Seeds;

/** Statements of the fuzz test's corpus, split and joined again. */
final class DdlReaderPropertyTest {
    private static final Pattern TOKEN =
            Pattern.compile("'(?:[^'\\\\]|\\\\.|'')*'|\"[^\"]*\"|`[^`]*`|\\w+|\\s+|.", Pattern.DOTALL);
    private static final int MUTATIONS = 60_000;

    private final List<byte[]> corpus = corpus();

    private static List<byte[]> corpus() {
        try {
            Path directory =
                    Path.of(Objects.requireNonNull(DdlReaderPropertyTest.class.getResource("DdlReaderFuzzTestInputs"))
                            .toURI());
            try (Stream<Path> files = Files.list(directory)) {
                List<byte[]> corpus = new ArrayList<>();
                for (Path file : files.sorted().toList()) {
                    byte[] input = Files.readAllBytes(file);
                    corpus.add(Arrays.copyOfRange(input, 1, input.length));
                }
                return corpus;
            }
        } catch (IOException | URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void corpus_isRead() {
        assertThat(corpus).hasSizeGreaterThan(10);
        for (byte[] sql : corpus) {
            new DdlReader(SqlMode.DEFAULT).read(new String(sql, UTF_8), "d");
            DdlChecks.check(sql, SqlMode.DEFAULT);
        }
    }

    @Test
    void mutations_areReadOrRefused() {
        List<List<String>> statements = corpus.stream()
                .map(sql -> TOKEN.matcher(new String(sql, UTF_8))
                        .results()
                        .map(MatchResult::group)
                        .toList())
                .toList();
        int[] read = new int[1];
        Seeds.tryAll(MUTATIONS, random -> {
            List<String> tokens = new ArrayList<>(statements.get(random.nextInt(statements.size())));
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                mutate(tokens, statements, random);
            }
            SqlMode mode = random.nextInt(4) == 0 ? new SqlMode(true, true, true) : SqlMode.DEFAULT;
            read[0] += DdlChecks.check(String.join("", tokens).getBytes(UTF_8), mode) ? 1 : 0;
        });
        // If all mutations were refused, only refusals would be tested.
        assertThat(read[0]).isGreaterThan(MUTATIONS / 20);
    }

    private static void mutate(List<String> tokens, List<List<String>> statements, Random random) {
        if (tokens.isEmpty()) {
            return;
        }
        int at = random.nextInt(tokens.size());
        List<String> other = statements.get(random.nextInt(statements.size()));
        switch (random.nextInt(6)) {
            case 0 -> tokens.remove(at);
            case 1 -> tokens.add(at, tokens.get(random.nextInt(tokens.size())));
            case 2 -> tokens.set(at, other.get(random.nextInt(other.size())));
            case 3 ->
                tokens.subList(at, Math.min(tokens.size(), at + random.nextInt(8)))
                        .clear();
            case 4 -> {
                int from = random.nextInt(other.size());
                tokens.addAll(at, other.subList(from, Math.min(other.size(), from + random.nextInt(12))));
            }
            default -> tokens.set(at, tokens.get(at).toUpperCase(java.util.Locale.ROOT) + (char) random.nextInt(0x250));
        }
    }
}
