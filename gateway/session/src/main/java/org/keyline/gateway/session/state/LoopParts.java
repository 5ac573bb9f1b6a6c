package org.keyline.gateway.session.state;

import io.netty.channel.EventLoop;
import org.keyline.gateway.change.Fencing;
import org.keyline.gateway.key.LiteralValues;
import org.keyline.gateway.key.ParameterValues;
import org.keyline.gateway.read.PointReader;
import org.keyline.gateway.session.relay.AccountReplies;
import org.keyline.planner.PlanCache;
import org.keyline.planner.digest.Digester;
import org.keyline.protocol.codec.ExecuteParameters;

/** The parts that the sessions of one event loop share. Confined to that event loop. */
public record LoopParts(
        PointReader reader,
        Fencing.Shared fencing,
        PlanCache.Lookup plans,
        Digester digester,
        TextAhead textAhead,
        LiteralValues literals,
        ExecuteParameters parameters,
        ParameterValues bound,
        AccountReplies replies,
        EventLoop loop) {}
