package org.keyline.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class VertexTest {
    @Test
    void payload_hasTheLengthAskedFor() {
        assertThat(new StrategyWorkload.Vertex(1, 2, 3).payload(4, 200))
                .hasSize(200)
                .startsWith("1:2:3:@4:");
        assertThat(new StrategyWorkload.Vertex(Long.MAX_VALUE, 0, 0).payload(0, 32))
                .hasSize(32);
    }

    @Test
    void payload_dependsOnKeyAndRevision() {
        String tail = new StrategyWorkload.Vertex(1, 2, 3).payload(4, 200).substring(20);
        assertThat(new StrategyWorkload.Vertex(1, 2, 3).payload(5, 200).substring(20))
                .isNotEqualTo(tail);
        assertThat(new StrategyWorkload.Vertex(1, 3, 3).payload(4, 200).substring(20))
                .isNotEqualTo(tail);
        assertThat(new StrategyWorkload.Vertex(1, 2, 3).payload(4, 200).substring(20))
                .isEqualTo(tail);
    }
}
