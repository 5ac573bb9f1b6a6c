package org.keyline.protocol.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.keyline.protocol.CommandCode;
import org.keyline.protocol.fixtures.LeakCheck;
import org.keyline.protocol.fixtures.Wire;

/** The budget of the hit path: one more command in a read batch allocates nothing. */
@ExtendWith(LeakCheck.class)
final class AllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int FEW = 10;
    private static final int MANY = 210;

    @Test
    void command_inABatch_allocatesNothing() {
        try (TestClient client = TestClient.withHandler(new Responder())) {
            ByteBuf few = batch(FEW);
            ByteBuf many = batch(MANY);
            allocated(client, few, 300);
            allocated(client, many, 300);
            long fewBytes = allocated(client, few, 100);
            long manyBytes = allocated(client, many, 100);
            double perCommand = (manyBytes - fewBytes) / 100.0 / (MANY - FEW);
            assertThat(perCommand).as("bytes per command").isLessThan(1);
        }
    }

    private static ByteBuf batch(int commands) {
        ByteBuf batch = Unpooled.buffer();
        for (int i = 0; i < commands; i++) {
            batch.writeBytes(Wire.command(CommandCode.COM_QUERY, new byte[60]));
        }
        return batch;
    }

    private static long allocated(TestClient client, ByteBuf batch, int times) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < times; i++) {
            client.channel.pipeline().fireChannelRead(client.copy(batch.duplicate()));
            client.channel.pipeline().fireChannelReadComplete();
            for (ByteBuf out = client.channel.readOutbound(); out != null; out = client.channel.readOutbound()) {
                out.release();
            }
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    /** Answers each command with one small packet, as a hit does. */
    private static final class Responder implements CommandHandler {
        private final byte[] answer = {3, 0, 0, 1, 1, 2, 3};

        @Override
        public void command(ByteBuf payload, Reply reply) {
            if (payload.readableBytes() != 61 || reply.nextSequenceId() != 1) {
                throw new IllegalStateException("not the command that was sent");
            }
            reply.out().writeBytes(answer);
            reply.end();
        }

        @Override
        public void changeUser(Login login, Reply reply) {
            reply.end();
        }

        @Override
        public void closed() {}
    }
}
