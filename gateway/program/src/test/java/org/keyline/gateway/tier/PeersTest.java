package org.keyline.gateway.tier;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Cases for which the model's shapes are too small. */
final class PeersTest {
    private final List<Drop> dropped = new ArrayList<>();
    private long nowNanos = 100;

    private Peers peers(String name, long process) {
        return peers(name, process, Set.of("a", "b", "c"));
    }

    private Peers peers(String name, long process, Set<String> listed) {
        return new Peers(name, listed, process, new Peers.Sizes(4, 1), () -> nowNanos, new Peers.Listener() {
            @Override
            public void drop(Drop drop) {
                dropped.add(drop);
            }

            @Override
            public void freshUpTo(long asOfNanos) {}
        });
    }

    @Test
    void vouched_whileOneOfThreeWasNeverHeard_isEmpty() {
        Peers a = peers("a", 1);
        Peers b = peers("b", 2);
        b.receive(a.next(List::of));
        nowNanos = 200;
        a.receive(b.next(List::of));
        assertThat(a.freshUpToNanos()).isEmpty();

        Peers c = peers("c", 3);
        c.receive(a.next(List::of));
        a.receive(c.next(List::of));
        assertThat(a.freshUpToNanos()).hasValue(100);
    }

    /** Its writes are missing here, though no listed gateway is silent. */
    @Test
    void vouched_byOneThatHasHeardAGatewayThatThisOneHasNot_isEmpty_untilThatIsHeard() {
        Peers a = peers("a", 1, Set.of("a", "b"));
        Peers b = peers("b", 2);
        Peers c = peers("c", 3);
        b.receive(a.next(List::of));
        b.receive(c.next(List::of));
        a.receive(b.next(List::of));
        assertThat(a.freshUpToNanos()).isEmpty();
        assertThat(a.echoed()).isZero();

        c.receive(a.next(List::of));
        b.receive(a.next(List::of));
        a.receive(c.next(List::of));
        a.receive(b.next(List::of));
        assertThat(a.freshUpToNanos()).hasValue(100);
        assertThat(a.echoed()).isEqualTo(2);

        // A gateway that has ended is not unknown.
        Peers again = peers("c", 4);
        again.receive(a.next(List::of));
        a.receive(again.next(List::of));
        a.receive(b.next(List::of));
        assertThat(a.echoed()).isEqualTo(3);
    }

    @Test
    void began_ofANumberThatIsForgotten_isEmpty() {
        Peers a = peers("a", 1);
        PeerEntry first = a.next(List::of);
        VersionVector noted = a.seen();
        assertThat(first.number()).isEqualTo(1);
        assertThat(a.beganNanos(noted)).hasValue(100);
        for (int i = 0; i < 4; i++) {
            PeerEntry unused = a.next(List::of);
        }
        assertThat(a.beganNanos(noted)).isEmpty();
    }

    @Test
    void hear_ofTwoProcessesByOneName_dropsEverythingEachTime() {
        Peers a = peers("a", 1);
        Peers before = peers("b", 2);
        Peers after = peers("b", 3);
        a.receive(before.next(List::of));
        a.receive(after.next(List::of));
        a.receive(before.next(List::of));
        a.receive(after.next(List::of));
        assertThat(dropped).hasSize(4).allMatch(drop -> drop instanceof Drop.Everything);
    }
}
