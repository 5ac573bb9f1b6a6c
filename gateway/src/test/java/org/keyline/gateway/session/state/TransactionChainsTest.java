package org.keyline.gateway.session.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.keyline.gateway.session.state.TransactionChains.Chain;

class TransactionChainsTest {
    private static final Chain CHAIN = new Chain("a@%", "s", 0, "SELECT v FROM t WHERE id = ?");

    @Test
    void trust_ofRandomTransactions_isWhatCountingGives() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            TransactionChains chains = new TransactionChains(TransactionChains.FIRST_NUMBER);
            double continuing = Math.pow(10, -1 - 4 * random.nextDouble());
            int inARow = 0;
            int number = 64;
            for (int i = 0; i < 5_000; i++) {
                assertThat(chains.of(CHAIN).isGiven())
                        .as("seed %d, step %d", seed, i)
                        .isEqualTo(inARow >= number);
                if (random.nextDouble() < continuing) {
                    chains.of(CHAIN).continued();
                    inARow = 0;
                    number = Math.min(65_536, 2 * number);
                } else {
                    chains.of(CHAIN).finished();
                    inARow++;
                }
            }
        }
    }

    @Test
    void trust_ofOneChain_isNoOthers() {
        TransactionChains chains = new TransactionChains(1);
        chains.of(CHAIN).finished();
        assertThat(chains.of(CHAIN).isGiven()).isTrue();
        assertThat(chains.of(new Chain("b@%", "s", 0, CHAIN.read())).isGiven()).isFalse();
        assertThat(chains.of(new Chain("a@%", "r", 0, CHAIN.read())).isGiven()).isFalse();
        assertThat(chains.of(new Chain("a@%", "s", 1, CHAIN.read())).isGiven()).isFalse();
        assertThat(chains.of(new Chain("a@%", "s", 0, "SELECT *")).isGiven()).isFalse();
    }
}
