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
                    number = inARow >= number ? Math.min(65_536, 2 * number) : number;
                    inARow = 0;
                } else {
                    chains.of(CHAIN).finished();
                    inARow++;
                }
            }
        }
    }

    @Test
    void trust_behindManyThatContinueInARow_needsTwiceAsManyOnce() {
        TransactionChains chains = new TransactionChains(TransactionChains.FIRST_NUMBER);
        assertThat(untilTrusted(chains)).isEqualTo(64);
        for (int i = 0; i < 1_000; i++) {
            chains.of(CHAIN).continued();
        }
        assertThat(untilTrusted(chains)).isEqualTo(128);
    }

    private static int untilTrusted(TransactionChains chains) {
        int finished = 0;
        while (!chains.of(CHAIN).isGiven() && finished < 100_000) {
            chains.of(CHAIN).finished();
            finished++;
        }
        return finished;
    }

    /** A failure is a trusted transaction that continues: at most one in 100,000 of a mix. */
    @Test
    void trust_inAMix_isWrongAtMostOnceIn100_000() {
        for (double share : new double[] {0.0001, 0.001, 0.01, 0.1}) {
            Random random = new Random(1);
            TransactionChains chains = new TransactionChains(TransactionChains.FIRST_NUMBER);
            int wrong = 0;
            for (int i = 0; i < 2_000_000; i++) {
                if (random.nextDouble() >= share) {
                    chains.of(CHAIN).finished();
                } else {
                    wrong += chains.of(CHAIN).isGiven() ? 1 : 0;
                    chains.of(CHAIN).continued();
                }
            }
            assertThat(wrong).as("share %s", share).isLessThanOrEqualTo(20);
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
